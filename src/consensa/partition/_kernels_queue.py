"""Kernels of the queue of regions, and the rule by which all agglomeration proceeds.

Merge, again and again, the pair of regions with the largest similarity. Similarities are compared by ``level`` (rounded
to 1e-10); equal levels by the smaller, then the larger index of the pair; a region carries the index of its smallest
member. Reducible linkages (average, complete, single) never raise a similarity to a merged region, so an old nearest
neighbour is an upper bound: it is marked ``stale`` and searched anew only when it comes up.

The queue is an indexed binary heap: ``heap`` holds regions, ``place`` the position of every region in it.
"""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part


@njit
def rounded(similarity: float) -> int:
    """Level of a similarity: steps of 1e-10.

    The golden section as offset keeps the borders of the steps away from all fractions with small denominators, so
    that two ways of summing the same average fall into the same step.
    """
    return int(np.floor(similarity * 1e10 + 0.6180339887498949))


@njit_part
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


@njit_part
def sift(
    p: int,
    heap: np.ndarray,
    place: np.ndarray,
    n_heap: int,
    neighbour: np.ndarray,
    level: np.ndarray,
    stale: np.ndarray,
) -> None:
    """Restore the heap around position ``p`` after its region's rank has changed."""
    while p > 0:
        parent = (p - 1) // 2
        if not before(heap[p], heap[parent], neighbour, level, stale):
            break
        heap[p], heap[parent] = heap[parent], heap[p]
        place[heap[p]], place[heap[parent]] = p, parent
        p = parent
    sift_down(p, heap, place, n_heap, neighbour, level, stale)


@njit_part
def sift_down(
    p: int,
    heap: np.ndarray,
    place: np.ndarray,
    n_heap: int,
    neighbour: np.ndarray,
    level: np.ndarray,
    stale: np.ndarray,
) -> None:
    while True:
        child = 2 * p + 1
        if child >= n_heap:
            return
        if child + 1 < n_heap and before(heap[child + 1], heap[child], neighbour, level, stale):
            child += 1
        if not before(heap[child], heap[p], neighbour, level, stale):
            return
        heap[p], heap[child] = heap[child], heap[p]
        place[heap[p]], place[heap[child]] = p, child
        p = child


@njit_part
def remove(
    c: int,
    heap: np.ndarray,
    place: np.ndarray,
    n_heap: int,
    neighbour: np.ndarray,
    level: np.ndarray,
    stale: np.ndarray,
) -> int:
    p = place[c]
    n_heap -= 1
    if p != n_heap:
        heap[p] = heap[n_heap]
        place[heap[p]] = p
        sift(p, heap, place, n_heap, neighbour, level, stale)
    return n_heap
