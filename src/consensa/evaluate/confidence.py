"""How clearly every object belongs to its cluster, from the ensemble alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from consensa.ensemble import as_ensemble
from consensa.evaluate.contingency import object_labels

__all__ = ["clearness", "confidence"]

_ROUNDING = 1e-6  # sums below this are 0: two objects that meet at all do so in 1 of some thousand clusterings


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
    codes = object_labels(labels, ensemble)
    known = (codes >= 0) & (ensemble.row_map >= 0)
    if not known.any():
        return np.zeros(codes.size)
    n_clusters = int(codes.max()) + 1
    rows, groups = ensemble.row_map[known].astype(np.int64), codes[known].astype(np.int64)
    pairs, inverse = np.unique(rows * n_clusters + groups, return_inverse=True)
    row, group = pairs // n_clusters, pairs % n_clusters
    count = np.bincount(inverse)
    scale = 1 / np.sqrt(ensemble.n_observed)
    B = sp.csr_array(sp.diags_array(scale) @ ensemble.incidence)
    members = sp.coo_array((count.astype(float), (group, row)), shape=(n_clusters, ensemble.n_microclusters))
    sums = np.asarray((sp.csr_array(members) @ B).todense())
    value = clearness(np.asarray(B[row] @ sums.T), group, np.bincount(group, count, n_clusters))
    out = np.zeros(codes.size)
    out[known] = value[inverse]
    return out


def clearness(meeting: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Compare the own and the best other cluster of objects, from how often they meet the members of all clusters.

    Parameters
    ----------
    meeting : ndarray of shape (n, n_clusters)
        Sum of the co-association of every object with the members of every cluster, itself included; overwritten.
    group : ndarray of shape (n,), int
        The cluster of every object.
    sizes : ndarray of shape (n_clusters,)
        Number of objects in every cluster.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> clearness(np.array([[3.0, 1.0]]), np.array([0]), np.array([3, 2]))
    array([0.5])
    """
    place = np.arange(group.size)
    meeting[place, group] -= 1.0  # the object meets itself in every clustering that labels it
    meeting[meeting < _ROUNDING] = 0.0
    others = np.broadcast_to(sizes, meeting.shape).copy()
    others[place, group] -= 1
    mean = np.divide(meeting, others, out=np.zeros_like(meeting), where=others > 0)
    own = mean[place, group]
    mean[place, group] = -1.0
    other = np.maximum(mean.max(axis=1), 0.0)
    larger = np.maximum(own, other)
    value = np.divide(own - other, larger, out=np.zeros(group.size), where=larger > 0)
    return np.clip(value, 0.0, 1.0)
