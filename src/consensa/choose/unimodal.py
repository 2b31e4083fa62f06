"""Data without clusters that look like given data otherwise: one ellipsoid with the same covariance and tails."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Ellipsoid", "ellipsoid_of"]

_ROUNDING = 1e-7  # axes that are shorter than this share of the longest are rounding errors
_NORMAL = 1.02  # a relative kurtosis up to this is that of a Gaussian
_HEAVIEST = 4.2  # degrees of freedom: the kurtosis of fewer is infinite
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
    r"""Fit an ellipsoid to data: their covariance, and the tails that Mardia's kurtosis asks for.

    The kurtosis of a t distribution with :math:`\nu` degrees of freedom is :math:`(\nu - 2) / (\nu - 4)` times that of
    a Gaussian. Only the n x d data are decomposed, never a d x d matrix.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    Ellipsoid
        Without axes if all rows are equal.

    References
    ----------
    Mardia (1970), Measures of multivariate skewness and kurtosis with applications, Biometrika 57(3).
    https://doi.org/10.1093/biomet/57.3.519

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
    n_axes = len(axes)
    degrees = np.inf
    if 0 < n_axes * _ROWS_PER_AXIS < n_samples:
        squares = (scores**2).sum(axis=1) * (n_samples - 1)  # Mahalanobis distances from the mean
        kurtosis = float(np.mean(squares**2)) / (n_axes * (n_axes + 2))
        if kurtosis > _NORMAL:
            degrees = max(4 + 2 / (kurtosis - 1), _HEAVIEST)
    return Ellipsoid(axes, degrees)
