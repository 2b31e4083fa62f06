"""How clearly every object belongs to its cluster, from the ensemble alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa.ensemble import as_ensemble
from consensa.evaluate.meeting import crowd_of, mean_meeting

__all__ = ["clearness", "confidence"]


def confidence(labels: Any, partitions: Any) -> np.ndarray:
    """Compare how often an object meets its own cluster and the best other one.

    With *own* the mean co-association of the object with the rest of its cluster and *other* that with the cluster
    it meets most often otherwise: (own - other) / max(own, other), not below 0. Objects alone in their cluster and
    objects without any label have confidence 0; with a single cluster, it is 1 for all that meet it.

    Parameters
    ----------
    labels : label vector of length n_objects
        A clustering of the objects of the ensemble; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_objects,)

    References
    ----------
    The silhouette of Rousseeuw (1987), J. Comput. Appl. Math. 20, on co-association instead of distances.
    https://doi.org/10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])
    >>> confidence(np.array([0, 0, 0, 1, 1, 1]), ensemble).round(2)
    array([1.  , 1.  , 0.  , 0.83, 0.83, 0.83])
    """
    ensemble = as_ensemble(partitions)
    crowd = crowd_of(labels, ensemble)
    if not crowd.row.size:
        return np.zeros(ensemble.n_objects)
    return crowd.to_objects(clearness(mean_meeting(crowd, ensemble), crowd.group))


def clearness(mean: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Compare the own and the best other cluster of objects, from how often they meet the members of all clusters.

    Parameters
    ----------
    mean : ndarray of shape (n, n_clusters)
        Mean co-association of every object with the other members of every cluster; overwritten.
    group : ndarray of shape (n,), int
        The cluster of every object.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> clearness(np.array([[1.0, 0.5]]), np.array([0]))
    array([0.5])
    """
    place = np.arange(group.size)
    own = mean[place, group]
    mean[place, group] = -1.0
    other = np.maximum(mean.max(axis=1), 0.0)
    larger = np.maximum(own, other)
    value = np.divide(own - other, larger, out=np.zeros(group.size), where=larger > 0)
    return np.clip(value, 0.0, 1.0)
