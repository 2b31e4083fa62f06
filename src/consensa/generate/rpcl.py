"""Rival penalised competitive learning, which finds its numbers of clusters."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from consensa._random import as_generator
from consensa._threads import library_threads
from consensa.generate.base import LabellingGenerator, nearest_centers
from consensa.generate.kmeans import draw_cluster_numbers

if TYPE_CHECKING:
    from consensa._types import Count, KRange, Positive, RandomState

__all__ = ["RPCLPartitions", "trajectory_k_range"]

_N_TRIES = 8  # halving the rival rate each time; then competitive learning without rivals


@dataclass(eq=False, repr=False)
class RPCLPartitions(LabellingGenerator):
    """Many clusterings by rival penalised competitive learning, each with a random number of units.

    Every object moves the nearest unit towards itself and pushes the second nearest one away, so that superfluous units
    leave the data; those that are left are the centres of the clusters. Units that have won often count as farther
    away. Features on different scales should be standardised first, as for k-means.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of units at the start, both included, drawn uniformly. None for 2 to
        min(sqrt(n_samples) / 2, 50). Fewer clusters may be left.
    learning_rate : float, default=0.05
        How far the winner moves at first, as a share of its distance; falls to 0 with the passes.
    rival_rate : float, default=0.002
        How far the rival is pushed at first. Should be 20 to 50 times smaller than ``learning_rate``; when a single
        cluster would be left it is halved and the member learns again.
    n_passes : int, default=30 (number of passes over the data)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    cluster_centers_ : list of n_partitions ndarrays of shape (n_clusters, n_features) (the units that have objects)

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

    _fitted = "cluster_centers_"
    _in_units = ("cluster_centers_",)
    _layout: ClassVar[dict[str, Any]] = {"dtype": np.float64, "order": "C"}
    n_partitions: Count = 100
    k_range: KRange = None
    _: KW_ONLY
    learning_rate: Positive = 0.05
    rival_rate: Positive = 0.002
    n_passes: Count = 30
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rate, rival_rate = float(self.learning_rate), float(self.rival_rate)
        if rate > 1 or rival_rate >= rate:
            msg = (
                f"learning_rate={rate!r} and rival_rate={rival_rate!r} are not allowed: the learning rate must be at "
                "most 1 and the rival rate smaller than it."
            )
            raise ValueError(msg)
        settings = rate, rival_rate, self.n_passes
        rng = as_generator(self.random_state)
        k_range = trajectory_k_range(X.shape[0]) if self.k_range is None else self.k_range
        numbers = draw_cluster_numbers(self.n_partitions, k_range, X.shape[0], rng)
        seeds = rng.integers(2**31 - 1, size=self.n_partitions)
        tasks = [(X, int(k), int(seed), *settings) for k, seed in zip(numbers, seeds, strict=True)]
        members = self._run(_cluster, tasks, "RPCL")
        self.cluster_centers_ = [centers for _, centers in members]
        return np.stack([labels for labels, _ in members], axis=1)

    def _assign(self, X: np.ndarray) -> np.ndarray:
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
