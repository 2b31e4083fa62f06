"""A table as one matrix of numbers, in which a gap is NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._frames import as_frame, collected
from consensa.columns.cells import BLANKS, Cells, as_texts, cells_of_series, cells_of_texts_as_levels
from consensa.columns.column import Column, used_columns
from consensa.columns.dates import parse_dates
from consensa.columns.scan import ColumnScan, check_types, columns_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CodedTable", "code_cells", "code_frame", "is_plain", "read_frame"]


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table as a matrix of numbers with gaps, and what its columns are.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_used), float
        One column for every used column of ``columns``, in their order; :class:`~consensa.columns.Column` says what
        the numbers mean. NaN for a gap.
    columns : tuple of Column
        All columns of the table, also those that are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from consensa.columns import read_frame
    >>> table = read_frame(pd.DataFrame({"age": [31, None, 20], "plan": ["free", "team", "free"]}))
    >>> table.values
    array([[31.,  0.],
           [nan,  1.],
           [20.,  0.]])
    """

    values: np.ndarray
    columns: tuple[Column, ...]

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns of the matrix."""
        return used_columns(self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but finite numbers."""
        return all(column.kind == "number" and not column.n_missing for column in self.columns)


def is_plain(X: Any) -> bool:
    """Whether a frame holds nothing but finite numbers; anything else than a frame is left to others.

    Examples
    --------
    >>> import pandas as pd
    >>> is_plain(pd.DataFrame({"a": [1, 2]})), is_plain(pd.DataFrame({"a": ["x", "y"]})), is_plain([[1]])
    (True, False, True)
    """
    import narwhals as nw

    frame = as_frame(collected(X), "X")
    if frame is None or isinstance(frame, nw.Series) or 0 in frame.shape:
        return True
    if not all(kind.is_numeric() for kind in frame.schema.values()):
        return False
    return all(np.isfinite(cells_of_series(frame[:, j]).values).all() for j in range(frame.shape[1]))


def code_cells(column: Column, cells: Cells) -> np.ndarray:
    """Return cells of a column as numbers: NaN for gaps and for levels that the column does not know.

    Examples
    --------
    >>> from consensa.columns.cells import cells_of_texts
    >>> code_cells(Column("plan", "category", ("free", "team")), cells_of_texts(["team", "gold", ""]))
    array([ 1., nan, nan])
    """
    if column.levels:
        texts = as_texts(cells)
        return _at(cells_of_texts_as_levels(texts.levels or [], column.levels), texts.values)
    if cells.kind != "text" or np.isnan(cells.values).all():
        return cells.values
    levels = cells.levels or []
    if column.kind == "date":
        dates = [parse_dates([level], column.form) for level in levels]
        return _at(np.array([np.nan if date is None else date[0] for date in dates]), cells.values)
    other = next((level for level in levels if level not in BLANKS), None)
    if other is None:
        return np.full(cells.values.size, np.nan)
    msg = f"column {column.name!r} holds {other!r}; it was a {column.kind} when the model was fitted."
    raise ValueError(msg)


def _at(table: np.ndarray, places: np.ndarray) -> np.ndarray:
    known = ~np.isnan(places)
    found = np.full(places.size, np.nan)
    found[known] = table[places[known].astype(np.int64)]
    return found


def read_frame(X: Any, types: Mapping[str, str] | None = None) -> CodedTable:
    """Find out what the columns of a frame are, and code it.

    Parameters
    ----------
    X : frame of pandas, polars or pyarrow, or array of shape (n_rows, n_columns)
        The columns of an array are numbers, called 0, 1, ...; NaN is a gap.
    types : mapping of str to str, default=None
        What columns are, by name: "number", "boolean", "date", "date:dmy", "date:mdy", "category", "ordered",
        "low<high" (ordered levels), "id" or "ignore".

    Returns
    -------
    CodedTable
    """
    names, blocks, has_names = _cells_of(X)
    wanted = check_types(types, names)
    edges = {0, len(names) - 1} if has_names and len(names) > 1 else set()
    scans = [ColumnScan(name, wanted.get(name, ""), at_edge=j in edges) for j, name in enumerate(names)]
    for scan, cells in zip(scans, blocks, strict=True):
        scan.add(cells)
    columns = columns_of(scans, wanted)
    return CodedTable(_stacked(columns, blocks), columns)


def code_frame(X: Any, columns: Sequence[Column]) -> np.ndarray:
    """Code new rows of a table whose columns are known, found by their names.

    Parameters
    ----------
    X : frame, or array with one column for every column of the table
    columns : sequence of Column

    Returns
    -------
    ndarray of shape (n_rows, n_used), float
    """
    names, blocks, has_names = _cells_of(X)
    if not has_names and len(names) != len(columns):
        msg = f"X has {len(names)} features, but the table of the fit has {len(columns)} columns; give the same ones."
        raise ValueError(msg)
    place = {name: j for j, name in enumerate(names)}
    absent = [column.name for column in columns if column.is_used and column.name not in place]
    if absent:
        msg = (
            f"the table has no column {', '.join(map(repr, absent))}, which the model was fitted on; add it, with "
            "empty cells where its values are not known."
        )
        raise ValueError(msg)
    used = used_columns(columns)
    return _stacked(used, [blocks[place[column.name]] for column in used])


def _stacked(columns: Sequence[Column], blocks: Sequence[Cells]) -> np.ndarray:
    pairs = zip(columns, blocks, strict=True)
    return np.stack([code_cells(column, cells) for column, cells in pairs if column.is_used], axis=1)


def _cells_of(X: Any) -> tuple[list[str], list[Cells], bool]:
    """Names and cells of the columns of a frame or an array, and whether the names are its own."""
    import narwhals as nw

    frame = as_frame(collected(X), "X")
    if frame is None:
        values = np.asarray(X)
        if values.ndim != 2 or values.dtype.kind not in "biuf" or 0 in values.shape:
            msg = (
                f"a table is a data frame, or an array of numbers of shape (n_rows, n_columns), not {type(X).__name__} "
                f"of shape {values.shape} and type {values.dtype}; give a data frame."
            )
            raise ValueError(msg)
        columns = [Cells("number", np.asarray(column, float)) for column in values.T]
        return [str(j) for j in range(len(columns))], columns, False
    if isinstance(frame, nw.Series):
        frame = frame.to_frame()
    if 0 in frame.shape:
        msg = f"the table has {frame.shape[0]} rows and {frame.shape[1]} columns, so there is nothing to cluster."
        raise ValueError(msg)
    return [str(name) for name in frame.columns], [cells_of_series(frame[:, j]) for j in range(frame.shape[1])], True
