"""Kernel of agglomeration on a similarity matrix; the rule it follows stands with the queue of regions.

The matrix ``S`` is whole (n x n), or its part above the diagonal, row after row, in one line (n (n - 1) / 2): regions
keep the smallest of their numbers, so most of a row then lies in one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._numba import njit, njit_part
from consensa.partition._kernels_queue import Queue, before, heapify, remove, rounded, sift

if TYPE_CHECKING:
    import numpy as np

AVERAGE, COMPLETE, SINGLE = 0, 1, 2


@njit
def merge_dense(
    S: np.ndarray,
    sizes: np.ndarray,
    linkage: int,
    queue: Queue,
    alive: np.ndarray,
    merges: np.ndarray,
    heights: np.ndarray,
    gini_threshold: float,
    spread: float,
    pause_threshold: float,
) -> int:
    """Agglomerate on a symmetric matrix ``S`` (overwritten) with region ``sizes`` (float, overwritten).

    ``queue`` comes in with all regions, in any order and without neighbours, ``alive`` (int64) with their numbers.
    ``merges`` (n - 1 x 2) receives the indices (smaller, larger) of the merged regions, ``heights`` (n - 1) the
    similarity at which they merge, in the order of merging.

    Between merges the first ``n_alive`` of ``alive`` are the living regions, rising, so that the first of equal
    neighbours has the smallest index; ``S`` holds their similarities, a whole one on both sides of the diagonal. The
    rows and columns of the others are never read again. ``spread``, the sum of the differences between the sizes of all
    pairs, is a whole number as the sizes are, and so exact; it comes in as that of all regions.

    Where the Gini index of the sizes exceeds ``gini_threshold`` (1 for never), one of the smallest regions is merged,
    and where it exceeds ``pause_threshold`` none any more. Returns how many merges there are then.
    """
    n_alive = alive.size
    total = 0.0
    for size in sizes:
        total += size
    for c in range(n_alive):
        _nearest(S, c, alive, n_alive, queue)
    heapify(queue)
    for t in range(n_alive - 1):
        if spread > pause_threshold * (n_alive - 1) * total:
            return t
        while queue.stale[queue.heap[0]]:
            _refresh(S, queue.heap[0], alive, n_alive, queue)
        # The first region is sure of its neighbour, and no bound of another one is higher: this is the pair to merge.
        top = queue.heap[0]
        if spread > gini_threshold * (n_alive - 1) * total:
            top = _smallest(S, sizes, alive, n_alive, queue)
        a, b = min(top, queue.neighbour[top]), max(top, queue.neighbour[top])
        merges[t, 0], merges[t, 1], heights[t] = a, b, _at(S, alive.size, a, b)
        _strike(b, alive, n_alive)
        n_alive = remove(b, n_alive, queue)
        spread += _change_of_spread(sizes, a, b, alive, n_alive)
        share = sizes[a] / (sizes[a] + sizes[b])
        sizes[a] += sizes[b]
        _join_rows(S, a, b, share, linkage, alive, n_alive)
        _tell_all(S, a, b, alive, n_alive, queue)
    return alive.size - 1


@njit_part
def _refresh(S: np.ndarray, c: int, alive: np.ndarray, n_alive: int, queue: Queue) -> None:
    """Search the neighbour of a stale region anew."""
    _nearest(S, c, alive, n_alive, queue)
    queue.stale[c] = False
    sift(queue.place[c], n_alive, queue)


@njit_part
def _smallest(S: np.ndarray, sizes: np.ndarray, alive: np.ndarray, n_alive: int, queue: Queue) -> int:
    """Of the smallest regions the one that comes up first; it is sure of its neighbour."""
    while True:
        found = alive[0]
        for p in range(1, n_alive):
            c = alive[p]
            if sizes[c] < sizes[found] or (sizes[c] == sizes[found] and before(c, found, queue)):
                found = c
        if not queue.stale[found]:
            return found
        _refresh(S, found, alive, n_alive, queue)


@njit_part
def _change_of_spread(sizes: np.ndarray, a: int, b: int, alive: np.ndarray, n_alive: int) -> float:
    """What the union of ``a`` and ``b``, of which b is no longer among the living, adds to the spread."""
    change = -abs(sizes[a] - sizes[b])
    for p in range(n_alive):
        c = alive[p]
        if c != a:
            change += abs(sizes[a] + sizes[b] - sizes[c]) - abs(sizes[a] - sizes[c]) - abs(sizes[b] - sizes[c])
    return change


@njit_part
def _strike(b: int, alive: np.ndarray, n_alive: int) -> None:
    """Take region ``b`` out of the list of the living; the later ones move up."""
    p = 0
    while alive[p] != b:
        p += 1
    for q in range(p, n_alive - 1):
        alive[q] = alive[q + 1]


@njit_part
def _join_rows(S: np.ndarray, a: int, b: int, share: float, linkage: int, alive: np.ndarray, n_alive: int) -> None:
    """Turn row and column ``a`` into the similarities of the union of ``a`` and ``b``."""
    for p in range(n_alive):
        c = alive[p]
        if c == a:
            continue
        if linkage == AVERAGE:
            _put(S, alive.size, a, c, share * _at(S, alive.size, a, c) + (1.0 - share) * _at(S, alive.size, b, c))
        elif linkage == COMPLETE:
            _put(S, alive.size, a, c, min(_at(S, alive.size, a, c), _at(S, alive.size, b, c)))
        else:
            _put(S, alive.size, a, c, max(_at(S, alive.size, a, c), _at(S, alive.size, b, c)))


@njit_part
def _tell_all(S: np.ndarray, a: int, b: int, alive: np.ndarray, n_alive: int, queue: Queue) -> None:
    """Tell all living regions that ``a`` has absorbed ``b``, and find the neighbour of ``a`` on the way."""
    best, where = -1, -1
    for p in range(n_alive):
        c = alive[p]
        if c == a:
            continue
        step = rounded(_at(S, alive.size, a, c))
        if step > best:
            best, where = step, c
        # Below its level, a new region matters only to those that lose their neighbour.
        if step >= queue.level[c] or queue.neighbour[c] == a or queue.neighbour[c] == b:
            _offer(c, a, b, step, queue)
            sift(queue.place[c], n_alive, queue)
    queue.neighbour[a], queue.level[a], queue.stale[a] = where, best, False
    sift(queue.place[a], n_alive, queue)


@njit_part
def _offer(c: int, a: int, b: int, step: int, queue: Queue) -> None:
    """Tell region ``c`` that ``a`` has absorbed ``b`` and is now at level ``step``."""
    # A stale bound stays one, as the similarity to the union is at most the larger one to its parts.
    if queue.stale[c]:
        return
    if queue.neighbour[c] == a or queue.neighbour[c] == b:
        if step >= queue.level[c]:
            queue.level[c], queue.neighbour[c] = step, a
        else:
            queue.stale[c] = True
    elif step > queue.level[c] or (step == queue.level[c] and a < queue.neighbour[c]):
        queue.level[c], queue.neighbour[c] = step, a


@njit_part
def _nearest(S: np.ndarray, c: int, alive: np.ndarray, n_alive: int, queue: Queue) -> None:
    """Nearest region of ``c``, ties to the smaller index; c itself must not be the only one alive."""
    largest = -1.0
    for p in range(n_alive):
        if alive[p] != c:
            largest = max(largest, _at(S, alive.size, c, alive[p]))
    best = rounded(largest)
    # Two similarities of one level are less than 2e-10 apart: most regions need no rounding to be passed over. The
    # largest itself must pass also where 2e-10 is less than the last bit of it.
    for p in range(n_alive):
        if alive[p] == c:
            continue
        similarity = _at(S, alive.size, c, alive[p])
        if similarity >= largest - 2e-10 and rounded(similarity) == best:
            queue.neighbour[c], queue.level[c] = alive[p], best
            return


@njit_part
def _at(S: np.ndarray, n: int, a: int, b: int) -> float:
    """Similarity of two regions; which way of storage it is, is known when this is compiled."""
    if S.ndim == 1:
        return float(S[_cell(n, a, b)])
    return float(S[a, b])


@njit_part
def _put(S: np.ndarray, n: int, a: int, b: int, similarity: float) -> None:
    if S.ndim == 1:
        S[_cell(n, a, b)] = similarity
    else:
        S[a, b] = similarity
        S[b, a] = similarity


@njit_part
def _cell(n: int, a: int, b: int) -> int:
    low = min(a, b)
    return low * (2 * n - low - 3) // 2 + max(a, b) - 1
