"""Sums over label rows: mergeable, in whole numbers, so that any order and any chunking give the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from consensa._groups import membership, ranks_by_size
from consensa.ensemble import _kernels

__all__ = ["GroupCounts", "LabelCounts", "LeadCounts", "Together", "counts_by_cluster", "incidence_of"]

_COUNTED_ROWS = 1 << 14


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
    >>> both = Together(LeadCounts(np.array([0, 1])), GroupCounts(np.array([0, 1]), lambda codes: codes[:, 0]))
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


def counts_by_cluster(labels: np.ndarray, offsets: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Count the objects of every cluster, from label rows that stand for ``sizes`` each; shape (n_base_clusters,).

    Examples
    --------
    >>> import numpy as np
    >>> counts_by_cluster(np.array([[0, 0], [1, -1]], np.int32), np.array([0, 2, 3]), np.array([2, 1]))
    array([2, 1, 2])
    """
    total = np.zeros(int(offsets[-1]) + 1, np.int64)  # the last one is for missing labels
    for start in range(0, labels.shape[0], _COUNTED_ROWS):
        piece, of_row = labels[start : start + _COUNTED_ROWS], sizes[start : start + _COUNTED_ROWS]
        places = np.where(piece >= 0, piece + offsets[:-1], total.size - 1)
        weights = np.repeat(of_row, labels.shape[1])  # sums of whole numbers in floats: exact
        total += np.bincount(places.ravel(), weights, total.size).astype(np.int64)
    return total[:-1]


def _padded_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Add arrays of which one may have fewer rows."""
    long, short = (a, b) if a.shape[0] >= b.shape[0] else (b, a)
    total = long.copy()
    total[: short.shape[0]] += short
    return total
