"""Stratified feature sampling with CSPA, HGPA or MCLA, for high-dimensional data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from consensa._validation import as_cluster_numbers
from consensa.generate import StratifiedPartitions
from consensa.methods.balanced import CSPA, HGPA, MCLA
from consensa.methods.ensemble_clustering import GeneratedEnsemble
from consensa.methods.features import hand_on

if TYPE_CHECKING:
    from consensa._types import Count, Fraction, KRange, NClusters, Positive, RandomState

__all__ = ["SSCSPA", "SSHGPA", "SSMCLA", "StratifiedConsensus"]


@dataclass(eq=False, repr=False)
class StratifiedConsensus(GeneratedEnsemble):
    """k-means clusterings in subspaces that take their share of every group of similar features, then a consensus."""

    _method: ClassVar[Any]
    n_clusters: NClusters = 8
    _: KW_ONLY
    partitioner: str = "auto"
    n_partitions: Count = 100
    k_range: KRange = None
    feature_fraction: Fraction = 0.5
    n_strata: Count = 10
    imbalance: Positive | None = None
    n_init: Count = 10
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _make_generator(self, seed: int) -> Any:
        as_cluster_numbers(self.n_clusters)  # "auto" is refused before the long part
        return hand_on(self, StratifiedPartitions, n_clusters=None, random_state=seed)

    def _make_consensus(self, seed: int) -> Any:
        method = hand_on(self, self._method, random_state=seed)
        if self.partitioner != "auto":
            method.chosen_partitioner()  # its errors come before the long part
        return method


class SSCSPA(StratifiedConsensus):
    """Stratified feature sampling with CSPA: METIS on the co-association graph.

    Features are grouped by similarity; every base clustering is a k-means clustering in a subspace that takes its
    share of every group, and :class:`~consensa.CSPA` combines them. For high-dimensional data.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters; several give a dict of labels.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        As for :class:`~consensa.CSPA`: "metis" **forces clusters of nearly equal size** and needs the extra
        ``metis``, "spectral" does not; "auto" is the former, or with a warning the latter where pymetis is missing.
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters of the base clusterings; None for 2 to floor(sqrt(n_samples)), at most
        100.
    feature_fraction : float, default=0.5 (share of the features in every subspace)
    n_strata : int, default=10 (groups of similar features)
    imbalance : float or None, default=None
        By what share a cluster may exceed the mean size; None for the default of the consensus step.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RestoredCut or SpectralCut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : StratifiedPartitions
    consensus_ : CSPA
    ensemble_ : Ensemble

    Notes
    -----
    A variant: how the paper forms its strata and sizes its base clusterings is not known to us. Here features are
    grouped by k-means on their standardised columns, and the base clusterings have random numbers of clusters, as those
    of all methods in the tables that compare with it (Huang, Wang, Lai & Kwoh, 2022).

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSCSPA
    >>> SSCSPA(3, n_partitions=10, partitioner="spectral", random_state=0).fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[Any] = CSPA


class SSHGPA(StratifiedConsensus):
    """Stratified feature sampling with HGPA: hypergraph partitioning.

    :class:`SSCSPA` with :class:`~consensa.HGPA` as the consensus step; parameters and attributes are the same.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
    partitioner : {"auto", "hypergraph", "tcut"}, default="auto"
        As for :class:`~consensa.HGPA`: "hypergraph" **forces clusters of nearly equal size**, "tcut" does not.
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
    feature_fraction : float, default=0.5
    n_strata : int, default=10
    imbalance : float or None, default=None
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RestoredCut or TransferCut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : StratifiedPartitions
    consensus_ : HGPA
    ensemble_ : Ensemble

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSHGPA
    >>> SSHGPA(3, n_partitions=10, partitioner="tcut", random_state=0).fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[Any] = HGPA


class SSMCLA(StratifiedConsensus):
    """Stratified feature sampling with MCLA: meta-clusters.

    :class:`SSCSPA` with :class:`~consensa.MCLA` as the consensus step; parameters and attributes are the same.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        As for :class:`~consensa.MCLA`: "metis" pulls the clusters **towards equal size**, "spectral" does not.
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
    feature_fraction : float, default=0.5
    n_strata : int, default=10
    imbalance : float or None, default=None
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : MetaClusterCut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : StratifiedPartitions
    consensus_ : MCLA
    ensemble_ : Ensemble

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import SSMCLA
    >>> SSMCLA(3, n_partitions=10, partitioner="spectral", random_state=0).fit_predict(load_iris().data).shape
    (150,)
    """

    _method: ClassVar[Any] = MCLA
