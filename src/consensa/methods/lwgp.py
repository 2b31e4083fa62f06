"""Locally weighted graph partitioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import transfer_cut
from consensa.relate import cluster_graph
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import SpectralCut

__all__ = ["LWGP"]


class LWGP(ConsensusClusterer):
    """Locally weighted graph partitioning.

    Objects and clusters form a bipartite graph whose edges weigh more where the cluster is certain; a transfer cut
    partitions it. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one decomposition. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    theta : float, default=0.4
        How slowly the weight of a cluster falls with its uncertainty; 0.2 to 1 is recommended.
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
    choice_ : KChoice or None
        How it was chosen, if it was.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Ensemble-driven cluster index of every cluster.
    transfer_cut_ : SpectralCut
        The decomposition of the graph.
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
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> LWGP(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        theta: float = 0.4,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _needs_all_microclusters(self) -> bool:
        return False

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        graph = cluster_graph(ensemble, self.cluster_weights_)
        self.transfer_cut_ = transfer_cut(
            graph,
            ensemble.sizes,
            n_init=self.n_init,
            random_state=self.random_state,
            hashes=ensemble.hashes,
        )
        return self.transfer_cut_
