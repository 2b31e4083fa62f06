"""What the clusters of a clustering have in common with the base clusters: counts that most evidence follows from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa.ensemble.sums import GroupCounts
from consensa.evaluate.contingency import members_of, split_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._types import LabelVector
    from consensa.ensemble import Ensemble

__all__ = ["ClusterCounts", "count_clusters", "count_labelled_rows"]


@dataclass(frozen=True, eq=False)
class ClusterCounts:
    """Clusters of a clustering against the base clusters of an ensemble.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> counts = count_clusters([0, 0, 0, 1, 1], Ensemble([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]))
    >>> counts.common, counts.consensus().round(3), counts.between().round(3)
    (array([[3, 0, 2, 1],
           [0, 2, 0, 2]]), array([0.667, 1.   ]), array([[0.667, 0.167],
           [0.167, 1.   ]]))
    """

    common: np.ndarray  # number of common objects (n_clusters x n_base_clusters)
    sums: np.ndarray  # the same, every object counted 1 / sqrt(number of its labels): of the factor B, S = B Bᵀ
    sizes: np.ndarray  # objects of every cluster that have any label
    offsets: np.ndarray

    def tables(self) -> list[sp.csr_array]:
        """Contingency with every base clustering."""
        return split_table(self.common, self.offsets)

    def consensus(self) -> np.ndarray:
        """How often two objects of the same cluster share a base cluster, shape (n_clusters,): Monti's m(k)."""
        labelled = np.stack([table.sum(axis=1) for table in self.tables()], axis=1)
        together, seen = (np.sum(n.astype(float) * (n - 1), axis=1) for n in (self.common, labelled))
        return np.divide(together, seen, out=np.zeros(seen.size), where=seen > 0)

    def between(self) -> np.ndarray:
        """Mean co-association of every two clusters, no object with itself; 1 for an object alone."""
        total = self.sums @ self.sums.T
        total[np.diag_indices(self.sizes.size)] -= self.sizes  # every object meets itself in all its clusterings
        pairs = np.outer(self.sizes, self.sizes) - np.diag(self.sizes)
        return np.divide(total, pairs, out=np.ones_like(total), where=pairs > 0)


def count_clusters(labels: LabelVector, ensemble: Ensemble) -> ClusterCounts:
    """Count what clusters share with the base clusters, from a label for every object; -1, NaN, None or null: none."""
    members = members_of(labels, ensemble)
    weighted = sp.csr_array(members @ sp.diags_array(1 / np.sqrt(ensemble.n_observed)))
    common, sums = (np.asarray((part @ ensemble.incidence).todense()) for part in (members, weighted))
    return ClusterCounts(common, sums, np.asarray(members.sum(axis=1)).ravel(), ensemble.offsets)


def count_labelled_rows(labeller: Callable[[np.ndarray], np.ndarray], ensemble: Ensemble) -> ClusterCounts:
    """Count what clusters share with the base clusters, in a sum over the label rows: in memory and in chunks alike.

    The labeller takes label rows (n x M, int32) and returns their clusters, -1 for none.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> count_labelled_rows(lambda codes: codes[:, 0], Ensemble([[0, 0, 1], [0, 1, 1]])).common
    array([[2, 0, 1, 1],
           [0, 1, 0, 1]])
    """
    total = ensemble.sum_rows(partial(GroupCounts, ensemble.offsets, labeller))
    sums, sizes = total.finish()
    return ClusterCounts(total.table(), sums, sizes, ensemble.offsets)
