"""Kernel of agglomeration on a similarity matrix; the rule it follows stands with the queue of regions."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part
from consensa.partition._kernels_queue import remove, rounded, sift, sift_down

AVERAGE, COMPLETE, SINGLE = 0, 1, 2


@njit
def merge_dense(S: np.ndarray, sizes: np.ndarray, linkage: int, merges: np.ndarray, heights: np.ndarray) -> None:
    """Agglomerate on a symmetric matrix ``S`` (n x n, overwritten) with region ``sizes`` (float, overwritten).

    ``merges`` (n - 1 x 2) receives the indices (smaller, larger) of the merged regions, ``heights`` (n - 1) the
    similarity at which they merge, in the order of merging.
    """
    n = S.shape[0]
    alive = np.arange(n)
    neighbour = np.full(n, -1, np.int64)
    level = np.zeros(n, np.int64)
    stale = np.zeros(n, np.bool_)
    heap, place = np.arange(n), np.arange(n)
    for c in range(n):
        _nearest(S, c, alive, n, neighbour, level)
    for p in range(n // 2 - 1, -1, -1):
        sift_down(p, heap, place, n, neighbour, level, stale)
    n_alive = n
    for t in range(n - 1):
        while stale[heap[0]]:
            top = heap[0]
            _nearest(S, top, alive, n_alive, neighbour, level)
            stale[top] = False
            sift_down(0, heap, place, n_alive, neighbour, level, stale)
        top = heap[0]
        a, b = min(top, neighbour[top]), max(top, neighbour[top])
        merges[t, 0], merges[t, 1], heights[t] = a, b, S[a, b]
        p = np.searchsorted(alive[:n_alive], b)
        alive[p : n_alive - 1] = alive[p + 1 : n_alive]
        n_alive = remove(b, heap, place, n_alive, neighbour, level, stale)
        share = sizes[a] / (sizes[a] + sizes[b])
        sizes[a] += sizes[b]
        _join_rows(S, a, b, share, linkage, alive, n_alive)
        best, where = -1, -1
        for p in range(n_alive):
            c = alive[p]
            if c != a:
                step = rounded(S[a, c])
                if step > best:
                    best, where = step, c
                if step >= level[c] or neighbour[c] == a or neighbour[c] == b:
                    _offer(c, a, b, step, neighbour, level, stale)
                    sift(place[c], heap, place, n_alive, neighbour, level, stale)
        neighbour[a], level[a], stale[a] = where, best, False
        sift(place[a], heap, place, n_alive, neighbour, level, stale)


@njit_part
def _join_rows(S: np.ndarray, a: int, b: int, share: float, linkage: int, alive: np.ndarray, n_alive: int) -> None:
    """Turn row and column ``a`` into the similarities of the union of ``a`` and ``b``."""
    for p in range(n_alive):
        c = alive[p]
        if c == a:
            continue
        if linkage == AVERAGE:
            S[a, c] = share * S[a, c] + (1.0 - share) * S[b, c]
        elif linkage == COMPLETE:
            S[a, c] = min(S[a, c], S[b, c])
        else:
            S[a, c] = max(S[a, c], S[b, c])
        S[c, a] = S[a, c]


@njit_part
def _offer(c: int, a: int, b: int, step: int, neighbour: np.ndarray, level: np.ndarray, stale: np.ndarray) -> None:
    """Tell region ``c`` that ``a`` has absorbed ``b`` and is now at level ``step``."""
    if stale[c]:
        return
    if neighbour[c] == a or neighbour[c] == b:
        if step >= level[c]:
            level[c], neighbour[c] = step, a
        else:
            stale[c] = True
    elif step > level[c] or (step == level[c] and a < neighbour[c]):
        level[c], neighbour[c] = step, a


@njit_part
def _nearest(S: np.ndarray, c: int, alive: np.ndarray, n_alive: int, neighbour: np.ndarray, level: np.ndarray) -> None:
    """Nearest region of ``c``, ties to the smaller index."""
    largest = -1.0
    for p in range(n_alive):
        if alive[p] != c:
            largest = max(largest, S[c, alive[p]])
    best = rounded(largest)
    for p in range(n_alive):
        if alive[p] != c and S[c, alive[p]] > largest - 2e-10 and rounded(S[c, alive[p]]) == best:
            neighbour[c], level[c] = alive[p], best
            return
