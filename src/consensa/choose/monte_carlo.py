"""How extreme data are among data without clusters, by several statistics at once, from as few of these as it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clear_p_value", "joint_p_value", "sequential_p_value"]

_ENOUGH = 5  # data sets without clusters that are as extreme: what comes after them changes little
_LOOK = 20  # a look at how clear it is after 19, 39, 59, ... of them
_TAIL_DEGREES = 4  # of the tail that is taken for theirs, heavier than it is
_SURE = 0.1  # share of the error that the tail may take
_LEAST = 1e-4  # no tail is known further


def joint_p_value(found: np.ndarray, nulls: np.ndarray, handicaps: np.ndarray | float = 0.0) -> float:
    r"""Return the share of all data sets, the one in question included, that are as extreme in their best statistic.

    Every statistic is counted in standard deviations from its mean over all data sets, and every data set by the
    smallest of its statistics, :math:`t_i = \min_j (z_{ij} + h_j)`. Under the null all data sets are exchangeable, and
    so are these: :math:`p = \#\{i : t_i \le t_0\} / (B + 1)` is valid however the statistics depend on each other, and
    a set that is extreme in one of them is found nearly as often as by that one alone.

    Parameters
    ----------
    found : ndarray of shape (n_statistics,)
        Of the data; small values are extreme.
    nulls : ndarray of shape (B, n_statistics)
        Of data without clusters.
    handicaps : float or ndarray of shape (n_statistics,), default=0
        How many deviations further a statistic has to be than another to count as much.

    Returns
    -------
    float
        In (0, 1].

    References
    ----------
    Westfall & Young (1993), Resampling-based multiple testing, Wiley, for the smallest of several p-values.

    Examples
    --------
    >>> joint_p_value(np.array([0.1, 0.9]), np.array([[0.5, 0.2], [0.6, 0.8], [0.7, 0.5]]))
    0.25
    """
    return (_n_as_extreme(found, nulls, handicaps) + 1) / (len(nulls) + 1)


def _n_as_extreme(found: np.ndarray, nulls: np.ndarray, handicaps: np.ndarray | float) -> int:
    every = np.vstack([found, nulls])
    deviations = every.std(axis=0)
    away = (every - every.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    best = np.min(away + handicaps, axis=1)
    return int(np.count_nonzero(best[1:] <= best[0]))


def clear_p_value(found: np.ndarray, nulls: np.ndarray) -> float:
    """Return a bound of the p-value from the tails of the statistics: that of their best, times their number.

    For data far beyond all data without clusters, of which it would take more than there are to say how far. The tail
    is that of a t distribution with 4 degrees of freedom around the mean of the nulls; theirs is lighter. Below 0.0001
    nothing is claimed.

    Parameters
    ----------
    found : ndarray of shape (n_statistics,)
        Of the data; small values are extreme.
    nulls : ndarray of shape (B, n_statistics)
        Of data without clusters, at least two.

    Returns
    -------
    float
        From 0.0001 to 1.

    References
    ----------
    Kimes, Liu, Hayes & Marron (2017), Statistical significance for hierarchical clustering, Biometrics 73(3), who take
    the tail of a Gaussian. https://doi.org/10.1111/biom.12647

    Examples
    --------
    >>> nulls = np.random.default_rng(0).normal(size=(19, 2))
    >>> clear_p_value(np.array([-30.0, 0.0]), nulls), clear_p_value(np.array([-3.0, 0.0]), nulls) > 0.01
    (0.0001, True)
    """
    spread = nulls.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(nulls))
    known = spread > 0
    if not known.any():
        return 1.0
    away = (found - nulls.mean(axis=0))[known] / spread[known]
    return float(np.clip(found.size * student.cdf(away.min(), _TAIL_DEGREES), _LEAST, 1.0))


def sequential_p_value(
    found: np.ndarray, drawn: Iterable[np.ndarray], n_null: int, alpha: float, handicaps: np.ndarray | float = 0.0
) -> tuple[float, int]:
    """Draw data without clusters until it is clear whether p is at most ``alpha``.

    It ends early once five of them, and so many that p cannot be that small any more, are as extreme as the data; or,
    after every twentieth, once the bound of :func:`clear_p_value`, times the number of looks, is a tenth of ``alpha``.

    Parameters
    ----------
    found : ndarray of shape (n_statistics,)
        Of the data; small values are extreme.
    drawn : iterable of ndarray of shape (n_statistics,)
        Of data without clusters, made when they are asked for.
    n_null : int
        How many at most.
    alpha : float
    handicaps : float or ndarray of shape (n_statistics,), default=0
        As for :func:`joint_p_value`.

    Returns
    -------
    p_value : float
    n_used : int

    References
    ----------
    Besag & Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78(2). https://doi.org/10.1093/biomet/78.2.301

    Examples
    --------
    >>> nulls = np.random.default_rng(0).normal(size=(99, 1))
    >>> sequential_p_value(np.array([-40.0]), iter(nulls), 99, 0.05)
    (0.0001, 19)
    >>> sequential_p_value(np.array([0.1]), iter(nulls), 99, 0.05)[1] < 20
    True
    """
    enough = max(int(alpha * (n_null + 1)), _ENOUGH)
    nulls: list[np.ndarray] = []
    for null in drawn:
        nulls.append(null)
        if (len(nulls) + 1) % _LOOK == 0 and len(nulls) < n_null:
            bound = clear_p_value(found, np.array(nulls)) * ((len(nulls) + 1) // _LOOK)
            if bound <= _SURE * alpha:
                return bound, len(nulls)
        if len(nulls) >= enough and _n_as_extreme(found, np.array(nulls), handicaps) >= enough:
            break
    return joint_p_value(found, np.array(nulls), handicaps), len(nulls)
