"""How clearly every object belongs to its cluster, from the ensemble alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa.ensemble import as_ensemble
from consensa.evaluate.contingency import object_labels

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["confidence"]

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
    meeting = _mean_meeting(row, group, np.bincount(inverse), n_clusters, ensemble)
    place = np.arange(pairs.size)
    own = meeting[place, group]
    meeting[place, group] = -1.0
    other = np.maximum(meeting.max(axis=1), 0.0)
    larger = np.maximum(own, other)
    value = np.divide(own - other, larger, out=np.zeros(pairs.size), where=larger > 0)
    out = np.zeros(codes.size)
    out[known] = np.clip(value, 0.0, 1.0)[inverse]
    return out


def _mean_meeting(
    row: np.ndarray, group: np.ndarray, count: np.ndarray, n_clusters: int, ensemble: Ensemble
) -> np.ndarray:
    """Mean co-association of every (microcluster, cluster) pair with every cluster, without the object itself."""
    scale = 1 / np.sqrt(ensemble.n_observed)
    B = sp.csr_array(sp.diags_array(scale) @ ensemble.incidence)
    members = sp.coo_array((count.astype(float), (group, row)), shape=(n_clusters, ensemble.n_microclusters))
    sums = np.asarray((sp.csr_array(members) @ B).todense())
    size = np.bincount(group, count, n_clusters)
    meeting = np.asarray(B[row] @ sums.T)
    place = np.arange(row.size)
    meeting[place, group] -= 1.0  # the object meets itself in every clustering that labels it
    meeting[meeting < _ROUNDING] = 0.0
    others = np.broadcast_to(size, meeting.shape).copy()
    others[place, group] -= 1
    return np.divide(meeting, others, out=np.zeros_like(meeting), where=others > 0)
