"""Kernels of U-SPEC and of assignment: every row by itself, in a fixed order of sums, so that chunks do not matter."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part


@njit
def assign_centers(X: np.ndarray, turned: np.ndarray, labels: np.ndarray) -> None:
    """Number of the nearest centre of every row of ``X`` (n x d), ties to the smaller; ``turned`` holds d x k."""
    gaps = np.empty(turned.shape[1])
    for i in range(X.shape[0]):
        labels[i] = _nearest(X[i], turned, 0, turned.shape[1], gaps)


@njit
def nearest_anchors(
    X: np.ndarray,
    turned_groups: np.ndarray,
    turned_anchors: np.ndarray,
    anchors: np.ndarray,
    bounds: np.ndarray,
    around: np.ndarray,
    found: np.ndarray,
    squared: np.ndarray,
) -> None:
    """K nearest anchors of every row, approximately: nearest group, nearest anchor in it, best of its neighbours.

    ``turned_groups`` (d x groups) and ``turned_anchors`` (d x p) hold the points as columns; anchors of group g are
    ``bounds[g] .. bounds[g + 1] - 1``; ``around`` (p x candidates) lists every anchor and those near it. Fills
    ``found`` and ``squared`` (n x K) with numbers and squared distances, rising; ties to the smaller number.
    """
    n_kept = found.shape[1]
    gaps = np.empty(max(turned_groups.shape[1], turned_anchors.shape[1]))
    for i in range(X.shape[0]):
        group = _nearest(X[i], turned_groups, 0, turned_groups.shape[1], gaps)
        center = _nearest(X[i], turned_anchors, bounds[group], bounds[group + 1], gaps)
        for slot in range(n_kept):
            squared[i, slot] = np.inf
            found[i, slot] = -1
        for c in range(around.shape[1]):
            anchor = around[center, c]
            gap = _squared_distance(X[i], anchors[anchor])
            slot = n_kept
            while slot > 0 and (
                gap < squared[i, slot - 1] or (gap == squared[i, slot - 1] and anchor < found[i, slot - 1])
            ):
                slot -= 1
            for later in range(n_kept - 1, slot, -1):
                squared[i, later] = squared[i, later - 1]
                found[i, later] = found[i, later - 1]
            if slot < n_kept:
                squared[i, slot] = gap
                found[i, slot] = anchor


@njit_part
def _nearest(point: np.ndarray, turned: np.ndarray, start: int, stop: int, gaps: np.ndarray) -> int:
    """Column of ``turned`` in [start, stop) nearest to the point."""
    for j in range(start, stop):
        gaps[j] = 0.0
    for f in range(point.size):
        value = point[f]
        for j in range(start, stop):
            gaps[j] += (value - turned[f, j]) ** 2
    where = start
    for j in range(start + 1, stop):
        if gaps[j] < gaps[where]:
            where = j
    return where


@njit_part
def _squared_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Four sums side by side, which the processor can run at once."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    whole = a.size - a.size % 4
    for f in range(0, whole, 4):
        first += (a[f] - b[f]) ** 2
        second += (a[f + 1] - b[f + 1]) ** 2
        third += (a[f + 2] - b[f + 2]) ** 2
        fourth += (a[f + 3] - b[f + 3]) ** 2
    for f in range(whole, a.size):
        first += (a[f] - b[f]) ** 2
    return (first + second) + (third + fourth)
