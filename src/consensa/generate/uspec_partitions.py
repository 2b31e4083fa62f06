"""A pool of U-SPEC clusterings with random numbers of clusters and representatives of their own."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._messages import ConsensaWarning
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_integer
from consensa.generate.base import PartitionGenerator, run_members, sampled_rows
from consensa.generate.kmeans import check_k_range
from consensa.generate.uspec import AnchorClusters, uspec

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["USPECPartitions"]

_SMALLEST_K, _LARGEST_K = 20, 60
_ENOUGH_K = 8  # the largest number of clusters for few rows
_SETTINGS = ("n_representatives", "n_neighbors", "metric", "n_init")
_ITERATIONS = 5  # of k-means on the embedding


class USPECPartitions(PartitionGenerator):
    """Many U-SPEC clusterings of the same data: spectral clusterings that see shapes which k-means cannot.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of base clusterings.
    k_range : tuple of two int or None, default=None
        Smallest number of clusters, and the largest, which itself is not drawn, as published. None for 20 to 60, with
        fewer than 3,600 rows for a third of the root of their number to that root. A member never has more clusters
        than distinct representatives.
    n_representatives : int, default=1000
        Representatives of every member, chosen anew; never more than there are rows.
    n_neighbors : int, default=5
        Representatives that every row is linked to.
    metric : {"euclidean", "cosine"}, default="euclidean"
    n_init : int, default=1
        Starts of k-means on the embedding of a member, of 5 iterations each; few, as published.
    sample_size : int, default=200000
        Members are fitted on at most that many rows, and the others then assigned.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    members_ : list of n_partitions AnchorClusters
    n_features_in_ : int

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6),
    Section 3.2. https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import USPECPartitions
    >>> USPECPartitions(5, random_state=0).fit_transform(load_iris().data).shape
    (150, 5)
    """

    def __init__(
        self,
        n_partitions: int = 20,
        k_range: tuple[int, int] | None = None,
        *,
        n_representatives: int = 1000,
        n_neighbors: int = 5,
        metric: str = "euclidean",
        n_init: int = 1,
        sample_size: int = 200_000,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_partitions = n_partitions
        self.k_range = k_range
        self.n_representatives = n_representatives
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_init = n_init
        self.sample_size = sample_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X, order="C")
        n_partitions = check_integer("n_partitions", self.n_partitions)
        rows = sampled_rows(X.shape[0], check_integer("sample_size", self.sample_size))
        sample = X if rows is None else X[rows]
        rng = as_generator(self.random_state)
        low, high = self._k_bounds(sample.shape[0])
        numbers = low + np.floor(rng.random(n_partitions) * (high - low)).astype(int)
        seeds = rng.integers(2**31 - 1, size=n_partitions)
        settings = {name: getattr(self, name) for name in _SETTINGS}
        tasks = [(sample, int(k), int(seed), settings) for k, seed in zip(numbers, seeds, strict=True)]
        found = run_members(_cluster, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="U-SPEC")
        self.members_: list[AnchorClusters] = [clusters for clusters, _ in found]
        return np.stack([labels for _, labels in found], axis=1) if rows is None else self._assign(X)

    def _k_bounds(self, n_rows: int) -> tuple[int, int]:
        if self.k_range is not None:
            return check_k_range(self.k_range, n_rows)
        high = min(_LARGEST_K, max(_ENOUGH_K, math.isqrt(n_rows)), n_rows)
        return min(high, max(2, high * _SMALLEST_K // _LARGEST_K)), high

    def transform(self, X: Any) -> np.ndarray:
        """Label new data by the representatives near them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
        """
        check_is_fitted(self, "members_")
        return self._assign(check_features(self, X, order="C", reset=False))

    def model_arrays(self) -> dict[str, np.ndarray]:
        """Return representatives, places and centres of every member."""
        check_is_fitted(self, "members_")
        parts = (member.to_arrays() for member in self.members_)
        return {f"{name}{m}": array for m, part in enumerate(parts) for name, array in part.items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        numbers = range(sum(name.startswith("sigma") for name in arrays))
        self.members_ = [
            AnchorClusters.from_arrays({name: arrays[f"{name}{m}"] for name in AnchorClusters.ARRAYS}, self.metric)
            for m in numbers
        ]
        self.n_features_in_ = int(self.members_[0].anchors.points.shape[1])
        return self

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, "members_")
        return [member.cut.centers.shape[0] for member in self.members_]

    def _assign(self, X: np.ndarray) -> np.ndarray:
        return np.stack([clusters.assign(X) for clusters in self.members_], axis=1)


def _cluster(X: np.ndarray, k: int, seed: int, settings: dict[str, Any]) -> tuple[AnchorClusters, np.ndarray]:
    """One member, in a single thread of BLAS as everywhere."""
    with library_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # fewer rows to tell apart than clusters: the ids vanish
        return uspec(X, k, clip=True, max_iter=_ITERATIONS, random_state=seed, **settings)
