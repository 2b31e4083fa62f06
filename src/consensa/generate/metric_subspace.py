"""Diversified metrics x random subspaces: spectral clusterings for the MDEC ensembles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._features import check_features
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_choice, check_fraction, check_integer
from consensa.generate.base import PartitionGenerator, open_store, run_members
from consensa.generate.graph import scaled_exponential_graph, similarity_graph
from consensa.generate.kmeans import draw_cluster_numbers
from consensa.generate.spectral import spectral_labels
from consensa.generate.subspace import draw_subspace, feature_strata

if TYPE_CHECKING:
    import os

    from consensa._random import RandomState

__all__ = ["MetricSubspacePartitions"]

_METRICS = ("kernel", "cosine", "correlation", "spearman")


class _Member(NamedTuple):
    """What is drawn at random for one base clustering."""

    features: np.ndarray
    n_neighbors: int
    mu: float
    n_clusters: int
    seed: int


class MetricSubspacePartitions(PartitionGenerator):
    """Spectral clusterings, each in its own random subspace and with its own random similarity kernel.

    Parameters
    ----------
    n_partitions : int, default=100
        Number of base clusterings.
    feature_fraction : float, default=0.5
        Share of the features in every subspace, in (0, 1].
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included. None for 2 to ceil(sqrt(n_samples)).
    neighbors_range : tuple of two int, default=(5, 20)
        Smallest and largest number of neighbours, both included; never more than n_samples - 1.
    mu_range : tuple of two float, default=(0.2, 0.8)
        Smallest and largest width of the kernel.
    metric : {"kernel", "cosine", "correlation", "spearman"}, default="kernel"
        The randomised kernel, or a fixed similarity.
    variant : {"code", "paper"}, default="code"
        Kernel of the published code, which the published tables come from, or as printed.
    n_strata : int or None, default=None
        Draw the subspaces from this many groups of similar features; None for plain random subspaces.
    directory : path or None, default=None
        Save every finished member there, and take those that are there already: a stopped run goes on where it was.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    members_ : list of n_partitions tuples
        What was drawn for every member: features, n_neighbors, mu, n_clusters, seed.
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
        The label matrix.
    n_features_in_ : int

    Notes
    -----
    Features are not scaled, as in the paper: scale them first where their units differ.

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data: from subspaces
    to metrics and beyond, IEEE Trans. Cybernetics 52(11). https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import MetricSubspacePartitions
    >>> MetricSubspacePartitions(5, random_state=0).fit_transform(load_iris().data).shape
    (150, 5)
    """

    def __init__(  # noqa: PLR0913 - the published parameters
        self,
        n_partitions: int = 100,
        feature_fraction: float = 0.5,
        *,
        k_range: tuple[int, int] | None = None,
        neighbors_range: tuple[int, int] = (5, 20),
        mu_range: tuple[float, float] = (0.2, 0.8),
        metric: str = "kernel",
        variant: str = "code",
        n_strata: int | None = None,
        directory: str | os.PathLike[str] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_partitions = n_partitions
        self.feature_fraction = feature_fraction
        self.k_range = k_range
        self.neighbors_range = neighbors_range
        self.mu_range = mu_range
        self.metric = metric
        self.variant = variant
        self.n_strata = n_strata
        self.directory = directory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X, dtype=np.float64, ensure_min_samples=2)
        check_choice("metric", self.metric, _METRICS)
        check_choice("variant", self.variant, ("code", "paper"))
        self.members_ = members = self._draw_members(X, as_generator(self.random_state))
        tasks = [(X, member, self.metric, self.variant) for member in members]
        store = self._open_store(X, members)
        labels = run_members(
            _cluster, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="spectral clusterings", store=store
        )
        self.partitions_ = np.stack(labels, axis=1)
        return self.partitions_

    def _draw_members(self, X: np.ndarray, rng: np.random.Generator) -> list[_Member]:
        """Draw everything that is random before any member is computed."""
        n, n_features = X.shape
        n_partitions = check_integer("n_partitions", self.n_partitions)
        fraction = check_fraction("feature_fraction", self.feature_fraction)
        low, high = _check_range("neighbors_range", self.neighbors_range)
        mu_low, mu_high = _check_range("mu_range", self.mu_range)
        numbers = draw_cluster_numbers(n_partitions, self.k_range or _default_k_range(n), n, rng)
        low = min(check_integer("neighbors_range[0]", low), n - 1)
        neighbors = rng.integers(
            low, min(check_integer("neighbors_range[1]", high), n - 1), n_partitions, endpoint=True
        )
        widths = rng.uniform(mu_low, mu_high, n_partitions)
        seeds = rng.integers(2**31 - 1, size=n_partitions)
        strata = None
        if self.n_strata is not None:
            strata = feature_strata(X, check_integer("n_strata", self.n_strata), int(rng.integers(2**31 - 1)))
        spaces = [draw_subspace(n_features, fraction, rng, strata) for _ in range(n_partitions)]
        drawn = zip(spaces, neighbors, widths, numbers, seeds, strict=True)
        return [_Member(space, int(k), float(mu), int(number), int(seed)) for space, k, mu, number, seed in drawn]

    def _open_store(self, X: np.ndarray, members: list[_Member]) -> Any:
        drawn = [[m.features.tolist(), m.n_neighbors, m.mu, m.n_clusters, m.seed] for m in members]
        origin = {"metric": self.metric, "variant": self.variant, "members": drawn}
        return open_store(self.directory, X, self.random_state, origin)


def _cluster(X: np.ndarray, member: _Member, metric: str, variant: str) -> np.ndarray:
    """One member. A single thread: sums in another order could change labels with the number of jobs."""
    with library_threads(1):
        subspace = X[:, member.features]
        if metric == "kernel":
            graph = scaled_exponential_graph(subspace, member.n_neighbors, member.mu, variant)
        else:
            graph = similarity_graph(subspace, member.n_neighbors, metric)
        return spectral_labels(graph, member.n_clusters, member.seed)


def _default_k_range(n_samples: int) -> tuple[int, int]:
    return 2, max(2, math.ceil(math.sqrt(n_samples)))


def _check_range(name: str, bounds: Any) -> tuple[Any, Any]:
    if isinstance(bounds, (tuple, list)) and len(bounds) == 2 and 0 < bounds[0] <= bounds[1]:
        return bounds[0], bounds[1]
    msg = f"{name}={bounds!r} is not allowed: give a smallest and a largest value, both above 0."
    raise ValueError(msg)
