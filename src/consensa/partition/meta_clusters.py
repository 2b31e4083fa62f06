"""Meta-clusters: the clusters are grouped, and every object goes to the group that claims it most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._groups import membership, ranks_by_size
from consensa._messages import warn
from consensa._random import draw_seed
from consensa._validation import check_choice, check_n_clusters
from consensa.partition.canonical import canonical_order
from consensa.partition.cut import Cut
from consensa.partition.metis import metis
from consensa.partition.normalised_cut import normalised_cut
from consensa.relate.jaccard import cluster_jaccard
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["MetaClusterCut", "meta_clusters"]

_INSTEAD = "Use base clusterings of fewer clusters, or a method on the graph of objects and clusters (LWGP, HBGF)."


def meta_clusters(
    ensemble: Ensemble,
    partitioner: str = "metis",
    *,
    similarity: np.ndarray | None = None,
    imbalance: float | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> MetaClusterCut:
    """Prepare a graph of the clusters to be cut into meta-clusters.

    Parameters
    ----------
    ensemble : Ensemble
    partitioner : {"metis", "spectral"}, default="metis"
        METIS balances the meta-clusters by the sizes of their clusters; a normalised cut of the same graph does not.
    similarity : ndarray of shape (n_base_clusters, n_base_clusters), default=None
        How the clusters are linked; None for their Jaccard similarity.
    imbalance : float or None, default=None
        For METIS: by what share a meta-cluster may outweigh the mean; None for METIS's own.
    n_init : int, default=10
        Number of partitionings that METIS tries, or starts of k-means in the spectral embedding.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    MetaClusterCut
        To be cut into any number of clusters.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    >>> meta_clusters(ensemble, "spectral", random_state=0).cut(2)
    array([1, 1, 0])
    """
    check_choice("partitioner", partitioner, ("metis", "spectral"))
    n = ensemble.n_base_clusters
    check_dense_budget(24 * n**2, f"The graph of {n} clusters", _INSTEAD)
    order = canonical_order(ensemble).columns
    links = np.eye(n) + cluster_jaccard(ensemble).toarray() if similarity is None else np.asarray(similarity)
    graph = Dense(links[np.ix_(order, order)])
    seed = draw_seed(random_state)
    if partitioner == "metis":
        weights = ensemble.cluster_sizes[order]
        cut: Cut = metis(graph, vertex_weights=weights, imbalance=imbalance, n_init=n_init, random_state=seed)
    else:
        cut = normalised_cut(graph, n_init=n_init, random_state=seed)
    return MetaClusterCut(ensemble, cut, order)


class MetaClusterCut(Cut):
    """Clusters that are grouped into any number of meta-clusters, among which the microclusters are shared out."""

    sizes: np.ndarray

    def __init__(self, ensemble: Ensemble, clusters: Cut, order: np.ndarray) -> None:
        self._ensemble = ensemble
        self.sizes = ensemble.sizes
        self._clusters = clusters  # in that order
        self._order = order

    def groups(self, n_clusters: int) -> np.ndarray:
        """Return the meta-cluster of every cluster, the one with most objects first; shape (n_base_clusters,)."""
        sizes = self._ensemble.cluster_sizes
        check_n_clusters([n_clusters], sizes.size, "base clusters")
        found = np.asarray(self._clusters.cut(n_clusters))
        _, first, codes = np.unique(found, return_index=True, return_inverse=True)
        groups = np.empty(sizes.size, np.int64)
        groups[self._order] = ranks_by_size(np.bincount(codes, sizes[self._order]), first)[codes]
        return groups

    def association(self, n_clusters: int) -> np.ndarray:
        """Return which share of the clusters of each meta-cluster hold each microcluster, (n_rows x n_clusters)."""
        groups = self.groups(n_clusters)
        sizes = np.bincount(groups)
        counts = (self._ensemble.incidence @ membership(groups, sizes.size).T).toarray()
        return np.asarray(counts / sizes)

    def cut(self, n_clusters: int) -> np.ndarray:
        """Give every microcluster to the meta-cluster it is associated with most, of equal ones the largest.

        A meta-cluster that no microcluster prefers gets the one that comes nearest to it, with a warning.
        """
        self.check(n_clusters)
        association = self.association(n_clusters)
        labels = np.argmax(association, axis=1)
        empty = np.setdiff1d(np.arange(n_clusters), labels)
        if empty.size:
            warn(f"{empty.size} of the {n_clusters} meta-clusters won no object; each was given the nearest one.")
        lost = association.max(axis=1, keepdims=True) - association
        for group in empty:
            spare = np.bincount(labels, minlength=n_clusters)[labels] > 1
            labels[np.argmin(np.where(spare, lost[:, group], np.inf))] = group
        return labels
