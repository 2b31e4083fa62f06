"""Multidiversified ensemble clustering."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from consensa._random import draw_seeds
from consensa.generate import MetricSubspacePartitions
from consensa.methods.base import ConsensusClusterer
from consensa.methods.ensemble_clustering import GeneratedEnsemble
from consensa.methods.features import hand_on
from consensa.methods.reporting import timed
from consensa.partition import agglomerate, normalised_cut, transfer_cut
from consensa.relate import cluster_graph, co_association
from consensa.weigh import entropy_weights, uniform_weights

if TYPE_CHECKING:
    from consensa._types import Count, Directory, Fraction, LabelMatrix, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["MDEC", "MDECConsensus"]


@dataclass(eq=False, repr=False)
class MDECConsensus(ConsensusClusterer):
    """The consensus step of :class:`MDEC` on any label matrix.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    consensus : {"hc", "sc", "bg"}, default="hc"
        Average linkage on the weighted co-association (MDEC-HC), normalised cut of it (MDEC-SC), or transfer cut of
        the weighted bipartite graph (MDEC-BG). None of them forms an n x n matrix.
    theta : float, default=1 (how slowly the weight of a cluster falls with its uncertainty)
    weighted : bool, default=True
        Weigh the clusters; False counts them all the same.
    diagonal : {"one", "formula"}, default="one"
        Self-similarity in "sc": 1 as in the published code, or the mean weight of the clusters as in the formula.
    n_init : int, default=10 (starts, of which the best is kept)
        For "sc" and "bg".
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : Dendrogram ("hc"), SpectralCut ("sc") or TransferCut ("bg")
    dendrogram_ : Dendrogram (only with "hc")
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    ensemble_ : Ensemble

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data: from subspaces
    to metrics and beyond, IEEE Trans. Cybernetics 52(11). https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> from consensa import MDECConsensus
    >>> MDECConsensus(n_clusters=2, consensus="sc").fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    consensus: Literal["hc", "sc", "bg"] = "hc"
    _: KW_ONLY
    theta: Positive = 1.0
    weighted: bool = True
    diagonal: Literal["one", "formula"] = "one"
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _needs_all_microclusters(self) -> bool:
        return self.consensus != "bg"

    def _consensus(self, ensemble: Ensemble) -> Cut:
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        entropy = entropy_weights(ensemble, self.theta)
        self.cluster_weights_ = entropy if self.weighted else uniform_weights(ensemble)
        if self.consensus == "bg":
            return transfer_cut(cluster_graph(ensemble, self.cluster_weights_), ensemble.sizes, **seeding)
        similarity = co_association(ensemble, self.cluster_weights_)
        if self.consensus == "hc":
            return agglomerate(similarity, ensemble.sizes, "average")
        extra = 1 - similarity.diagonal() if self.diagonal == "one" else None
        return normalised_cut(similarity, ensemble.sizes, extra_diagonal=extra, **seeding)


@dataclass(eq=False, repr=False)
class MDEC(GeneratedEnsemble):
    """Multidiversified ensemble clustering: many metrics, many subspaces, weighted clusters.

    For high-dimensional data, as in gene expression. Every base clustering is a spectral clustering in its own random
    subspace with its own random similarity kernel; the clusters are weighted by their uncertainty.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    consensus : {"hc", "sc", "bg"}, default="hc"
        As for :class:`MDECConsensus`.
    n_partitions : int, default=100 (base clusterings)
    feature_fraction : float, default=0.5
        As for :class:`~consensa.generate.MetricSubspacePartitions`, like ``metric``, ``variant`` and ``directory``.
    metric : {"kernel", "cosine", "correlation", "spearman"}, default="kernel"
    variant : {"code", "paper"}, default="code"
    theta : float, default=1
        As for :class:`MDECConsensus`, like ``weighted``.
    weighted : bool, default=True
    directory : path or None, default=None
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : Dendrogram ("hc"), SpectralCut ("sc") or TransferCut ("bg")
    dendrogram_ : Dendrogram (only with "hc")
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : MetricSubspacePartitions
    consensus_ : MDECConsensus
    ensemble_ : Ensemble

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data: from subspaces
    to metrics and beyond, IEEE Trans. Cybernetics 52(11). https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import MDEC
    >>> MDEC(n_clusters=3, n_partitions=10, random_state=0).fit_predict(load_iris().data).shape
    (150,)
    """

    n_clusters: NClusters = 2
    consensus: Literal["hc", "sc", "bg"] = "hc"
    _: KW_ONLY
    n_partitions: Count = 100
    feature_fraction: Fraction = 0.5
    metric: Literal["kernel", "cosine", "correlation", "spearman"] = "kernel"
    variant: Literal["code", "paper"] = "code"
    theta: Positive = 1.0
    weighted: bool = True
    directory: Directory = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    @timed
    def fit_consensus(self, partitions: LabelMatrix, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Combine given base clusterings instead of generating them.

        Parameters
        ----------
        partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
        y : None
            Ignored.

        Returns
        -------
        self
        """
        seed = draw_seeds(self.random_state, 2)[1]
        self.__dict__.pop("generator_", None)  # of an earlier fit
        self.__dict__.pop("_features", None)
        return self._combine(partitions, self._make_consensus(seed))

    def _make_generator(self, seed: int) -> Any:
        return hand_on(self, MetricSubspacePartitions, random_state=seed)

    def _make_consensus(self, seed: int) -> Any:
        return hand_on(self, MDECConsensus, random_state=seed)
