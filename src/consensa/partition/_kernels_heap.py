"""Kernels of the queue of regions: an indexed binary heap ordered by :func:`before`.

``heap`` holds regions, ``place`` the position of every region in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._numba import njit
from consensa.partition._kernels_linkage import before

if TYPE_CHECKING:
    import numpy as np


@njit
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


@njit
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


@njit
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
