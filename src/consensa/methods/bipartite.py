"""Cuts of the graph between objects and clusters: LWGP, GP-MGLA and HBGF."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from consensa.methods.balanced import MetisConsensus
from consensa.methods.base import ConsensusClusterer
from consensa.partition import canonical_order, metis, transfer_cut
from consensa.relate import cluster_graph, granularity_graph
from consensa.weigh import crowd_agreement, entropy_weights

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import SpectralCut
    from consensa.partition.cut import Cut

__all__ = ["GPMGLA", "HBGF", "LWGP"]


@dataclass(eq=False, repr=False)
class LWGP(ConsensusClusterer):
    """Locally weighted graph partitioning.

    Objects and clusters form a bipartite graph whose edges weigh more where the cluster is certain; a transfer cut
    partitions it. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    theta : float, default=0.4
        How slowly the weight of a cluster falls with its uncertainty; 0.2 to 1 is recommended.
    exact_transfer : bool, default=False
        Scale the embedding by the 1/(1 - γ) of the transfer cut (Tcut; Li, Wu & Chang, 2012), which the published
        code leaves out.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : TransferCut
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : Hierarchical clustering with the same weights.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Algorithm 2.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import LWGP
    >>> LWGP(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    theta: Positive = 0.4
    exact_transfer: bool = False
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _needs_all_microclusters(self) -> bool:
        return False

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        graph = cluster_graph(ensemble, self.cluster_weights_)
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        return transfer_cut(graph, ensemble.sizes, exact_transfer=self.exact_transfer, **seeding)


@dataclass(eq=False, repr=False)
class GPMGLA(ConsensusClusterer):
    """Graph partitioning with multi-granularity link analysis (GP-MGLA).

    Objects are linked to their clusters, more strongly where the clustering agrees with the others (crowd
    agreement), and clusters to clusters with common neighbours; a transfer cut partitions the graph. Grows linearly
    with the number of objects, and with the cube of the number of clusters.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    alpha : float, default=0.5
        Weight of the links of objects relative to those between clusters.
    beta : float, default=2 (a clustering counts by its crowd agreement to this power)
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : TransferCut
    crowd_agreement_ : ndarray of shape (n_partitions,) (how well every base clustering agrees with the others)
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the same to the power ``beta``, for every cluster)
    ensemble_ : Ensemble

    See Also
    --------
    WEAC : Hierarchical clustering with the same weights.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import GPMGLA
    >>> GPMGLA(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    alpha: Positive = 0.5
    beta: Positive = 2.0
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        self.crowd_agreement_ = crowd_agreement(ensemble)
        self.cluster_weights_ = (self.crowd_agreement_**self.beta)[ensemble.owner]
        graph = granularity_graph(ensemble, self.cluster_weights_, self.alpha)
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        return transfer_cut(graph, ensemble.sizes, **seeding)


@dataclass(eq=False, repr=False)
class HBGF(MetisConsensus):
    """Hybrid bipartite graph formulation: objects and clusters are partitioned together.

    Every object is linked to the clusters it lies in, and the graph of both is cut, by METIS or by its spectrum.
    Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    partitioner : {"spectral", "metis", "auto"}, default="spectral"
        The spectral cut is k-means on the objects and clusters placed by the leading singular vectors; tables that
        compare with HBGF agree with it. METIS **forces clusters of nearly equal size** and needs the extra ``metis``.
        "auto" is METIS, or with a warning the spectral cut where pymetis is not installed.
    imbalance : float or None, default=None
        By what share METIS may let a cluster exceed the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RowsCut or RestoredCut
    ensemble_ : Ensemble

    See Also
    --------
    LWGP : The same graph with weights, k-means on the objects alone.

    References
    ----------
    Fern & Brodley (2004), Solving cluster ensemble problems by bipartite graph partitioning, ICML.
    https://doi.org/10.1145/1015330.1015414

    Examples
    --------
    >>> from consensa import HBGF
    >>> HBGF(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    partitioner: str = "spectral"

    def _consensus(self, ensemble: Ensemble) -> Cut:
        graph = cluster_graph(ensemble)
        if self.chosen_partitioner() == "spectral":
            return transfer_cut(graph, ensemble.sizes, both_sides=True, **self._seeding())
        order = canonical_order(ensemble)
        parts = order.arrange(graph)
        return order.restore(metis(parts, ensemble.sizes[order.rows], imbalance=self.imbalance, **self._seeding()))
