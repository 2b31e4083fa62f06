"""Data without clusters that look like given data otherwise: one ellipsoid with the same covariance and tails."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

__all__ = ["Ellipsoid", "ellipsoid_of"]

_ROUNDING = 1e-7  # axes that are shorter than this share of the longest are rounding errors
_HEAVIEST = 0.4  # one over the degrees of freedom
_STEPS = 7  # of the bisection between that and a Gaussian
_DRAWS = 19  # data sets that say what kurtosis samples of this size have
_OFTEN = 0.9  # share of the samples of a Gaussian that are taken for such
_ROWS_PER_AXIS = 4  # with fewer objects the distances from the mean say nothing about tails


class Ellipsoid(NamedTuple):
    """A multivariate t distribution around 0, Gaussian where the degrees of freedom are infinite."""

    axes: np.ndarray  # n_axes x n_features: standard deviation times direction
    degrees: float

    def draw(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Return objects of the distribution."""
        normal = rng.normal(size=(n_samples, len(self.axes)))
        if np.isfinite(self.degrees):
            normal /= np.sqrt(rng.chisquare(self.degrees, size=(n_samples, 1)) / (self.degrees - 2))
        return normal @ self.axes


def ellipsoid_of(X: np.ndarray) -> Ellipsoid:
    """Fit an ellipsoid to data: their covariance, and the tails that their kurtosis asks for.

    The kurtosis is that of the principal components, each counted by its variance. In a sample with heavy tails it is
    far below that of the distribution, so the degrees of freedom are those of which samples of this size have it; a
    kurtosis that one of ten samples of a Gaussian has is none. Likewise the variances of the axes are shrunk, as those
    of a sample differ more than those of the distribution. Only the n x d data are decomposed.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    Ellipsoid
        Without axes if all rows are equal.

    References
    ----------
    Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate
    Analysis 88(2). https://doi.org/10.1016/S0047-259X(03)00096-4
    Lange, Little & Taylor (1989), Robust statistical modeling using the t distribution, JASA 84.
    https://doi.org/10.1080/01621459.1989.10478852

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = ellipsoid_of(rng.normal(size=(500, 2)) * [3.0, 1.0])
    >>> np.round(np.linalg.norm(found.axes, axis=1))
    array([3., 1.])
    """
    n_samples = len(X)
    scores, lengths, directions = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kept = lengths > _ROUNDING * max(lengths[0], np.finfo(np.float64).tiny)
    scores, axes = scores[:, kept], lengths[kept, None] * directions[kept] / np.sqrt(n_samples - 1)
    if not 0 < len(axes) * _ROWS_PER_AXIS < n_samples:
        return Ellipsoid(_shrunk(X, axes) if len(axes) else axes, np.inf)
    return Ellipsoid(_shrunk(X, axes), _degrees(scores, lengths[kept] ** 2))


def _shrunk(X: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The axes, their variances drawn to the mean as far as the spread of these is an error of the sample."""
    variances = np.sum(axes**2, axis=1)
    share = ledoit_wolf_shrinkage(X)
    return np.asarray(axes * np.sqrt((1 - share) + share * variances.mean() / variances)[:, None])


def _degrees(scores: np.ndarray, variances: np.ndarray) -> float:
    """Degrees of freedom of the t distribution whose samples have the kurtosis of these, infinite for a Gaussian."""
    found = _kurtosis(scores, variances)
    light, heavy = 0.0, _HEAVIEST
    if found <= _usual_kurtosis(len(scores), variances, np.inf, _OFTEN):
        return np.inf
    for _ in range(_STEPS):
        middle = (light + heavy) / 2
        lower = found > _usual_kurtosis(len(scores), variances, 1 / middle)
        light, heavy = (middle, heavy) if lower else (light, middle)
    return 2 / (light + heavy)


def _usual_kurtosis(n_samples: int, variances: np.ndarray, degrees: float, share: float = 0.5) -> float:
    """What a share of the samples of this size have at most."""
    rng = np.random.default_rng(0)  # the same draws for all degrees, so that the kurtosis rises with the tails
    ellipsoid = Ellipsoid(np.eye(variances.size), degrees)
    drawn = (ellipsoid.draw(n_samples, rng) for _ in range(_DRAWS))
    return float(np.quantile([_kurtosis(X - X.mean(axis=0), variances) for X in drawn], share))


def _kurtosis(scores: np.ndarray, variances: np.ndarray) -> float:
    """Mean kurtosis of the principal components, by their variances."""
    squares = scores**2
    each = np.mean(squares**2, axis=0) / np.mean(squares, axis=0) ** 2
    return float(each @ variances / variances.sum())
