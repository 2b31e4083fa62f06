"""Agglomerative clustering of microclusters with initial sizes, with or without a similarity matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._threads import row_ranges, thread_map
from consensa._validation import check_choice, check_fraction, check_sizes
from consensa.partition import _kernels_factored as factored
from consensa.partition import _kernels_linkage as kernels
from consensa.partition._kernels_rows import Rows
from consensa.partition._kernels_search import Nearest, Scratch, search_range
from consensa.partition.agglomerate_dense import (
    check_range,
    checked_similarity,
    checked_triangle,
    merge_matrix,
    new_queue,
)
from consensa.partition.dendrogram import Dendrogram
from consensa.relate.relation import Dense, Factored, Triangle, check_entries

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["agglomerate"]

MATRIX_FREE_ABOVE = 512  # microclusters; up to here average linkage on a factored relation forms the matrix
_LINKAGES = {"average": kernels.AVERAGE, "complete": kernels.COMPLETE, "single": kernels.SINGLE}
# Per region: with fewer, more searches; with more, more inner products. 3 take up to 1.6 times as long as 12, and 12 up
# to 1.2 times as long as 24, in half the memory; the merges are the same.
_N_CANDIDATES = 12
_VANISHING = 1e-60  # entries of a factor that cannot lift any similarity above the rounding step


def agglomerate(
    relation: Factored | Dense | Triangle,
    sizes: np.ndarray | None = None,
    linkage: str = "average",
    *,
    gini_threshold: float = 1.0,
) -> Dendrogram:
    """Merge the two most similar regions until one is left.

    Parameters
    ----------
    relation : Factored, Dense or Triangle
        Similarities of n_rows microclusters. Those of a Triangle are overwritten, so that no second one is needed.
    sizes : ndarray of shape (n_rows,), default=None
        How many objects each microcluster stands for; average linkage weighs by them. None for 1.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two regions: the mean, smallest or largest similarity of their members.
    gini_threshold : float, default=1.0
        While the sizes of the regions are more unequal than this (Gini index), one of the smallest regions is merged
        with the one most similar to it, so that no handful of outliers becomes a cluster while large regions grow
        together; from 0 to 1, and 1 for never. Needs the matrix.

    Returns
    -------
    Dendrogram

    Notes
    -----
    For S = B Bᵀ the average similarity of two regions is the inner product of their mean rows of B. So average
    linkage on a :class:`Factored` relation of more than 512 microclusters keeps the mean rows and, for every
    feature, the list of regions that have it; no matrix is formed and the result is exact. Complete and single
    linkage need the matrix, within the memory budget.

    Ties: similarities are compared after rounding to 1e-10; equal ones by the smaller, then the larger index of
    the pair, a region's index being that of its smallest member. Both ways follow this rule. With a Gini threshold, the
    similarity of a merge that was put off is that of the least similar one before it.

    References
    ----------
    Gagolewski, Bartoszuk & Cena (2016), Genie: a new, fast, and outlier-resistant hierarchical clustering algorithm,
    Information Sciences 363 (for the Gini threshold). https://doi.org/10.1016/j.ins.2016.05.003

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> tree = agglomerate(co_association(ensemble), ensemble.sizes)
    >>> tree.merges.tolist(), tree.similarities
    ([[1, 2], [0, 1]], array([0.5, 0. ]))
    """
    if isinstance(relation, np.ndarray):
        msg = "agglomerate takes a relation, not an array; wrap similarities first: agglomerate(Dense(matrix), ...)."
        raise ValueError(msg)  # noqa: TRY004 - all faults of input are ValueErrors
    n_rows = relation.n_rows
    code = _LINKAGES[check_choice("linkage", linkage, tuple(_LINKAGES))]
    counts = check_sizes(sizes, n_rows)
    threshold = check_fraction("gini_threshold", gini_threshold)
    if isinstance(relation, Factored):
        check_entries(relation.factor, "the factor of a similarity")
        check_range(0.0, float(relation.diagonal().max()))
        if linkage == "average" and n_rows > MATRIX_FREE_ABOVE and threshold == 1.0:
            return _agglomerate_factored(relation.factor, counts)
        return merge_matrix(relation.to_dense().similarity, counts, code, [threshold])[0]
    S = checked_triangle(relation) if isinstance(relation, Triangle) else checked_similarity(relation)
    return merge_matrix(S, counts, code, [threshold])[0]


def _agglomerate_factored(factor: sp.csr_array, sizes: np.ndarray) -> Dendrogram:
    """Average linkage from the mean rows of the regions; see the kernels."""
    n, n_columns = factor.shape
    rows, spare, used = _as_rows(factor)
    nearest = Nearest(
        neighbour=np.full(n, -1, np.int64),
        level=np.zeros(n, np.int64),
        similarity=np.zeros(n),
        candidates=np.full((n, _N_CANDIDATES), -1, np.int32),
        bound=np.zeros(n, np.int64),
        limit=np.full(n, n, np.int64),
    )

    def search(piece: tuple[int, int]) -> None:
        search_range(rows, nearest, _scratch(n, n_columns), *piece)

    thread_map(search, row_ranges(n, max(4096, n // 64)))
    regions = factored.Regions(
        sizes=sizes.astype(float),
        root=np.arange(n),
        nearest=nearest,
        queue=new_queue(nearest.neighbour, nearest.level),
        followers=factored.Followers(*np.full((3, n), -1, np.int64)),
    )
    merges, heights = np.empty((n - 1, 2), np.int64), np.zeros(n - 1)
    n_merges = factored.merge_factored(rows, spare, used, regions, _scratch(n, n_columns), merges, heights)
    # What is left has nothing in common: it joins the first region, at similarity 0.
    apart = np.setdiff1d(np.arange(n), merges[:n_merges, 1])
    merges[n_merges:, 0], merges[n_merges:, 1] = apart[0], apart[1:]
    return Dendrogram(merges, heights, sizes)


def _as_rows(factor: sp.csr_array) -> tuple[Rows, Rows, int]:
    """Lay out B for the kernels: rows with room behind them, the lists of the columns, and a spare copy of the room."""
    B = factor.copy()
    B.data[B.data < _VANISHING] = 0.0
    B.eliminate_zeros()
    B.sort_indices()
    n, n_columns = B.shape
    slot_entry = np.argsort(B.indices, kind="stable").astype(np.int64)
    column_ends = np.searchsorted(B.indices[slot_entry], np.arange(n_columns + 1)).astype(np.int64)
    largest = np.zeros(n_columns)
    np.maximum.at(largest, B.indices, B.data)
    capacity = 2 * B.nnz + n_columns
    column, value, slot = (np.empty(capacity, np.int32), np.empty(capacity), np.empty(capacity, np.int32))
    column[: B.nnz], value[: B.nnz] = B.indices, B.data
    slot[slot_entry] = np.arange(B.nnz, dtype=np.int32)
    rows = Rows(
        begin=B.indptr[:-1].astype(np.int64),
        end=B.indptr[1:].astype(np.int64),
        column=column,
        value=value,
        slot=slot,
        list_start=column_ends[:-1],
        list_end=column_ends[1:].copy(),
        slot_region=np.repeat(np.arange(n, dtype=np.int32), np.diff(B.indptr))[slot_entry],
        slot_value=B.data[slot_entry],
        slot_entry=slot_entry,
        largest=largest,
        heaviest=float(np.asarray(B.sum(axis=1)).max()),
    )
    spare = rows._replace(column=np.empty_like(column), value=np.empty_like(value), slot=np.empty_like(slot))
    return rows, spare, int(B.nnz)


def _scratch(n: int, n_columns: int) -> Scratch:
    return Scratch(
        total=np.zeros(n),
        touched=np.empty(n, np.int64),
        weight=np.zeros(n_columns),
        order=np.empty(n_columns, np.int64),
        ahead=np.empty(n_columns + 1),
        top_region=np.empty(2 * _N_CANDIDATES, np.int64),
        top_level=np.empty(2 * _N_CANDIDATES, np.int64),
        top_value=np.empty(2 * _N_CANDIDATES),
        met=np.zeros(1, np.int64),
    )
