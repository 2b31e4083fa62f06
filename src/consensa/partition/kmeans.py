"""Weighted k-means for the small, repeated problems of spectral methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._messages import warn
from consensa._random import as_generator
from consensa._threads import row_ranges, thread_map
from consensa.ensemble.sampling import smallest_hashes
from consensa.partition import _kernels_kmeans as kernels

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["fit_centers", "nearest_labels", "weighted_kmeans"]

_ASSIGNED_ROWS = 1 << 16


def weighted_kmeans(
    points: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    *,
    n_init: int = 10,
    max_iter: int = 100,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> np.ndarray:
    """Cluster weighted points; the same as k-means on every point repeated ``weights`` times.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
    weights : ndarray of shape (n_points,)
        At least 0.
    n_clusters : int
    n_init : int, default=10
        Number of starts (greedy k-means++); the one with the smallest loss is kept.
    max_iter : int, default=100
        Largest number of iterations of each start.
    random_state : int, RandomState, Generator or None, default=None
    hashes : ndarray of shape (n_points,), uint64, default=None
        With more than 200,000 points, the centres are fitted on the 200,000 points with the smallest hashes and all
        points are then assigned to the nearest centre. None: the hash of a point is its number.

    Returns
    -------
    ndarray of shape (n_points,), int64

    Notes
    -----
    The answer does not depend on the number of threads, and (up to rounding) not on the order of the points or a
    rotation of the space: random numbers are spent along the points sorted by their projection on the mean.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0], [0.1], [5.0]])
    >>> labels = weighted_kmeans(points, np.ones(3), 2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    points = np.ascontiguousarray(points, dtype=float)
    weights = np.asarray(weights, dtype=float)
    if not np.isfinite(points).all() or not (np.isfinite(weights).all() and weights.min() >= 0):
        msg = "k-means needs finite points, and weights of at least 0; replace NaN, infinity and negative weights."
        raise ValueError(msg)
    kept = smallest_hashes(hashes, points.shape[0])
    fitted, mass = (points, weights) if kept is None else (points[kept], weights[kept])
    centers, labels = fit_centers(fitted, mass, n_clusters, n_init=n_init, max_iter=max_iter, random_state=random_state)
    return labels if kept is None else nearest_labels(points, centers)


def fit_centers(
    points: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    *,
    n_init: int = 10,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the centres of :func:`weighted_kmeans` on all of the points, however many, and the labels of the points."""
    points = np.ascontiguousarray(points, dtype=float)
    weights = np.asarray(weights, dtype=float)
    order = _intrinsic_order(points, weights)
    n_trials = 2 + int(np.log(n_clusters))
    draws = as_generator(random_state).random((n_init, n_clusters, n_trials))

    def run(start: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        centers = kernels.seed_centers(points, weights, start, order)
        labels = np.empty(points.shape[0], np.int64)
        loss = kernels.lloyd(points, weights, centers, max_iter, labels)
        return loss, centers, labels

    _, centers, labels = min(thread_map(run, list(draws)), key=lambda result: result[0])
    n_found = np.unique(labels).size
    if n_found < n_clusters:
        warn(f"k-means found only {n_found} distinct groups of points where {n_clusters} clusters were asked for.")
    return centers, labels


def nearest_labels(points: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Label every point with its nearest centre, ties to the smaller number.

    Examples
    --------
    >>> import numpy as np
    >>> nearest_labels(np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [5.0]]))
    array([0, 0, 1])
    """
    labels = np.empty(points.shape[0], np.int64)

    def assign(piece: tuple[int, int]) -> None:
        kernels.assign(points[slice(*piece)], centers, labels[slice(*piece)])

    thread_map(assign, row_ranges(points.shape[0], _ASSIGNED_ROWS))
    return labels


def _intrinsic_order(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Order points by what does not change when rows are permuted or the space is rotated."""
    along = points @ (weights @ points) / max(float(weights.sum()), 1e-300)
    return np.lexsort((weights, np.round(along, 9)))
