"""Similarities through the clusters: connected triples, SimRank and random walks over the clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate, meta_clusters
from consensa.relate import (
    approximate_simrank,
    enhanced_co_association,
    propagated_similarity,
    simrank,
    triple_similarity,
)

if TYPE_CHECKING:
    from consensa._types import Count, Fraction, Linkage, NClusters, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram
    from consensa.partition.cut import Cut

__all__ = ["ASRS", "CTS", "ECPCS", "SRS"]


@dataclass(eq=False, repr=False)
class CTS(ConsensusClusterer):
    """Connected-triple based similarity: linkage with weighted connected triples (WCT).

    Two objects in different clusters of a clustering count as similar in so far as their clusters overlap the same
    clusters of the other clusterings. Needs two matrices of n_microclusters x n_microclusters. On microclusters the
    result is that of all objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8
        Trust in links between different clusters, in (0, 1]: 0.8 in LinkCluE, 0.9 in the paper.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        A base clustering counts for the pairs that it labels.

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
    ECPCS : Similarities of clusters by longer walks.
    SRS : Similarities by SimRank.

    References
    ----------
    Iam-On, Boongoen, Garrett & Price (2011), A link-based approach to the cluster ensemble problem, IEEE TPAMI 33(12).
    https://doi.org/10.1109/TPAMI.2011.84

    Examples
    --------
    >>> from consensa import CTS
    >>> CTS(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    linkage: Linkage = "average"
    _: KW_ONLY
    decay: Fraction = 0.8
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        similarity = triple_similarity(ensemble, self.decay)
        return agglomerate(similarity, ensemble.sizes, self.linkage)


@dataclass(eq=False, repr=False)
class SRS(ConsensusClusterer):
    """SimRank based similarity: objects are similar if their clusters are, clusters if their objects are.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8 (by how much a similarity fades in every step, in (0, 1])
    n_rounds : int, default=5
        R of LinkCluE; the similarities are renewed R - 1 times.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        A missing label is a missing edge of the graph.

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
    ASRS : A cheaper relative.

    Notes
    -----
    Needs two matrices of n_microclusters x n_microclusters. The similarities are those of single objects, exactly;
    objects of one microcluster are kept together, although SimRank makes them less than 1 similar.

    References
    ----------
    Iam-On, Boongoen & Garrett (2008), Refining pairwise similarity matrix for cluster ensemble problem with cluster
    relations, Discovery Science. https://doi.org/10.1007/978-3-540-88411-8_22

    Examples
    --------
    >>> from consensa import SRS
    >>> SRS(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    linkage: Linkage = "average"
    _: KW_ONLY
    decay: Fraction = 0.8
    n_rounds: int = 5
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        similarity = simrank(ensemble, self.decay, self.n_rounds)
        return agglomerate(similarity, ensemble.sizes, self.linkage)


@dataclass(eq=False, repr=False)
class ASRS(ConsensusClusterer):
    """Approximate SimRank based similarity: clusters compared by their neighbours, in one step.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8 (trust in links between different clusters, in (0, 1])
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
    SRS : SimRank itself; what is said there of memory and of microclusters holds here too.

    References
    ----------
    Iam-On & Garrett (2010), LinkCluE: a MATLAB package for link-based cluster ensembles, J. Statistical Software
    36(9). https://doi.org/10.18637/jss.v036.i09

    Examples
    --------
    >>> from consensa import ASRS
    >>> ASRS(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    linkage: Linkage = "average"
    _: KW_ONLY
    decay: Fraction = 0.8
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        similarity = approximate_simrank(ensemble, self.decay)
        return agglomerate(similarity, ensemble.sizes, self.linkage)


@dataclass(eq=False, repr=False)
class ECPCS(ConsensusClusterer):
    """Ensemble clustering by propagation of cluster-wise similarities: random walks over the clusters.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    consensus : {"hc", "mc"}, default="hc"
        "hc": linkage on a co-association in which different clusters count by their similarity (ECPCS-HC). "mc":
        normalised cut of the clusters into meta-clusters, for which the objects vote (ECPCS-MC); it only counts and
        never relates objects to objects.
    n_steps : int, default=20 (length of the walks)
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
        For "hc"; published is average.
    n_init : int, default=10 (starts, of which the best is kept)
        For "mc".
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : Dendrogram ("hc") or MetaClusterCut ("mc")
    dendrogram_ : Dendrogram (only with "hc")
    cluster_similarity_ : ndarray of shape (n_base_clusters, n_base_clusters)
        Similarity of the base clusters by their walks.
    ensemble_ : Ensemble

    See Also
    --------
    CTS : Similarities of clusters by walks of two steps.
    PTA : Walks over the microclusters.

    Notes
    -----
    "hc" needs two matrices of n_microclusters x n_microclusters, "mc" only those of the base clusters. In "mc" ties of
    the vote go to the largest meta-cluster (published: at random), a meta-cluster without any vote takes the
    microcluster that comes nearest to it, with a warning, and over two base clusterings the walks are lazy, because
    otherwise walks from different clusterings never meet. n_clusters may not exceed the number of base clusters in
    "mc".

    References
    ----------
    Huang, Wang, Peng, Lai & Kwoh (2021), Enhanced ensemble clustering via fast propagation of cluster-wise
    similarities, IEEE Trans. SMC: Systems 51(1). https://doi.org/10.1109/TSMC.2018.2876202

    Examples
    --------
    >>> from consensa import ECPCS
    >>> ECPCS(n_clusters=2, consensus="mc").fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    consensus: Literal["hc", "mc"] = "hc"
    _: KW_ONLY
    n_steps: Count = 20
    linkage: Linkage = "average"
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Cut:
        groups = self.consensus == "mc"
        lazy = groups and ensemble.n_filled == 2
        self.cluster_similarity_ = propagated_similarity(ensemble, self.n_steps, lazy=lazy)
        if groups:
            options: Any = {"n_init": self.n_init, "random_state": self.random_state}
            return meta_clusters(ensemble, "spectral", similarity=self.cluster_similarity_, **options)
        similarity = enhanced_co_association(ensemble, self.cluster_similarity_)
        return agglomerate(similarity, ensemble.sizes, self.linkage)
