"""Evidence accumulation: linkage on how often objects share a cluster, plain or weighted."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association
from consensa.weigh import crowd_weights, entropy_weights

if TYPE_CHECKING:
    from consensa._types import Linkage, NClusters, Positive
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["EAC", "LWEA", "WEAC"]


@dataclass(eq=False, repr=False)
class EAC(ConsensusClusterer):
    """Evidence accumulation: agglomerative clustering on how often objects share a cluster.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members. Complete and single
        linkage need a matrix of the microclusters, average linkage does not.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : The same with clusters weighted by their uncertainty.

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113

    Examples
    --------
    >>> from consensa import EAC
    >>> EAC(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    linkage: Linkage = "average"
    _: KW_ONLY
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        similarity = co_association(ensemble)
        return agglomerate(similarity, ensemble.sizes, self.linkage)


@dataclass(eq=False, repr=False)
class WEAC(ConsensusClusterer):
    """Weighted evidence accumulation: base clusterings that agree with the others count more.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members. Complete and single
        linkage need a matrix of the microclusters, average linkage does not.
    beta : float, default=2 (a clustering counts by its crowd agreement to this power)
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Influence of the clustering of every cluster; 1 on average over the clusterings.
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : Weighs single clusters instead of whole clusterings.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import WEAC
    >>> WEAC(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    linkage: Linkage = "average"
    _: KW_ONLY
    beta: Positive = 2.0
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = crowd_weights(ensemble, self.beta)
        similarity = co_association(ensemble, self.cluster_weights_)
        return agglomerate(similarity, ensemble.sizes, self.linkage)


@dataclass(eq=False, repr=False)
class LWEA(ConsensusClusterer):
    """Locally weighted evidence accumulation.

    Clusters that the other base clusterings tear apart count less: their weight falls with their entropy. Average
    linkage on the weighted co-association, of microclusters and without an n x n matrix.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    theta : float, default=0.4
        How slowly the weight of a cluster falls with its uncertainty; 0.2 to 1 is recommended.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    ensemble_ : Ensemble

    See Also
    --------
    LWGP : Graph partitioning with the same weights.
    EAC : The same without weights.

    Notes
    -----
    Objects with equal labels (a microcluster) are never split. Algorithm 1 of the paper starts from single objects,
    which even in one microcluster are only as similar as the mean weight of its clusters. The merges between
    microclusters are the same; but a cut undoes the k - 1 weakest merges, and where one inside a microcluster is among
    them, as it can be for k close to the number of microclusters, the published algorithm cuts through it.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Algorithm 1.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import LWEA
    >>> LWEA(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    theta: Positive = 0.4
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        similarity = co_association(ensemble, self.cluster_weights_)
        return agglomerate(similarity, ensemble.sizes, "average")
