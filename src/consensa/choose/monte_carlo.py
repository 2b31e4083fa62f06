"""How extreme data are among data without clusters, by several statistics at once."""

from __future__ import annotations

import numpy as np

__all__ = ["fewest_as_extreme", "joint_p_value"]


def joint_p_value(found: np.ndarray, nulls: np.ndarray) -> float:
    r"""Return the share of all data sets, the one in question included, that are as extreme in their best statistic.

    Every data set has its best rank over the statistics. Under the null all data sets are exchangeable, and so are
    their best ranks: :math:`p = \#\{i : r_i \le r_0\} / (B + 1)` is valid however the statistics depend on each other,
    and a set that is extreme in one of them is found nearly as often as by that one alone.

    Parameters
    ----------
    found : ndarray of shape (n_statistics,)
        Of the data; small values are extreme.
    nulls : ndarray of shape (B, n_statistics)
        Of data without clusters.

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
    0.5
    """
    every = np.vstack([found, nulls])
    ranks = [np.searchsorted(np.sort(values), values, side="right") for values in every.T]
    best = np.min(ranks, axis=0)
    return float(np.mean(best <= best[0]))


def fewest_as_extreme(found: np.ndarray, nulls: np.ndarray) -> int:
    """Return how many of the data without clusters are as extreme in the statistic where these are the fewest.

    The joint p-value is at least that share.

    Examples
    --------
    >>> fewest_as_extreme(np.array([0.1, 0.6]), np.array([[0.5, 0.2], [0.05, 0.8], [0.7, 0.5]]))
    1
    """
    return int(np.min(np.count_nonzero(nulls <= found, axis=0)))
