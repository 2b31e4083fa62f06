"""Distinct label rows of an ensemble, found by hashing."""

from __future__ import annotations

import numpy as np

from consensa.ensemble import _kernels

__all__ = ["MicroclusterTable", "row_hashes"]


def row_hashes(rows: np.ndarray) -> np.ndarray:
    """Return the 64-bit hash of every row (int32), uint64."""
    hashes = np.empty(rows.shape[0], np.uint64)
    _kernels.hash_rows(rows, hashes)
    return hashes


_CAPACITY = 1024  # rows at first, a power of two; doubled whenever they are too few


class MicroclusterTable:
    """Distinct label rows, found by hashing while chunks of rows come in.

    Rows are numbered in the order in which they first appear. Equal hashes are verified.

    Parameters
    ----------
    n_columns : int
        Number of base clusterings.
    """

    def __init__(self, n_columns: int) -> None:
        self._n_used = 0
        self._table = _kernels.RowTable(
            slots=np.full(2 * _CAPACITY, -1, np.int32),
            rows=np.empty((_CAPACITY, n_columns), np.int32),
            hashes=np.empty(_CAPACITY, np.uint64),
            sizes=np.zeros(_CAPACITY, np.int64),
            firsts=np.empty(_CAPACITY, np.int64),
        )
        self._largest = np.uint64(2**64 - 1)

    @classmethod
    def of(cls, rows: np.ndarray) -> MicroclusterTable:
        """Return a table of distinct rows (n x M, int32), numbered as they stand, to look rows up."""
        table = cls(rows.shape[1])
        table.add(rows)
        return table

    def __len__(self) -> int:
        return self._n_used

    @property
    def is_sample(self) -> bool:
        """Whether rows have been passed over."""
        return bool(self._largest < np.uint64(2**64 - 1))

    @property
    def rows(self) -> np.ndarray:
        """Distinct rows so far, int32."""
        return self._table.rows[: self._n_used].copy()

    @property
    def sizes(self) -> np.ndarray:
        """How often each distinct row came, int64."""
        return self._table.sizes[: self._n_used].copy()

    @property
    def firsts(self) -> np.ndarray:
        """Smallest of the numbers that came with each distinct row, int64."""
        return self._table.firsts[: self._n_used].copy()

    def add(self, codes: np.ndarray, weights: np.ndarray | None = None, firsts: np.ndarray | None = None) -> np.ndarray:
        """Add rows (n x M, int32), each ``weights`` times, and return the number of each; -1 without any label.

        ``firsts`` are numbers of the rows, of which the smallest is kept.
        """
        ids, hashes = np.empty(codes.shape[0], np.int64), row_hashes(codes)
        ones = np.ones(codes.shape[0], np.int64) if weights is None or firsts is None else weights
        weights = ones if weights is None else weights
        firsts = ones if firsts is None else firsts
        new = _kernels.NewRows(codes, hashes, weights, firsts)
        done = 0
        while True:
            done, self._n_used = _kernels.insert_rows(new, done, self._largest, self._table, self._n_used, ids)
            if done == codes.shape[0]:
                return ids
            self._grow()

    def find(self, codes: np.ndarray) -> np.ndarray:
        """Return the number of each row (n x M, int32), -1 for a row that never came."""
        ids = np.empty(codes.shape[0], np.int64)
        _kernels.find_rows(codes, row_hashes(codes), self._table, ids)
        return ids

    def merge(self, other: MicroclusterTable) -> None:
        """Add the rows of another table; where either passes rows over, both do so from now on."""
        self._largest = min(self._largest, other._largest)
        self.add(other.rows, other.sizes, other.firsts)

    def keep_smallest(self, n_rows: int) -> None:
        """Keep the rows with the ``n_rows`` smallest hashes; rows with larger ones are passed over from now on."""
        if self._n_used <= n_rows:
            return
        table = self._table
        kept = np.sort(np.argpartition(table.hashes[: self._n_used], n_rows - 1)[:n_rows])
        self._largest = table.hashes[kept].max()
        for values in (table.rows, table.hashes, table.firsts, table.sizes):
            values[:n_rows] = values[kept]
        table.sizes[n_rows:] = 0
        table.slots[:] = -1
        self._n_used = n_rows
        _kernels.refill_slots(table.hashes, self._n_used, table.slots)

    def _grow(self) -> None:
        """Double the room; the rows stay where they are, and a larger table points at them."""
        table, capacity = self._table, 2 * self._table.rows.shape[0]
        slots = np.full(2 * capacity, -1, np.int32)
        _kernels.refill_slots(table.hashes, self._n_used, slots)
        self._table = _kernels.RowTable(
            slots=slots,
            rows=_enlarged(table.rows, self._n_used),
            hashes=_enlarged(table.hashes, self._n_used),
            sizes=np.concatenate([table.sizes, np.zeros_like(table.sizes)]),
            firsts=_enlarged(table.firsts, self._n_used),
        )


def _enlarged(values: np.ndarray, n_used: int) -> np.ndarray:
    """Return an array of twice the length that begins with those in use."""
    found = np.empty((2 * values.shape[0], *values.shape[1:]), values.dtype)
    found[:n_used] = values[:n_used]
    return found
