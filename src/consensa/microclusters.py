"""Distinct label rows of an ensemble, found by hashing."""

from __future__ import annotations

import numpy as np

from consensa import _kernels

__all__ = ["MicroclusterTable"]


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
        self._table = np.full(2048, -1, np.int32)
        self._rows = np.empty((1024, n_columns), np.int32)
        self._hashes = np.empty(1024, np.uint64)
        self._sizes = np.zeros(1024, np.int64)
        self._firsts = np.empty(1024, np.int64)
        self._largest = np.uint64(2**64 - 1)

    def __len__(self) -> int:
        return self._n_used

    @property
    def is_sample(self) -> bool:
        """Whether rows have been passed over."""
        return bool(self._largest < np.uint64(2**64 - 1))

    @property
    def rows(self) -> np.ndarray:
        """Distinct rows so far, int32."""
        return self._rows[: self._n_used].copy()

    @property
    def sizes(self) -> np.ndarray:
        """How often each distinct row came, int64."""
        return self._sizes[: self._n_used].copy()

    @property
    def firsts(self) -> np.ndarray:
        """Smallest of the numbers that came with each distinct row, int64."""
        return self._firsts[: self._n_used].copy()

    def add(self, codes: np.ndarray, weights: np.ndarray | None = None, firsts: np.ndarray | None = None) -> np.ndarray:
        """Add rows (n x M, int32), each ``weights`` times, and return the number of each; -1 without any label.

        ``firsts`` are numbers of the rows, of which the smallest is kept.
        """
        ids = np.empty(codes.shape[0], np.int64)
        hashes = np.empty(codes.shape[0], np.uint64)
        _kernels.hash_rows(codes, hashes)
        ones = np.ones(codes.shape[0], np.int64) if weights is None or firsts is None else weights
        weights = ones if weights is None else weights
        firsts = ones if firsts is None else firsts
        done = 0
        while True:
            done, self._n_used = _kernels.insert_rows(
                codes,
                hashes,
                weights,
                firsts,
                self._largest,
                done,
                self._table,
                self._rows,
                self._hashes,
                self._sizes,
                self._firsts,
                self._n_used,
                ids,
            )
            if done == codes.shape[0]:
                return ids
            self._grow()

    def find(self, codes: np.ndarray) -> np.ndarray:
        """Return the number of each row (n x M, int32), -1 for a row that never came."""
        ids = np.empty(codes.shape[0], np.int64)
        hashes = np.empty(codes.shape[0], np.uint64)
        _kernels.hash_rows(codes, hashes)
        _kernels.find_rows(codes, hashes, self._table, self._rows, self._hashes, ids)
        return ids

    def merge(self, other: MicroclusterTable) -> None:
        """Add the rows of another table; where either passes rows over, both do so from now on."""
        self._largest = min(self._largest, other._largest)
        self.add(other.rows, other.sizes, other.firsts)

    def keep_smallest(self, n_rows: int) -> None:
        """Keep the rows with the ``n_rows`` smallest hashes; rows with larger ones are passed over from now on."""
        if self._n_used <= n_rows:
            return
        used = slice(0, self._n_used)
        kept = np.sort(np.argpartition(self._hashes[used], n_rows - 1)[:n_rows])
        self._largest = self._hashes[kept].max()
        for values in (self._rows, self._hashes, self._firsts, self._sizes):
            values[:n_rows] = values[kept]
        self._sizes[n_rows:] = 0
        self._n_used = n_rows
        self._table[:] = -1
        _kernels.refill_table(self._hashes, self._n_used, self._table)

    def _grow(self) -> None:
        capacity = 2 * self._rows.shape[0]
        self._rows = np.resize(self._rows, (capacity, self._rows.shape[1]))
        self._hashes = np.resize(self._hashes, capacity)
        self._firsts = np.resize(self._firsts, capacity)
        self._sizes = np.concatenate([self._sizes, np.zeros(self._sizes.size, np.int64)])
        self._table = np.full(2 * capacity, -1, np.int32)
        _kernels.refill_table(self._hashes, self._n_used, self._table)
