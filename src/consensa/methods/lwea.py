"""Locally weighted evidence accumulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["LWEA"]


class LWEA(ConsensusClusterer):
    """Locally weighted evidence accumulation.

    Clusters that the other base clusterings tear apart count less: their weight falls with their entropy. Average
    linkage on the weighted co-association, exact and without an n x n matrix.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one dendrogram. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    theta : float, default=0.4
        How slowly the weight of a cluster falls with its uncertainty; 0.2 to 1 is recommended.
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
    dendrogram_ : Dendrogram
        The tree over the microclusters.
    ensemble_ : Ensemble

    See Also
    --------
    LWGP : Graph partitioning with the same weights.
    EAC : The same without weights.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Algorithm 1.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import LWEA
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> LWEA(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(self, n_clusters: Any = 2, *, theta: float = 0.4, missing: int | None = -1) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        similarity = co_association(ensemble, self.cluster_weights_)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, "average")
        return self.dendrogram_
