"""Kernels of the queue of regions, and the rule by which all agglomeration proceeds.

Merge, again and again, the pair of regions with the largest similarity. Similarities are compared by ``level`` (rounded
to 1e-10); equal levels by the smaller, then the larger index of the pair; a region carries the index of its smallest
member. Reducible linkages (average, complete, single) never raise a similarity to a merged region, so an old nearest
neighbour is an upper bound: it is marked ``stale`` and searched anew only when it comes up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

LEVELS = 1e10  # per unit of similarity
# The golden section keeps the borders of the levels away from all fractions with small denominators, so that two ways
# of summing the same average fall into the same level.
OFFSET = 0.6180339887498949


class Queue(NamedTuple):
    """An indexed binary heap of the living regions, and what their order follows.

    The first ``n_heap`` places are in use (a number of its own, which :func:`remove` lowers). Between calls every
    living region stands in ``heap[:n_heap]`` once, ``place[heap[p]] == p``, and none comes up before the region at
    ``(p - 1) // 2``. Who changes neighbour, level or mark of a living region restores this with :func:`sift`.

    Without the mark ``stale``, ``neighbour[c]`` is the nearest region of c and ``level[c]`` its level. With the mark,
    ``level[c]`` is an upper bound of all its levels, and the neighbour is an old one that may be gone.
    """

    heap: np.ndarray  # (n,) int64: regions
    place: np.ndarray  # (n,) int64: where every living region stands in the heap
    neighbour: np.ndarray  # (n,) int64, -1 = none
    level: np.ndarray  # (n,) int64
    stale: np.ndarray  # (n,) bool


def new_queue(neighbour: np.ndarray, level: np.ndarray) -> Queue:
    """All regions, in no order yet; the arrays are shared, not copied."""
    n = neighbour.size
    return Queue(np.arange(n), np.arange(n), neighbour, level, np.zeros(n, np.bool_))


@njit
def rounded(similarity: float) -> int:
    """Level of a similarity: steps of 1e-10, moved by the golden section."""
    return int(np.floor(similarity * LEVELS + OFFSET))


@njit_part
def before(x: int, y: int, queue: Queue) -> bool:
    """Does region ``x`` come up before ``y``: higher level, then stale, then the smaller pair of indices.

    A stale region goes first among equals: its bound may hide a pair of this very level with smaller indices.
    """
    neighbour, level, stale = queue.neighbour, queue.level, queue.stale
    if level[x] != level[y]:
        return level[x] > level[y]
    if stale[x] != stale[y]:
        return stale[x]
    x_low, y_low = min(x, neighbour[x]), min(y, neighbour[y])
    if x_low != y_low:
        return x_low < y_low
    return max(x, neighbour[x]) < max(y, neighbour[y])


@njit_part
def heapify(queue: Queue) -> int:
    """Put all regions in order, whatever order they stand in; returns their number."""
    n = queue.heap.size
    for p in range(n // 2 - 1, -1, -1):
        sift_down(p, n, queue)
    return n


@njit_part
def sift(p: int, n_heap: int, queue: Queue) -> None:
    """Restore the heap around position ``p`` after its region's rank has changed, up or down."""
    while p > 0:
        parent = (p - 1) // 2
        if not before(queue.heap[p], queue.heap[parent], queue):
            break
        _swap(p, parent, queue)
        p = parent
    sift_down(p, n_heap, queue)


@njit_part
def sift_down(p: int, n_heap: int, queue: Queue) -> None:
    """Restore the heap below position ``p``, whose region may come up later than before."""
    heap = queue.heap
    while True:
        child = 2 * p + 1
        if child >= n_heap:
            return
        if child + 1 < n_heap and before(heap[child + 1], heap[child], queue):
            child += 1
        if not before(heap[child], heap[p], queue):
            return
        _swap(p, child, queue)
        p = child


@njit_part
def _swap(p: int, q: int, queue: Queue) -> None:
    heap, place = queue.heap, queue.place
    heap[p], heap[q] = heap[q], heap[p]
    place[heap[p]], place[heap[q]] = p, q


@njit_part
def remove(c: int, n_heap: int, queue: Queue) -> int:
    """Take region ``c`` out, the last one of the heap into its place; returns how many are left."""
    p = queue.place[c]
    n_heap -= 1
    if p != n_heap:
        queue.heap[p] = queue.heap[n_heap]
        queue.place[queue.heap[p]] = p
        sift(p, n_heap, queue)
    return n_heap
