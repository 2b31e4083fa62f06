"""Sums over label rows: mergeable, in whole numbers, so that any order and any chunking give the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from consensa._groups import membership, ranks_by_size
from consensa.ensemble import _kernels

__all__ = ["DegreeSums", "GroupCounts", "LabelCounts", "LeadCounts", "PairCounts", "Together", "incidence_of"]

_DENSE_CLUSTERS = 4096  # up to here the sums stand in an n_c x n_c array (128 MiB)
_LOW_BITS = 30
_CARRY_ROWS = 1 << 30  # objects after which the low limbs hand on what they carry, long before 2⁶³


class PairCounts:
    """Number of common objects of every two clusters, as a mergeable sum.

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

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: Any = None) -> None:  # noqa: ARG002 - of all sums
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
    limbs, ``high * 2**30 + low``, times ``2**-bits``; bits are at most 60 minus those before the point of the largest.

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
        n_clusters = int(offsets[-1])
        self._dense = np.zeros((n_clusters, n_clusters, 2) if n_clusters <= _DENSE_CLUSTERS else (0, 0, 2), np.int64)
        self._sparse = [sp.csr_array((n_clusters, n_clusters), dtype=np.int64) for _ in range(2)]

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: Any = None) -> None:  # noqa: ARG002 - of all sums
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        limbs = np.empty((labels.shape[0], 2), np.int64)
        _kernels.inverse_degree_limbs(labels, self._offsets, self._weights, 2.0**self._bits, sizes, limbs)
        if self._dense.size:
            _kernels.add_limb_overlaps(labels, self._offsets, limbs, self._dense)
        else:
            for limb in range(2):
                self._sparse[limb] = self._sparse[limb] + _upper_pairs(labels, self._offsets, limbs[:, limb])
        self._n_objects += int(sizes.sum())
        if self._n_objects > _CARRY_ROWS:
            self._carry()

    def merge(self, other: DegreeSums) -> None:
        """Add the sum over other rows."""
        self._dense += other._dense
        self._sparse = [mine + its for mine, its in zip(self._sparse, other._sparse, strict=True)]
        self._carry()

    def finish(self) -> sp.csr_array:
        """Return the sums, a symmetric CSR of floats."""
        self._carry()
        limbs = [self._dense[:, :, 0], self._dense[:, :, 1]] if self._dense.size else self._sparse
        high, low = (_mirrored(limb).astype(float) for limb in limbs)
        return sp.csr_array((high * 2.0**_LOW_BITS + low) * 2.0**-self._bits)

    def _carry(self) -> None:
        """Move what the low limbs hold beyond 30 bits to the high ones: then every sum has one form only."""
        self._dense[:, :, 0] += self._dense[:, :, 1] >> _LOW_BITS
        self._dense[:, :, 1] &= 2**_LOW_BITS - 1
        high, low = self._sparse
        carried = sp.csr_array((low.data >> _LOW_BITS, low.indices, low.indptr), low.shape)
        kept = sp.csr_array((low.data & (2**_LOW_BITS - 1), low.indices, low.indptr), low.shape)
        self._sparse = [high + carried, kept]
        self._n_objects = 0


class LeadCounts:
    """How many objects have their first label in each cluster, and the first of all objects of each, mergeable.

    Objects count from 0; where there is none, the first is 2⁶³ - 1.

    Examples
    --------
    >>> import numpy as np
    >>> total = LeadCounts(np.array([0, 2, 3]))
    >>> total.add(np.array([[1, 0], [-1, 0], [-1, -1]], np.int32), np.array([1, 1, 1]), np.array([10, 11, 12]))
    >>> total.counts, total.first[1:]
    (array([0, 1, 1]), array([10, 10]))
    """

    def __init__(self, offsets: np.ndarray) -> None:
        self._offsets = offsets
        self.counts = np.zeros(int(offsets[-1]), np.int64)
        self.first = np.full(int(offsets[-1]), np.iinfo(np.int64).max)

    @classmethod
    def of(cls, offsets: np.ndarray, counts: np.ndarray, first: np.ndarray) -> LeadCounts:
        """Return counts that were made before, as a saved model holds them."""
        found = cls(offsets)
        found.counts, found.first = counts, first
        return found

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times, from object ``firsts`` on."""
        _kernels.count_leads(labels, self._offsets, sizes, firsts, self.counts, self.first)

    def merge(self, other: LeadCounts) -> None:
        """Add the counts over other rows."""
        self.counts += other.counts
        np.minimum(self.first, other.first, out=self.first)


class LabelCounts:
    """Number of objects and first object of every label, as a mergeable sum.

    Examples
    --------
    >>> import numpy as np
    >>> total = LabelCounts(2)
    >>> total.add_labels(np.array([1, -1, 1, 0]), 5)
    >>> total.counts, total.first
    (array([1, 2]), array([8, 5]))
    """

    def __init__(self, n_labels: int) -> None:
        self.counts = np.zeros(n_labels, np.int64)
        self.first = np.full(n_labels, np.iinfo(np.int64).max)

    def add_labels(self, labels: np.ndarray, start: int) -> None:
        """Add the labels (-1 = none) of consecutive objects, the first of which is ``start``."""
        known = labels[labels >= 0] if labels.size and labels.min() < 0 else labels
        self.counts += np.bincount(known, minlength=self.counts.size)
        for label in np.flatnonzero(self.first > start):
            found = labels == label
            if found.any():
                self.first[label] = min(self.first[label], start + int(np.argmax(found)))

    def merge(self, other: LabelCounts) -> None:
        """Add the counts over other objects."""
        self.counts += other.counts
        np.minimum(self.first, other.first, out=self.first)

    def ranks(self) -> np.ndarray:
        """Number the labels by falling size, then by first object; labels of no object come last."""
        return ranks_by_size(self.counts, self.first)


class GroupCounts:
    """How many members of every group lie in every cluster, by number of labels; a mergeable sum.

    The labeller takes label rows (n x M, int32) and returns their groups, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> total = GroupCounts(np.array([0, 2, 3]), lambda codes: codes[:, 0])
    >>> total.add(np.array([[0, 0], [1, -1]], np.int32), np.array([2, 1]))
    >>> total.table()
    array([[2, 0, 2],
           [0, 1, 0]])
    """

    def __init__(self, offsets: np.ndarray, labeller: Any) -> None:
        self._offsets = offsets
        self._labeller = labeller
        self._counts: dict[int, np.ndarray] = {}  # by number of labels of the row: groups x clusters
        self._sizes = np.zeros(0, np.int64)

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: Any = None) -> None:  # noqa: ARG002 - of all sums
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        groups = np.asarray(self._labeller(labels), np.int64)
        observed = np.count_nonzero(labels >= 0, axis=1)
        n_groups = int(groups.max(initial=-1)) + 1
        for n_labels in np.unique(observed[groups >= 0]):
            rows = np.flatnonzero((observed == n_labels) & (groups >= 0))
            Z = incidence_of(labels[rows], self._offsets)
            self._put(int(n_labels), (membership(groups[rows], n_groups, sizes[rows]) @ Z).toarray())
        known = groups >= 0
        found = np.zeros(n_groups, np.int64)
        np.add.at(found, groups[known], sizes[known])
        self._sizes = _padded_sum(self._sizes, found)

    def merge(self, other: GroupCounts) -> None:
        """Add the counts over other rows."""
        for n_labels, counts in other._counts.items():
            self._put(n_labels, counts)
        self._sizes = _padded_sum(self._sizes, other._sizes)

    def table(self) -> np.ndarray:
        """Return the number of common objects of every group and every cluster: the contingency with the ensemble."""
        shape = (self._sizes.size, int(self._offsets[-1]))
        return sum(
            (_padded_sum(np.zeros(shape, np.int64), each) for each in self._counts.values()), np.zeros(shape, int)
        )

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Return sums of 1 / sqrt(number of labels) over the members (groups x clusters), and the sizes of groups."""
        sums = np.zeros((self._sizes.size, int(self._offsets[-1])))
        for n_labels in sorted(self._counts):
            sums = _padded_sum(sums, self._counts[n_labels] / np.sqrt(n_labels))
        return sums, self._sizes

    def _put(self, n_labels: int, counts: np.ndarray) -> None:
        self._counts[n_labels] = _padded_sum(self._counts.get(n_labels, np.zeros((0, counts.shape[1]), int)), counts)


class Together:
    """Several mergeable sums in one pass.

    Examples
    --------
    >>> import numpy as np
    >>> both = Together(LeadCounts(np.array([0, 1])), PairCounts(np.array([0, 1])))
    >>> both.add(np.array([[0]], np.int32), np.array([3]), np.array([0]))
    >>> both.parts[0].counts
    array([3])
    """

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows to each of them."""
        for part in self.parts:
            part.add(labels, sizes, firsts)

    def merge(self, other: Together) -> None:
        """Merge each with its like."""
        for part, like in zip(self.parts, other.parts, strict=True):
            part.merge(like)


def incidence_of(labels: np.ndarray, offsets: np.ndarray) -> sp.csr_array:
    """Which clusters each label row lies in: CSR of ones, shape (n_rows, n_base_clusters)."""
    present = labels >= 0
    columns = (labels + offsets[:-1])[present]
    pointers = np.concatenate([[0], np.cumsum(np.count_nonzero(present, axis=1))])
    shape = (labels.shape[0], int(offsets[-1]))
    return sp.csr_array((np.ones(columns.size, np.int64), columns, pointers), shape=shape)


def _padded_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Add arrays of which one may have fewer rows."""
    long, short = (a, b) if a.shape[0] >= b.shape[0] else (b, a)
    total = long.copy()
    total[: short.shape[0]] += short
    return total


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
