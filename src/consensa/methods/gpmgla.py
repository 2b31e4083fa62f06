"""Graph partitioning with multi-granularity link analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._validation import check_positive
from consensa.methods.base import ConsensusClusterer
from consensa.partition import transfer_cut
from consensa.relate import granularity_graph
from consensa.weigh import crowd_agreement

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import SpectralCut

__all__ = ["GPMGLA"]


class GPMGLA(ConsensusClusterer):
    """Graph partitioning with multi-granularity link analysis (GP-MGLA).

    Objects are linked to their clusters, more strongly where the clustering agrees with the others (crowd
    agreement), and clusters to clusters with common neighbours; a transfer cut partitions the graph. Grows linearly
    with the number of objects, and with the cube of the number of clusters.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters, not more than base clusters; several give a dict of labels from one decomposition.
    alpha : float, default=0.5
        Weight of the links of objects relative to those between clusters.
    beta : float, default=2
        How much more the clusterings count that agree with the others: the crowd agreement is raised to this power.
    n_init : int, default=10
        Starts of k-means in the embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
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
    crowd_agreement_ : ndarray of shape (n_partitions,)
        How well every base clustering agrees with the others.
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        The same to the power ``beta``, for every cluster.
    transfer_cut_ : SpectralCut
        The decomposition of the graph.
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
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> GPMGLA(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        alpha: float = 0.5,
        beta: float = 2.0,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        self.crowd_agreement_ = crowd_agreement(ensemble)
        reliability = self.crowd_agreement_ ** check_positive("beta", self.beta)
        self.cluster_weights_ = reliability[ensemble.owner]
        graph = granularity_graph(ensemble, self.cluster_weights_, self.alpha)
        self.transfer_cut_ = transfer_cut(
            graph,
            ensemble.sizes,
            n_init=self.n_init,
            random_state=self.random_state,
            hashes=ensemble.hashes,
        )
        return self.transfer_cut_
