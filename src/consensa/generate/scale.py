"""Scales of plain features: whether their units differ, and what to do about it."""

from __future__ import annotations

import numpy as np

from consensa._magnitude import FITS, exponent_of, times_power
from consensa.ensemble.sampling import sampled_rows

__all__ = ["SCALE_ROWS", "apply_scale", "deciding_feature", "find_scale", "units_differ"]

SCALE_ROWS = 200_000
_FACTOR = 10.0  # between ranges of features that are measured in one unit, at most
_MANY = 50  # features; more are rarely measured in different units
_CENTRED = 1e-6  # mean of a feature in its deviations that was centred before
_DECIDES = 0.9  # share of the variance of all features


def units_differ(X: np.ndarray) -> bool:
    """Whether features seem to be measured in different units: some range far wider than others.

    The range is that between the 5th and the 95th percentile. The widest is compared with the one below which a
    quarter of the features lie, or half of them where there are more than 50. Features that were all centred before
    (principal components) are left as they are, and so are more features than samples (gene expression): they are
    measured in one unit, and a narrow range there says that a feature hardly varies.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age, income = rng.uniform(18, 80, 100), rng.uniform(15_000, 90_000, 100)
    >>> units_differ(np.stack([age, income], axis=1)), units_differ(np.stack([age, age[::-1]], axis=1))
    (True, False)
    """
    if X.shape[1] > X.shape[0]:
        return False
    sample = _sample(X)
    if not np.isfinite(sample).all():
        return False  # which is a fault of its own
    sample = times_power(sample, -exponent_of(sample, keep=FITS))
    deviation = sample.std(axis=0)
    if np.all(np.abs(sample.mean(axis=0)) <= _CENTRED * deviation):
        return False
    low, high = np.quantile(sample, [0.05, 0.95], axis=0)
    ranges = np.sort((high - low)[high > low])
    if ranges.size < 2:
        return False
    share = 4 if ranges.size <= _MANY else 2
    return bool(ranges[-1] >= _FACTOR * ranges[(ranges.size - 1) // share])


def find_scale(X: np.ndarray, scale: str) -> np.ndarray | None:
    """Return what features are to be scaled by: their means and deviations; None to leave them as they are.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    scale : {"none", "standard", "auto"}

    Returns
    -------
    ndarray of shape (2, n_features), or None

    Examples
    --------
    >>> import numpy as np
    >>> find_scale(np.array([[0.0, 5.0], [2.0, 5.0]]), "standard")
    array([[1., 5.],
           [1., 1.]])
    """
    if scale == "none" or (scale == "auto" and not units_differ(X)):
        return None
    sample = _sample(X)
    if not np.isfinite(sample).all():
        return None
    exponents = _exponents(sample)
    sample = np.ldexp(sample, -exponents)
    deviation = sample.std(axis=0)
    found = np.stack([sample.mean(axis=0), np.where(deviation > 0, deviation, 1.0)])
    with np.errstate(over="ignore", under="ignore"):  # rounding may take a mean of the largest numbers too far
        return np.nan_to_num(np.ldexp(found, exponents))


def apply_scale(X: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    """Return features of mean 0 and deviation 1, or as they are where there is no scale.

    Examples
    --------
    >>> import numpy as np
    >>> apply_scale(np.array([[3.0]]), np.array([[1.0], [2.0]]))
    array([[1.]])
    """
    if scale is None:
        return X
    exponents = _exponents(scale)
    with np.errstate(over="ignore"):  # of rows that are far from all that was fitted
        if not exponents.any():
            return ((X - scale[0]) / scale[1]).astype(X.dtype, copy=False)
        mean, deviation = np.ldexp(scale, -exponents)
        return ((np.ldexp(X.astype(float), -exponents) - mean) / deviation).astype(X.dtype, copy=False)


def deciding_feature(X: np.ndarray) -> tuple[int, float] | None:
    """Return the feature that has nearly all the variance, and its share; None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> feature, share = deciding_feature(np.array([[0.0, 0.0], [1.0, 1000.0]]))
    >>> feature, round(share, 4)
    (1, 1.0)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _sample(X).var(axis=0)
    total = variance.sum()
    if X.shape[1] < 2 or not np.isfinite(total) or total <= 0:
        return None
    largest = int(np.argmax(variance))
    share = float(variance[largest] / total)
    return (largest, share) if share >= _DECIDES else None


def _exponents(columns: np.ndarray) -> np.ndarray:
    """For every column e, so that the squares of values * 2**-e fit; 0 where they do as they are."""
    exponents = np.frexp(np.abs(columns).max(axis=0))[1]
    return np.where(np.abs(exponents) <= FITS, 0, exponents)


def _sample(X: np.ndarray) -> np.ndarray:
    rows = sampled_rows(X.shape[0], SCALE_ROWS)
    return np.asarray(X if rows is None else X[rows], float)
