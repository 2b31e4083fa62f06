"""How often objects meet the clusters of a clustering, summed over microclusters and never pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa._groups import count_table
from consensa.evaluate.contingency import object_labels
from consensa.relate.coassociation import co_association

if TYPE_CHECKING:
    import scipy.sparse as sp

    from consensa._types import LabelVector
    from consensa.ensemble import Ensemble

__all__ = ["Crowd", "crowd_of", "mean_meeting", "mean_of_others"]

_ROUNDING = 1e-6  # sums below this are 0: two objects that meet at all do so in 1 of some thousand clusterings


@dataclass(frozen=True)
class Crowd:
    """The objects of an ensemble and of a clustering of them: those alike in both are taken together, as a *part*."""

    row: np.ndarray  # microcluster of every part
    group: np.ndarray  # its cluster
    count: np.ndarray  # its number of objects
    part: np.ndarray  # of every object; -1 for one without any label, or that the clustering leaves out
    n_clusters: int

    @property
    def cluster_sizes(self) -> np.ndarray:
        """Number of objects in every cluster."""
        return np.bincount(self.group, self.count, self.n_clusters)

    def cluster_sums(self, factor: sp.csr_array) -> np.ndarray:
        """Sum the rows of a factor over the objects of every cluster, shape (n_clusters, n_columns)."""
        members = count_table(self.group, self.row, (self.n_clusters, factor.shape[0]), self.count.astype(float))
        return np.asarray((members @ factor).todense())

    def sums(self, factor: sp.csr_array) -> np.ndarray:
        """Sum F Fᵀ between an object of every part and all *other* objects of every cluster, (n_parts, n_clusters)."""
        itself = np.asarray((factor * factor).sum(axis=1)).ravel()
        total = np.asarray(factor[self.row] @ self.cluster_sums(factor).T)
        total[np.arange(self.row.size), self.group] -= itself[self.row]
        total[total < _ROUNDING] = 0.0
        return total

    def to_objects(self, values: np.ndarray) -> np.ndarray:
        """Hand the values of every part to its objects; 0 for objects without a part."""
        out = np.zeros((self.part.size, *values.shape[1:]))
        known = self.part >= 0
        out[known] = values[self.part[known]]
        return out


def crowd_of(labels: LabelVector, ensemble: Ensemble) -> Crowd:
    """Group the objects of an ensemble by microcluster and cluster."""
    codes = object_labels(labels, ensemble)
    known = (codes >= 0) & (ensemble.row_map >= 0)
    n_clusters = int(codes.max(initial=-1)) + 1
    key = ensemble.row_map[known].astype(np.int64) * max(n_clusters, 1) + codes[known]
    pairs, inverse = np.unique(key, return_inverse=True)
    part = np.full(codes.size, -1, np.int64)
    part[known] = inverse
    row, group = np.divmod(pairs, max(n_clusters, 1))
    return Crowd(row, group, np.bincount(inverse, minlength=pairs.size), part, n_clusters)


def mean_meeting(crowd: Crowd, ensemble: Ensemble) -> np.ndarray:
    """Mean co-association of an object of every part with every cluster, the object left out; 0 with nobody."""
    factor = co_association(ensemble).factor
    total = np.asarray(factor[crowd.row] @ crowd.cluster_sums(factor).T)
    return mean_of_others(total, crowd.group, crowd.cluster_sizes)


def mean_of_others(total: np.ndarray, group: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Turn sums of co-association with all members of every cluster into means without the object itself.

    ``total`` (n x n_clusters) is overwritten; ``group`` is the cluster of every object, which it meets in every
    clustering that labels it.

    Examples
    --------
    >>> import numpy as np
    >>> mean_of_others(np.array([[3.0, 1.0]]), np.array([0]), np.array([3, 2]))
    array([[1. , 0.5]])
    """
    place = np.arange(group.size)
    total[place, group] -= 1.0
    total[total < _ROUNDING] = 0.0
    others = np.tile(sizes, (group.size, 1))
    others[place, group] -= 1
    return np.divide(total, others, out=np.zeros_like(total), where=others > 0)
