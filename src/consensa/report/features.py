"""Features of the objects of a report: an array, or chunks of one that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._features import check_features
from consensa._frames import kind_of, names_of
from consensa._threads import row_ranges
from consensa.columns import CodedTable, code_frame, read_frame, used_columns
from consensa.columns.coding import is_plain
from consensa.ensemble.chunks import Chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa.columns import Column

__all__ = ["FeatureRows"]

_CHUNK_VALUES = 1 << 22


class FeatureRows:
    """Rows of features, an array, a frame or chunks, that are read in blocks; with columns, of a coded table.

    Parameters
    ----------
    source : array, frame, CodedTable or Chunks
        A frame need not be the table that a model was fitted on: it may hold any columns to describe the clusters by.
    columns : tuple of Column or None, default=None
        Columns of the table that the model was fitted on.

    Examples
    --------
    >>> import numpy as np
    >>> rows = FeatureRows(np.arange(6.0).reshape(3, 2))
    >>> rows.n_features, rows.pick(np.array([0, 2])).tolist()
    (2, [[0.0, 1.0], [4.0, 5.0]])
    """

    def __init__(self, source: Any, columns: tuple[Column, ...] | None = None) -> None:
        self.columns = columns  # all of a table, None for plain numbers
        self._source = source
        if not isinstance(source, Chunks):
            self._source, self.columns = _checked(source, columns)
        first = next(iter(self.blocks()))[1]
        self.n_features = int(first.shape[1])

    def __len__(self) -> int:
        return int(self._source.n_rows or 0) if isinstance(self._source, Chunks) else int(self._source.shape[0])

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Read the rows block by block, each with the number of its first row."""
        if isinstance(self._source, Chunks):
            yield from ((block.start, np.asarray(block.data)) for block in self._source.blocks())
            return
        for start, stop in row_ranges(self._source.shape[0], max(1, _CHUNK_VALUES // self._source.shape[1])):
            yield start, self._source[start:stop]

    def pick(self, rows: np.ndarray) -> np.ndarray:
        """Return some rows, whose numbers rise."""
        if not isinstance(self._source, Chunks):
            return np.asarray(self._source[rows])
        parts = []
        for start, values in self.blocks():
            first, last = np.searchsorted(rows, [start, start + len(values)])
            parts.append(values[rows[first:last] - start])
        return np.concatenate(parts)


def _checked(source: Any, columns: tuple[Column, ...] | None) -> tuple[np.ndarray, tuple[Column, ...] | None]:
    """Finite numbers, or a table in which a gap is NaN, with its columns: those of the fit, or its own."""
    if isinstance(source, CodedTable):
        return source.values, source.columns
    if columns is not None and isinstance(source, np.ndarray) and source.shape[1] == len(used_columns(columns)):
        return source, columns  # coded already
    kind = kind_of(source)
    if columns is not None and (
        kind is None or {each.name for each in used_columns(columns)} <= set(names_of(source) or ())
    ):
        return code_frame(source, columns), columns
    if kind is None or (columns is None and is_plain(source)):
        return check_features(None, source), None
    table = read_frame(source)
    return table.values, table.columns
