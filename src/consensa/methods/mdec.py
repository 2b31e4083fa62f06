"""Multidiversified ensemble clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from consensa._random import as_generator
from consensa._validation import check_choice, check_integer
from consensa.generate import MetricSubspacePartitions
from consensa.methods.base import ConsensusClusterer, Cut
from consensa.methods.ensemble_clustering import EnsembleClustering
from consensa.methods.reporting import timed
from consensa.partition import agglomerate, normalised_cut, transfer_cut
from consensa.relate import cluster_graph, co_association
from consensa.weigh import entropy_weights, uniform_weights

if TYPE_CHECKING:
    import os

    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["MDEC", "MDECConsensus"]


class MDECConsensus(ConsensusClusterer):
    """The consensus step of MDEC on any label matrix.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    consensus : {"hc", "sc", "bg"}, default="hc"
        Average linkage on the weighted co-association (MDEC-HC), normalised cut of it (MDEC-SC), or transfer cut of
        the weighted bipartite graph (MDEC-BG). None of them forms an n x n matrix.
    theta : float, default=1
        How slowly the weight of a cluster falls with its uncertainty.
    weighted : bool, default=True
        Weigh the clusters; False counts them all the same.
    diagonal : {"one", "formula"}, default="one"
        Self-similarity in "sc": 1 as in the published code, or the mean weight of the clusters as in the formula.
    n_init : int, default=10
        Starts of k-means in "sc" and "bg".
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None
        How the number of clusters was chosen, if it was.
    confidence_ : ndarray of shape (n_objects,)
    cluster_weights_ : ndarray of shape (n_base_clusters,)
    dendrogram_ : Dendrogram
        The tree over the microclusters, where average linkage makes the clusters.
    ensemble_ : Ensemble

    See Also
    --------
    MDEC : Generates the base clusterings from features as well.

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data: from subspaces
    to metrics and beyond, IEEE Trans. Cybernetics 52(11). https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> from consensa import MDECConsensus
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> MDECConsensus(n_clusters=2, consensus="sc", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        consensus: str = "hc",
        *,
        theta: float = 1.0,
        weighted: bool = True,
        diagonal: str = "one",
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.theta = theta
        self.weighted = weighted
        self.diagonal = diagonal
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _needs_all_microclusters(self) -> bool:
        return self.consensus != "bg"

    def _consensus(self, ensemble: Ensemble) -> Cut:
        check_choice("consensus", self.consensus, ("hc", "sc", "bg"))
        check_choice("diagonal", self.diagonal, ("one", "formula"))
        k_means: dict[str, Any] = {
            "n_init": check_integer("n_init", self.n_init),
            "random_state": as_generator(self.random_state),
            "hashes": ensemble.hashes,
        }
        entropy = entropy_weights(ensemble, self.theta)
        self.cluster_weights_ = entropy if self.weighted else uniform_weights(ensemble)
        if self.consensus == "bg":
            return transfer_cut(cluster_graph(ensemble, self.cluster_weights_), ensemble.sizes, **k_means)
        similarity = co_association(ensemble, self.cluster_weights_)
        if self.consensus == "hc":
            self.dendrogram_ = agglomerate(similarity, ensemble.sizes, "average")
            return self.dendrogram_
        extra = 1 - similarity.diagonal() if self.diagonal == "one" else None
        return normalised_cut(similarity, ensemble.sizes, extra_diagonal=extra, **k_means)


class MDEC(EnsembleClustering):
    """Multidiversified ensemble clustering: many metrics, many subspaces, weighted clusters.

    For high-dimensional data, as in gene expression. Every base clustering is a spectral clustering in its own random
    subspace with its own random similarity kernel; the clusters are weighted by their uncertainty.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    consensus : {"hc", "sc", "bg"}, default="hc"
        Average linkage on the weighted co-association (MDEC-HC), normalised cut of it (MDEC-SC), or transfer cut of
        the weighted bipartite graph (MDEC-BG).
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace.
    metric : {"kernel", "cosine", "correlation", "spearman"}, default="kernel"
        The randomised kernel, or a fixed similarity.
    variant : {"code", "paper"}, default="code"
        Kernel of the published code, which the published tables come from, or as printed.
    theta : float, default=1
        How slowly the weight of a cluster falls with its uncertainty.
    weighted : bool, default=True
        Weigh the clusters; False counts them all the same.
    directory : path or None, default=None
        Save every finished base clustering there; a stopped run goes on where it was.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object.
    n_clusters_ : int or list of int
    choice_ : KChoice or None
        How the number of clusters was chosen, if it was.
    confidence_ : ndarray of shape (n_samples,)
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    MDECConsensus : The consensus step alone.

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

    def __init__(  # noqa: PLR0913 - the published parameters
        self,
        n_clusters: Any = 2,
        consensus: str = "hc",
        *,
        n_partitions: int = 100,
        feature_fraction: float = 0.5,
        metric: str = "kernel",
        variant: str = "code",
        theta: float = 1.0,
        weighted: bool = True,
        directory: str | os.PathLike[str] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_partitions = n_partitions
        self.feature_fraction = feature_fraction
        self.metric = metric
        self.variant = variant
        self.theta = theta
        self.weighted = weighted
        self.directory = directory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @timed
    def fit_consensus(self, partitions: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
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
        seed = int(as_generator(self.random_state).integers(2**31 - 1, size=2)[1])
        self.__dict__.pop("generator_", None)  # of an earlier fit
        self.__dict__.pop("_features", None)
        return self._combine(partitions, self._make_consensus(seed))

    def _make_generator(self, seed: int) -> Any:
        return MetricSubspacePartitions(
            self.n_partitions,
            self.feature_fraction,
            metric=self.metric,
            variant=self.variant,
            directory=self.directory,
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _make_consensus(self, seed: int) -> Any:
        return MDECConsensus(
            self.n_clusters, self.consensus, theta=self.theta, weighted=self.weighted, random_state=seed
        )
