"""How clearly every object belongs to its cluster, from the ensemble alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa.ensemble import as_ensemble
from consensa.ensemble.sums import GroupCounts
from consensa.evaluate.association import crowd_of, mean_of_others
from consensa.evaluate.cluster_counts import count_labelled_rows
from consensa.relate.bipartite import transfer_to_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble

__all__ = ["RowConfidence", "clearness", "confidence", "row_confidence"]


def confidence(labels: LabelVector, partitions: LabelMatrix) -> np.ndarray:
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
    codes, total = ensemble.labels[crowd.row], GroupCounts(ensemble.offsets, lambda _: crowd.group)
    total.add(codes, crowd.count)
    return crowd.to_objects(RowConfidence(ensemble.offsets, lambda _: crowd.group, *total.finish())(codes))


def clearness(mean: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Compare the own and the best other cluster of objects, from how often they meet the members of all clusters.

    ``mean`` (n x n_clusters) is overwritten, ``group`` the cluster of every object; the result is in [0, 1].

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


@dataclass(frozen=True)
class RowConfidence:
    """Confidence of label rows, each on its own."""

    offsets: np.ndarray
    labeller: Callable[[np.ndarray], np.ndarray]  # takes label rows, returns their clusters, -1 for none
    sums: np.ndarray  # as in ClusterCounts
    sizes: np.ndarray

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the confidence of every row (n x M, int32), 0 for a row without any label."""
        labels = self.labeller(codes)
        group = np.maximum(labels, 0)
        value = clearness(mean_of_others(self.meeting(codes), group, self.sizes), group)
        value[labels < 0] = 0.0
        return value

    def meeting(self, codes: np.ndarray) -> np.ndarray:
        """Sum the co-association of every row with the members of every cluster, shape (n_rows, n_clusters)."""
        total = transfer_to_rows(codes, self.offsets, np.ones(int(self.offsets[-1])), self.sums.T)
        total *= np.sqrt(np.count_nonzero(codes >= 0, axis=1))[:, None]
        return total


def row_confidence(labeller: Callable[[np.ndarray], np.ndarray], ensemble: Ensemble) -> RowConfidence:
    """:func:`confidence` as a function of label rows, from sums over all objects: the same in memory and in chunks.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])
    >>> row_confidence(lambda codes: codes[:, 0], ensemble)(ensemble.labels).round(2)
    array([1.  , 0.  , 0.83])
    """
    counts = count_labelled_rows(labeller, ensemble)
    return RowConfidence(ensemble.offsets, labeller, counts.sums, counts.sizes)
