"""Agglomeration on a similarity matrix, in one way or in several that begin alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._threads import row_ranges
from consensa.partition import _kernels_linkage as kernels
from consensa.partition._kernels_queue import Queue
from consensa.partition.dendrogram import Dendrogram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.relate.relation import Dense, Triangle

__all__ = ["check_range", "checked_similarity", "checked_triangle", "merge_matrix", "new_queue"]

_LARGEST = 1e8  # similarities are compared in steps of 1e-10, counted in 64 bits
_TILE = 256


def check_range(smallest: float, largest: float) -> None:
    """Refuse a similarity whose entries cannot be compared."""
    if not (smallest >= 0 and largest <= _LARGEST):
        msg = (
            f"agglomeration needs similarities between 0 and {_LARGEST:.0e}; the matrix holds "
            f"{smallest} to {largest}. Replace NaN and rescale the matrix."
        )
        raise ValueError(msg)


def checked_similarity(relation: Dense) -> np.ndarray:
    """Return a copy of the matrix that may be overwritten, after a look at whether it is a similarity.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.relate import Dense
    >>> checked_similarity(Dense(np.eye(2, dtype=int)))
    array([[1., 0.],
           [0., 1.]])
    """
    n = relation.similarity.shape[0]
    check_dense_budget(2 * 8 * n**2, f"Agglomeration of {n} microclusters", "Use LWEA, EAC or LWGP instead.")
    S = np.array(relation.similarity, dtype=float, order="C")
    largest = float(S.max())  # NaN if there is any
    check_range(float(S.min()), largest)
    tiles = [slice(*rows) for rows in row_ranges(n, _TILE)]
    pairs = ((a, b) for at, a in enumerate(tiles) for b in tiles[at:])
    if any(np.abs(S[a, b] - S[b, a].T).max() > 1e-8 * max(largest, 1.0) for a, b in pairs):
        msg = "the similarity matrix is not symmetric. Pass (S + S.T) / 2 if that is what you mean."
        raise ValueError(msg)
    return S


def checked_triangle(relation: Triangle) -> np.ndarray:
    """Return the similarities themselves, after a look at whether they are some.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.relate.relation import Triangle
    >>> checked_triangle(Triangle(np.array([0.5, 0.1, 0.2]), 3))
    array([0.5, 0.1, 0.2])
    """
    S = relation.similarity
    check_range(float(S.min(initial=0.0)), float(S.max(initial=0.0)))
    return S


def merge_matrix(S: np.ndarray, sizes: np.ndarray, linkage: int, gini_thresholds: Sequence[float]) -> list[Dendrogram]:
    """Agglomerate on a matrix that is overwritten, once for every Gini threshold; for one, a triangle will do.

    Until the sizes are more unequal than the smallest threshold, all of them merge the same regions: these merges are
    made once.

    Examples
    --------
    >>> import numpy as np
    >>> S = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> [tree.merges.tolist() for tree in merge_matrix(S, np.ones(3, int), 0, [1.0, 0.5])]
    [[[0, 1], [0, 2]], [[0, 1], [0, 2]]]
    """
    if len(gini_thresholds) == 1:
        merges, heights, _ = _merge(S, sizes.astype(float), linkage, gini_thresholds[0])
        return [_tree(merges, heights, sizes, gini_thresholds[0])]
    mass = sizes.astype(float)
    shared, shared_heights, alive = _merge(S, mass, linkage, 1.0, min(gini_thresholds))
    left, mass = S[np.ix_(alive, alive)], mass[alive]
    trees = []
    for threshold in gini_thresholds:
        merges, heights, _ = _merge(left.copy(), mass.copy(), linkage, threshold)
        all_merges, all_heights = np.vstack([shared, alive[merges]]), np.concatenate([shared_heights, heights])
        trees.append(_tree(all_merges, all_heights, sizes, threshold))
    return trees


def new_queue(neighbour: np.ndarray, level: np.ndarray) -> Queue:
    """All regions, in no order yet; the arrays are shared, not copied."""
    n = neighbour.size
    return Queue(np.arange(n), np.arange(n), neighbour, level, np.zeros(n, np.bool_))


def _merge(
    S: np.ndarray, mass: np.ndarray, linkage: int, gini_threshold: float, pause_threshold: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge to the end, or until the pause; returns merges, their similarities, and the regions that are left."""
    n = mass.size
    merges, heights, alive = np.empty((n - 1, 2), np.int64), np.empty(n - 1), np.arange(n)
    queue = new_queue(np.full(n, -1, np.int64), np.zeros(n, np.int64))
    spread = float((np.arange(1 - n, n, 2) * np.sort(mass)).sum())
    n_done = kernels.merge_dense(
        S, mass, linkage, queue, alive, merges, heights, gini_threshold, spread, pause_threshold
    )
    return merges[:n_done], heights[:n_done], alive[: n - n_done]


def _tree(merges: np.ndarray, heights: np.ndarray, sizes: np.ndarray, gini_threshold: float) -> Dendrogram:
    return Dendrogram(merges, heights if gini_threshold == 1.0 else np.minimum.accumulate(heights), sizes)
