"""Sums over the objects that every two clusters share: mergeable, in whole numbers, the same for any order of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges, thread_map
from consensa.ensemble import _kernels, _kernels_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble.ensemble import Ensemble

__all__ = ["DegreeSums", "PairCounts", "Stripe", "map_overlaps", "stripe_counts", "stripes"]

T = TypeVar("T")

_DENSE_CLUSTERS = 8192  # up to here the sums stand in an n_c x n_c array (512 MiB)
_LOW_BITS = 30
_CARRY_ROWS = 1 << 30  # objects after which the low limbs hand on what they carry, long before 2⁶³
_BLOCK_ROWS = 1 << 15  # labels and weights of so many rows stay in the cache
_TABLE_CELLS = 1 << 16  # the sums of a pair of clusterings, while they stay in the cache
_LARGEST_HIGH = 2.0**31  # of a sum of high limbs: with the low ones it is below 2⁶²
_MIRRORED_ROWS = 128
_TURNED_ROWS = 512
_STRIPE_CELLS = 1 << 22  # sums of some clusters with all others, at a time


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
        self._upper = _UpperSums(offsets, 1)

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: Any = None) -> None:  # noqa: ARG002 - of all sums
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        self._upper.add(labels, sizes[None])

    def merge(self, other: PairCounts) -> None:
        """Add the sum over other rows."""
        self._upper.merge(other._upper)

    def finish(self) -> sp.csr_array:
        """Return the counts, a symmetric CSR of int64 without explicit zeros."""
        counts = self._upper.finish()
        return _compressed(counts) if isinstance(counts, np.ndarray) else counts


class DegreeSums:
    """Sum of 1 / degree over the common objects of every two clusters, as a mergeable sum in fixed point.

    The degree of an object is the sum of the weights of its clusters. 1 / degree is written as a whole number of two
    limbs, ``high * 2**30 + low``, times ``2**-bits``; bits are at most 60 minus those before the point of the largest.

    Examples
    --------
    >>> import numpy as np
    >>> total = DegreeSums(np.array([0, 2, 3]), np.array([1.0, 1.0, 3.0]), 50)
    >>> total.add(np.array([[0, 0], [1, 0]], np.int32), np.array([2, 1]))
    >>> total.finish()
    array([[0.5 , 0.  , 0.5 ],
           [0.  , 0.25, 0.25],
           [0.5 , 0.25, 0.75]])
    """

    def __init__(self, offsets: np.ndarray, weights: np.ndarray, bits: int) -> None:
        self._offsets = offsets
        self._weights = weights
        self._bits = bits
        self._n_objects = 0
        self._upper = _UpperSums(offsets, 2)

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: Any = None) -> None:  # noqa: ARG002 - of all sums
        """Add label rows (n x M, int32, -1 = missing), each ``sizes`` times."""
        limbs = np.empty((2, labels.shape[0]), np.int64)
        _kernels.inverse_degree_limbs(labels, self._offsets, self._weights, 2.0**self._bits, sizes, limbs)
        self._upper.add(labels, limbs)
        self._n_objects += int(sizes.sum())
        if self._n_objects > _CARRY_ROWS:
            self._carry()

    def merge(self, other: DegreeSums) -> None:
        """Add the sum over other rows."""
        self._upper.merge(other._upper)
        self._carry()

    def finish(self) -> np.ndarray | sp.csr_array:
        """Return the sums, symmetric: an array, or CSR beyond 8,192 clusters."""
        self._carry()
        return self._upper.finish(self._bits)

    def _carry(self) -> None:
        self._upper.carry()
        self._n_objects = 0


class Stripe(NamedTuple):
    """Consecutive clusters of one clustering, ``start`` to ``stop`` (not included), whose sums are made together."""

    partition: int
    start: int
    stop: int


class _UpperSums:
    """Sums of row weights over the rows that every two clusters share, on and above the diagonal.

    Weights are whole numbers in one or two limbs. The sums stand in an array, or where clusters are many in CSR; there,
    those of single calls of ``add`` wait until they are as many as those that they are added to.
    """

    def __init__(self, offsets: np.ndarray, n_limbs: int) -> None:
        n = int(offsets[-1])
        self._offsets = offsets
        self._is_dense = n <= _DENSE_CLUSTERS
        self._dense = np.zeros((n_limbs, n, n) if self._is_dense else (n_limbs, 0, 0), np.int64)
        self._sparse = [sp.csr_array((n, n), dtype=np.int64) for _ in range(n_limbs)]
        self._waiting: list[list[sp.csr_array]] = []
        self._parts = row_ranges(self._dense.shape[1], _MIRRORED_ROWS)  # in which the array is gone through

    def add(self, labels: np.ndarray, limbs: np.ndarray) -> None:
        """Add label rows (n x M, int32, -1 = missing) with their weights (n_limbs x n, int64)."""
        columns = _by_column(labels)
        if self._is_dense:
            weighted = _weighted(columns, limbs, self._offsets)
            for m, (start, stop) in enumerate(pairwise(map(int, self._offsets))):
                _add_weighted(columns[m], stop - start, m, weighted, start, self._dense)
            return
        found = []
        for stripe in stripes(self._offsets):
            sums = _sum_stripe(stripe, stripe.partition, columns, limbs, self._offsets)
            found.append([sp.csr_array(limb) for limb in sums])
        self._waiting.append([sp.csr_array(sp.vstack(parts, "csr")) for parts in zip(*found, strict=True)])
        if sum(limbs[0].nnz for limbs in self._waiting) >= self._sparse[0].nnz:
            self._settle()

    def merge(self, other: _UpperSums) -> None:
        """Add the sums over other rows."""
        other._settle()
        self._dense += other._dense
        self._waiting.append(other._sparse)
        self._settle()

    def finish(self, bits: int = 0) -> np.ndarray | sp.csr_array:
        """Return the whole symmetric matrix, in units of ``2**-bits`` if there are two limbs; CSR of many clusters."""
        self._settle()
        if self._is_dense:
            upper = (
                self._dense[0] if len(self._dense) == 1 else _joined(self._dense[0], self._dense[1], bits, self._parts)
            )
            return _mirror(upper, self._parts)
        if len(self._sparse) == 1:
            upper = self._sparse[0]
        else:
            high, low = self._sparse
            upper = high * 2.0 ** (_LOW_BITS - bits) + low * 2.0**-bits
        return sp.csr_array(upper + sp.triu(upper, 1).T)

    def carry(self) -> None:
        """Move what the low limbs hold beyond 30 bits to the high ones: then every sum has one form only."""
        self._settle()
        for start, stop in self._parts:
            part = (slice(start, stop), slice(start, None))
            self._dense[0][part] += self._dense[1][part] >> _LOW_BITS
            self._dense[1][part] &= 2**_LOW_BITS - 1
        high, low = self._sparse
        carried = sp.csr_array((low.data >> _LOW_BITS, low.indices, low.indptr), low.shape)
        kept = sp.csr_array((low.data & (2**_LOW_BITS - 1), low.indices, low.indptr), low.shape)
        self._sparse = [high + carried, kept]

    def _settle(self) -> None:
        for new in self._waiting:
            self._sparse = [total + part for total, part in zip(self._sparse, new, strict=True)]
        self._waiting = []


def stripes(offsets: np.ndarray) -> list[Stripe]:
    """Cut the clusters into ranges of one clustering each, whose sums with all clusters are few enough to be at hand.

    Examples
    --------
    >>> import numpy as np
    >>> stripes(np.array([0, 2, 5]))
    [Stripe(partition=0, start=0, stop=2), Stripe(partition=1, start=2, stop=5)]
    """
    size = max(1, _STRIPE_CELLS // max(int(offsets[-1]), 1))
    return [
        Stripe(m, start, min(start + size, last))
        for m, (first, last) in enumerate(pairwise(map(int, offsets)))
        for start in range(first, last, size)
    ]


def map_overlaps(ensemble: Ensemble, function: Callable[[Stripe, np.ndarray], T]) -> list[T]:
    """Apply a function to the common objects of some clusters with all others, in the order of the clusters.

    What follows from the rows of ``ensemble.overlap`` needs no more than this, and no room for all of them. The
    function takes a stripe of clusters and the number of objects that each of them shares with every cluster, shape
    (n_in_stripe, n_base_clusters), int64.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> map_overlaps(Ensemble([[0, 0, 1], [0, 1, 1]]), lambda stripe, counts: (stripe.partition, counts.tolist()))
    [(0, [[2, 0, 1, 1], [0, 1, 0, 1]]), (1, [[1, 0, 1, 0], [1, 1, 0, 2]])]
    """
    common = stripe_counts(ensemble)
    return thread_map(lambda stripe: function(stripe, common(stripe, 0)), stripes(ensemble.offsets))


def stripe_counts(ensemble: Ensemble) -> Callable[[Stripe, int], np.ndarray]:
    """Return what counts the objects that a stripe of clusters shares with those of a clustering and later ones.

    The counts (n_in_stripe x n_base_clusters, int64) of clusterings before that one mean nothing.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> stripe_counts(Ensemble([[0, 0, 1], [0, 1, 1]]))(Stripe(0, 0, 2), 1)[:, 2:]
    array([[1, 1],
           [0, 1]])
    """
    if ensemble.leads is not None:  # the rows at hand are only a sample
        return lambda stripe, _: ensemble.overlap[stripe.start : stripe.stop].toarray()
    columns, offsets = _by_column(ensemble.labels), ensemble.offsets
    return lambda stripe, first: _sum_stripe(stripe, first, columns, ensemble.sizes[None], offsets)[0]


def _by_column(labels: np.ndarray) -> np.ndarray:
    """Store label rows (n x M, int32, -1 = missing) by column, counted from 1: (M x n), uint32, 0 = missing."""
    columns = np.empty(labels.shape[::-1], np.uint32)
    for start in range(0, labels.shape[0], _TURNED_ROWS):
        rows = slice(start, start + _TURNED_ROWS)
        np.add(labels[rows].T, 1, out=columns[:, rows], casting="unsafe")
    return columns


def _sum_stripe(stripe: Stripe, first: int, columns: np.ndarray, limbs: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Sum row weights over what the clusters of a stripe share with those of clustering ``first`` and later ones."""
    out = np.zeros((limbs.shape[0], stripe.stop - stripe.start, int(offsets[-1])), np.int64)
    _add_stripe(stripe, first, columns, limbs, offsets, out)
    return out


def _add_stripe(
    stripe: Stripe, first: int, columns: np.ndarray, limbs: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Add the sums of a stripe to ``out`` (limbs x rows x n_c), whose rows are those of the stripe or all clusters."""
    row = stripe.start if out.shape[1] == out.shape[2] else 0
    left, n_left = columns[stripe.partition], stripe.stop - stripe.start
    low = stripe.start - int(offsets[stripe.partition])
    if n_left < offsets[stripe.partition + 1] - offsets[stripe.partition]:
        inside = np.flatnonzero((left > low) & (left <= low + n_left))
        left, columns, limbs = left[inside] - np.uint32(low), columns[:, inside], limbs[:, inside]
    _add_weighted(left, n_left, first, _weighted(columns, limbs, offsets), row, out)


class _Weighted(NamedTuple):
    """Label rows by column (M x n, uint32, 0 = missing), where their clusters begin, and the weights to be added."""

    columns: np.ndarray
    offsets: np.ndarray
    summands: list[_Summand]


def _weighted(columns: np.ndarray, limbs: np.ndarray, offsets: np.ndarray) -> _Weighted:
    # offsets of an ensemble are read-only: for the kernel, another type of array
    return _Weighted(columns, offsets.copy(), _summands(limbs))


def _add_weighted(left: np.ndarray, n_left: int, first: int, weighted: _Weighted, row: int, out: np.ndarray) -> None:
    """Add the weights to the pairs of labels in ``left`` and clusters of column ``first`` or a later one."""
    table = np.empty(_TABLE_CELLS, np.int64)
    for weights, begin, end, part in weighted.summands:
        rows = _kernels_pairs.Rows(weighted.columns, weighted.offsets, weights, begin, end)
        _kernels_pairs.add_stripe(left, n_left, first, rows, table, row, out[part])


class _Summand(NamedTuple):
    weights: np.ndarray
    begin: int
    end: int
    limbs: slice


def _summands(limbs: np.ndarray) -> list[_Summand]:
    """Weights to be added, from which row to which, and to which limbs: to both where the sums of a block allow it."""
    blocks = row_ranges(limbs.shape[1], _BLOCK_ROWS)
    if limbs.shape[0] == 1:
        weights = limbs[0].copy()  # not read-only either
        return [_Summand(weights, *block, slice(1)) for block in blocks]
    high, low = limbs
    whole = (high << _LOW_BITS) + low
    found = []
    for block in blocks:
        if high[slice(*block)].sum(dtype=float) < _LARGEST_HIGH:
            found.append(_Summand(whole, *block, slice(2)))
        else:
            found += [_Summand(high, *block, slice(1)), _Summand(low, *block, slice(1, 2))]
    return found


def _joined(high: np.ndarray, low: np.ndarray, bits: int, parts: list[tuple[int, int]]) -> np.ndarray:
    """Join two limbs to floats, on and above the diagonal, 0 below."""
    joined = np.zeros(high.shape)
    for start, stop in parts:
        part = (slice(start, stop), slice(start, None))
        joined[part] = high[part] * 2.0 ** (_LOW_BITS - bits)
        joined[part] += low[part] * 2.0**-bits
    return joined


def _mirror(upper: np.ndarray, parts: list[tuple[int, int]]) -> np.ndarray:
    """Copy what stands above the diagonal to below it, in place."""
    for start, stop in parts:
        upper[stop:, start:stop] = upper[start:stop, stop:].T
        block = np.triu(upper[start:stop, start:stop])
        upper[start:stop, start:stop] = block + np.triu(block, 1).T
    return upper


def _compressed(matrix: np.ndarray) -> sp.csr_array:
    """Return a square matrix as CSR: what scipy does, in a third of the time."""
    n = matrix.shape[0]
    filled = matrix != 0
    ends = np.cumsum(np.count_nonzero(filled, axis=1))
    places = np.flatnonzero(filled)
    data = matrix.ravel()[places]
    places -= np.repeat(np.arange(n) * n, np.diff(ends, prepend=0))
    index = np.int32 if ends[-1:].sum() < 2**31 else np.int64
    pointers = np.concatenate([[0], ends]).astype(index)
    return sp.csr_array((data, places.astype(index), pointers), shape=(n, n))
