"""What a file holds: a matrix, the names of its columns and the ids of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from consensa.columns import Column
    from consensa.ensemble.labels import Vocabulary

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """A feature matrix or a label matrix, read from a file.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Features (float64, or float32 where the file holds that), or labels coded 0, 1, ... in every column
        (int32, -1 = missing).
    names : tuple of n_columns str
        Names of the columns; their numbers, counted from 0, where the file has no header.
    ids : ndarray of n_rows str, or None
        Ids of the rows, where the file has them.
    notes : tuple of str
        What was decided about the layout of the file, for people.
    vocabularies : tuple of n_columns Vocabulary
        The labels behind the codes, where the table holds labels.
    columns : tuple of Column
        What all columns of the file are, where it may hold anything; values are then a coded matrix, NaN for gaps.
    id_name : str
        Name of the column with the ids.

    Examples
    --------
    >>> import numpy as np
    >>> Table(np.array([[5.1, 3.5], [4.9, 3.0]]), ("length", "width")).n_rows
    2
    """

    values: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    vocabularies: tuple[Vocabulary, ...] = ()
    columns: tuple[Column, ...] = ()
    id_name: str = "id"

    @property
    def is_mixed(self) -> bool:
        """Whether it holds anything but finite numbers."""
        return any(column.kind != "number" or column.n_missing for column in self.columns if column.is_used)

    @property
    def n_rows(self) -> int:
        """Number of objects."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of features or base clusterings."""
        return int(self.values.shape[1])
