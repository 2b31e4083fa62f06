"""What a single cell says: a number, a missing value or a word; and how label cells become codes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consensa._messages import Message, Term
from consensa.ensemble.labels import Column, Vocabulary
from consensa.ensemble.missing import warn_lonely

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MISSING", "Label", "LabelCodes", "as_label", "code_labels", "is_word", "parse_number", "whole_numbers"]

MISSING = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>"})
Label: TypeAlias = int | str | None

_EXACT_FLOAT = 2**53
_INT64 = 2**63


def parse_number(cell: str) -> float | None:
    """Read a number as files write it; None for anything else.

    Examples
    --------
    >>> parse_number(" 1e3 "), parse_number("1_000"), parse_number("x")
    (1000.0, None, None)
    """
    if "_" in cell or not cell.isascii():  # float() takes 10_1, which is more often the name of a sample
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def is_word(cell: str) -> bool:
    """Whether a cell is neither a number nor missing.

    Examples
    --------
    >>> [is_word(cell) for cell in ("width", "3.5", "NA", "")]
    [True, False, False, False]
    """
    return cell.strip() not in MISSING and parse_number(cell) is None


def as_label(value: Any) -> Label:
    """Return what a cell means as a label: a whole number, a text, or None for missing.

    ``1``, ``01`` and ``1.0`` are the same label, whatever else stands in the column.

    Examples
    --------
    >>> as_label("01"), as_label(2.0), as_label(" b "), as_label("NA"), as_label("0.5")
    (1, 2, 'b', None, '0.5')
    """
    if value is None or isinstance(value, (bool, int, np.bool_, np.integer)):
        return None if value is None else int(value)
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    text = text.strip()
    if text in MISSING:
        return None
    number = parse_number(text)
    if number is None or not math.isfinite(number) or number != math.floor(number):
        return text
    if abs(number) <= _EXACT_FLOAT:
        return int(number)
    return int(text) if text.lstrip("+-").isdigit() else text


def whole_numbers(numbers: np.ndarray) -> bool:
    """Whether all entries are NaN or whole numbers that a float holds exactly."""
    with np.errstate(invalid="ignore"):
        fine = (np.floor(numbers) == numbers) & (np.abs(numbers) <= _EXACT_FLOAT)
    return bool(np.all(fine | np.isnan(numbers)))


class LabelCodes(dict[Any, int]):
    """Numbers for the cells of one label column, given out as they come in; keys are cells as they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: dict[Label, int] = {}

    def __missing__(self, cell: Any) -> int:
        code = self.labels.setdefault(as_label(cell), len(self.labels))
        self[cell] = code
        return code

    def of_texts(self, cells: Sequence[str]) -> np.ndarray:
        """Codes of texts, int32."""
        return np.fromiter(map(self.__getitem__, cells), np.int32, len(cells))

    def of_numbers(self, numbers: np.ndarray) -> np.ndarray:
        """Codes of whole numbers or NaN, int32."""
        distinct, inverse = np.unique(numbers, return_inverse=True)
        return self.of_distinct(distinct.tolist())[inverse]

    def of_distinct(self, values: Iterable[Any]) -> np.ndarray:
        """Codes of a few values that are not worth remembering as cells, int32."""
        found = [self.labels.setdefault(as_label(value), len(self.labels)) for value in values]
        return np.array(found, np.int32)


def code_labels(
    where: str, labels: Sequence[Label], codes: np.ndarray, missing: int | None
) -> tuple[np.ndarray, Vocabulary]:
    """Turn the numbers of one column's labels into its codes 0, 1, ... in sorted order, -1 for missing.

    ``codes`` says for every row the place of its label among the distinct ``labels``, ``where`` what the column is
    called in messages; the number for missing labels counts in a column of texts too.

    Examples
    --------
    >>> import numpy as np
    >>> codes, vocabulary = code_labels("'a' of t.csv", ["x", None, "b"], np.array([0, 1, 2, 0]), -1)
    >>> codes, vocabulary.labels.tolist()
    (array([ 1, -1,  0,  1], dtype=int32), ['b', 'x'])
    """
    known = [label for label in labels if label is not None]
    if all(isinstance(label, int) and -_INT64 <= label < _INT64 for label in known):
        absent = np.array([label is None for label in labels])
        values = np.array([0 if label is None else label for label in labels], np.int64)
    else:
        _refuse_measurements(where, known)
        absent = np.array([label is None or (missing is not None and label == missing) for label in labels])
        values = np.array(["" if label is None else str(label) for label in labels])
    vocabulary = Vocabulary.of(Column(where, values, absent), missing)
    warn_lonely([where], [vocabulary], [values.dtype.kind == "i" and -1 in known])
    return vocabulary.encode(values, absent)[codes], vocabulary


def _refuse_measurements(where: str, known: Sequence[Label]) -> None:
    """A column of numbers that are not all whole is no clustering."""
    if any(isinstance(label, str) and parse_number(label) is None for label in known):
        return
    measured = next((label for label in known if isinstance(label, str)), None)
    if measured is None:
        return
    text = (
        "column {where} holds {measured}: labels are names of clusters, not measurements, so they must be whole "
        "numbers or texts. If these are features, cluster them first ({clusterer})."
    )
    raise ValueError(Message(text, where=where, measured=measured, clusterer=Term("EnsembleClustering")))
