"""Clusterings of random parts of the data: the resampling of consensus clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans

from consensa._features import check_features
from consensa._random import as_generator
from consensa._validation import check_integer
from consensa.generate.base import PartitionGenerator, open_store, run_members
from consensa.generate.estimators import check_clusterer, cluster_rows, describe, seeded
from consensa.generate.kmeans import draw_cluster_numbers

if TYPE_CHECKING:
    import os

    from consensa._random import RandomState

__all__ = ["SubsamplePartitions"]


class SubsamplePartitions(PartitionGenerator):
    """The same clusterer on many random parts of the data; objects left out have no label there.

    Parameters
    ----------
    estimator : clusterer or None, default=None
        With ``fit_predict``, or ``fit`` and ``labels_``; copied for every member. None for k-means.
    n_partitions : int, default=100
        Number of base clusterings.
    fraction : float, default=0.8
        Share of the objects in every part, drawn without replacement, in (0, 1].
    n_clusters : int or None, default=None
        Number of clusters of every member, as in the original method. None for the number that the ``estimator`` has,
        or a random one for every member if there is no estimator.
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn uniformly; instead of ``n_clusters``.
    directory : path or None, default=None
        Save every finished member there, and take those that are there already: a stopped run goes on where it was.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    members_ : list of clusterers
        The setting of every member, not fitted.
    n_features_in_ : int

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering: a resampling-based method for class discovery and
    visualization of gene expression microarray data, Machine Learning 52. https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import SubsamplePartitions
    >>> labels = SubsamplePartitions(n_partitions=20, n_clusters=3, random_state=0).fit_transform(load_iris().data)
    >>> labels.shape, (labels >= 0).sum(axis=0).tolist() == [120] * 20
    ((150, 20), True)
    """

    def __init__(
        self,
        estimator: Any = None,
        n_partitions: int = 100,
        fraction: float = 0.8,
        *,
        n_clusters: int | None = None,
        k_range: tuple[int, int] | None = None,
        directory: str | os.PathLike[str] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_partitions = n_partitions
        self.fraction = fraction
        self.n_clusters = n_clusters
        self.k_range = k_range
        self.directory = directory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X)
        n_partitions = check_integer("n_partitions", self.n_partitions)
        n_drawn = max(1, round(_check_fraction(self.fraction) * X.shape[0]))
        rng = as_generator(self.random_state)
        members = self._settings(n_partitions, n_drawn, rng)
        seeds = [int(seed) for seed in rng.integers(2**31 - 1, size=n_partitions)]
        self.members_ = [seeded(member, seed) for member, seed in zip(members, seeds, strict=True)]
        parts = [_draw_rows(X.shape[0], n_drawn, seed) for seed in seeds]
        tasks = [(X, member, rows, m) for m, (member, rows) in enumerate(zip(self.members_, parts, strict=True))]
        origin = {"members": [describe(member) for member in self.members_], "seeds": seeds, "n_drawn": n_drawn}
        store = open_store(self.directory, X, self.random_state, origin)
        labels = run_members(
            cluster_rows, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="subsamples", store=store
        )
        return np.stack(labels, axis=1)

    def _settings(self, n_partitions: int, n_drawn: int, rng: np.random.Generator) -> list[Any]:
        """The clusterer of every member, without its seed."""
        if self.n_clusters is not None and self.k_range is not None:
            msg = f"n_clusters={self.n_clusters!r} and k_range={self.k_range!r} exclude each other; give one of them."
            raise ValueError(msg)
        estimator = KMeans(n_init=1) if self.estimator is None else self.estimator
        check_clusterer(estimator)
        if self.n_clusters is None and self.k_range is None and self.estimator is not None:
            return [estimator] * n_partitions
        k_range = self.k_range if self.n_clusters is None else (self.n_clusters, self.n_clusters)
        numbers = draw_cluster_numbers(n_partitions, k_range, n_drawn, rng)
        name = "n_clusters" if "n_clusters" in estimator.get_params() else "n_components"
        return [clone(estimator).set_params(**{name: int(k)}) for k in numbers]


def _draw_rows(n: int, n_drawn: int, seed: int) -> np.ndarray:
    """Rows of one part, rising."""
    return np.sort(np.random.default_rng([seed, 1]).choice(n, n_drawn, replace=False))


def _check_fraction(fraction: Any) -> float:
    if isinstance(fraction, (int, float, np.number)) and not isinstance(fraction, bool) and 0 < float(fraction) <= 1:
        return float(fraction)
    msg = f"fraction={fraction!r} is not allowed: it must be a number in (0, 1]."
    raise ValueError(msg)
