"""How well a mixture of Gaussians, one for each cluster, describes the features, where those are at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from consensa._magnitude import ordinary_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["description_lengths", "misfits", "principal_axes"]

N_AXES = 10  # the Gaussians live on the leading principal axes
_OBJECTS_PER_AXIS = 10
_MOST_OBJECTS = 500  # of which the evidence counts: what more objects show is that no cluster is a Gaussian
_LEAST_VARIANCE = 1e-4  # within clusters, as a share of the mean variance along the axes
_STEP = 0.08  # of log k: beyond a dozen, mixtures of neighbouring k say the same


def misfits(X: np.ndarray, labels: Sequence[np.ndarray], n_clusters: np.ndarray) -> np.ndarray:
    """Say how much worse every number of Gaussians describes the features than the best number does.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : sequence of ndarray of shape (n_samples,)
        Labels of clusterings into more and more clusters.
    n_clusters : ndarray of int of shape (n_clusterings,)
        Rising.

    Returns
    -------
    ndarray of shape (n_clusterings,)
        Length per object (:func:`description_lengths`), less the smallest one; 0 for the best.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [97.0], [98.0], [99.0]])
    >>> misfits(X, [np.zeros(6, int), np.arange(6) // 3, np.arange(6) // 2], np.array([1, 2, 3])).round(1)
    array([6.2, 0. , 6.4])
    """
    measured = _apart(n_clusters)
    found = description_lengths(X, [labels[place] for place in measured])
    values = np.interp(np.log(n_clusters), np.log(n_clusters[measured]), found)
    return np.asarray(values - values.min())


def description_lengths(X: np.ndarray, labels: Sequence[np.ndarray]) -> np.ndarray:
    r"""Return the Bayesian information criterion per object of mixtures of Gaussians that begin at some clusterings.

    The Gaussians have one diagonal covariance in common, along the leading principal axes (10, fewer where there are
    less than 10 objects for each), in units of the deviation along the first. They are those of the clusters after one
    step of expectation maximisation.

    .. math:: -\frac{2}{n} \log L + \frac{p \log m}{m}, \quad p = k d + (k - 1) + d, \quad m = \min(n, 500)

    The more objects there are, the more Gaussians would it take to describe a cluster that is none; so the likelihood
    counts as that of 500 objects at most.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : sequence of ndarray of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_clusterings,)

    References
    ----------
    Fraley & Raftery (2002), Model-based clustering, discriminant analysis, and density estimation, JASA 97 (model EEI).
    https://doi.org/10.1198/016214502760047131
    Miller & Dunson (2019), Robust Bayesian inference via coarsening, JASA 114 (a power of the likelihood).
    https://doi.org/10.1080/01621459.2018.1469995

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [99.0], [100.0]])
    >>> description_lengths(X, [np.zeros(4, int), np.array([0, 0, 1, 1])]).round(2)
    array([ 3.53, -3.58])
    """
    points = principal_axes(X)
    squares = points**2
    least = _LEAST_VARIANCE * float(points.var(axis=0).mean()) or 1.0  # any, where all objects are equal
    return np.array([_description_length(points, squares, one, least) for one in labels])


def _description_length(points: np.ndarray, squares: np.ndarray, labels: np.ndarray, least: float) -> float:
    n, d = points.shape
    shares = np.eye(int(labels.max()) + 1)[labels]
    shares = shares[:, shares.any(axis=0)]
    for _ in range(2):  # the clusters as they are, and one step from them
        sizes = shares.sum(axis=0) + 1e-9
        means = (shares.T @ points) / sizes[:, None]
        variances = np.maximum((squares.sum(axis=0) - sizes @ means**2) / n, least)
        logs = (points / variances) @ means.T - 0.5 * (means**2 @ (1 / variances)) + np.log(sizes / n)
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - top)
        whole = shares.sum(axis=1, keepdims=True)
        shares /= whole
    of_objects = top.sum() + np.log(whole).sum() - 0.5 * (squares @ (1 / variances)).sum()
    likelihood = of_objects - 0.5 * n * np.log(2 * np.pi * variances).sum()
    n_parameters = sizes.size * d + (sizes.size - 1) + d
    counted = min(n, _MOST_OBJECTS)
    return float(-2 * likelihood / n + n_parameters * np.log(counted) / counted)


def principal_axes(X: np.ndarray) -> np.ndarray:
    """Return the places of the objects along the leading principal axes, the first of deviation 1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_axes)
        At most 10 axes, and one for every 10 objects; a single column of zeros where all objects are equal.

    Examples
    --------
    >>> import numpy as np
    >>> principal_axes(np.array([[0.0, 0.0], [3.0, 4.0]])).round(3).ravel()
    array([ 1., -1.])
    """
    X, _ = ordinary_scale(np.asarray(X, np.float64))
    n, d = X.shape
    centred = X - X.mean(axis=0)
    deviation = np.sqrt(np.mean(centred**2))
    if deviation == 0:
        return np.zeros((n, 1))
    centred /= deviation
    n_axes = max(min(N_AXES, d, n // _OBJECTS_PER_AXIS), 1)
    if d <= n:
        _, axes = eigh(centred.T @ centred, subset_by_index=(d - n_axes, d - 1))
        places = centred @ axes[:, ::-1]
    else:
        values, places = eigh(centred @ centred.T, subset_by_index=(n - n_axes, n - 1))
        places = places[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    places *= np.where(places[np.abs(places).argmax(axis=0), np.arange(n_axes)] < 0, -1.0, 1.0)
    return np.asarray(places / places[:, 0].std())


def _apart(n_clusters: np.ndarray) -> np.ndarray:
    """Places of numbers that are at least 8 % apart, the first and the last among them.

    Examples
    --------
    >>> import numpy as np
    >>> np.arange(1, 20)[_apart(np.arange(1, 20))]
    array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 15, 17, 19])
    """
    kept = [0]
    for place in range(1, n_clusters.size):
        if np.log(n_clusters[place] / n_clusters[kept[-1]]) >= _STEP:
            kept.append(place)
    return np.array(kept if kept[-1] == n_clusters.size - 1 else [*kept, n_clusters.size - 1])
