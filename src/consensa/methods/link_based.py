"""Link-based cluster ensembles: connected triples and SimRank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._validation import check_choice
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import approximate_simrank, simrank, triple_similarity

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["ASRS", "CTS", "SRS"]


class CTS(ConsensusClusterer):
    """Connected-triple based similarity: linkage with weighted connected triples (WCT).

    Two objects in different clusters of a clustering count as similar in so far as their clusters overlap the same
    clusters of the other clusterings.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels from one dendrogram.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8
        Trust in links between different clusters, in (0, 1]: 0.8 in LinkCluE, 0.9 in the paper.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing. A base clustering counts for the
        pairs that it labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    dendrogram_ : Dendrogram
        The tree over the microclusters.
    ensemble_ : Ensemble

    See Also
    --------
    ECPCS : Similarities of clusters by longer walks.
    SRS : Similarities by SimRank.

    Notes
    -----
    Needs two matrices of n_microclusters x n_microclusters. On microclusters the result is that of all objects.

    References
    ----------
    Iam-On, Boongoen, Garrett & Price (2011), A link-based approach to the cluster ensemble problem, IEEE TPAMI 33(12).
    https://doi.org/10.1109/TPAMI.2011.84

    Examples
    --------
    >>> from consensa import CTS
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> CTS(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self, n_clusters: Any = 2, linkage: str = "average", *, decay: float = 0.8, missing: int | None = -1
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.decay = decay
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        check_choice("linkage", self.linkage, ("average", "complete", "single"))
        similarity = triple_similarity(ensemble, self.decay)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_


class SRS(ConsensusClusterer):
    """SimRank based similarity: objects are similar if their clusters are, clusters if their objects are.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels from one dendrogram.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8
        By how much a similarity fades in every step, in (0, 1].
    n_rounds : int, default=5
        R of LinkCluE; the similarities are renewed R - 1 times.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing. A missing label is a missing edge
        of the graph.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    dendrogram_ : Dendrogram
        The tree over the microclusters.
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
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> SRS(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        linkage: str = "average",
        *,
        decay: float = 0.8,
        n_rounds: int = 5,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.decay = decay
        self.n_rounds = n_rounds
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        check_choice("linkage", self.linkage, ("average", "complete", "single"))
        similarity = simrank(ensemble, self.decay, self.n_rounds)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_


class ASRS(ConsensusClusterer):
    """Approximate SimRank based similarity: clusters compared by their neighbours, in one step.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels from one dendrogram.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    decay : float, default=0.8
        Trust in links between different clusters, in (0, 1].
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
    dendrogram_ : Dendrogram
        The tree over the microclusters.
    ensemble_ : Ensemble

    See Also
    --------
    SRS : SimRank itself.

    Notes
    -----
    Needs two matrices of n_microclusters x n_microclusters. The similarities are those of single objects, exactly;
    objects of one microcluster are kept together, although they are less than 1 similar.

    References
    ----------
    Iam-On & Garrett (2010), LinkCluE: a MATLAB package for link-based cluster ensembles, J. Statistical Software
    36(9). https://doi.org/10.18637/jss.v036.i09

    Examples
    --------
    >>> from consensa import ASRS
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> ASRS(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self, n_clusters: Any = 2, linkage: str = "average", *, decay: float = 0.8, missing: int | None = -1
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.decay = decay
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        check_choice("linkage", self.linkage, ("average", "complete", "single"))
        similarity = approximate_simrank(ensemble, self.decay)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_
