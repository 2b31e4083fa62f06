"""Meta-clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa.methods.balanced import BalancedConsensus
from consensa.partition import meta_clusters

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition.meta_clusters import MetaClusterCut

__all__ = ["MCLA"]


class MCLA(BalancedConsensus):
    """Meta-clustering algorithm: the clusters are grouped, and every object goes to the group that claims it most.

    Clusters are linked by their Jaccard similarity; METIS groups them into meta-clusters of nearly equal weight. An
    object belongs to the meta-cluster of which the largest share of clusters hold it. Grows linearly with the number
    of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters, not more than base clusters; several give a dict of labels.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        METIS forces meta-clusters of nearly equal weight (the sizes of their clusters add up), which pulls the
        clusters **towards equal size**, and needs the extra ``metis``; a normalised cut of the same graph
        ("spectral") does not. "auto" is METIS, or with a warning the normalised cut where pymetis is not installed.
    imbalance : float or None, default=None
        For METIS: by what share a meta-cluster may outweigh the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10
        Number of partitionings that METIS tries, or starts of k-means in the spectral embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    meta_clusters_ : MetaClusterCut
        ``groups(k)`` are the meta-clusters of the clusters, ``association(k)`` how much they claim each microcluster.
    ensemble_ : Ensemble

    See Also
    --------
    SupraConsensus : The best of CSPA, HGPA and MCLA.

    Notes
    -----
    Exact on microclusters. A meta-cluster that no object prefers is given the microcluster that comes nearest to it,
    with a warning, so that there are always ``n_clusters`` clusters.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import MCLA
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> MCLA(n_clusters=2, partitioner="spectral", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def _consensus(self, ensemble: Ensemble) -> MetaClusterCut:
        self.meta_clusters_ = meta_clusters(
            ensemble,
            self.chosen_partitioner(),
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        return self.meta_clusters_
