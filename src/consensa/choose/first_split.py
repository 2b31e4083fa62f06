"""The first split of a consensus that sets more than a handful of objects apart, and how well it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa.choose.splits import conductance, sampled_links
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa.choose.splits import SampledLinks
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["FirstSplit", "first_split", "share_within"]

_THETA = 0.2  # coarse clusters that mix everything then count little
_LARGEST_K = 12  # so many handfuls of outliers may come before a split
_SMALL_SHARE, _SMALL = 0.01, 5  # parts below either are handfuls


class FirstSplit(NamedTuple):
    """Two parts of the objects."""

    conductance: float  # 0 for parts that the ensemble never links, 1 where there is no split
    sides: np.ndarray  # of every object, 0 or 1


def first_split(cut: Cut, ensemble: Ensemble) -> FirstSplit:
    """Return the split between the two largest clusters, of the fewest clusters of which two are of some size.

    Handfuls of outliers that were set apart before go to the part that they are linked with more.

    Parameters
    ----------
    cut : Cut
    ensemble : Ensemble
        In memory.

    Returns
    -------
    FirstSplit

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble, LWEA
    >>> model = LWEA(n_clusters=2).fit(np.repeat([[0, 0], [1, 1]], 10, axis=0))
    >>> split = first_split(model.cut_, model.ensemble_)
    >>> split.conductance, np.bincount(split.sides)
    (0.0, array([10, 10]))
    """
    rows = np.arange(ensemble.n_microclusters)
    least = max(_SMALL_SHARE * ensemble.sizes.sum(), _SMALL)
    for k in range(2, min(cut.n_clusters_max, rows.size, _LARGEST_K) + 1):
        labels = cut.cut(k)
        sizes = np.bincount(labels, ensemble.sizes)
        pair = np.sort(np.argsort(-sizes, kind="stable")[:2])
        if sizes.size > 1 and sizes[pair].min() >= least:
            links = sampled_links(ensemble, entropy_weights(ensemble, _THETA), rows, ensemble.sizes)
            return _between(links, labels, pair, ensemble)
    return FirstSplit(1.0, ensemble.to_objects(np.zeros(rows.size, np.int64)))


def _between(links: SampledLinks, labels: np.ndarray, pair: np.ndarray, ensemble: Ensemble) -> FirstSplit:
    members = [np.flatnonzero(labels == cluster) for cluster in range(int(labels.max()) + 1)]
    sums = np.stack([links.sums(rows) for rows in members])
    linked = (sums * links.weights) @ sums[pair].T
    inside = [linked[cluster, side] - links.own[members[cluster]].sum() for side, cluster in enumerate(pair)]
    side_of = linked.argmax(axis=1)
    side_of[pair] = 0, 1
    return FirstSplit(
        conductance(linked[pair[0], 1], inside[0], inside[1]), np.asarray(ensemble.to_objects(side_of[labels]))
    )


def share_within(X: np.ndarray, sides: np.ndarray) -> float:
    """Return how much of the spread along the line through the means of two parts lies within them.

    Along that line two Gaussians are further apart than the halves of one, however many features there are, while
    conductance sees parts of any shape. Spread is the mean absolute deviation from the median, so that tails matter
    little.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    sides : ndarray of shape (n_samples,)
        The part of every object, 0 or 1.

    Returns
    -------
    float
        0 for parts that are two points, 1 where there is but one part.

    References
    ----------
    Liu, Hayes, Nobel & Marron (2008), Statistical significance of clustering for high-dimension, low-sample size data,
    JASA 103, for the cluster index, which is the same with squares and in all directions.
    https://doi.org/10.1198/016214508000000454

    Examples
    --------
    >>> share_within(np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), np.array([0, 0, 1, 1]))
    0.0
    """
    parts = [X[sides == side] for side in (0, 1)]
    if not min(len(part) for part in parts):
        return 1.0
    line = parts[1].mean(axis=0) - parts[0].mean(axis=0)
    within = sum(_deviations(part @ line) for part in parts)
    total = _deviations(X @ line)
    return within / total if total > 0 else 1.0


def _deviations(values: np.ndarray) -> float:
    return float(np.abs(values - np.median(values)).sum())
