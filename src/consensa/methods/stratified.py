"""Stratified feature sampling with CSPA, HGPA or MCLA, for high-dimensional data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from consensa._validation import as_cluster_numbers
from consensa.generate import StratifiedPartitions
from consensa.methods.cspa import CSPA
from consensa.methods.ensemble_clustering import EnsembleClustering
from consensa.methods.hgpa import HGPA
from consensa.methods.mcla import MCLA

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.methods.balanced import BalancedConsensus

__all__ = ["SSCSPA", "SSHGPA", "SSMCLA", "StratifiedConsensus"]


class StratifiedConsensus(EnsembleClustering):
    """Base of the methods that combine k-means clusterings in stratified subspaces."""

    _method: ClassVar[type[BalancedConsensus]]

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        partitioner: str = "auto",
        n_partitions: int = 100,
        feature_fraction: float = 0.5,
        n_strata: int = 10,
        imbalance: float | None = None,
        n_init: int = 10,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.n_partitions = n_partitions
        self.feature_fraction = feature_fraction
        self.n_strata = n_strata
        self.imbalance = imbalance
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_generator(self, seed: int) -> Any:
        return StratifiedPartitions(
            max(as_cluster_numbers(self.n_clusters)),
            self.n_partitions,
            feature_fraction=self.feature_fraction,
            n_strata=self.n_strata,
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _make_consensus(self, seed: int) -> Any:
        method = self._method(
            self.n_clusters,
            partitioner=self.partitioner,
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=seed,
        )
        if self.partitioner != "auto":
            method.chosen_partitioner()  # its errors come before the long part
        return method


class SSCSPA(StratifiedConsensus):
    """Stratified feature sampling with CSPA: METIS on the co-association graph.

    Features are grouped by similarity; every base clustering is a k-means clustering in a subspace that takes its
    share of every group, and CSPA combines them. For high-dimensional data.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters, also of the base clusterings; several give a dict of labels, from base clusterings with
        the largest of them.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        As for :class:`~consensa.CSPA`: "metis" **forces clusters of nearly equal size** and needs the extra
        ``metis``, "spectral" does not;
        "auto" is the former, or with a warning the latter where pymetis is not installed.
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace, in (0, 1].
    n_strata : int, default=10
        Number of groups of similar features.
    imbalance : float or None, default=None
        By what share a cluster may exceed the mean size; None for the default of CSPA.
    n_init : int, default=10
        Number of starts of the partitioner.
    random_state : int, RandomState, Generator or None, default=None
        Seed of generator and method. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object. With several ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    consensa.CSPA : The consensus step alone.
    consensa.generate.StratifiedPartitions : The base clusterings alone.

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSCSPA
    >>> model = SSCSPA(n_clusters=3, n_partitions=10, partitioner="spectral", random_state=0)
    >>> model.fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[type[BalancedConsensus]] = CSPA


class SSHGPA(StratifiedConsensus):
    """Stratified feature sampling with HGPA: hypergraph partitioning.

    Features are grouped by similarity; every base clustering is a k-means clustering in a subspace that takes its
    share of every group, and HGPA combines them. For high-dimensional data.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters, also of the base clusterings; several give a dict of labels, from base clusterings with
        the largest of them.
    partitioner : {"auto", "hypergraph", "tcut"}, default="auto"
        As for :class:`~consensa.HGPA`: "hypergraph" **forces clusters of nearly equal size** and needs the extra
        ``hypergraph``, "tcut" does not;
        "auto" is the former, or with a warning the latter where mtkahypar is not installed.
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace, in (0, 1].
    n_strata : int, default=10
        Number of groups of similar features.
    imbalance : float or None, default=None
        By what share a cluster may exceed the mean size; None for the default of HGPA.
    n_init : int, default=10
        Number of starts of the partitioner.
    random_state : int, RandomState, Generator or None, default=None
        Seed of generator and method. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object. With several ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    consensa.HGPA : The consensus step alone.
    consensa.generate.StratifiedPartitions : The base clusterings alone.

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSHGPA
    >>> model = SSHGPA(n_clusters=3, n_partitions=10, partitioner="tcut", random_state=0)
    >>> model.fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[type[BalancedConsensus]] = HGPA


class SSMCLA(StratifiedConsensus):
    """Stratified feature sampling with MCLA: meta-clusters.

    Features are grouped by similarity; every base clustering is a k-means clustering in a subspace that takes its
    share of every group, and MCLA combines them. For high-dimensional data.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters, also of the base clusterings; several give a dict of labels, from base clusterings with
        the largest of them.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        As for :class:`~consensa.MCLA`: "metis" **forces clusters of nearly equal size** and needs the extra
        ``metis``, "spectral" does not;
        "auto" is the former, or with a warning the latter where pymetis is not installed.
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace, in (0, 1].
    n_strata : int, default=10
        Number of groups of similar features.
    imbalance : float or None, default=None
        By what share a cluster may exceed the mean size; None for the default of MCLA.
    n_init : int, default=10
        Number of starts of the partitioner.
    random_state : int, RandomState, Generator or None, default=None
        Seed of generator and method. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object. With several ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    consensa.MCLA : The consensus step alone.
    consensa.generate.StratifiedPartitions : The base clusterings alone.

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSMCLA
    >>> model = SSMCLA(n_clusters=3, n_partitions=10, partitioner="spectral", random_state=0)
    >>> model.fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[type[BalancedConsensus]] = MCLA
