"""How much every object belongs to every cluster, and how well the objects of a cluster hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa.ensemble import as_ensemble
from consensa.evaluate.association import crowd_of, mean_meeting

if TYPE_CHECKING:
    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble
    from consensa.evaluate.association import Crowd

__all__ = ["cluster_consensus", "item_consensus", "soft_membership"]


def soft_membership(labels: LabelVector, partitions: LabelMatrix) -> np.ndarray:
    """Share of every cluster in the company that an object keeps.

    The mean co-association of the object with each cluster, the object itself left out, divided by the sum over the
    clusters. An object that meets nobody belongs to its own cluster alone.

    Parameters
    ----------
    labels : label vector of length n_objects
        A clustering of the objects of the ensemble; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_objects, n_clusters)
        One column per cluster, in the sorted order of the labels. Rows sum to 1; those of objects without a label in
        ``labels`` or in every base clustering are 0.

    See Also
    --------
    confidence : One number per object from the same means.

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52 (item consensus).
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> soft_membership([0, 0, 0, 1, 1, 1], [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]).round(2)
    array([[1.  , 0.  ],
           [1.  , 0.  ],
           [0.5 , 0.5 ],
           [0.14, 0.86],
           [0.14, 0.86],
           [0.14, 0.86]])
    """
    ensemble = as_ensemble(partitions)
    crowd = crowd_of(labels, ensemble)
    meeting = mean_meeting(crowd, ensemble)
    lonely = ~meeting.any(axis=1)
    meeting[lonely, crowd.group[lonely]] = 1.0
    return crowd.to_objects(meeting / meeting.sum(axis=1, keepdims=True))


def item_consensus(labels: LabelVector, partitions: LabelMatrix) -> np.ndarray:
    """How often an object shares a base cluster with the members of every cluster: Monti's m_i(k).

    Parameters
    ----------
    labels : label vector of length n_objects
        A clustering of the objects of the ensemble; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_objects, n_clusters)
        Between 0 and 1, one column per cluster in the sorted order of the labels; 0 for objects without a label and
        where there is nobody else to meet.

    Notes
    -----
    Only base clusterings that label both objects are counted. With missing labels, pairs count by the number of
    base clusterings they have in common, which needs no matrix of pairs; without, this is the mean co-association.

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52, Eq. 6.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> item_consensus([0, 0, 0, 1, 1], [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]).round(2)
    array([[0.75, 0.  ],
           [0.75, 0.  ],
           [0.5 , 0.5 ],
           [0.17, 1.  ],
           [0.17, 1.  ]])
    """
    ensemble = as_ensemble(partitions)
    crowd = crowd_of(labels, ensemble)
    together, seen = _pooled(crowd, ensemble)
    return crowd.to_objects(_ratio(together, seen))


def cluster_consensus(labels: LabelVector, partitions: LabelMatrix) -> np.ndarray:
    """How often two objects of the same cluster share a base cluster: Monti's m(k).

    Parameters
    ----------
    labels : label vector of length n_objects
        A clustering of the objects of the ensemble; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_clusters,)
        Mean co-association of the pairs within every cluster, in the sorted order of the labels; with missing labels
        pairs are counted as in :func:`item_consensus`. 0 for a cluster of one object, which has no pair.

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52, Eq. 5.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> cluster_consensus([0, 0, 0, 1, 1], [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]).round(3)
    array([0.667, 1.   ])
    """
    ensemble = as_ensemble(partitions)
    crowd = crowd_of(labels, ensemble)
    place = np.arange(crowd.row.size)
    together, seen = (
        np.bincount(crowd.group, crowd.count * sums[place, crowd.group], crowd.n_clusters)
        for sums in _pooled(crowd, ensemble)
    )
    return _ratio(together, seen)


def _pooled(crowd: Crowd, ensemble: Ensemble) -> tuple[np.ndarray, np.ndarray]:
    """In how many base clusterings an object of every part meets, and could meet, the others of every cluster."""
    labelled = sp.csr_array((ensemble.labels >= 0).astype(np.int64))
    return crowd.sums(ensemble.incidence), crowd.sums(labelled)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
