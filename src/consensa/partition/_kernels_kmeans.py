"""Kernels of weighted k-means: seeding and Lloyd's iteration with Hamerly's bounds, in a fixed order of sums."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part

_GROUP = 56  # points at a time; not a power of two, or the features of a group would share lines of the cache


@njit
def seed_centers(points: np.ndarray, weights: np.ndarray, draws: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Greedy k-means++: ``draws`` (k x trials, uniform in [0, 1)) choose points with probability weight x distance².

    ``order`` is the order in which probabilities are added up. Of the trials for a centre the one is kept that leaves
    the smallest sum of squared distances. Returns the centres (k x d).
    """
    n, d = points.shape
    k, n_trials = draws.shape
    centers = np.empty((k, d))
    distance = np.full(n, np.inf)
    trial_distance = np.empty((n_trials, n))
    loss = np.empty(n_trials)
    chosen = np.empty(n_trials, np.int64)
    mass = weights.copy()
    for j in range(k):
        total = 0.0
        for i in range(n):
            total += mass[order[i]]
        n_tried = n_trials if j > 0 else 1
        for t in range(n_tried):
            chosen[t] = _draw(mass, order, draws[j, t] * total)
            loss[t] = 0.0
        _try_centers(points, weights, chosen, n_tried, distance, trial_distance, loss)
        best = 0
        for t in range(1, n_tried):
            if loss[t] < loss[best]:
                best = t
        for f in range(d):
            centers[j, f] = points[chosen[best], f]
        for i in range(n):
            distance[i] = trial_distance[best, i]
            mass[i] = weights[i] * distance[i]
    return centers


@njit_part
def _try_centers(
    points: np.ndarray,
    weights: np.ndarray,
    chosen: np.ndarray,
    n_tried: int,
    distance: np.ndarray,
    trial_distance: np.ndarray,
    loss: np.ndarray,
) -> None:
    """Squared distances to the nearest centre if a chosen point were the next; their weighted sum is added to loss.

    Points are taken in groups, feature by feature, so that the same step is done for a whole group at once.
    """
    n, d = points.shape
    group = np.zeros((d, _GROUP))
    gaps = np.empty(_GROUP)
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
                trial_distance[t, start + i] = nearer
                total += weights[start + i] * nearer
            loss[t] = total


@njit_part
def _draw(mass: np.ndarray, order: np.ndarray, target: float) -> int:
    reached = 0.0
    last = order[0]
    for i in range(order.size):
        if mass[order[i]] > 0:
            last = order[i]
            reached += mass[last]
            if reached > target:
                break
    return last


@njit
def lloyd(points: np.ndarray, weights: np.ndarray, centers: np.ndarray, max_iter: int, labels: np.ndarray) -> float:
    """Run Lloyd's iteration from ``centers`` (overwritten); fills ``labels`` and returns the weighted loss.

    A point is compared with all centres only when Hamerly's bounds do not already settle its label. A cluster that
    runs empty restarts at the point with the largest share of the loss.
    """
    n, d = points.shape
    k = centers.shape[0]
    upper = np.empty(n)
    lower = np.empty(n)
    moved = np.empty(k)
    half = np.empty(k)
    gaps = np.empty(k)
    turned = np.empty((d, k))
    norms = np.empty(k)
    _prepare(centers, turned, norms, half)
    for i in range(n):
        _two_nearest(points[i], turned, norms, gaps, i, labels, upper, lower)
    for _ in range(max_iter):
        _update_centers(points, weights, labels, centers, moved, upper)
        _prepare(centers, turned, norms, half)
        far, second = 0.0, 0.0
        far_j = 0
        for j in range(k):
            if moved[j] > far:
                far, second, far_j = moved[j], far, j
            elif moved[j] > second:
                second = moved[j]
        if far == 0.0:
            break
        n_changed = 0
        for i in range(n):
            j = labels[i]
            upper[i] += moved[j]
            lower[i] -= second if j == far_j else far
            bound = max(half[j], lower[i])
            if upper[i] <= bound:
                continue
            gap = 0.0
            for f in range(d):
                gap += (points[i, f] - centers[j, f]) ** 2
            upper[i] = np.sqrt(gap)
            if upper[i] <= bound:
                continue
            _two_nearest(points[i], turned, norms, gaps, i, labels, upper, lower)
            if labels[i] != j:
                n_changed += 1
        if n_changed == 0:
            break
    return _loss(points, weights, centers, labels)


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
    k = centers.shape[0]
    turned = np.empty((points.shape[1], k))
    norms, half, gaps = np.empty(k), np.empty(k), np.empty(k)
    upper, lower = np.empty(points.shape[0]), np.empty(points.shape[0])
    _prepare(centers, turned, norms, half)
    for i in range(points.shape[0]):
        _two_nearest(points[i], turned, norms, gaps, i, labels, upper, lower)


@njit_part
def _prepare(centers: np.ndarray, turned: np.ndarray, norms: np.ndarray, half: np.ndarray) -> None:
    """Transpose the centres, and find their squared norms and half the distance to the nearest other centre."""
    k, d = centers.shape
    for j in range(k):
        norms[j] = 0.0
        for f in range(d):
            turned[f, j] = centers[j, f]
            norms[j] += centers[j, f] ** 2
    for j in range(k):
        nearest = np.inf
        for l in range(k):
            if l != j:
                gap = 0.0
                for f in range(d):
                    gap += (centers[j, f] - centers[l, f]) ** 2
                nearest = min(nearest, gap)
        half[j] = 0.5 * np.sqrt(nearest)


@njit_part
def _two_nearest(
    point: np.ndarray,
    turned: np.ndarray,
    norms: np.ndarray,
    gaps: np.ndarray,
    i: int,
    labels: np.ndarray,
    upper: np.ndarray,
    lower: np.ndarray,
) -> None:
    """Nearest centre of point ``i``, its distance, and the distance of the second nearest."""
    square = 0.0
    for j in range(gaps.size):
        gaps[j] = norms[j]
    for f in range(point.size):
        value = point[f]
        square += value * value
        twice = 2.0 * value
        for j in range(gaps.size):
            gaps[j] -= twice * turned[f, j]
    best, second, where = np.inf, np.inf, 0
    for j in range(gaps.size):
        if gaps[j] < best:
            second = best
            best, where = gaps[j], j
        elif gaps[j] < second:
            second = gaps[j]
    labels[i] = where
    upper[i] = np.sqrt(max(best + square, 0.0))
    lower[i] = np.sqrt(max(second + square, 0.0))


@njit_part
def _update_centers(
    points: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    centers: np.ndarray,
    moved: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Put every centre at the weighted mean of its points and say how far it moved."""
    n, d = points.shape
    k = centers.shape[0]
    sums = np.zeros((k, d))
    mass = np.zeros(k)
    restarted = np.zeros(n, np.bool_)
    for i in range(n):
        j = labels[i]
        mass[j] += weights[i]
        for f in range(d):
            sums[j, f] += weights[i] * points[i, f]
    for j in range(k):
        if mass[j] <= 0.0:
            worst, where = -1.0, 0
            for i in range(n):
                if weights[i] * upper[i] ** 2 > worst:
                    worst, where = weights[i] * upper[i] ** 2, i
            upper[where] = 0.0  # so that two empty clusters do not restart at one point
            restarted[where] = True
            sums[j] = points[where]
            mass[j] = 1.0
        gap = 0.0
        for f in range(d):
            mean = sums[j, f] / mass[j]
            gap += (mean - centers[j, f]) ** 2
            centers[j, f] = mean
        moved[j] = np.sqrt(gap)
    for i in range(n):
        if restarted[i]:
            upper[i] = np.inf  # its distance is unknown again
