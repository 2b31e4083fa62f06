"""Distinct label rows over all chunks: all of them, or those with the smallest hashes; mergeable."""

from __future__ import annotations

import numpy as np

from consensa._budget import format_bytes
from consensa.ensemble.microclusters import MicroclusterTable

__all__ = ["DistinctRows"]

_BYTES_OF_A_ROW = 40  # hash, size, first object, two places in the table of a row; its labels come on top


class DistinctRows:
    """Distinct label rows with their numbers of objects and first objects, as a mergeable sum.

    Beyond the limit a ``sample`` keeps the rows with the smallest hashes (their numbers of objects stay exact);
    otherwise that is an error.

    Examples
    --------
    >>> import numpy as np
    >>> total = DistinctRows(1, limit=10, sample=False)
    >>> total.add(np.array([[5], [3], [5]], np.int32), np.ones(3, np.int64), np.arange(100, 103))
    >>> table = total.finish()
    >>> table.rows.tolist(), table.sizes.tolist(), table.firsts.tolist()
    ([[5], [3]], [2, 1], [100, 101])
    """

    def __init__(self, n_columns: int, limit: int, *, sample: bool) -> None:
        self._n_columns = n_columns
        self._limit = limit
        self._sample = sample
        self._table = MicroclusterTable(n_columns)

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows (n x M, int32), each ``sizes`` times, from object ``firsts`` on."""
        self._table.add(labels, sizes, firsts)
        if len(self._table) > 2 * self._limit or not self._sample:
            self._trim()

    def merge(self, other: DistinctRows) -> None:
        """Add the rows of other chunks."""
        self._table.merge(other._table)
        self._trim()

    def finish(self) -> MicroclusterTable:
        """Return the rows in the order of their first objects; the answer does not depend on the order of merging."""
        self._trim()
        order = np.argsort(self._table.firsts, kind="stable")
        table = MicroclusterTable(self._n_columns)
        table.add(self._table.rows[order], self._table.sizes[order], self._table.firsts[order])
        return table

    @property
    def is_sample(self) -> bool:
        """Whether there were more rows than the limit."""
        return self._table.is_sample

    def _trim(self) -> None:
        if len(self._table) <= self._limit:
            return
        if not self._sample:
            n_bytes = self._limit * (_BYTES_OF_A_ROW + 4 * self._n_columns)
            msg = (
                f"the label matrix has more than {self._limit} microclusters (distinct rows; {format_bytes(n_bytes)}), "
                "which this method needs in one place. Raise as_chunks(..., max_microclusters=...) if memory and time "
                "allow, use fewer or coarser base clusterings, or a method that does without them: SAL, "
                'LWGP, or MDECConsensus(consensus="bg").'
            )
            raise ValueError(msg)
        self._table.keep_smallest(self._limit)
