"""Clusterings searched for in the ensemble itself: a mixture, a factorisation, a median, a vote, medoids."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

from consensa._random import draw_seeds
from consensa.methods.base import ConsensusClusterer
from consensa.partition.factorise import factorise
from consensa.partition.hyperedge_medoids import hyperedge_medoids
from consensa.partition.median import median_partition
from consensa.partition.mixture import MixtureCut
from consensa.partition.search_cut import SearchCut
from consensa.partition.voting import vote
from consensa.weigh.ncai import crowd_agreement

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble

__all__ = ["CEHM", "EMConsensus", "MedianPartition", "NMFConsensus", "Voting"]


@dataclass(eq=False, repr=False)
class EMConsensus(ConsensusClusterer):
    """Mixture model of the labels, fitted by expectation maximisation.

    Within a consensus cluster the labels by the base clusterings are independent, each with its own distribution. An
    object goes to the cluster that is most probable given its labels. Grows linearly with the number of objects. A
    missing label takes no part in the product of the probabilities. If a component is the most probable one of no
    object, it gets the microcluster that loses the least probability, so that there are always k clusters.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    smoothing : float, default=0.01 (what is added to every count of a label in a cluster)
    n_init : int, default=10 (starts, of which the best is kept)
    tol : float, default=1e-6 (stop when the log-likelihood grows by less than this share)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : MixtureCut
        ``mixture(k)`` has the probabilities of the clusters for every microcluster, the distributions of the labels,
        the log-likelihood and the BIC.
    ensemble_ : Ensemble

    See Also
    --------
    ECC : The same model with hard assignments and clusters of equal prior probability.

    References
    ----------
    Topchy, Jain & Punch (2005), Clustering ensembles: models of consensus and weak partitions, IEEE TPAMI 27(12).
    https://doi.org/10.1109/TPAMI.2005.237

    Examples
    --------
    >>> from consensa import EMConsensus
    >>> EMConsensus(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    smoothing: Positive = 0.01
    n_init: Count = 10
    tol: Positive = 1e-6
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> MixtureCut:
        options = {"smoothing": self.smoothing, "n_init": self.n_init, "tol": self.tol}
        return MixtureCut(ensemble, draw_seeds(self.random_state, 1)[0], options)


@dataclass(eq=False, repr=False)
class NMFConsensus(ConsensusClusterer):
    """Non-negative factorisation of the co-association matrix.

    The co-association of all objects is approximated by Q S Qᵀ with Q >= 0 and nearly orthogonal and S diagonal; the
    largest entry of a row of Q S^1/2 is the cluster. The matrix is never formed: it is Z Zᵀ / M.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_init : int, default=5 (starts, of which the best is kept)
        Each is a k-means clustering of the label rows.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    Notes
    -----
    Microclusters stand for their objects exactly: with N their sizes, N^1/2 Ã N^1/2 is factored. With missing labels
    the co-association is that of :func:`consensa.relate.co_association`. A column of Q that is the largest of no object
    gets the microcluster that loses least, so that there are always k clusters.

    References
    ----------
    Li, Ding & Jordan (2007), Solving consensus and semi-supervised clustering problems using nonnegative matrix
    factorization, ICDM. https://doi.org/10.1109/ICDM.2007.98

    Examples
    --------
    >>> from consensa import NMFConsensus
    >>> NMFConsensus(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    n_init: Count = 5
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        search = partial(factorise, ensemble, n_init=self.n_init)
        return SearchCut.seeded(ensemble.sizes, search, self.random_state)


@dataclass(eq=False, repr=False)
class MedianPartition(ConsensusClusterer):
    """Median partition: the clustering with the least sum of Mirkin distances to the base clusterings, by heuristics.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    heuristic : {"boem", "bok"}, default="boem"
        "bok": the best of the base clusterings. "boem": from there, the best move of one element, again and again; the
        elements are microclusters, which an optimal median partition never splits.
    exact : bool, default=True
        Exactly ``n_clusters`` clusters. The published heuristics choose the number themselves: with False,
        ``n_clusters`` is only the largest number allowed.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    Notes
    -----
    For an exact number, base clusterings with more clusters are merged down pair by pair at the least cost before the
    best is chosen, those with fewer are left out (if all have fewer, the finest ones are intersected first), and no
    move empties a cluster. A pair of objects counts in the base clusterings that label both. Draws no random numbers.

    References
    ----------
    Filkov & Skiena (2004), Integrating microarray data by consensus clustering, International Journal on Artificial
    Intelligence Tools 13(4). https://doi.org/10.1142/S0218213004001867

    Examples
    --------
    >>> from consensa import MedianPartition
    >>> MedianPartition(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    heuristic: str = "boem"
    _: KW_ONLY
    exact: bool = True
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        search = partial(median_partition, ensemble, heuristic=self.heuristic, exact=self.exact)
        return SearchCut(ensemble.sizes, search)


@dataclass(eq=False, repr=False)
class Voting(ConsensusClusterer):
    """Voting: all clusters are translated into those of one base clustering, and objects follow the votes.

    The reference is the base clustering with at least k clusters that agrees best with the others. Its clusters are
    then merged until k are left, always the two whose merging loses least information on the objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    voting : {"cumulative", "plurality"}, default="cumulative"
        "cumulative": a cluster divides its vote among the clusters of the reference as its objects are divided.
        "plurality": clusters are matched one to one with those of the votes so far as well as possible (Hungarian
        method), starting with the clusterings that agree best with the others; clusters left over join the one that
        they overlap most.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    Notes
    -----
    If no base clustering has k clusters, those that agree best are intersected until there are as many. A cluster that
    is voted away keeps the microcluster that loses the fewest votes, so that there are always k clusters. Missing
    labels do not vote. Draws no random numbers.

    References
    ----------
    Ayad & Kamel (2008), Cumulative voting consensus method for partitions with variable number of clusters, IEEE TPAMI
    30(1). https://doi.org/10.1109/TPAMI.2007.1138
    Dimitriadou, Weingessel & Hornik (2002), A combination scheme for fuzzy clustering, International Journal of Pattern
    Recognition and Artificial Intelligence 16(7). https://doi.org/10.1142/S0218001402002052

    Examples
    --------
    >>> from consensa import Voting
    >>> Voting(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    voting: str = "cumulative"
    _: KW_ONLY
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        order = (-crowd_agreement(ensemble).round(10)).argsort(kind="stable")
        return SearchCut(ensemble.sizes, partial(vote, ensemble, order, voting=self.voting))


@dataclass(eq=False, repr=False)
class CEHM(ConsensusClusterer):
    """k-HyperEdge medoids: k base clusters that stand for all others grow into the consensus.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    max_rounds : int, default=100
        Largest number of times that all objects are assigned again at the end; the groups may change in a cycle.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    See Also
    --------
    MCLA : Groups all base clusters and lets the groups share out the objects.
    consensa.partition.hyperedge_medoids : The search itself.

    Notes
    -----
    The published method draws the start of k-medoids at random and splits ties by the order of the objects; here the
    start is greedy and equally sure objects go together, so that there is no seed and no order matters. A cluster that
    ends empty keeps the microcluster that costs least. Grows with microclusters x clusters, and needs the Jaccard
    distances of all base clusters.

    References
    ----------
    Li, Wang, Zhang, Qian, Jin, Yan & Du (2025), k-HyperEdge medoids for clustering ensemble, AAAI 39(17).
    https://doi.org/10.1609/aaai.v39i17.34010

    Examples
    --------
    >>> from consensa import CEHM
    >>> CEHM(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    max_rounds: Count = 100
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        return SearchCut(ensemble.sizes, partial(hyperedge_medoids, ensemble, max_rounds=self.max_rounds))
