"""Average linkage on S = F Fᵀ for a factor without zeros: blocks of matrix products, no matrix of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._threads import row_ranges
from consensa.partition._kernels_queue import LEVELS, OFFSET
from consensa.partition.agglomerate import MATRIX_FREE_ABOVE, agglomerate
from consensa.partition.dendrogram import Dendrogram

if TYPE_CHECKING:
    from consensa.relate.relation import Factored

__all__ = ["agglomerate_rows", "average_linkage"]

_FILLED = 0.5  # share of entries from which on matrix products beat the lists of the columns
_BLOCK = 1 << 23  # similarities computed at a time (64 MiB)


def average_linkage(similarity: Factored, sizes: np.ndarray | None = None) -> Dendrogram:
    """Average linkage on a factored similarity, sparse or filled, never with a matrix of more than 512 rows.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from consensa.relate import Factored
    >>> average_linkage(Factored(sp.csr_array(np.array([[1.0, 0.1], [0.9, 0.1], [0.1, 1.0]])))).cut(2)
    array([0, 0, 1])
    """
    n, d = similarity.factor.shape
    if n > MATRIX_FREE_ABOVE and similarity.factor.nnz > _FILLED * n * d:
        return agglomerate_rows(similarity.factor.toarray(), sizes)
    return agglomerate(similarity, sizes)


def agglomerate_rows(factor: np.ndarray, sizes: np.ndarray | None = None) -> Dendrogram:
    """Merge the two regions of the largest mean similarity, the inner product of rows of ``factor``, until one is left.

    The twin of :func:`~consensa.partition.agglomerate` with average linkage for factors that are mostly filled, as soft
    clusterings give them; there an inverted index does not help, but matrix products are fast.

    Notes
    -----
    The mean similarity of two regions is the inner product of their mean rows. All pairs of regions that are nearest
    to each other are merged at once, which gives the same tree because a merged region is never more similar to a
    third one than both its parts were. Where similarities are equal after rounding to 1e-10, the smaller numbers go
    first within a round, but a later round may already see regions that one merge at a time would not.

    References
    ----------
    Murtagh (1983), A survey of recent advances in hierarchical clustering algorithms, The Computer Journal 26(4).
    https://doi.org/10.1093/comjnl/26.4.354

    Examples
    --------
    >>> import numpy as np
    >>> tree = agglomerate_rows(np.array([[1.0, 0.1], [0.9, 0.1], [0.1, 1.0]]))
    >>> tree.merges.tolist(), tree.similarities.round(3)
    ([[0, 1], [0, 2]], array([0.91 , 0.195]))
    """
    n = factor.shape[0]
    counts = np.ones(n, np.int64) if sizes is None else np.asarray(sizes)
    regions = _Regions(np.array(factor, dtype=float, order="C"), counts.astype(float))
    merges, heights = [np.empty((0, 2), np.int64)], [np.empty(0)]
    while regions.n > 1:
        regions.refresh()
        pairs = regions.reciprocal_pairs()
        merged, height = regions.merge(*pairs)
        merges.append(merged)
        heights.append(height)
    similarities = np.concatenate(heights)
    falling = np.argsort(-similarities, kind="stable")  # stable: a region comes after its parts
    return Dendrogram(np.concatenate(merges)[falling], similarities[falling], counts)


class _Regions:
    """The regions still apart: mean rows, and the nearest other region of each."""

    def __init__(self, means: np.ndarray, sizes: np.ndarray) -> None:
        self.n = means.shape[0]
        self._means = means
        self._sizes = sizes
        self._index = np.arange(self.n)  # smallest leaf, rising
        self._height = np.full(self.n, np.inf)  # at which the region was made
        self._nearest = np.zeros(self.n, np.int64)
        self._similarity = np.zeros(self.n)
        self._stale = np.ones(self.n, bool)

    def refresh(self) -> None:
        """Find the nearest region of every region that does not know it."""
        stale = np.flatnonzero(self._stale)
        for start, stop in row_ranges(stale.size, max(1, _BLOCK // self.n)):
            rows = stale[start:stop]
            similarity = self._means[rows] @ self._means.T
            similarity[np.arange(rows.size), rows] = -np.inf
            best = np.argmax(similarity >= _step_border(similarity.max(axis=1))[:, None], axis=1)
            self._nearest[rows] = best
            self._similarity[rows] = similarity[np.arange(rows.size), best]
        self._stale[:] = False

    def reciprocal_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs nearest to each other, the smaller place first; if ties leave none, the most similar pair."""
        place = np.arange(self.n)
        first = place[(self._nearest[self._nearest] == place) & (place < self._nearest)]
        if first.size == 0:
            top = int(np.argmax(self._similarity >= _step_border(self._similarity.max())))
            a, b = sorted((top, int(self._nearest[top])))
            return np.array([a]), np.array([b])
        return first, self._nearest[first]

    def merge(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Join regions ``b`` to ``a``; returns the merges by smallest leaf, and their similarities."""
        merged = np.stack([self._index[a], self._index[b]], axis=1)
        height = np.minimum(self._similarity[a], np.minimum(self._height[a], self._height[b]))
        total = self._sizes[a] + self._sizes[b]
        share = (self._sizes[a] / total)[:, None]
        self._means[a] = share * self._means[a] + (1 - share) * self._means[b]
        self._sizes[a] = total
        self._height[a] = height
        touched = np.zeros(self.n, bool)
        touched[a] = touched[b] = True
        self._stale = touched | touched[self._nearest]
        self._drop(b)
        return merged, height

    def _drop(self, gone: np.ndarray) -> None:
        kept = np.ones(self.n, bool)
        kept[gone] = False
        place = np.cumsum(kept) - 1
        self._nearest = place[self._nearest[kept]]
        self._means, self._sizes, self._index = self._means[kept], self._sizes[kept], self._index[kept]
        self._height, self._similarity, self._stale = self._height[kept], self._similarity[kept], self._stale[kept]
        self.n = self._index.size


def _step_border(similarity: np.ndarray) -> np.ndarray:
    """Smallest similarity at the same level, see the kernels of the queue; never above the similarity itself."""
    border = (np.floor(similarity * LEVELS + OFFSET) - OFFSET) / LEVELS
    return np.asarray(np.minimum(border, similarity))
