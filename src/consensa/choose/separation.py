"""How far apart the parts of every split lie, where the features of some objects are at hand."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from consensa._magnitude import ordinary_scale
from consensa.choose.splits import families, least_size
from consensa.ensemble.sampling import SAMPLE_ABOVE, sample_objects, sampled_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from consensa.ensemble import Ensemble

    FeaturesOf: TypeAlias = Callable[[np.ndarray], np.ndarray]  # of objects (n x d), by their numbers, which rise

__all__ = ["N_PLACED", "OF_HALVES", "FeaturesOf", "placed_objects", "separation", "separations"]

N_PLACED = 1000  # objects whose features are looked at
OF_HALVES = 2.65  # separation of the halves of one Gaussian, which is what a split between no clusters looks like
_LARGEST = 100.0  # of equal objects, which have no deviation


def placed_objects(ensemble: Ensemble) -> tuple[np.ndarray, np.ndarray]:
    """Choose the objects whose features are looked at: up to 1,000, with their microclusters.

    Those whose numbers have the smallest hashes. Where the label rows are so many that only a sample of them may be
    known, the first objects of a sample of these, in memory and in chunks alike.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    objects : ndarray of int of shape (n_placed,), rising
    rows : ndarray of int of shape (n_placed,)

    Examples
    --------
    >>> from consensa import Ensemble
    >>> placed_objects(Ensemble([[0, 0, 1], [0, 0, 1]]))
    (array([0, 1, 2]), array([0, 0, 1]))
    """
    if ensemble.leads is not None or ensemble.n_microclusters > SAMPLE_ABOVE:
        rows, _ = sample_objects(ensemble, N_PLACED)
        order = np.argsort(ensemble.firsts[rows], kind="stable")
        return ensemble.firsts[rows][order], rows[order]
    drawn = sampled_rows(ensemble.n_objects, N_PLACED)
    objects = np.arange(ensemble.n_objects) if drawn is None else drawn
    rows = ensemble.table.find(ensemble.codes_of(objects))
    return objects[rows >= 0], rows[rows >= 0]


def separations(X: np.ndarray, labels: Sequence[np.ndarray]) -> np.ndarray:
    """Measure how far apart the parts of the splits between clusterings into more and more clusters lie.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : sequence of ndarray of shape (n_samples,)
        Labels 0, 1, ..., of rising numbers of clusters.

    Returns
    -------
    ndarray of shape (n_clusterings,)
        Of the split that leads to every clustering (:func:`separation`), the smallest where several clusters came out
        of one. Where all parts are small, and for the first clustering, that of the one before or the next.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> separations(X, [np.zeros(4, int), np.array([0, 0, 1, 1])])
    array([16., 16.])
    """
    X, _ = ordinary_scale(np.asarray(X, np.float64))
    ones = np.ones(len(X), np.int64)
    found = np.full(len(labels), np.nan)
    for place, (before, after) in enumerate(pairwise(labels), start=1):
        for family in families(before, after, ones, least_size(ones)):
            parts = [X[after == cluster] for cluster in family]
            nearest = min(separation(one, other) for one, other in combinations(parts, 2))
            found[place] = np.fmin(found[place], nearest)
    known = np.flatnonzero(np.isfinite(found))
    if not known.size:
        return np.full(len(labels), OF_HALVES)
    last = np.searchsorted(known, np.arange(len(labels)), side="right") - 1
    return np.asarray(found[known[np.maximum(last, 0)]])


def separation(one: np.ndarray, other: np.ndarray) -> float:
    """Return the distance of two sets of points, along the line of their centres, in their deviations along it.

    2.65 for the halves of a Gaussian, 3.46 for those of an even spread, 0 for rings around one centre; at most 100.

    Parameters
    ----------
    one, other : ndarray of shape (n_points, n_features)

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> separation(np.array([[0.0], [2.0]]), np.array([[7.0], [9.0]]))
    7.0
    """
    line = one.mean(axis=0) - other.mean(axis=0)
    length = float(np.sqrt(line @ line))
    if length == 0:
        return 0.0
    deviation = np.sqrt((np.var(one @ line) + np.var(other @ line)) / 2) / length
    return float(min(length / deviation, _LARGEST)) if deviation > 0 else _LARGEST
