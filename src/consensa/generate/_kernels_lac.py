"""Kernels of locally adaptive clustering: scattered starts, and the iteration of weights and centres."""

from __future__ import annotations

import numpy as np

from consensa._kernels_mixing import GOLDEN, fold
from consensa._numba import njit, njit_part


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


@njit_part
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
    ``errors`` Eq. 3.3 after every iteration. Returns the number of iterations, ``errors.size`` at most.

    The iteration does not lower one function, so that it may end in a cycle; it ends when a state comes back, not only
    when it stays. A state is two assignments: the last one of the iteration before, which the centres are the means of,
    and the first one of this iteration, which the weights will follow. They decide all that comes after (but for
    clusters that restart), and 64 bits of hash stand for them.
    """
    n = points.shape[0]
    k = centers.shape[0]
    before = np.empty(n, np.int32)
    own = np.empty(n)
    sizes = np.zeros(k, np.int64)
    spread = np.empty(centers.shape)
    states = np.empty(errors.size, np.uint64)
    last = GOLDEN
    for t in range(errors.size):
        assign(points, centers, weights, before, own)
        states[t] = _hash_labels(before, last)
        for s in range(t):
            if states[s] == states[t]:
                for i in range(n):
                    labels[i] = before[i]
                return t
        dispersions(points, centers, before, sizes, spread)
        for j in range(k):
            _soften(spread[j], h, sizes[j], weights[j])
        assign(points, centers, weights, labels, own)
        last = _hash_labels(labels, GOLDEN)
        # The spread is that of the old centres: it serves as room for the sums until it is found again.
        _update_centers(points, labels, own, centers, weights, sizes, spread)
        dispersions(points, centers, labels, sizes, spread)
        errors[t] = _error(spread, weights, sizes, h)
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


@njit_part
def _hash_labels(labels: np.ndarray, seed: np.uint64) -> np.uint64:
    """64-bit hash of an assignment."""
    h = seed
    for i in range(labels.size):
        h = fold(h, np.uint64(labels[i] + 1))
    return h


@njit
def dispersions(
    points: np.ndarray, centers: np.ndarray, labels: np.ndarray, sizes: np.ndarray, spread: np.ndarray
) -> None:
    """Fill ``sizes`` (k) and ``spread`` (k x d), the mean squared distance to the centre along every feature."""
    n, d = points.shape
    for j in range(sizes.size):
        sizes[j] = 0
        for f in range(d):
            spread[j, f] = 0.0
    for i in range(n):
        j = labels[i]
        sizes[j] += 1
        for f in range(d):
            spread[j, f] += (points[i, f] - centers[j, f]) ** 2
    for j in range(sizes.size):
        for f in range(d):
            spread[j, f] /= max(sizes[j], 1)


@njit_part
def _soften(spread: np.ndarray, h: float, size: int, out: np.ndarray) -> None:
    """Weights of one cluster, exp(-spread / h) scaled to sum 1 (Eq. 3.4); equal ones for a cluster without points.

    The smallest spread is subtracted first, so that one exponential is 1 whatever h.
    """
    d = spread.size
    if size == 0:
        for f in range(d):
            out[f] = 1.0 / d
        return
    smallest, total = np.inf, 0.0
    for f in range(d):
        smallest = min(smallest, spread[f])
    for f in range(d):
        out[f] = np.exp(-(spread[f] - smallest) / h)
        total += out[f]
    for f in range(d):
        out[f] /= total


@njit_part
def _update_centers(
    points: np.ndarray,
    labels: np.ndarray,
    own: np.ndarray,
    centers: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Put every centre at the mean of its points (Eq. 3.5); a cluster without points restarts at the farthest one.

    ``own`` (n) holds the distance of every point to its centre; points that a cluster restarts at are struck off.
    ``sizes`` (k) and ``sums`` (k x d) are filled.
    """
    n, d = points.shape
    k = centers.shape[0]
    for j in range(k):
        sizes[j] = 0
        for f in range(d):
            sums[j, f] = 0.0
    for i in range(n):
        sizes[labels[i]] += 1
        for f in range(d):
            sums[labels[i], f] += points[i, f]
    for j in range(k):
        if sizes[j] > 0:
            for f in range(d):
                centers[j, f] = sums[j, f] / sizes[j]
            continue
        farthest = 0
        for i in range(1, n):
            if own[i] > own[farthest]:
                farthest = i
        own[farthest] = -1.0  # so that two empty clusters do not restart at one point
        for f in range(d):
            centers[j, f], weights[j, f] = points[farthest, f], 1.0 / d


@njit_part
def _error(spread: np.ndarray, weights: np.ndarray, sizes: np.ndarray, h: float) -> float:
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
