"""Kernels of weighted k-means: seeding and Lloyd's iteration with Hamerly's bounds, in a fixed order of sums.

References
----------
Hamerly (2010), Making k-means even faster, SDM. https://doi.org/10.1137/1.9781611972801.12
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

_GROUP = 56  # points at a time; not a power of two, or the features of a group would share lines of the cache


class Trials(NamedTuple):
    """Points that may become the next centre, and what would follow; :func:`_try_centers` fills the last four."""

    chosen: np.ndarray  # (n_trials,) int64
    loss: np.ndarray  # (n_trials,): weighted sum of the squared distances
    distance: np.ndarray  # (n_trials, n): squared distance of every point to its nearest centre
    group: np.ndarray  # (d, _GROUP): work space
    gaps: np.ndarray  # (_GROUP,): work space


class Turned(NamedTuple):
    """The centres as columns, so that a point is compared with all at once; :func:`_turn` fills the first two."""

    columns: np.ndarray  # (d, k)
    norms: np.ndarray  # (k,): squared lengths
    gaps: np.ndarray  # (k,): work space


class Bounds(NamedTuple):
    """What is known of every point without looking at all centres.

    Between iterations the own centre is no farther than ``upper``, and no other one nearer than ``lower``: both are
    exact when a point is compared with all centres, and give way by as much as centres move. A label needs no look
    while ``upper`` is at most ``lower``, or at most half the distance from the own centre to the next one.
    """

    labels: np.ndarray  # (n,) int64
    upper: np.ndarray  # (n,)
    lower: np.ndarray  # (n,)


class Sums(NamedTuple):
    """Work space in which the new centres are added up."""

    sums: np.ndarray  # (k, d)
    mass: np.ndarray  # (k,)
    restarted: np.ndarray  # (n,) bool: points that a cluster restarts at; all False between calls


@njit
def seed_centers(points: np.ndarray, weights: np.ndarray, draws: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Greedy k-means++: ``draws`` (k x trials, uniform in [0, 1)) choose points with probability weight x distance².

    ``order`` is the order in which probabilities are added up. Of the trials for a centre the one is kept that leaves
    the smallest sum of squared distances. Returns the centres (k x d).

    Before every centre ``distance`` holds the squared distance of every point to the nearest one so far, infinite
    before the first, and ``mass`` what it is drawn by: its weight alone before the first, weight x distance² later.
    """
    n, d = points.shape
    k, n_trials = draws.shape
    centers = np.empty((k, d))
    distance = np.full(n, np.inf)
    mass = weights.copy()
    trials = Trials(
        np.empty(n_trials, np.int64),
        np.empty(n_trials),
        np.empty((n_trials, n)),
        np.zeros((d, _GROUP)),
        np.empty(_GROUP),
    )
    for j in range(k):
        n_tried = n_trials if j > 0 else 1
        _draw_trials(mass, order, draws[j, :n_tried], trials.chosen)
        _try_centers(points, weights, n_tried, distance, trials)
        best = 0
        for t in range(1, n_tried):
            if trials.loss[t] < trials.loss[best]:
                best = t
        for f in range(d):
            centers[j, f] = points[trials.chosen[best], f]
        for i in range(n):
            distance[i] = trials.distance[best, i]
            mass[i] = weights[i] * distance[i]
    return centers


@njit_part
def _draw_trials(mass: np.ndarray, order: np.ndarray, draws: np.ndarray, chosen: np.ndarray) -> None:
    """Choose a point for every one of ``draws``, with a probability that goes with ``mass``."""
    total = 0.0
    for i in range(order.size):
        total += mass[order[i]]
    for t in range(draws.size):
        chosen[t] = _draw(mass, order, draws[t] * total)


@njit_part
def _draw(mass: np.ndarray, order: np.ndarray, target: float) -> int:
    """First point at which the masses add up to more than ``target``; the last one with a mass, should none do so."""
    reached = 0.0
    last = order[0]
    for i in range(order.size):
        if mass[order[i]] > 0:
            last = order[i]
            reached += mass[last]
            if reached > target:
                break
    return last


@njit_part
def _try_centers(points: np.ndarray, weights: np.ndarray, n_tried: int, distance: np.ndarray, trials: Trials) -> None:
    """Squared distances to the nearest centre if a chosen point were the next, and their weighted sum.

    Points are taken in groups, feature by feature, so that the same step is done for a whole group at once. The last
    group may hold old points behind its own: they are counted with, but nothing is taken from them.
    """
    n, d = points.shape
    chosen, loss, group, gaps = trials.chosen, trials.loss, trials.group, trials.gaps
    for t in range(n_tried):
        loss[t] = 0.0
    for start in range(0, n, _GROUP):
        n_points = min(_GROUP, n - start)
        for i in range(n_points):
            for f in range(d):
                group[f, i] = points[start + i, f]
        for t in range(n_tried):
            for i in range(_GROUP):
                gaps[i] = 0.0
            for f in range(d):
                value = points[chosen[t], f]
                for i in range(_GROUP):
                    gaps[i] += (group[f, i] - value) ** 2
            total = loss[t]
            for i in range(n_points):
                nearer = min(distance[start + i], gaps[i])
                trials.distance[t, start + i] = nearer
                total += weights[start + i] * nearer
            loss[t] = total


@njit
def lloyd(points: np.ndarray, weights: np.ndarray, centers: np.ndarray, max_iter: int, labels: np.ndarray) -> float:
    """Run Lloyd's iteration from ``centers`` (overwritten); fills ``labels`` and returns the weighted loss.

    A point is compared with all centres only when Hamerly's bounds do not already settle its label. A cluster that
    runs empty restarts at the point with the largest share of the loss.
    """
    n, d = points.shape
    k = centers.shape[0]
    bounds = Bounds(labels, np.empty(n), np.empty(n))
    turned = Turned(np.empty((d, k)), np.empty(k), np.empty(k))
    sums = Sums(np.empty((k, d)), np.empty(k), np.zeros(n, np.bool_))
    moved, half = np.empty(k), np.empty(k)
    _turn(centers, turned)
    for i in range(n):
        _two_nearest(points, i, turned, bounds)
    for _ in range(max_iter):
        _update_centers(points, weights, centers, bounds, sums, moved)
        _turn(centers, turned)
        _half_distances(centers, half)
        if _reassign(points, centers, turned, half, moved, bounds) == 0:
            break
    return _loss(points, weights, centers, labels)


@njit_part
def _reassign(
    points: np.ndarray, centers: np.ndarray, turned: Turned, half: np.ndarray, moved: np.ndarray, bounds: Bounds
) -> int:
    """Restore the bounds after the centres have ``moved``, and the labels; returns how many labels have changed."""
    labels, upper, lower = bounds.labels, bounds.upper, bounds.lower
    far, second = 0.0, 0.0
    far_j = 0
    for j in range(moved.size):
        if moved[j] > far:
            far, second, far_j = moved[j], far, j
        elif moved[j] > second:
            second = moved[j]
    n_changed = 0
    for i in range(labels.size if far > 0.0 else 0):
        j = labels[i]
        upper[i] += moved[j]
        # The other centres have come closer by at most the longest way that one of them moved.
        lower[i] -= second if j == far_j else far
        bound = max(half[j], lower[i])
        if upper[i] <= bound:
            continue
        # The bound may only have grown loose: one distance is cheaper than k.
        gap = 0.0
        for f in range(points.shape[1]):
            gap += (points[i, f] - centers[j, f]) ** 2
        upper[i] = np.sqrt(gap)
        if upper[i] <= bound:
            continue
        _two_nearest(points, i, turned, bounds)
        if labels[i] != j:
            n_changed += 1
    return n_changed


@njit_part
def _loss(points: np.ndarray, weights: np.ndarray, centers: np.ndarray, labels: np.ndarray) -> float:
    loss = 0.0
    for i in range(points.shape[0]):
        gap = 0.0
        for f in range(points.shape[1]):
            gap += (points[i, f] - centers[labels[i], f]) ** 2
        loss += weights[i] * gap
    return loss


@njit
def assign(points: np.ndarray, centers: np.ndarray, labels: np.ndarray) -> None:
    """Label every point with its nearest centre, ties to the smaller number."""
    n, d = points.shape
    k = centers.shape[0]
    turned = Turned(np.empty((d, k)), np.empty(k), np.empty(k))
    bounds = Bounds(labels, np.empty(n), np.empty(n))
    _turn(centers, turned)
    for i in range(n):
        _two_nearest(points, i, turned, bounds)


@njit_part
def _turn(centers: np.ndarray, turned: Turned) -> None:
    """Transpose the centres, and find their squared lengths."""
    columns, norms = turned.columns, turned.norms
    for j in range(centers.shape[0]):
        norms[j] = 0.0
        for f in range(centers.shape[1]):
            columns[f, j] = centers[j, f]
            norms[j] += centers[j, f] ** 2


@njit_part
def _half_distances(centers: np.ndarray, half: np.ndarray) -> None:
    """Half the distance from every centre to the nearest other one; infinite for the only one."""
    for j in range(half.size):
        nearest = np.inf
        for l in range(half.size):
            if l != j:
                gap = 0.0
                for f in range(centers.shape[1]):
                    gap += (centers[j, f] - centers[l, f]) ** 2
                nearest = min(nearest, gap)
        half[j] = 0.5 * np.sqrt(nearest)


@njit_part
def _two_nearest(points: np.ndarray, i: int, turned: Turned, bounds: Bounds) -> None:
    """Nearest centre of point ``i``, its distance, and the distance of the second nearest.

    Squared distances are |c|² - 2 x·c, to which |x|² is added in the end: it is the same for all centres.
    """
    point, columns, norms, gaps = points[i], turned.columns, turned.norms, turned.gaps
    square = 0.0
    for j in range(gaps.size):
        gaps[j] = norms[j]
    for f in range(point.size):
        value = point[f]
        square += value * value
        twice = 2.0 * value
        for j in range(gaps.size):
            gaps[j] -= twice * columns[f, j]
    best, second, where = np.inf, np.inf, 0
    for j in range(gaps.size):
        if gaps[j] < best:
            second = best
            best, where = gaps[j], j
        elif gaps[j] < second:
            second = gaps[j]
    bounds.labels[i] = where
    # Rounding may take a distance of nearly 0 below it.
    bounds.upper[i] = np.sqrt(max(best + square, 0.0))
    bounds.lower[i] = np.sqrt(max(second + square, 0.0))


@njit_part
def _update_centers(
    points: np.ndarray, weights: np.ndarray, centers: np.ndarray, bounds: Bounds, sums: Sums, moved: np.ndarray
) -> None:
    """Put every centre at the weighted mean of its points and say how far it ``moved``.

    The bounds are those of the centres before; a cluster without mass takes the point with the largest share of the
    loss by them.
    """
    _sum_up(points, weights, bounds.labels, sums)
    upper, mass = bounds.upper, sums.mass
    for j in range(mass.size):
        if mass[j] <= 0.0:
            where = _costliest(weights, upper)
            upper[where] = 0.0  # so that two empty clusters do not restart at one point
            sums.restarted[where] = True
            mass[j] = 1.0
            for f in range(points.shape[1]):
                sums.sums[j, f] = points[where, f]
        gap = 0.0
        for f in range(points.shape[1]):
            mean = sums.sums[j, f] / mass[j]
            gap += (mean - centers[j, f]) ** 2
            centers[j, f] = mean
        moved[j] = np.sqrt(gap)
    # The distance of these points is unknown again: infinity is a bound in any case.
    for i in range(upper.size):
        if sums.restarted[i]:
            upper[i] = np.inf
            sums.restarted[i] = False


@njit_part
def _sum_up(points: np.ndarray, weights: np.ndarray, labels: np.ndarray, sums: Sums) -> None:
    """Add up the points of every cluster and their weights, in the order of the points."""
    total, mass = sums.sums, sums.mass
    for j in range(mass.size):
        mass[j] = 0.0
        for f in range(points.shape[1]):
            total[j, f] = 0.0
    for i in range(points.shape[0]):
        j = labels[i]
        mass[j] += weights[i]
        for f in range(points.shape[1]):
            total[j, f] += weights[i] * points[i, f]


@njit_part
def _costliest(weights: np.ndarray, upper: np.ndarray) -> int:
    """Point with the largest weight x distance², the first of several."""
    worst, where = -1.0, 0
    for i in range(upper.size):
        if weights[i] * upper[i] ** 2 > worst:
            worst, where = weights[i] * upper[i] ** 2, i
    return where
