"""Whether the first line of a text file is a header: decided by stated rules, or left to the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from consensa.io.cells import MISSING, is_word, parse_number
from consensa.io.layout import is_id_name

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HeaderRule", "feature_header", "label_header"]

HeaderRule: TypeAlias = Callable[[Sequence[str], Sequence[Sequence[str]]], bool | None]


def feature_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool | None:
    """Say whether the first row of a feature file is a header; None if it cannot be told.

    It is one if its first cell names ids (id, name, sample, ..., see ``is_id_name``), or if its cells, the first
    aside, hold words and no numbers. It is none if all its cells, the first aside, are numbers or missing, unless a
    word stands above a first column of numbers. A row that mixes words and numbers, a row 0, 1, 2, ... and an empty
    cell before numbers can be either.

    Examples
    --------
    >>> feature_header(["length", "width"], [["5.1", "3.5"]]), feature_header(["flower7", "3.5"], [["flower8", "3.0"]])
    (True, False)
    """
    named = _names_ids(first)
    if named is not None:
        return named or None
    rest = first[1:] if len(first) > 1 else first
    if any(map(is_word, rest)):
        return None if any(map(_is_number, rest)) else True
    if _counts_up(first):
        return None
    return is_word(first[0]) and _is_numeric(row[0] for row in body)


def label_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool | None:
    """Say whether the first row of a label file is a header; None if it cannot be told.

    Labels can be words themselves. The row is a header if its first cell names ids, or if it holds words (or nothing)
    only, of which some stands above a column of numbers or none occurs again in its column. It is none if it holds
    numbers only, or words that occur again below. Contradicting signs, a row 0, 1, 2, ... and an empty cell before
    numbers can be either.

    Examples
    --------
    >>> label_header(["a", "b"], [["1", "x"], ["2", "x"]]), label_header(["x", "b"], [["x", "c"], ["y", "b"]])
    (True, False)
    """
    below = [{row[j].strip() for row in body} for j in range(len(first))]
    words = [j for j, cell in enumerate(first) if is_word(cell)]
    recurs = any(first[j].strip() in below[j] for j in words)
    named = None if recurs else _names_ids(first)
    if named is not None:
        return named or None
    if not words:
        return None if _counts_up(first) else False
    above_numbers = any(_is_numeric(below[j]) for j in words)
    if above_numbers and (recurs or any(map(_is_number, first))):
        return None
    if above_numbers:
        return True
    return not recurs and not any(map(_is_number, first))


def _names_ids(first: Sequence[str]) -> bool | None:
    """True: the first cell names ids; False: it is empty, which may be a name or a missing value; None: neither."""
    if len(first) < 2 or not is_id_name(first[0]):
        return None
    if first[0].strip():
        return True
    rest = [cell.strip() for cell in first[1:]]
    words = any(map(is_word, rest)) and not any(map(_is_number, rest))
    return words or rest == [str(j) for j in range(len(rest))]


def _counts_up(first: Sequence[str]) -> bool:
    """Whether the row reads 0, 1, 2, ..., the header that data frames without names are written with."""
    return len(first) > 1 and [cell.strip() for cell in first] == [str(j) for j in range(len(first))]


def _is_number(cell: str) -> bool:
    return parse_number(cell) is not None


def _is_numeric(cells: Iterable[str]) -> bool:
    """Whether there are numbers, and nothing but numbers and missing cells."""
    known = [cell for cell in cells if cell.strip() not in MISSING]
    return bool(known) and all(map(_is_number, known))
