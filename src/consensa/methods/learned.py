"""Relations that are learned: self-paced, tri-level, completed, structured."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from consensa.methods.base import ConsensusClusterer
from consensa.partition import LearnedCut, agglomerate, normalised_cut, structured_cut
from consensa.relate import Dense, co_association, completed_co_association, self_paced_similarity, tri_level_similarity

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut
    from consensa.partition.structured import StructuredCut

__all__ = ["CESHL", "ECMC", "SPCE", "TRCE"]

_TRACE = 1e-3  # share of the co-association: enough to order what the completed matrix leaves at 0


@dataclass(eq=False, repr=False)
class SPCE(ConsensusClusterer):
    """Self-paced clustering ensemble: a similarity learned from easy pairs first, with k components.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    gamma : float, default=0.5 (price of every pair that is similar at all)
    n_init : int, default=10 (starts, of which the best is kept)
        Needed where the learned similarity has not as many components as clusters are wanted.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        A clustering counts for the pairs that it labels; the paper does not treat missing labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : LearnedCut
    ensemble_ : Ensemble

    See Also
    --------
    TRCE : Learns from normalised graphs, and weighs objects too.
    consensa.relate.self_paced_similarity : The learned similarity itself.

    Notes
    -----
    Several matrices of n_microclusters x n_microclusters and an eigenproblem of that size in every round. Exact on
    microclusters. The clusters are the connected components of the learned similarity; where these are not as many as
    wanted when the rounds are over, a normalised cut of it (or its smallest components joined).

    A variant, written after a port of the authors' code, and below the figures that others publish for it. It often
    ends in one large cluster and single objects: the objective splits an unnormalised graph, which is cheapest at
    objects with few links, and coarse base clusterings link everything with everything. Base clusterings that all have
    about as many clusters as wanted suit it better than random numbers of clusters.

    References
    ----------
    Zhou, Du, Liu, Shen, Fan & Li (2021), Self-paced clustering ensemble, IEEE TNNLS 32(4).
    https://doi.org/10.1109/TNNLS.2020.2984814

    Examples
    --------
    >>> from consensa import SPCE
    >>> SPCE(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    gamma: Positive = 0.5
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> LearnedCut:
        learn = partial(self_paced_similarity, ensemble, gamma=self.gamma)
        return LearnedCut(learn, ensemble.sizes, n_init=self.n_init, random_state=self.random_state)


@dataclass(eq=False, repr=False)
class TRCE(ConsensusClusterer):
    """Tri-level robust clustering ensemble: clusterings, pairs and objects are weighed while a similarity is learned.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    gamma : float, default=0.01 (how near the similarity stays to the consensus of the graphs)
    n_init : int, default=10 (starts, of which the best is kept)
        Needed where the learned similarity has not as many components as clusters are wanted.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        An object counts in the clusterings that label it; the paper does not treat missing labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : LearnedCut
    ensemble_ : Ensemble

    See Also
    --------
    SPCE : Learns from easy pairs first; what is said there of memory and of components holds here too.
    consensa.relate.tri_level_similarity : The learned similarity itself.

    Notes
    -----
    A variant, written after a port of the authors' code, which differs from it in one sum; on some data it stays below
    the figures that others publish for it, and why is not known to us.

    References
    ----------
    Zhou, Du, Shen & Li (2021), Tri-level robust clustering ensemble with multiple graph learning, AAAI 35(12).
    https://doi.org/10.1609/aaai.v35i12.17327

    Examples
    --------
    >>> from consensa import TRCE
    >>> TRCE(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    gamma: Positive = 0.01
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> LearnedCut:
        learn = partial(tri_level_similarity, ensemble, gamma=self.gamma)
        return LearnedCut(learn, ensemble.sizes, n_init=self.n_init, random_state=self.random_state)


@dataclass(eq=False, repr=False)
class ECMC(ConsensusClusterer):
    """Ensemble clustering by matrix completion: unreliable pairs are forgotten and filled in by low rank.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    partitioner : {"spectral", "average", "complete", "single"}, default="spectral"
        Normalised cut of the completed matrix, as published, or linkage on it.
    low : float, default=0.2 (pairs with a co-association of at most ``low`` are apart)
    high : float, default=0.8
        Pairs with a co-association of at least ``high`` are together; those between are unknown.
    trade_off : float or None, default=None
        Price of an error in a known pair; None for 1 over the root of the number of objects. The labels depend much
        on it.
    max_rounds : int, default=200 (largest number of rounds of the completion)
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
    cut_ : SpectralCut, or Dendrogram with linkage
    dendrogram_ : Dendrogram (only with linkage)
    ensemble_ : Ensemble

    See Also
    --------
    EAC : Linkage on the co-association as it is.
    consensa.relate.completed_co_association : The completed matrix itself.

    Notes
    -----
    The objective is the published one; limits, solver settings and the default ``trade_off`` are the usual ones, not
    taken from the paper. Objects without a single reliable partner have no link in the completed matrix; with base
    clusterings of many different k they are many, and any cut would set them apart one by one. So a thousandth of the
    co-association itself is mixed in, which is not published: it decides only where nothing reliable is known. Several
    matrices of n_microclusters x n_microclusters and some leading eigenvectors in every round. Exact on microclusters.

    References
    ----------
    Yi, Yang, Jin & Jain (2012), Robust ensemble clustering by matrix completion, ICDM.
    https://doi.org/10.1109/ICDM.2012.123

    Examples
    --------
    >>> from consensa import ECMC
    >>> ECMC(n_clusters=2, high=0.6).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    partitioner: Literal["spectral", "average", "complete", "single"] = "spectral"
    _: KW_ONLY
    low: float = 0.2
    high: float = 0.8
    trade_off: Positive | None = None
    max_rounds: Count = 200
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Cut:
        completed = completed_co_association(ensemble, self.low, self.high, self.trade_off, max_rounds=self.max_rounds)
        shares = co_association(ensemble).to_dense().similarity
        similarity = Dense((1 - _TRACE) * completed.similarity + _TRACE * shares)
        if self.partitioner != "spectral":
            return agglomerate(similarity, ensemble.sizes, self.partitioner)
        extra = 1 - similarity.similarity.diagonal()
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        return normalised_cut(similarity, ensemble.sizes, extra_diagonal=extra, **seeding)


@dataclass(eq=False, repr=False)
class CESHL(ConsensusClusterer):
    """Structured hypergraph learning (CESHL-style): memberships are changed until k components are left.

    Objects are the nodes and clusters the hyperedges of a hypergraph. A hypergraph near the given one is learned that
    falls into exactly k components, which are the clusters. Needs memory for all pairs of microclusters and clusters.

    The exact published formulas are not known to us beyond their aim. This is a variant of that aim, described at
    :func:`consensa.partition.structured_cut`, and does not claim to give the published numbers. Exact on microclusters:
    objects with equal labels get equal memberships.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
        Not more than base clusters; each number is learned for itself.
    lam : float, default=0.1
        First weight of the structure; it grows while there are too few components.
    max_rounds : int, default=50
        Largest number of rounds. If k components are not reached by then, k-means on the embedding decides.
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
    cut_ : StructuredCut (``learn(k)`` is the learned hypergraph)
    ensemble_ : Ensemble

    References
    ----------
    Zhou, Wang, Du & Li (2022), Clustering ensemble via structured hypergraph learning, Information Fusion 78.
    https://doi.org/10.1016/j.inffus.2021.09.003

    Examples
    --------
    >>> from consensa import CESHL
    >>> CESHL(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    lam: Positive = 0.1
    max_rounds: Count = 50
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> StructuredCut:
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state}
        return structured_cut(ensemble, self.lam, max_rounds=self.max_rounds, **seeding)
