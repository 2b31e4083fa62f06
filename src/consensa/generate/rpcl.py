"""A pool of clusterings by rival penalised competitive learning, which finds its numbers of clusters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_integer, check_positive
from consensa.generate.base import PartitionGenerator, nearest_centers, run_members
from consensa.generate.kmeans import draw_cluster_numbers

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["RPCLPartitions", "trajectory_k_range"]

_N_TRIES = 8  # halving the rival rate each time; then competitive learning without rivals


class RPCLPartitions(PartitionGenerator):
    """Many clusterings by rival penalised competitive learning, each with a random number of units.

    Every object moves the nearest unit towards itself and pushes the second nearest one away, so that superfluous
    units leave the data; those that are left are the centres of the clusters. Units that have won often count as
    farther away.

    Parameters
    ----------
    n_partitions : int, default=100
        Number of base clusterings.
    k_range : tuple of two int or None, default=None
        Smallest and largest number of units at the start, both included, drawn uniformly. None for 2 to
        min(sqrt(n_samples) / 2, 50). Fewer clusters may be left.
    learning_rate : float, default=0.05
        How far the winner moves at first, as a share of its distance; falls to 0 with the passes.
    rival_rate : float, default=0.002
        How far the rival is pushed at first. Should be 20 to 50 times smaller than ``learning_rate``; when a single
        cluster would be left it is halved and the member learns again.
    n_passes : int, default=30
        Number of passes over the data.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    cluster_centers_ : list of n_partitions ndarrays of shape (n_clusters, n_features)
        The units that have objects.
    n_features_in_ : int

    See Also
    --------
    MixedPartitions : k-means and RPCL in one pool.

    Notes
    -----
    Features on different scales should be standardised first, as for k-means.

    References
    ----------
    Xu, Krzyzak & Oja (1993), Rival penalized competitive learning for clustering analysis, RBF net, and curve
    detection, IEEE Trans. Neural Networks 4(4). https://doi.org/10.1109/72.238318

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import RPCLPartitions
    >>> labels = RPCLPartitions(10, random_state=0).fit_transform(load_iris().data)
    >>> labels.shape, bool((labels.max(axis=0) >= 1).all())
    ((150, 10), True)
    """

    def __init__(
        self,
        n_partitions: int = 100,
        k_range: tuple[int, int] | None = None,
        *,
        learning_rate: float = 0.05,
        rival_rate: float = 0.002,
        n_passes: int = 30,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_partitions = n_partitions
        self.k_range = k_range
        self.learning_rate = learning_rate
        self.rival_rate = rival_rate
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X, dtype=np.float64, order="C")
        n_partitions = check_integer("n_partitions", self.n_partitions)
        rates = self._check_rates()
        n_passes = check_integer("n_passes", self.n_passes)
        rng = as_generator(self.random_state)
        k_range = trajectory_k_range(X.shape[0]) if self.k_range is None else self.k_range
        numbers = draw_cluster_numbers(n_partitions, k_range, X.shape[0], rng)
        seeds = rng.integers(2**31 - 1, size=n_partitions)
        tasks = [(X, int(k), int(seed), *rates, n_passes) for k, seed in zip(numbers, seeds, strict=True)]
        members = run_members(_cluster, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="RPCL")
        self.cluster_centers_ = [centers for _, centers in members]
        return np.stack([labels for labels, _ in members], axis=1)

    def _check_rates(self) -> tuple[float, float]:
        rate = check_positive("learning_rate", self.learning_rate)
        rival_rate = check_positive("rival_rate", self.rival_rate)
        if rate > 1 or rival_rate >= rate:
            msg = (
                f"learning_rate={rate!r} and rival_rate={rival_rate!r} are not allowed: the learning rate must be at "
                "most 1 and the rival rate smaller than it."
            )
            raise ValueError(msg)
        return rate, rival_rate

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
        X = check_features(self, X, dtype=np.float64, reset=False)
        return np.stack([nearest_centers(X, centers) for centers in self.cluster_centers_], axis=1)


def trajectory_k_range(n_samples: int) -> tuple[int, int]:
    """Smallest and largest number of clusters of the pools of the trajectory paper: 2 to min(sqrt(n) / 2, 50).

    References
    ----------
    Huang, Lai & Wang (2016), IEEE TKDE 28(5), Section 5.2. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> trajectory_k_range(2000), trajectory_k_range(10**6), trajectory_k_range(1)
    ((2, 22), (2, 50), (1, 1))
    """
    least = min(2, n_samples)
    return least, max(least, min(math.isqrt(n_samples) // 2, 50))


def _cluster(
    X: np.ndarray, k: int, seed: int, rate: float, rival_rate: float, n_passes: int
) -> tuple[np.ndarray, np.ndarray]:
    """One member; the rival rate is halved until at least two clusters are left."""
    with library_threads(1):
        for attempt in range(_N_TRIES + 1):
            rival = rival_rate / 2**attempt if attempt < _N_TRIES else 0.0
            centers = _learn(X, k, np.random.default_rng([seed, attempt]), rate, rival, n_passes)
            labels = nearest_centers(X, centers)
            used, labels = np.unique(labels, return_inverse=True)
            if used.size > 1 or k == 1:
                break
        return labels.astype(np.int32), centers[used]


def _learn(
    X: np.ndarray, k: int, rng: np.random.Generator, rate: float, rival_rate: float, n_passes: int
) -> np.ndarray:
    """Units after all passes, shape (k, n_features); the rates fall linearly to 0."""
    from consensa.generate._kernels_rpcl import learn

    n = X.shape[0]
    units = np.ascontiguousarray(X[rng.choice(n, k, replace=False)].T)
    wins = np.ones(k, np.int64)
    for step in range(n_passes):
        share = 1.0 - step / n_passes
        learn(X, rng.permutation(n), units, wins, share * rate, share * rival_rate)
    return np.ascontiguousarray(units.T)
