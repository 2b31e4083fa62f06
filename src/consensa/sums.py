"""Sums over label rows: mergeable, in whole numbers, so that any order and any chunking give the same bits."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from consensa import _kernels

__all__ = ["DegreeSums", "LeadCounts", "PairCounts", "incidence_of"]

_DENSE_CLUSTERS = 4096  # up to here the sums stand in an n_c x n_c array (128 MiB)
_LOW_BITS = 30
_CARRY_ROWS = 1 << 30  # objects after which the low limbs hand on what they carry, long before 2⁶³


class PairCounts:
    """Number of common objects of every two clusters, as a mergeable sum.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
        Cluster ids of base clustering m are ``offsets[m] .. offsets[m + 1] - 1``.

    Examples
    --------
    >>> import numpy as np
    >>> total, other = PairCounts(np.array([0, 2, 3])), PairCounts(np.array([0, 2, 3]))
    >>> total.add(np.array([[0, 0], [1, -1]], np.int32), np.array([2, 1]))
    >>> other.add(np.array([[1, 0]], np.int32), np.array([1]))
    >>> total.merge(other)
    >>> total.finish().toarray()
    array([[2, 0, 2],
           [0, 2, 1],
           [2, 1, 3]])
    """

    def __init__(self, offsets: np.ndarray) -> None:
        self._offsets = offsets
        self._upper = _empty(int(offsets[-1]))

    def add(self, labels: np.ndarray, sizes: np.ndarray, start: int = 0) -> None:  # noqa: ARG002 - of all sums over rows
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        if isinstance(self._upper, np.ndarray):
            _kernels.add_overlaps(labels, self._offsets, sizes, self._upper)
        else:
            self._upper = self._upper + _upper_pairs(labels, self._offsets, sizes)

    def merge(self, other: PairCounts) -> None:
        """Add the sum over other rows."""
        self._upper += other._upper

    def finish(self) -> sp.csr_array:
        """Return the counts, a symmetric CSR of int64 without explicit zeros."""
        return _mirrored(self._upper)


class DegreeSums:
    """Sum of 1 / degree over the common objects of every two clusters, as a mergeable sum in fixed point.

    The degree of an object is the sum of the weights of its clusters. 1 / degree is written as a whole number of two
    limbs, ``high * 2**30 + low``, times ``2**-bits``.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)
    bits : int
        At most 60 minus the bits before the point of the largest 1 / degree.

    Examples
    --------
    >>> import numpy as np
    >>> total = DegreeSums(np.array([0, 2, 3]), np.array([1.0, 1.0, 3.0]), 50)
    >>> total.add(np.array([[0, 0], [1, 0]], np.int32), np.array([2, 1]))
    >>> total.finish().toarray()
    array([[0.5 , 0.  , 0.5 ],
           [0.  , 0.25, 0.25],
           [0.5 , 0.25, 0.75]])
    """

    def __init__(self, offsets: np.ndarray, weights: np.ndarray, bits: int) -> None:
        self._offsets = offsets
        self._weights = weights
        self._bits = bits
        self._n_objects = 0
        self._high, self._low = _empty(int(offsets[-1])), _empty(int(offsets[-1]))

    def add(self, labels: np.ndarray, sizes: np.ndarray, start: int = 0) -> None:  # noqa: ARG002 - of all sums over rows
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        high, low = np.empty(labels.shape[0], np.int64), np.empty(labels.shape[0], np.int64)
        _kernels.inverse_degree_limbs(labels, self._offsets, self._weights, 2.0**self._bits, sizes, high, low)
        if isinstance(self._high, np.ndarray):
            _kernels.add_two_overlaps(labels, self._offsets, high, low, self._high, self._low)
        else:
            self._high = self._high + _upper_pairs(labels, self._offsets, high)
            self._low = self._low + _upper_pairs(labels, self._offsets, low)
        self._n_objects += int(sizes.sum())
        if self._n_objects > _CARRY_ROWS:
            self._carry()

    def merge(self, other: DegreeSums) -> None:
        """Add the sum over other rows."""
        self._carry()
        other._carry()
        self._high += other._high
        self._low += other._low

    def finish(self) -> sp.csr_array:
        """Return the sums, a symmetric CSR of floats."""
        self._carry()
        high, low = _mirrored(self._high), _mirrored(self._low)
        return sp.csr_array((high.astype(float) * 2.0**_LOW_BITS + low.astype(float)) * 2.0**-self._bits)

    def _carry(self) -> None:
        """Move what the low limbs hold beyond 30 bits to the high ones: then every sum has one form only."""
        if isinstance(self._low, np.ndarray):
            self._high += self._low >> _LOW_BITS
            self._low &= 2**_LOW_BITS - 1
        else:
            carried = sp.csr_array((self._low.data >> _LOW_BITS, self._low.indices, self._low.indptr), self._low.shape)
            self._high = self._high + carried
            self._low.data &= 2**_LOW_BITS - 1
        self._n_objects = 0


class LeadCounts:
    """How many objects have their first label in each cluster, and the first of all objects of each, mergeable.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64

    Attributes
    ----------
    counts, first : ndarray of shape (n_base_clusters,), int64
        ``first`` counts objects from 0; 2⁶³ - 1 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> total = LeadCounts(np.array([0, 2, 3]))
    >>> total.add(np.array([[1, 0], [-1, 0], [-1, -1]], np.int32), np.array([1, 1, 1]), 10)
    >>> total.counts, total.first[1:]
    (array([0, 1, 1]), array([10, 10]))
    """

    def __init__(self, offsets: np.ndarray) -> None:
        self._offsets = offsets
        self.counts = np.zeros(int(offsets[-1]), np.int64)
        self.first = np.full(int(offsets[-1]), np.iinfo(np.int64).max)

    def add(self, labels: np.ndarray, sizes: np.ndarray, start: int = 0) -> None:
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times, the first of which is object ``start``."""
        _kernels.count_leads(labels, self._offsets, sizes, start, self.counts, self.first)

    def merge(self, other: LeadCounts) -> None:
        """Add the counts over other rows."""
        self.counts += other.counts
        np.minimum(self.first, other.first, out=self.first)


def incidence_of(labels: np.ndarray, offsets: np.ndarray) -> sp.csr_array:
    """Which clusters each label row lies in: CSR of ones, shape (n_rows, n_base_clusters)."""
    present = labels >= 0
    columns = (labels + offsets[:-1])[present]
    pointers = np.concatenate([[0], np.cumsum(np.count_nonzero(present, axis=1))])
    shape = (labels.shape[0], int(offsets[-1]))
    return sp.csr_array((np.ones(columns.size, np.int64), columns, pointers), shape=shape)


def _empty(n_clusters: int) -> np.ndarray | sp.csr_array:
    if n_clusters > _DENSE_CLUSTERS:
        return sp.csr_array((n_clusters, n_clusters), dtype=np.int64)
    return np.zeros((n_clusters, n_clusters), np.int64)


def _upper_pairs(labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray) -> sp.csr_array:
    Z = incidence_of(labels, offsets)
    weighted = sp.csr_array((np.repeat(weights, np.diff(Z.indptr)), Z.indices, Z.indptr), shape=Z.shape)
    return sp.csr_array(sp.triu(Z.T @ weighted))


def _mirrored(upper: np.ndarray | sp.csr_array) -> sp.csr_array:
    if isinstance(upper, np.ndarray):
        return sp.csr_array(upper + np.triu(upper, 1).T)
    whole = sp.csr_array(upper + sp.triu(upper, 1).T)
    whole.sort_indices()
    return whole
