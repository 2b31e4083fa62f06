"""U-SPEC, ultra-scalable spectral clustering: a sparse graph of rows and representatives, cut by a transfer cut."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._magnitude import ordinary_scale, rows_at
from consensa._messages import ConsensaWarning
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_choice, check_integer, check_n_clusters
from consensa.ensemble.sampling import sampled_rows
from consensa.generate.anchors import Representatives, anchor_affinities, directions, representatives
from consensa.generate.base import LabellingGenerator
from consensa.generate.kmeans import check_k_range
from consensa.partition.anchor_cut import AnchorCut, AnchorRule, anchor_cut
from consensa.relate.relation import Bipartite

if TYPE_CHECKING:
    from consensa._types import Count, KRange, RandomState

__all__ = ["AnchorClusters", "AnchorGraph", "USPECPartitions", "link_to_anchors", "uspec"]

_BLOCK_ROWS = 1 << 16
_SMALLEST_K, _LARGEST_K = 20, 60
_ENOUGH_K = 8  # the largest number of clusters for few rows
_SETTINGS = ("n_representatives", "n_neighbors", "metric", "n_init")
_ITERATIONS = 5  # of k-means on the embedding


@dataclass(frozen=True, eq=False)
class AnchorClusters:
    """A spectral clustering through representatives, which can label any row.

    Parameters
    ----------
    anchors : Representatives
    cut : AnchorRule
        Places of the representatives, and centres of the clusters.
    n_neighbors : int
        Representatives that every row is linked to.
    sigma : float
        Width of the kernel.
    exponent : int
        Representatives and width are those of X * 2**-exponent: the width of X itself may be too large for a number.
    metric : {"euclidean", "cosine"}

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.zeros((20, 2)), np.ones((30, 2))]) + np.random.default_rng(0).normal(0, 0.1, (50, 2))
    >>> clusters, labels = uspec(X, 2, random_state=0)
    >>> bool((clusters.assign(X) == labels).all()), clusters.assign(np.array([[1.0, 0.9]]))
    (True, array([0], dtype=int32))
    """

    anchors: Representatives
    cut: AnchorRule
    n_neighbors: int
    sigma: float
    exponent: int
    metric: str

    def assign(self, X: np.ndarray) -> np.ndarray:
        """Label rows (n_rows x n_features); every row by itself, so that chunks do not matter.

        Returns
        -------
        ndarray of shape (n_rows,), int32
        """
        labels = np.empty(X.shape[0], np.int32)
        n_anchors = self.anchors.points.shape[0]
        for start in range(0, X.shape[0], _BLOCK_ROWS):
            block = X[start : start + _BLOCK_ROWS]
            rows = directions(block) if self.metric == "cosine" else rows_at(block, self.exponent)
            near = self.anchors.nearest(rows, self.n_neighbors)
            graph = anchor_affinities(*near, n_anchors, self.metric, self.sigma)
            labels[start : start + _BLOCK_ROWS] = self.cut.assign(graph)
        return labels

    ARRAYS: ClassVar[tuple[str, ...]] = (
        *("points", "bounds", "group_centers", "around"),
        *("coordinates", "centers"),
        *("n_neighbors", "sigma", "exponent"),
    )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return everything but the metric as named arrays."""
        parts: list[Any] = 4 * [self.anchors] + 2 * [self.cut] + 3 * [self]
        return {name: np.asarray(getattr(part, name)) for name, part in zip(self.ARRAYS, parts, strict=True)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], metric: str) -> AnchorClusters:
        """Return the clustering that ``to_arrays`` described."""
        anchors = Representatives(*(arrays[name] for name in cls.ARRAYS[:4]))
        coordinates, centers, n_neighbors, sigma, exponent = (arrays[name] for name in cls.ARRAYS[4:])
        rule = AnchorRule(coordinates, centers)
        return cls(anchors, rule, int(n_neighbors), float(sigma), int(exponent), metric)


@dataclass(frozen=True, eq=False)
class AnchorGraph:
    """Rows linked to representatives, to be cut into any number of clusters.

    Parameters
    ----------
    anchors : Representatives
    used : ndarray of int
        Representatives that any row is linked to: the columns of the graph.
    cut : AnchorCut
        The graph.
    n_neighbors : int
    sigma : float
    exponent : int
        Representatives and width are those of X * 2**-exponent.
    metric : {"euclidean", "cosine"}
    """

    anchors: Representatives
    used: np.ndarray
    cut: AnchorCut
    n_neighbors: int
    sigma: float
    exponent: int
    metric: str

    def clusters(self, n_clusters: int) -> AnchorClusters:
        """Return what labels any row for a number of clusters."""
        rule = self.cut.anchor_rule(n_clusters)
        spread = AnchorRule(rule.coordinates[_nearest_used(self.anchors.points, self.used)], rule.centers)
        return AnchorClusters(self.anchors, spread, self.n_neighbors, self.sigma, self.exponent, self.metric)


def link_to_anchors(
    X: np.ndarray,
    *,
    n_representatives: int = 1000,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    n_init: int = 3,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> AnchorGraph:
    """Link rows to the nearest of some representatives; parameters as in :func:`uspec`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> link_to_anchors(X, n_neighbors=2, random_state=0).cut.cut(2)
    array([0, 0, 1, 1], dtype=int32)
    """
    check_choice("metric", metric, ("euclidean", "cosine"))
    rng = as_generator(random_state)
    rows, exponent = (directions(X), 0) if metric == "cosine" else ordinary_scale(X)
    anchors = _representatives(rows, check_integer("n_representatives", n_representatives), n_neighbors, metric, rng)
    n_anchors = anchors.points.shape[0]
    n_linked = min(check_integer("n_neighbors", n_neighbors), n_anchors)
    numbers, squared = anchors.nearest(rows, n_linked)
    sigma = float(np.sqrt(squared).mean())
    graph = anchor_affinities(numbers, squared, n_anchors, metric, sigma)
    used = np.unique(numbers)
    cut = anchor_cut(Bipartite(graph[:, used]), n_init=n_init, max_iter=max_iter, random_state=rng)
    return AnchorGraph(anchors, used, cut, n_linked, sigma, exponent, metric)


def uspec(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_representatives: int = 1000,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    n_init: int = 3,
    max_iter: int = 100,
    clip: bool = False,
    random_state: RandomState = None,
) -> tuple[AnchorClusters, np.ndarray]:
    """Cluster rows by ultra-scalable spectral clustering.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    n_clusters : int
        At most the number of distinct representatives.
    n_representatives : int, default=1000
        The centres of k-means on ten times as many random rows; never more than there are rows.
    n_neighbors : int, default=5
        Representatives that every row is linked to.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Gaussian kernel of the distance, as wide as the mean distance; or the cosine, for texts.
    n_init, max_iter : int, default=3 and 100
        Starts and iterations of k-means on the embedding.
    clip : bool, default=False
        Where there are fewer representatives than clusters, make as many clusters instead of raising an error.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    clusters : AnchorClusters
        Labels further rows.
    labels : ndarray of shape (n_rows,), int32
        Clusters numbered by size, then by first row.

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6),
    Algorithm 1. https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(400, noise=0.05, random_state=0)
    >>> _, labels = uspec(X, 2, n_representatives=100, random_state=0)
    >>> bool(((labels == truth).all() or (labels != truth).all()))
    True
    """
    k = check_integer("n_clusters", n_clusters)
    graph = link_to_anchors(
        X,
        n_representatives=n_representatives,
        n_neighbors=n_neighbors,
        metric=metric,
        n_init=n_init,
        max_iter=max_iter,
        random_state=random_state,
    )
    n_used = graph.used.size
    k = min(k, n_used) if clip else check_n_clusters([k], n_used, "distinct representatives near any row")[0]
    return graph.clusters(k), graph.cut.cut(k)


def _representatives(
    rows: np.ndarray, n_representatives: int, n_neighbors: int, metric: str, rng: np.random.Generator
) -> Representatives:
    found = representatives(rows, n_representatives, check_integer("n_neighbors", n_neighbors), rng)
    if metric == "euclidean":
        return found
    return Representatives(directions(found.points), found.bounds, found.group_centers, found.around)


def _nearest_used(points: np.ndarray, used: np.ndarray) -> np.ndarray:
    """For every representative its place among the used ones; one that no row was linked to goes to the nearest."""
    points = ordinary_scale(points)[0]
    place = np.full(points.shape[0], -1)
    place[used] = np.arange(used.size)
    for unused in np.flatnonzero(place < 0):
        place[unused] = np.argmin(((points[used] - points[unused]) ** 2).sum(axis=1))
    return place


@dataclass(eq=False, repr=False)
class USPECPartitions(LabellingGenerator):
    """Many U-SPEC clusterings of the same data: spectral clusterings that see shapes which k-means cannot.

    Parameters
    ----------
    n_partitions : int, default=20 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest number of clusters, and the largest, which itself is not drawn, as published. None for 20 to 60, with
        fewer than 3,600 rows for a third of the root of their number to that root. A member never has more clusters
        than distinct representatives.
    n_representatives : int, default=1000
        Representatives of every member, chosen anew; never more than there are rows.
    n_neighbors : int, default=5 (representatives that every row is linked to)
    metric : {"euclidean", "cosine"}, default="euclidean"
    n_init : int, default=1 (starts, of which the best is kept)
        Starts of k-means on the embedding of a member, of 5 iterations each; few, as published.
    sample_size : int, default=200000
        Members are fitted on at most that many rows, and the others then assigned.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    members_ : list of n_partitions AnchorClusters

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

    _fitted = "members_"
    _scale_free = False  # every member takes care of itself
    _layout: ClassVar[dict[str, Any]] = {"order": "C"}
    n_partitions: Count = 20
    k_range: KRange = None
    _: KW_ONLY
    n_representatives: Count = 1000
    n_neighbors: Count = 5
    metric: Literal["euclidean", "cosine"] = "euclidean"
    n_init: Count = 1
    sample_size: Count = 200_000
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rows = sampled_rows(X.shape[0], self.sample_size)
        sample = X if rows is None else X[rows]
        rng = as_generator(self.random_state)
        low, high = self._k_bounds(sample.shape[0])
        numbers = low + np.floor(rng.random(self.n_partitions) * (high - low)).astype(int)
        seeds = rng.integers(2**31 - 1, size=self.n_partitions)
        settings = {name: getattr(self, name) for name in _SETTINGS}
        tasks = [(sample, int(k), int(seed), settings) for k, seed in zip(numbers, seeds, strict=True)]
        found = self._run(_cluster, tasks, "U-SPEC")
        self.members_: list[AnchorClusters] = [clusters for clusters, _ in found]
        return np.stack([labels for _, labels in found], axis=1) if rows is None else self._assign(X)

    def _k_bounds(self, n_rows: int) -> tuple[int, int]:
        if self.k_range is not None:
            return check_k_range(self.k_range, n_rows)
        high = min(_LARGEST_K, max(_ENOUGH_K, math.isqrt(n_rows)), n_rows)
        return min(high, max(2, high * _SMALLEST_K // _LARGEST_K)), high

    def n_drawn_clusters(self, n_samples: int) -> int:
        """Return how many clusters all members will have together at most."""
        return self._k_bounds(n_samples)[1] * self.n_partitions

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
