"""k-means clusterings in stratified subspaces: every subspace takes its share of every group of similar features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import as_generator
from consensa._validation import check_fraction, check_integer, check_n_clusters
from consensa.generate.base import PartitionGenerator, nearest_centers, run_members
from consensa.generate.kmeans import kmeans_member
from consensa.generate.subspace import draw_subspace, feature_strata

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["StratifiedPartitions"]


class StratifiedPartitions(PartitionGenerator):
    """k-means clusterings of the same data, each in a subspace drawn from groups (strata) of similar features.

    For high-dimensional data: a plain random subspace can miss a small group of features altogether, a stratified one
    has some of every group.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters of every base clustering; the subspaces make them diverse.
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace, in (0, 1].
    n_strata : int, default=10
        Number of groups of similar features, found by k-means on the standardised columns; never more than there are
        different features.
    max_iter : int, default=100
        Largest number of iterations of each k-means run.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    strata_ : ndarray of shape (n_features,), int
        The group of every feature.
    features_ : list of n_partitions ndarrays of int
        The features of every subspace, rising.
    cluster_centers_ : list of n_partitions ndarrays of shape (n_clusters, n_features of the subspace)
    n_features_in_ : int

    Notes
    -----
    The clusterings use the features as they are: scale them first where their units differ.

    References
    ----------
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensa.generate import StratifiedPartitions
    >>> StratifiedPartitions(10, 5, random_state=0).fit_transform(load_digits().data).shape
    (1797, 5)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_partitions: int = 100,
        *,
        feature_fraction: float = 0.5,
        n_strata: int = 10,
        max_iter: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.feature_fraction = feature_fraction
        self.n_strata = n_strata
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X)
        k = check_integer("n_clusters", self.n_clusters)
        check_n_clusters([k], X.shape[0], "samples")
        n_partitions = check_integer("n_partitions", self.n_partitions)
        fraction = check_fraction("feature_fraction", self.feature_fraction)
        max_iter = check_integer("max_iter", self.max_iter)
        rng = as_generator(self.random_state)
        self.strata_ = feature_strata(X, check_integer("n_strata", self.n_strata), int(rng.integers(2**31 - 1)))
        self.features_ = [draw_subspace(X.shape[1], fraction, rng, self.strata_) for _ in range(n_partitions)]
        seeds = rng.integers(2**31 - 1, size=n_partitions)
        tasks = [
            (X[:, features], k, int(seed), "random", max_iter)
            for features, seed in zip(self.features_, seeds, strict=True)
        ]
        members = run_members(kmeans_member, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="k-means")
        self.cluster_centers_ = [centers for _, centers, _ in members]
        return np.stack([labels for labels, _, _ in members], axis=1)

    def transform(self, X: Any) -> np.ndarray:
        """Label new data by the nearest centre of every base clustering.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
        """
        check_is_fitted(self, "cluster_centers_")
        X = check_features(self, X, reset=False)
        spaces = zip(self.features_, self.cluster_centers_, strict=True)
        return np.stack([nearest_centers(X[:, features], centers) for features, centers in spaces], axis=1)
