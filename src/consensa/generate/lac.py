"""Locally adaptive clustering: k-means in which every cluster weighs the features for itself."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import FeatureWeightsMixin, check_features
from consensa._groups import first_members, order_by_size
from consensa._magnitude import exponent_of, in_units, ordinary_scale, rows_at, times_power
from consensa._messages import warn
from consensa._random import as_generator
from consensa._sklearn import BaseEstimator, ClusterMixin
from consensa._threads import thread_map
from consensa._validation import LARGEST, check_integer, check_positive
from consensa.generate import _kernels_lac as kernels

if TYPE_CHECKING:
    from consensa._types import Count, RandomState

__all__ = ["LAC", "WeightedClusters", "distance_posteriors", "lac"]

_SAMPLE_PER_CLUSTER = 20  # points per cluster among which farthest-first looks: few outliers are among them
COMPETE_ON = 10_000  # of more points than this (and 50 per cluster) a sample decides between the starts


@dataclass(frozen=True, eq=False)
class WeightedClusters:
    """Clusters with a centre and feature weights each.

    Parameters
    ----------
    centers, weights : ndarray of shape (n_clusters, n_features)
        Every row of weights sums to 1.
    labels : ndarray of shape (n_samples,), int32
        Cluster of every sample, numbered by size, then by first sample.
    errors : ndarray of shape (n_iter,)
        Eq. 3.3 after every iteration; it need not fall.
    """

    centers: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    errors: np.ndarray

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Weighted Euclidean distance of every point to every centre, shape (n_samples, n_clusters)."""
        out = np.empty((X.shape[0], self.centers.shape[0]))
        points, centers, exponent = self._compared(X)
        kernels.weighted_distances(points, centers, self.weights, out)
        return times_power(out, exponent)

    def assign(self, X: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of every point, int32, ties to the smaller."""
        labels, distances = np.empty(X.shape[0], np.int32), np.empty(X.shape[0])
        points, centers, _ = self._compared(X)
        kernels.assign(points, centers, self.weights, labels, distances)
        return labels

    def _compared(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Points and centres in units in which their squares fit, and the exponent of the unit."""
        exponent = exponent_of(self.centers)
        points = np.ascontiguousarray(rows_at(X, exponent), dtype=float)
        return points, times_power(self.centers, -exponent), exponent

    def posteriors(self, X: np.ndarray) -> np.ndarray:
        """Probability of every cluster at every point, shape (n_samples, n_clusters); see `distance_posteriors`."""
        return distance_posteriors(self.distances(X))


@dataclass(eq=False, repr=False)
class LAC(FeatureWeightsMixin, ClusterMixin, BaseEstimator):
    """Locally adaptive clustering: clusters that live in different subspaces.

    Every cluster has its own weights on the features, larger where its points lie close together. Features are used
    as they are: ``h`` has the unit of their squares, so standardise them first where their scales mean nothing.

    Parameters
    ----------
    n_clusters : int, default=8 (number of clusters)
    h : float, default=0.25
        How evenly a cluster spreads its weight over the features. Small values end in one feature per cluster,
        infinity gives k-means. On standardised features 0.05 to 1 makes sense.
    n_init : int, default=10 (starts, of which the best is kept)
        Number of starts, every other one farthest-first on a random sample and drawn as by k-means++.
    max_iter : int, default=100 (largest number of iterations of each start)
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32 (numbered by size, then by first object)
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Rows sum to 1; :meth:`top_features` shows them by name.
    errors_ : ndarray of shape (number of rounds,)
        The error of Eq. 3.3 after every iteration. It need not fall: points are assigned by distance alone.
    n_iter_ : int

    See Also
    --------
    consensa.generate.LACPartitions : One clustering for each of many values of h.
    consensa.WBPA : A consensus of them.

    Notes
    -----
    With more than 10,000 samples (or 50 per cluster) the starts compete on a random sample of that size, and the best
    goes on with all of them.
    A start ends when its assignments repeat. Of the starts the one is kept whose error is smallest when every cluster
    counts by its size; Eq. 3.3 itself, in which all clusters count the same, would prefer single outliers.
    A cluster that loses all points restarts at the point farthest from its own centre. Points between two centres go
    to the smaller number. Features that never change have weight 0.

    References
    ----------
    Domeniconi, Papadopoulos, Gunopulos & Ma (2004), Subspace clustering of high dimensional data, SDM.
    https://doi.org/10.1137/1.9781611972740.58
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 3.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LAC
    >>> rng = np.random.default_rng(0)
    >>> narrow, flat = rng.normal((0, 0), (0.1, 2), (50, 2)), rng.normal((3, 0), (2, 0.1), (50, 2))
    >>> model = LAC(n_clusters=2, h=0.5, random_state=0).fit(np.vstack([narrow, flat]))
    >>> model.feature_weights_.argmax(axis=1)
    array([0, 1])
    """

    n_clusters: Count = 8
    h: float = 0.25
    _: KW_ONLY
    n_init: Count = 10
    max_iter: Count = 100
    random_state: RandomState = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Find the clusters and their feature weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = check_features(self, X, dtype=np.float64, order="C")
        self._clusters = lac(
            X, self.n_clusters, self.h, n_init=self.n_init, max_iter=self.max_iter, random_state=self.random_state
        )
        self.labels_ = self._clusters.labels
        self.cluster_centers_ = self._clusters.centers
        self.feature_weights_ = self._clusters.weights
        self.errors_ = self._clusters.errors
        self.n_iter_ = self.errors_.size
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of new points: the centre of the smallest weighted distance.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        X = self._read(X)
        return self._clusters.assign(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every cluster, by the weighted distances (Eq. 4.6).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Above 0; rows sum to 1.
        """
        X = self._read(X)
        return self._clusters.posteriors(X)

    def _read(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "cluster_centers_")
        return check_features(self, X, dtype=np.float64, order="C", reset=False)


def lac(
    X: np.ndarray, n_clusters: int, h: float, *, n_init: int = 10, max_iter: int = 100, random_state: RandomState = None
) -> WeightedClusters:
    """Cluster points with feature weights for every cluster; the function behind :class:`LAC`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters : int
    h : float
    n_init : int, default=10 (starts, of which the best is kept)
    max_iter : int, default=100
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    WeightedClusters

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 3.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> lac(np.array([[0.0], [0.2], [5.0]]), 2, 1.0, random_state=0).labels
    array([0, 0, 1], dtype=int32)
    """
    k, width = _check_n_clusters(n_clusters, X.shape[0]), _check_h(h)
    n_starts, n_steps = check_integer("n_init", n_init), check_integer("max_iter", max_iter)
    given, (X, exponent) = X, ordinary_scale(np.asarray(X, float))
    width = max(float(times_power(np.array(width), -2 * exponent)), np.finfo(float).tiny)  # the unit of h is squared
    varies = np.ptp(X, axis=0) > 0
    used = varies if varies.any() else np.ones_like(varies)
    points = np.ascontiguousarray(X[:, used], dtype=float)
    rng = as_generator(random_state)
    n_competing = max(COMPETE_ON, 50 * k)
    if points.shape[0] <= n_competing:
        best = _best_start(points, k, width, n_starts, n_steps, rng)
    else:
        sample = np.sort(rng.choice(points.shape[0], size=n_competing, replace=False))
        won = _best_start(points[sample], k, width, n_starts, n_steps, rng)
        _, best = _adapt(points, width, won.centers, n_steps, won.weights)
    n_found = np.unique(best.labels).size
    if n_found < k:
        warn(f"LAC found only {n_found} clusters with points where {k} were asked for; X has too few distinct rows.")
    centers, errors = in_units(best.centers, exponent), times_power(best.errors, 2 * exponent)
    return _spread_features(WeightedClusters(centers, best.weights, best.labels, errors), given, used)


def distance_posteriors(distances: np.ndarray) -> np.ndarray:
    """Turn distances to clusters into probabilities of the clusters.

    P(l | i) = (D_i - d_il + 1) / sum_l (D_i - d_il + 1), with D_i the largest distance of point i. The 1 has the unit
    of the distances, so that these should be of the order of 1: standardise the features.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
        Above 0; rows sum to 1.

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Eq. 4.6.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> distance_posteriors(np.array([[0.0, 1.0], [2.0, 2.0]]))
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """
    closeness = distances.max(axis=1, keepdims=True) - distances
    closeness += 1.0
    closeness /= closeness.sum(axis=1, keepdims=True)
    return closeness


def _check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    k = check_integer("n_clusters", n_clusters)
    if k > n_samples:
        noun = "sample" if n_samples == 1 else "samples"
        msg = f"n_clusters={k} is more than the {n_samples} {noun} of X. Ask for fewer clusters."
        raise ValueError(msg)
    return k


def _check_h(h: Any) -> float:
    return math.inf if isinstance(h, float) and h == math.inf else check_positive("h", h, LARGEST)


def _best_start(
    points: np.ndarray, k: int, h: float, n_init: int, max_iter: int, rng: np.random.Generator
) -> WeightedClusters:
    starts = [_scatter(points, k, number, rng) for number in range(n_init)]

    def run(centers: np.ndarray) -> tuple[float, WeightedClusters]:
        return _adapt(points, h, centers, max_iter)

    return min(thread_map(run, starts), key=lambda result: result[0])[1]


def _scatter(points: np.ndarray, k: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """Well-scattered starting centres: farthest-first on a sample for even starts, k-means++ for odd ones."""
    n = points.shape[0]
    if number % 2:
        return kernels.scatter_drawn(points, rng.random(k))
    sample = rng.choice(n, size=min(n, _SAMPLE_PER_CLUSTER * k), replace=False)
    return kernels.scatter_farthest(points, sample, k)


def _adapt(
    points: np.ndarray, h: float, centers: np.ndarray, max_iter: int, weights: np.ndarray | None = None
) -> tuple[float, WeightedClusters]:
    """Run LAC from one start; returns the size-weighted error and the clusters, numbered by size."""
    n, d = points.shape
    k = centers.shape[0]
    centers = centers.copy()
    weights = np.full((k, d), 1.0 / d) if weights is None else weights.copy()
    labels, errors = np.empty(n, np.int32), np.empty(max_iter)
    n_iter = kernels.adapt(points, h, centers, weights, labels, errors)
    sizes, spread = np.empty(k, np.int64), np.empty((k, d))
    kernels.dispersions(points, centers, labels, sizes, spread)
    loss = kernels.size_weighted_error(spread, sizes, h)
    order = order_by_size(sizes, first_members(labels, k))
    clusters = WeightedClusters(centers[order], weights[order], labels, errors[:n_iter].copy())
    return loss, WeightedClusters(clusters.centers, clusters.weights, clusters.assign(points), clusters.errors)


def _spread_features(clusters: WeightedClusters, X: np.ndarray, used: np.ndarray) -> WeightedClusters:
    """Put the features that never change back, with weight 0."""
    shape = (clusters.centers.shape[0], X.shape[1])
    centers, weights = np.tile(X[0].astype(float), (shape[0], 1)), np.zeros(shape)
    centers[:, used], weights[:, used] = clusters.centers, clusters.weights
    return WeightedClusters(centers, weights, clusters.labels, clusters.errors)
