"""Which column holds the ids and which are read: as given, or recognised by a stated rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from consensa._messages import Message, Parameter
from consensa.columns.scan import is_id_word
from consensa.io.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AUTO", "ROW_NUMBERS_FROM", "Layout", "Roles", "assign_roles", "first_repeated", "is_evidence", "is_id_name"]

AUTO = "auto"
ROW_NUMBERS_FROM = 10  # with fewer rows, a first column of 0, 1, 2, ... or of distinct labels proves nothing
_ID_NAMES = (
    {"id", "ids", "name", "names", "key", "index", "row", "rows", "sample", "samples", "object", "objects"}
    | {"cell", "cells", "barcode", "barcodes"}
    | {"", "unnamed: 0", "__index_level_0__"}
)
_ID_ENDINGS = ("_id", "-id", ".id", " id")
_SHOWN = 12


@dataclass(frozen=True)
class Layout:
    """What the user says about a file, as in ``read_features``; None and "auto" leave it to the rules."""

    header: bool | None = None
    id_column: str | int | None = AUTO
    columns: Sequence[str | int] | None = None
    delimiter: str | None = None
    array: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"

    @property
    def is_open(self) -> bool:
        """Whether the id column is ours to recognise among all columns."""
        return self.id_column == AUTO and self.columns is None


@dataclass(frozen=True)
class Roles:
    """What the columns of a file are: the place of the id column (None: there is none), and the columns to read."""

    file: str
    names: Sequence[str]
    layout: Layout
    id_index: int | None
    chosen: list[int]

    @property
    def chosen_names(self) -> tuple[str, ...]:
        """Names of the columns to read."""
        return tuple(self.names[j] for j in self.chosen)

    def table(self, values: np.ndarray, ids: Sequence[str] | np.ndarray | None, *notes: str) -> Table:
        """Put the parts together; ids that were recognised, not given, must tell the rows apart."""
        where = self.id_note if ids is None else "the ids are stored with it"
        if ids is not None:
            ids = np.array(ids, dtype=object)
        if ids is not None and self.id_index is not None:
            where = self.id_note
            self.check_ids(ids)
        return Table(values, self.chosen_names, ids, (*notes, where), id_name=self.id_name)

    @property
    def id_name(self) -> str:
        """Name of the column with the ids; "id" where it has none."""
        name = "" if self.id_index is None else str(self.names[self.id_index])
        return "id" if not name or name.isdigit() or name.startswith("__index") else name

    @property
    def id_note(self) -> str:
        """Where the ids are, in words."""
        if self.id_index is None:
            return "there is no id column"
        name = self.names[self.id_index]
        return f"the ids are in column {repr(name) if name else f'{self.id_index}, which has no name'}"

    def check_ids(self, ids: np.ndarray) -> None:
        """Refuse ids that were recognised, not given, and do not tell the rows apart."""
        twice = first_repeated(ids) if self.layout.id_column == AUTO else None
        if twice is not None:
            self.ask_about_ids(
                f"looks like ids, but {twice!r} occurs more than once in it", "to read it like the others"
            )

    def ask_about_ids(self, what: str, otherwise: str) -> NoReturn:
        """Leave it to the user whether the first column holds the ids."""
        text = "{file}: the first column ({name!r}) {what}; give {first} if it holds ids, or {none} {otherwise}."
        answers = {"first": Parameter("id_column", 0), "none": Parameter("id_column", None)}
        raise ValueError(Message(text, file=self.file, name=self.names[0], what=what, otherwise=otherwise, **answers))


def is_id_name(name: str) -> bool:
    """Whether a column of that name is taken for ids.

    Examples
    --------
    >>> is_id_name("Sample"), is_id_name("patient_id"), is_id_name(""), is_id_name("width")
    (True, True, True, False)
    """
    plain = name.strip().lower()
    return plain in _ID_NAMES or plain.endswith(_ID_ENDINGS) or is_id_word(name)


def is_evidence(name: str) -> bool:
    """Whether a column stands beside labels and holds none: confidence, or memberships, as we write them.

    Examples
    --------
    >>> is_evidence("confidence"), is_evidence("confidence_k3"), is_evidence("label")
    (True, True, False)
    """
    return name in ("confidence", "outlier_score") or name.startswith(("confidence_", "membership_"))


def assign_roles(file: str, names: Sequence[str], layout: Layout, *, first_is_id: bool, evidence: bool = True) -> Roles:
    """Find the id column and the columns to read; ``first_is_id`` is what the rules say about the first column.

    Without ``evidence``, columns that stand beside labels are not read, unless they are chosen.

    Examples
    --------
    >>> roles = assign_roles("t.csv", ["id", "x", "y"], Layout(columns=["y"]), first_is_id=True)
    >>> roles.id_index, roles.chosen
    (0, [2])
    """
    wanted = None if layout.columns is None else [_find(file, names, column) for column in layout.columns]
    if layout.id_column == AUTO:
        free = len(names) > 1 and (wanted is None or 0 not in wanted)
        id_index = 0 if first_is_id and free else None
    else:
        id_index = None if layout.id_column is None else _find(file, names, layout.id_column)
    chosen = [j for j in range(len(names)) if j != id_index] if wanted is None else wanted
    if wanted is None and not evidence:
        chosen = [j for j in chosen if not is_evidence(names[j])] or chosen
    if not chosen:
        msg = f"{file}: the only column is the id column, so there is nothing to read."
        raise ValueError(msg)
    if id_index in chosen or len(set(chosen)) < len(chosen):
        twice = id_index if id_index in chosen else next(j for j in chosen if chosen.count(j) > 1)
        msg = f"{file}: column {names[twice or 0]!r} is named twice; name every column once, as id or to be read."
        raise ValueError(msg)
    return Roles(file, names, layout, id_index, chosen)


def first_repeated(ids: np.ndarray) -> str | None:
    """Return the first id that occurs more than once, None if all differ."""
    counts = Counter(ids.tolist())
    return None if len(counts) == len(ids) else next(name for name, count in counts.items() if count > 1)


def _find(file: str, names: Sequence[str], wanted: str | int) -> int:
    """Place of a column given by name, or by number from 0."""
    places = [j for j, name in enumerate(names) if name == wanted]
    if len(places) > 1:
        msg = f"{file}: {len(places)} columns are called {wanted!r}; give the number of the column, counted from 0."
        raise ValueError(msg)
    if places:
        return places[0]
    if isinstance(wanted, int) or wanted.isdigit():
        place = int(wanted)
        if 0 <= place < len(names):
            return place
    shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    msg = f"{file}: there is no column {wanted!r}; the {len(names)} columns are {shown} (or by number, from 0)."
    raise ValueError(msg)
