"""Clusterings in feature subspaces: random ones, and those that take their share of every group of features."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from consensa._magnitude import even_rows, ordinary_scale
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_integer, check_n_clusters
from consensa.generate.base import LabellingGenerator, PartitionGenerator, nearest_centers, open_store
from consensa.generate.graph import scaled_exponential_graph, similarity_graph
from consensa.generate.kmeans import draw_cluster_numbers, kmeans_member
from consensa.generate.spectral import spectral_labels

if TYPE_CHECKING:
    from consensa._types import Count, Directory, Fraction, KRange, RandomState

__all__ = ["MetricSubspacePartitions", "StratifiedPartitions", "draw_subspace", "feature_strata"]


def draw_subspace(
    n_features: int, fraction: float, rng: np.random.Generator, strata: np.ndarray | None = None
) -> np.ndarray:
    """Draw a share of the features without replacement.

    Parameters
    ----------
    n_features : int
    fraction : float
        Share of the features, in (0, 1]; at least one feature is drawn.
    rng : numpy Generator
    strata : ndarray of shape (n_features,), int, default=None
        Group of every feature; every group gives its share, and at least one feature while there is room.

    Returns
    -------
    ndarray of int
        Numbers of the features, rising.

    References
    ----------
    Ho (1998), The random subspace method, IEEE TPAMI 20(8). https://doi.org/10.1109/34.709601
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> import numpy as np
    >>> draw_subspace(6, 0.5, np.random.default_rng(0)).size
    3
    >>> strata = np.array([0, 0, 0, 0, 1, 1])
    >>> np.bincount(strata[draw_subspace(6, 0.5, np.random.default_rng(0), strata)])
    array([2, 1])
    """
    n_wanted = max(1, round(fraction * n_features))
    if strata is None:
        return np.sort(rng.choice(n_features, n_wanted, replace=False))
    drawn = [
        rng.choice(members, max(1, round(fraction * members.size)), replace=False)
        for members in (np.flatnonzero(strata == g) for g in np.unique(strata))
    ]
    chosen = rng.permutation(np.concatenate(drawn))[:n_wanted]
    rest = np.setdiff1d(np.arange(n_features), chosen)
    more = rng.choice(rest, n_wanted - chosen.size, replace=False)
    return np.sort(np.concatenate([chosen, more]))


def feature_strata(X: np.ndarray, n_strata: int, seed: int) -> np.ndarray:
    """Group similar features by k-means on the standardised columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_strata : int
        Number of groups; never more than features.
    seed : int

    Returns
    -------
    ndarray of shape (n_features,), int

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.arange(9.0), np.arange(9.0) % 2
    >>> strata = feature_strata(np.column_stack([a, a + 1, b, 2 * b]), 2, seed=0)
    >>> bool(strata[0] == strata[1] != strata[2] == strata[3])
    True
    """
    # a column is standardised, so that its scale counts for nothing; in one layout, as sums are rounded by it
    X = np.ascontiguousarray(even_rows(X.T).T)
    spread = X.std(axis=0)
    columns = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).T
    n_groups = min(n_strata, np.unique(columns, axis=0).shape[0])
    with library_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # columns that differ by rounding alone: fewer groups
        return np.asarray(KMeans(n_groups, n_init=3, random_state=seed).fit_predict(columns))


@dataclass(eq=False, repr=False)
class StratifiedPartitions(LabellingGenerator):
    """k-means clusterings of the same data, each in a subspace drawn from groups (strata) of similar features.

    For high-dimensional data: a plain random subspace can miss a small group of features altogether, a stratified one
    has some of every group. The clusterings use the features as they are: scale them first where their units differ.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters of every base clustering; None to draw it from ``k_range``.
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn uniformly; instead of ``n_clusters``. None for 2
        to floor(sqrt(n_samples)), at most 100. With few clusters k-means often sets some outliers apart; clusterings
        of many sizes together find the groups all the same.
    feature_fraction : float, default=0.5 (share of the features in every subspace, in (0, 1])
    n_strata : int, default=10
        Number of groups of similar features, found by k-means on the standardised columns; never more than there are
        different features.
    max_iter : int, default=100 (largest number of iterations of each k-means run)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    strata_ : ndarray of shape (n_features,), int (the group of every feature)
    features_ : list of n_partitions ndarrays of int (the features of every subspace, rising)
    cluster_centers_ : list of n_partitions ndarrays of shape (k, n_features of the subspace)

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
    >>> StratifiedPartitions(None, 5, k_range=(10, 20), random_state=0).fit(load_digits().data).cluster_numbers()
    [19, 17, 15, 12, 13]
    """

    _fitted = "cluster_centers_"
    _in_units = ("cluster_centers_",)
    n_clusters: Count | None = None
    n_partitions: Count = 100
    _: KW_ONLY
    k_range: KRange = None
    feature_fraction: Fraction = 0.5
    n_strata: Count = 10
    max_iter: Count = 100
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rng = as_generator(self.random_state)
        numbers = self._numbers(X.shape[0], rng)
        self.strata_ = feature_strata(X, self.n_strata, int(rng.integers(2**31 - 1)))
        n, fraction = self.n_partitions, self.feature_fraction
        self.features_ = [draw_subspace(X.shape[1], fraction, rng, self.strata_) for _ in range(n)]
        seeds = rng.integers(2**31 - 1, size=n)
        tasks = [
            (X[:, features], int(k), int(seed), "random", self.max_iter)
            for features, k, seed in zip(self.features_, numbers, seeds, strict=True)
        ]
        members = self._run(kmeans_member, tasks, "k-means")
        self.cluster_centers_ = [centers for _, centers, _ in members]
        return np.stack([labels for labels, _, _ in members], axis=1)

    def _numbers(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Numbers of clusters of the members: the same for all, or drawn."""
        if self.n_clusters is None:
            return draw_cluster_numbers(self.n_partitions, self.k_range, n_samples, rng)
        if self.k_range is not None:
            msg = f"n_clusters={self.n_clusters!r} and k_range={self.k_range!r} exclude each other; give one of them."
            raise ValueError(msg)
        return np.repeat(check_n_clusters([self.n_clusters], n_samples, "samples"), self.n_partitions)

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, "cluster_centers_")
        return [centers.shape[0] for centers in self.cluster_centers_]

    def _assign(self, X: np.ndarray) -> np.ndarray:
        spaces = zip(self.features_, self.cluster_centers_, strict=True)
        return np.stack([nearest_centers(X[:, features], centers) for features, centers in spaces], axis=1)


class _Member(NamedTuple):
    """What is drawn at random for one base clustering."""

    features: np.ndarray
    n_neighbors: int
    mu: float
    n_clusters: int
    seed: int


@dataclass(eq=False, repr=False)
class MetricSubspacePartitions(PartitionGenerator):
    """Spectral clusterings, each in its own random subspace and with its own random similarity kernel.

    Features are not scaled, as in the paper: scale them first where their units differ.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    feature_fraction : float, default=0.5 (share of the features in every subspace, in (0, 1])
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
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    members_ : list of n_partitions tuples
        What was drawn for every member: features, n_neighbors, mu, n_clusters, seed.
    partitions_ : ndarray of shape (n_samples, n_partitions), int32 (the label matrix)

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

    _fitted = "partitions_"
    _layout: ClassVar[dict[str, Any]] = {"dtype": np.float64, "ensure_min_samples": 2}
    n_partitions: Count = 100
    feature_fraction: Fraction = 0.5
    _: KW_ONLY
    k_range: KRange = None
    neighbors_range: tuple[int, int] = (5, 20)
    mu_range: tuple[float, float] = (0.2, 0.8)
    metric: Literal["kernel", "cosine", "correlation", "spearman"] = "kernel"
    variant: Literal["code", "paper"] = "code"
    n_strata: Count | None = None
    directory: Directory = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        self.members_ = self._draw_members(X, as_generator(self.random_state))
        tasks = [(X, member, self.metric, self.variant) for member in self.members_]
        drawn = [[m.features.tolist(), m.n_neighbors, m.mu, m.n_clusters, m.seed] for m in self.members_]
        origin = {"metric": self.metric, "variant": self.variant, "members": drawn}
        store = open_store(self.directory, X, self.random_state, origin)
        self.partitions_ = np.stack(self._run(_cluster, tasks, "spectral clusterings", store), axis=1)
        return self.partitions_

    def _draw_members(self, X: np.ndarray, rng: np.random.Generator) -> list[_Member]:
        """Draw everything that is random before any member is computed."""
        n, n_features = X.shape
        n_partitions, fraction = self.n_partitions, self.feature_fraction
        low, high = _check_range("neighbors_range", self.neighbors_range)
        mu_low, mu_high = _check_range("mu_range", self.mu_range)
        numbers = draw_cluster_numbers(n_partitions, self.k_range or _default_k_range(n), n, rng)
        few, many = check_integer("neighbors_range[0]", low), check_integer("neighbors_range[1]", high)
        neighbors = rng.integers(min(few, n - 1), min(many, n - 1), n_partitions, endpoint=True)
        widths = rng.uniform(mu_low, mu_high, n_partitions)
        seeds = rng.integers(2**31 - 1, size=n_partitions)
        strata = None
        if self.n_strata is not None:
            strata = feature_strata(X, self.n_strata, int(rng.integers(2**31 - 1)))
        spaces = [draw_subspace(n_features, fraction, rng, strata) for _ in range(n_partitions)]
        drawn = zip(spaces, neighbors, widths, numbers, seeds, strict=True)
        return [_Member(space, int(k), float(mu), int(number), int(seed)) for space, k, mu, number, seed in drawn]


def _cluster(X: np.ndarray, member: _Member, metric: str, variant: str) -> np.ndarray:
    """One member. A single thread: sums in another order could change labels with the number of jobs."""
    with library_threads(1):
        subspace = ordinary_scale(X[:, member.features])[0]  # which may lie far below the other features
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
