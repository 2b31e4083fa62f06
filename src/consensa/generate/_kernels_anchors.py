"""Kernels of U-SPEC and of assignment: every row by itself, in a fixed order of sums, so that chunks do not matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part


class Anchors(NamedTuple):
    """Representatives in groups, group after group, with those near each; see ``Representatives``."""

    groups: np.ndarray  # (d, n_groups): centres of the groups, as columns
    columns: np.ndarray  # (d, p): the anchors as columns, so that a point is compared with a group of them at once
    points: np.ndarray  # (p, d): the anchors as rows, for one distance at a time
    bounds: np.ndarray  # (n_groups + 1,) int64: anchors of group g are bounds[g] .. bounds[g + 1] - 1, one or more
    around: np.ndarray  # (p, n_candidates) int32: every anchor and those nearest to it, all different


@njit
def settle_nearest(
    X: np.ndarray, centers: np.ndarray, gaps: np.ndarray, limits: np.ndarray, labels: np.ndarray
) -> None:
    """Number of the nearest centre (k x d) of every row of ``X`` (n x d), ties to the smaller.

    Of row i only the centres are compared whose ``gaps`` (n x k) are not above ``limits[i]``, both in single precision:
    the nearest one is among them. A gap or limit that is no number leaves nothing out.
    """
    for i in range(X.shape[0]):
        limit, n_left, where = limits[i], 0, 0
        for j in range(centers.shape[0]):
            left = not gaps[i, j] > limit  # without a branch, several at a time
            n_left += left
            where += j * left
        labels[i] = where if n_left == 1 else _nearest_of(X[i], centers, gaps[i], limit)


@njit_part
def _nearest_of(point: np.ndarray, centers: np.ndarray, gaps: np.ndarray, limit: float) -> int:
    """Nearest of the centres that are left, by sums in the order of the features."""
    where, smallest = 0, np.inf
    for j in range(centers.shape[0]):
        if gaps[j] > limit:
            continue
        total = 0.0
        for f in range(point.size):
            total += (point[f] - centers[j, f]) ** 2
        if total < smallest:
            where, smallest = j, total
    return where


@njit
def nearest_anchors(X: np.ndarray, anchors: Anchors, found: np.ndarray, squared: np.ndarray) -> None:
    """K nearest anchors of every row, approximately: nearest group, nearest anchor in it, best of its neighbours.

    Fills ``found`` and ``squared`` (n x K) with numbers and squared distances, rising; ties to the smaller number.
    There must be K candidates around every anchor. Distances that are no number come last; a number is always found.
    """
    gaps = np.empty(max(anchors.groups.shape[1], anchors.columns.shape[1]))
    for i in range(X.shape[0]):
        _search(X[i], anchors, gaps, found[i], squared[i])


@njit_part
def _search(point: np.ndarray, anchors: Anchors, gaps: np.ndarray, found: np.ndarray, squared: np.ndarray) -> None:
    """Find the nearest anchors of one point; ``gaps`` is work space."""
    points, bounds, around = anchors.points, anchors.bounds, anchors.around
    group = _nearest(point, anchors.groups, 0, anchors.groups.shape[1], gaps)
    center = _nearest(point, anchors.columns, bounds[group], bounds[group + 1], gaps)
    for c in range(around.shape[1]):
        anchor = around[center, c]
        _insert(anchor, _squared_distance(point, points[anchor]), found, squared, min(c, found.size))


@njit_part
def _insert(anchor: int, gap: float, found: np.ndarray, squared: np.ndarray, filled: int) -> None:
    """Put an anchor into its place among the ``filled`` nearest so far, if it has one; the last one drops out."""
    n_kept = found.size
    slot = filled
    while slot > 0 and (gap < squared[slot - 1] or (gap == squared[slot - 1] and anchor < found[slot - 1])):
        slot -= 1
    for later in range(min(filled, n_kept - 1), slot, -1):
        squared[later], found[later] = squared[later - 1], found[later - 1]
    if slot < n_kept:
        squared[slot], found[slot] = gap, anchor


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
