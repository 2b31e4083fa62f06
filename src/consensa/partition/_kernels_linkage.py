"""Kernel of agglomeration on a matrix, and the rule both kernels follow.

Merge, again and again, the pair of regions with the largest similarity. Similarities are compared by ``level`` (rounded
to 1e-10); equal levels by the smaller, then the larger index of the pair; a region carries the index of its smallest
member. Reducible linkages (average, complete, single) never raise a similarity to a merged region, so an old nearest
neighbour is an upper bound: it is marked ``stale`` and searched anew only when it comes up.
"""

from __future__ import annotations

import numpy as np

from consensa._numba import njit

AVERAGE, COMPLETE, SINGLE = 0, 1, 2


@njit
def rounded(similarity: float) -> int:
    """Level of a similarity: steps of 1e-10.

    The golden section as offset keeps the borders of the steps away from all fractions with small denominators, so
    that two ways of summing the same average fall into the same step.
    """
    return int(np.floor(similarity * 1e10 + 0.6180339887498949))


@njit
def merge_dense(S: np.ndarray, sizes: np.ndarray, linkage: int, merges: np.ndarray, heights: np.ndarray) -> None:
    """Agglomerate on a symmetric matrix ``S`` (n x n, overwritten) with initial region ``sizes`` (float).

    ``merges`` (n - 1 x 2) receives the indices (smaller, larger) of the merged regions, ``heights`` (n - 1) the
    similarity at which they merge, in the order of merging.
    """
    n = S.shape[0]
    size = sizes.copy()
    alive = np.arange(n)
    n_alive = n
    neighbour = np.full(n, -1, np.int64)
    level = np.zeros(n, np.int64)
    stale = np.zeros(n, np.bool_)
    for c in range(n):
        _nearest_dense(S, c, alive, n_alive, neighbour, level)
    for t in range(n - 1):
        a, b = -1, -1
        while True:
            top = _first_dense(alive, n_alive, neighbour, level, stale)
            if not stale[top]:
                a, b = min(top, neighbour[top]), max(top, neighbour[top])
                break
            _nearest_dense(S, top, alive, n_alive, neighbour, level)
            stale[top] = False
        merges[t, 0], merges[t, 1], heights[t] = a, b, S[a, b]
        place = np.searchsorted(alive[:n_alive], b)
        for p in range(place, n_alive - 1):
            alive[p] = alive[p + 1]
        n_alive -= 1
        total = size[a] + size[b]
        share_a, share_b = size[a] / total, size[b] / total
        size[a] = total
        neighbour[a], level[a], stale[a] = -1, -1, False
        for p in range(n_alive):
            c = alive[p]
            if c == a:
                continue
            if linkage == AVERAGE:
                s = share_a * S[a, c] + share_b * S[b, c]
            elif linkage == COMPLETE:
                s = min(S[a, c], S[b, c])
            else:
                s = max(S[a, c], S[b, c])
            S[a, c] = s
            S[c, a] = s
            step = rounded(s)
            if step > level[a]:
                level[a], neighbour[a] = step, c
            _offer(c, a, b, step, neighbour, level, stale)


@njit
def _offer(c: int, a: int, b: int, step: int, neighbour: np.ndarray, level: np.ndarray, stale: np.ndarray) -> bool:
    """Tell region ``c`` that ``a`` has absorbed ``b`` and is now at level ``step``; say whether its rank changed."""
    if neighbour[c] == a or neighbour[c] == b:
        if step >= level[c] and not stale[c]:
            level[c], neighbour[c] = step, a
            return True
        if not stale[c]:
            stale[c] = True
            return True
        return False
    if stale[c]:
        return False
    if step > level[c] or (step == level[c] and a < neighbour[c]):
        level[c], neighbour[c] = step, a
        return True
    return False


@njit
def _nearest_dense(
    S: np.ndarray, c: int, alive: np.ndarray, n_alive: int, neighbour: np.ndarray, level: np.ndarray
) -> None:
    best, where = -1, -1
    for p in range(n_alive):
        d = alive[p]
        if d != c:
            step = rounded(S[c, d])
            if step > best:
                best, where = step, d
    neighbour[c], level[c] = where, best


@njit
def before(x: int, y: int, neighbour: np.ndarray, level: np.ndarray, stale: np.ndarray) -> bool:
    """Does region ``x`` come up before ``y``: higher level, then stale, then the smaller pair of indices."""
    if level[x] != level[y]:
        return level[x] > level[y]
    if stale[x] != stale[y]:
        return stale[x]
    x_low, y_low = min(x, neighbour[x]), min(y, neighbour[y])
    if x_low != y_low:
        return x_low < y_low
    return max(x, neighbour[x]) < max(y, neighbour[y])


@njit
def _first_dense(alive: np.ndarray, n_alive: int, neighbour: np.ndarray, level: np.ndarray, stale: np.ndarray) -> int:
    top = alive[0]
    for p in range(1, n_alive):
        if before(alive[p], top, neighbour, level, stale):
            top = alive[p]
    return top
