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
    from consensa._types import Count, Directory, Fraction, KRange, LabelMatrix, NClusters, Positive, RandomState
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
        Self-similarity in "sc": 1 as in the published code, or the mean weight of the clusters as in Eq. 21.
    exact_transfer : bool, default=False
        Scale the embedding by the 1/(1 - γ) of the transfer cut, which the published code leaves out; only in "bg".
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
    exact_transfer: bool = False
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
            graph = cluster_graph(ensemble, self.cluster_weights_)
            return transfer_cut(graph, ensemble.sizes, exact_transfer=self.exact_transfer, **seeding)
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
        MDEC-HC, MDEC-SC or MDEC-BG; see :class:`MDECConsensus`.
    n_partitions : int, default=100 (base clusterings)
        M of the paper.
    tau : float, default=0.5
        Share of the features in every subspace, in (0, 1]; the paper advises 0.4 to 0.8.
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters of the base clusterings (K_m), both included; None for 2 to
        ceil(sqrt(n_samples)).
    neighbors_range : tuple of two int, default=(5, 20)
        Smallest and largest number of neighbours (k), both included. Eq. 5 rounds down, so that its upper end is never
        drawn: (5, 19) is what it gives.
    mu_range : tuple of two float, default=(0.2, 0.8)
        Smallest and largest width of the kernel (mu).
    metric : {"kernel", "cosine", "correlation", "spearman"}, default="kernel"
        The randomised kernel, or one of the fixed similarities of Fig. 5.
    variant : {"code", "paper"}, default="code"
        Kernel of the **published code**, behind the published tables, or Eq. 1-3 as printed; see Notes.
    theta : float, default=1
        As for :class:`MDECConsensus`, like ``weighted``, ``diagonal`` and ``exact_transfer``.
    weighted : bool, default=True
    diagonal : {"one", "formula"}, default="one"
    exact_transfer : bool, default=False
    directory : path or None, default=None
        As for :class:`~consensa.generate.MetricSubspacePartitions`.
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

    See Also
    --------
    consensa.generate.MetricSubspacePartitions : The base clusterings alone.

    Notes
    -----
    The published code differs from the printed formulas in two places, and the defaults follow the code. Its kernel is
    the normal density of the squared distance, with links to the rows of largest affinity, where Eq. 1-3 have the
    exponential of the distance and links to the nearest rows. In "sc" an object is as similar to itself as 1, where
    Eq. 21 gives the mean weight of its clusters. ``variant="paper"`` and ``diagonal="formula"`` are as printed.

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
    tau: Fraction = 0.5
    k_range: KRange = None
    neighbors_range: tuple[int, int] = (5, 20)
    mu_range: tuple[float, float] = (0.2, 0.8)
    metric: Literal["kernel", "cosine", "correlation", "spearman"] = "kernel"
    variant: Literal["code", "paper"] = "code"
    theta: Positive = 1.0
    weighted: bool = True
    diagonal: Literal["one", "formula"] = "one"
    exact_transfer: bool = False
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
        return hand_on(self, MetricSubspacePartitions, feature_fraction=self.tau, random_state=seed)

    def _make_consensus(self, seed: int) -> Any:
        return hand_on(self, MDECConsensus, random_state=seed)
