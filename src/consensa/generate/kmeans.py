"""A pool of k-means clusterings with random numbers of clusters."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_integer
from consensa.ensemble.sampling import sampled_rows
from consensa.generate.base import LabellingGenerator, nearest_centers

if TYPE_CHECKING:
    from consensa._types import Count, KRange, RandomState

__all__ = ["KMeansPartitions", "check_k_range", "default_k_range", "draw_cluster_numbers", "kmeans_member"]

_LARGEST_K = 100
_FEWEST_ROWS = 1000


@dataclass(eq=False, repr=False)
class KMeansPartitions(LabellingGenerator):
    """Many k-means clusterings of the same data, each with a random number of clusters and random seeds.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn uniformly. None for 2 to
        min(floor(sqrt(n_samples)), 100); the published pools go up to sqrt(n_samples), the 100 is our own.
    init : {"random", "k-means++"}, default="random"
        Seeding; random seeds give more diverse clusterings.
    max_iter : int, default=100 (largest number of iterations of each run)
    rows_per_cluster : int or None, default=64
        A member with k clusters finds its centres on ``rows_per_cluster * k`` rows (but 1,000 at least), different ones
        for every member, and all others are assigned to the nearest. None for all rows, as in the published pools.
    sample_size : int, default=200000
        The rows of all members are drawn from at most that many.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    cluster_centers_ : list of n_partitions ndarrays of shape (k, n_features)
    n_iter_ : int (largest number of iterations of any member)

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import KMeansPartitions
    >>> X = load_iris().data
    >>> KMeansPartitions(10, random_state=0).fit_transform(X).shape
    (150, 10)
    """

    _fitted = "cluster_centers_"
    _in_units = ("cluster_centers_",)
    n_partitions: Count = 100
    k_range: KRange = None
    _: KW_ONLY
    init: Literal["random", "k-means++"] = "random"
    max_iter: Count = 100
    rows_per_cluster: Count | None = 64
    sample_size: Count = 200_000
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rows = sampled_rows(X.shape[0], self.sample_size)
        sample = X if rows is None else X[rows]
        rng = as_generator(self.random_state)
        numbers = draw_cluster_numbers(self.n_partitions, self.k_range, sample.shape[0], rng)
        seeds = rng.integers(2**31 - 1, size=self.n_partitions)
        counts = [self._n_rows(int(k), sample.shape[0]) for k in numbers]
        whole = rows is None and min(counts) == sample.shape[0]
        tasks = [
            (sample, int(k), int(seed), self.init, self.max_iter, n_rows)
            for k, seed, n_rows in zip(numbers, seeds, counts, strict=True)
        ]
        members = self._run(kmeans_member, tasks, "k-means")
        self.cluster_centers_ = [centers for _, centers, _ in members]
        self.n_iter_ = max(n_iter for _, _, n_iter in members)
        return np.stack([labels for labels, _, _ in members], axis=1) if whole else self._assign(X)

    def _n_rows(self, k: int, n_samples: int) -> int:
        """On how many rows a member finds its centres."""
        if self.rows_per_cluster is None:
            return n_samples
        return min(max(self.rows_per_cluster * k, _FEWEST_ROWS), n_samples)

    def model_arrays(self) -> dict[str, np.ndarray]:
        """Return the centres of every member."""
        check_is_fitted(self, "cluster_centers_")
        return {f"centers{m}": centers for m, centers in enumerate(self.cluster_centers_)}

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        self.cluster_centers_ = [arrays[f"centers{m}"] for m in range(len(arrays))]
        self.n_features_in_ = int(self.cluster_centers_[0].shape[1])
        return self

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, "cluster_centers_")
        return [centers.shape[0] for centers in self.cluster_centers_]

    def n_drawn_clusters(self, n_samples: int) -> int:
        """Return how many clusters all members will have together."""
        rng = as_generator(self.random_state)
        return int(draw_cluster_numbers(self.n_partitions, self.k_range, n_samples, rng).sum())

    def _assign(self, X: np.ndarray) -> np.ndarray:
        return np.stack([nearest_centers(X, centers) for centers in self.cluster_centers_], axis=1)


def draw_cluster_numbers(n_partitions: int, k_range: Any, n_samples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a number of clusters for every base clustering, both ends included.

    Examples
    --------
    >>> import numpy as np
    >>> draw_cluster_numbers(4, (3, 3), 100, np.random.default_rng(0))
    array([3, 3, 3, 3])
    """
    low, high = default_k_range(n_samples) if k_range is None else check_k_range(k_range, n_samples)
    return rng.integers(low, high, size=n_partitions, endpoint=True)


def default_k_range(n_samples: int) -> tuple[int, int]:
    """Return the smallest and the largest number of clusters of members where none are given.

    Examples
    --------
    >>> default_k_range(1000), default_k_range(10**6), default_k_range(1)
    ((2, 31), (2, 100), (1, 1))
    """
    low = min(2, n_samples)
    return low, max(low, min(math.isqrt(n_samples), _LARGEST_K))


def check_k_range(k_range: Any, n_samples: int) -> tuple[int, int]:
    """Return the smallest and the largest number of clusters.

    Examples
    --------
    >>> check_k_range((2, 5), 100)
    (2, 5)
    """
    if not isinstance(k_range, (tuple, list)) or len(k_range) != 2:
        msg = f"k_range={k_range!r} is not allowed: give the smallest and the largest number of clusters."
        raise ValueError(msg)
    low, high = check_integer("k_range[0]", k_range[0]), check_integer("k_range[1]", k_range[1])
    if low > high or high > n_samples:
        msg = (
            f"k_range={k_range!r} is not allowed for {n_samples} samples: the smallest number must not exceed the "
            "largest, and the largest not the number of samples."
        )
        raise ValueError(msg)
    return low, high


def kmeans_member(
    X: np.ndarray, k: int, seed: int, init: str, max_iter: int, n_rows: int | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """One member. A single thread: sums in another order could change labels with the number of jobs."""
    if n_rows is not None and n_rows < X.shape[0]:
        X = X[np.sort(np.random.default_rng(seed).choice(X.shape[0], n_rows, replace=False, shuffle=False))]
    model = KMeans(k, init=init, n_init=1, max_iter=max_iter, random_state=seed)
    with library_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than k: the empty ids vanish
        model.fit(X)
    return model.labels_.astype(np.int32), model.cluster_centers_, model.n_iter_
