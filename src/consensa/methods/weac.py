"""Weighted evidence accumulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association
from consensa.weigh import crowd_weights

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["WEAC"]


class WEAC(ConsensusClusterer):
    """Weighted evidence accumulation: base clusterings that agree with the others count more.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels from one dendrogram.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest co-association of their members. Complete and single
        linkage need a matrix of the microclusters, average linkage does not.
    beta : float, default=2
        A clustering counts by its crowd agreement to this power.
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
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Influence of the clustering of every cluster; 1 on average over the clusterings.
    dendrogram_ : Dendrogram
        The tree over the microclusters.
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : Weighs single clusters instead of whole clusterings.
    EAC : The same without weights.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import WEAC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> WEAC(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self, n_clusters: Any = 2, linkage: str = "average", *, beta: float = 2.0, missing: int | None = -1
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.beta = beta
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = crowd_weights(ensemble, self.beta)
        similarity = co_association(ensemble, self.cluster_weights_)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_
