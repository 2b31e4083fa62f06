"""Kernels of locally adaptive clustering: scattered starts, and the iteration of weights and centres."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit


@njit
def scatter_farthest(points: np.ndarray, sample: np.ndarray, k: int) -> np.ndarray:
    """Choose k of the points numbered ``sample``, each as far as possible from those before, from the first on."""
    centers = np.empty((k, points.shape[1]))
    distance = np.full(sample.size, np.inf)
    chosen = 0
    for j in range(k):
        centers[j] = points[sample[chosen]]
        farthest = -1.0
        for s in range(sample.size):
            distance[s] = min(distance[s], _gap(points[sample[s]], centers[j]))
            if distance[s] > farthest:
                farthest, chosen = distance[s], s
    return centers


@njit
def scatter_drawn(points: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Choose points by ``draws`` (k, uniform in [0, 1)) with probability ~ squared distance to those before."""
    n = points.shape[0]
    centers = np.empty((draws.size, points.shape[1]))
    distance = np.full(n, np.inf)
    chosen = int(draws[0] * n)
    for j in range(draws.size):
        centers[j] = points[chosen]
        total = 0.0
        for i in range(n):
            distance[i] = min(distance[i], _gap(points[i], centers[j]))
            total += distance[i]
        if j + 1 < draws.size:
            target, reached = draws[j + 1] * total, 0.0
            for i in range(n):
                reached += distance[i]
                if distance[i] > 0.0:
                    chosen = i
                    if reached > target:
                        break
    return centers


@njit
def _gap(a: np.ndarray, b: np.ndarray) -> float:
    gap = 0.0
    for f in range(a.size):
        gap += (a[f] - b[f]) ** 2
    return gap


@njit
def adapt(
    points: np.ndarray,
    h: float,
    centers: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    errors: np.ndarray,
) -> int:
    """Alternate assignments, weights (Eq. 3.4) and centres (Eq. 3.5) until the assignments repeat.

    ``centers`` and ``weights`` (k x d) are overwritten, ``labels`` (n, int32) receives the last assignment and
    ``errors`` Eq. 3.3 after every iteration. Returns the number of iterations, ``errors.size`` at most. The iteration
    does not lower one function, so that it may end in a cycle; it ends when a state comes back, not only when it stays.
    """
    n = points.shape[0]
    k = centers.shape[0]
    before = np.empty(n, np.int32)
    own = np.empty(n)
    sizes = np.zeros(k, np.int64)
    spread = np.empty(centers.shape)
    states = np.empty(errors.size, np.uint64)
    seed = np.uint64(0x9E3779B97F4A7C15)
    last = seed
    for t in range(errors.size):
        assign(points, centers, weights, before, own)
        states[t] = hash_labels(before, last)
        for s in range(t):
            if states[s] == states[t]:
                labels[:] = before
                return t
        dispersions(points, centers, before, sizes, spread)
        for j in range(k):
            soften(spread[j], h, sizes[j], weights[j])
        assign(points, centers, weights, labels, own)
        last = hash_labels(labels, seed)
        update_centers(points, labels, own, centers, weights)
        dispersions(points, centers, labels, sizes, spread)
        errors[t] = error(spread, weights, sizes, h)
    assign(points, centers, weights, labels, own)
    return errors.size


@njit
def assign(
    points: np.ndarray, centers: np.ndarray, weights: np.ndarray, labels: np.ndarray, distances: np.ndarray
) -> None:
    """Label every point with the centre of the smallest weighted squared distance (Eq. 3.1), ties to the smaller."""
    n, d = points.shape
    k = centers.shape[0]
    turned, w = np.empty((d, k)), np.empty((d, k))
    for j in range(k):
        for f in range(d):
            turned[f, j], w[f, j] = centers[j, f], weights[j, f]
    gaps = np.empty(k)
    for i in range(n):
        for j in range(k):
            gaps[j] = 0.0
        for f in range(d):
            value = points[i, f]
            for j in range(k):
                away = value - turned[f, j]
                gaps[j] += w[f, j] * (away * away)
        best = 0
        for j in range(1, k):
            if gaps[j] < gaps[best]:
                best = j
        labels[i], distances[i] = best, gaps[best]


@njit
def weighted_distances(points: np.ndarray, centers: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Fill ``out`` (n x k) with the weighted distances of points and centres."""
    for i in range(points.shape[0]):
        for j in range(centers.shape[0]):
            gap = 0.0
            for f in range(points.shape[1]):
                away = points[i, f] - centers[j, f]
                gap += weights[j, f] * (away * away)
            out[i, j] = np.sqrt(gap)


@njit
def hash_labels(labels: np.ndarray, seed: np.uint64) -> np.uint64:
    """64-bit hash of an assignment."""
    h = seed
    for i in range(labels.size):
        h ^= np.uint64(labels[i] + 1)
        h *= np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    return h


@njit
def dispersions(
    points: np.ndarray, centers: np.ndarray, labels: np.ndarray, sizes: np.ndarray, spread: np.ndarray
) -> None:
    """Fill ``sizes`` (k) and ``spread`` (k x d), the mean squared distance to the centre along every feature."""
    n, d = points.shape
    sizes[:] = 0
    spread[:] = 0.0
    for i in range(n):
        j = labels[i]
        sizes[j] += 1
        for f in range(d):
            spread[j, f] += (points[i, f] - centers[j, f]) ** 2
    for j in range(sizes.size):
        for f in range(d):
            spread[j, f] /= max(sizes[j], 1)


@njit
def soften(spread: np.ndarray, h: float, size: int, out: np.ndarray) -> None:
    """Weights of one cluster, exp(-spread / h) scaled to sum 1 (Eq. 3.4); equal ones for a cluster without points.

    The smallest spread is subtracted first, so that one exponential is 1 whatever h.
    """
    d = spread.size
    if size == 0:
        out[:] = 1.0 / d
        return
    smallest = spread.min()
    total = 0.0
    for f in range(d):
        out[f] = np.exp(-(spread[f] - smallest) / h)
        total += out[f]
    for f in range(d):
        out[f] /= total


@njit
def update_centers(
    points: np.ndarray, labels: np.ndarray, own: np.ndarray, centers: np.ndarray, weights: np.ndarray
) -> None:
    """Put every centre at the mean of its points (Eq. 3.5); a cluster without points restarts at the farthest one."""
    n, d = points.shape
    k = centers.shape[0]
    sums = np.zeros((k, d))
    sizes = np.zeros(k, np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
        for f in range(d):
            sums[labels[i], f] += points[i, f]
    for j in range(k):
        if sizes[j] > 0:
            for f in range(d):
                centers[j, f] = sums[j, f] / sizes[j]
            continue
        farthest = np.argmax(own)
        own[farthest] = -1.0  # so that two empty clusters do not restart at one point
        centers[j] = points[farthest]
        weights[j] = 1.0 / d


@njit
def error(spread: np.ndarray, weights: np.ndarray, sizes: np.ndarray, h: float) -> float:
    """Eq. 3.3; without its second term, an infinite constant, when h is infinite."""
    total = 0.0
    for j in range(spread.shape[0]):
        if sizes[j] == 0:
            continue
        for f in range(spread.shape[1]):
            w = weights[j, f]
            total += w * spread[j, f]
            if w > 0.0 and h < np.inf:
                total += h * w * np.log(w)
    return total


@njit
def size_weighted_error(spread: np.ndarray, sizes: np.ndarray, h: float) -> float:
    """Eq. 3.3 with clusters weighted by their size, at the weights of Eq. 3.4, plus the constant h log d.

    There the inner sum is -h log mean exp(-spread / h); in this form nothing is lost when h is large.
    """
    total = 0.0
    for j in range(sizes.size):
        if sizes[j] == 0:
            continue
        smallest = spread[j].min()
        if h < np.inf:
            part = 0.0
            for f in range(spread.shape[1]):
                part += np.expm1(-(spread[j, f] - smallest) / h)
            value = smallest - h * np.log1p(part / spread.shape[1])
        else:
            value = spread[j].mean()
        total += sizes[j] * value
    return total / sizes.sum()
