"""U-SPEC and U-SENC: spectral clustering through representatives, and ensembles of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa.generate import USPECPartitions
from consensa.generate.uspec import uspec
from consensa.methods.ensemble_clustering import EnsembleClustering
from consensa.methods.mdec import MDECConsensus

if TYPE_CHECKING:
    import numpy as np

    from consensa._random import RandomState

__all__ = ["USENC", "USPEC"]


class USPEC(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Ultra-scalable spectral clustering.

    Every object is linked to its nearest few of some thousand representatives; a transfer cut of that sparse graph is
    a spectral clustering in time and memory linear in the number of objects. It sees rings, moons and other shapes
    that k-means cannot.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_representatives : int, default=1000
        The centres of k-means on ten times as many random objects; never more than there are objects.
    n_neighbors : int, default=5
        Representatives that every object is linked to; found approximately, group by group.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Gaussian kernel of the distance, as wide as the mean distance; or the cosine, for texts.
    n_init : int, default=3
        Starts of k-means on the embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on the number of threads.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object.
    n_clusters_ : int
        Number of clusters found.
    representatives_ : ndarray of shape (n_representatives, n_features)
    sigma_ : float
        Width of the kernel.
    n_features_in_ : int

    See Also
    --------
    USENC : Many such clusterings, combined.

    Notes
    -----
    Equal representatives count once; one that no object is linked to is left out of the graph. Features are not
    scaled: scale them first where their units differ.

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6).
    https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa import USPEC
    >>> X, truth = make_moons(500, noise=0.05, random_state=0)
    >>> model = USPEC(n_clusters=2, n_representatives=100, random_state=0).fit(X)
    >>> bool((model.labels_ == truth).all() or (model.labels_ != truth).all())
    True
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_representatives: int = 1000,
        n_neighbors: int = 5,
        metric: str = "euclidean",
        n_init: int = 3,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Cluster X.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = check_features(self, X, order="C")
        self._clusters, self.labels_ = uspec(X, **self.get_params(deep=False))
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.representatives_ = self._clusters.anchors.points
        self.sigma_ = self._clusters.sigma
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Label new objects by the representatives near them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self, "representatives_")
        return self._clusters.assign(check_features(self, X, order="C", reset=False))


class USENC(EnsembleClustering):
    """Ultra-scalable ensemble clustering: many U-SPEC clusterings, combined by a transfer cut.

    Every base clustering has its own representatives and its own random number of clusters. Time and memory grow
    linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters; several give a dict of labels.
    n_partitions : int, default=20
        Number of base clusterings.
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters of a base clustering; None for 20 to 60, with fewer than 3,600 objects
        for a third of the root of their number to that root.
    n_representatives : int, default=1000
        Representatives of every base clustering.
    n_neighbors : int, default=5
        Representatives that every object is linked to.
    metric : {"euclidean", "cosine"}, default="euclidean"
    weighted : bool, default=False
        Weigh the clusters by their uncertainty, as LWGP does; the published method counts them all the same.
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
    confidence_ : ndarray of shape (n_samples,)
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    USPEC : One such clustering.

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6),
    Algorithm 2. https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa import USENC
    >>> X, truth = make_moons(500, noise=0.05, random_state=0)
    >>> labels = USENC(n_clusters=2, n_partitions=10, n_representatives=100, random_state=0).fit_predict(X)
    >>> bool((labels == truth).all() or (labels != truth).all())
    True
    """

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        n_partitions: int = 20,
        k_range: tuple[int, int] | None = None,
        n_representatives: int = 1000,
        n_neighbors: int = 5,
        metric: str = "euclidean",
        weighted: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.k_range = k_range
        self.n_representatives = n_representatives
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weighted = weighted
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_generator(self, seed: int) -> Any:
        return USPECPartitions(
            self.n_partitions,
            self.k_range,
            n_representatives=self.n_representatives,
            n_neighbors=self.n_neighbors,
            metric=self.metric,
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _make_consensus(self, seed: int) -> Any:
        return MDECConsensus(self.n_clusters, "bg", theta=0.4, weighted=self.weighted, random_state=seed)
