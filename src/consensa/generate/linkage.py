"""A pool of clusterings by linkage: clusters of any shape, cut from the spanning trees of random samples."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._kernels_merges import follow_merges
from consensa._random import as_generator
from consensa._rows import squared_lengths
from consensa._threads import library_threads
from consensa.ensemble.sampling import sampled_rows
from consensa.generate import _kernels_spanning as kernels
from consensa.generate.base import LabellingGenerator, nearest_centers
from consensa.generate.kmeans import check_k_range, default_k_range

if TYPE_CHECKING:
    from consensa._types import Count, Fraction, KRange, RandomState

__all__ = ["LinkagePartitions", "genie_labels"]

_MEMBERS_PER_SAMPLE = 2  # finding the nearest sampled point costs more than cutting the same tree once more
_FEWEST_ROWS = 50


@dataclass(eq=False, repr=False)
class LinkagePartitions(LabellingGenerator):
    """Many clusterings by single linkage that is robust against outliers (Genie), each on a random part of the objects.

    Single linkage follows clusters of any shape, where k-means cuts them up. Two points are joined along the shortest
    edge of the spanning tree, but while the sizes of the clusters are very unequal (Gini index above a threshold), one
    of the smallest has to be joined. Objects outside of the sample get the label of the nearest one in it.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn with uniform logarithms. None for 2 to
        min(floor(sqrt(n_samples)), 100).
    gini_range : tuple of two float, default=(0.1, 0.5)
        Smallest and largest Gini threshold, drawn uniformly; 1 is single linkage.
    fraction : float, default=0.6 (share of the objects in a sample)
    max_rows : int, default=1500 (objects in a sample at most)
    sample_size : int, default=200000
        The samples are drawn from at most that many rows.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    points_ : list of ndarray of shape (n_sampled, n_features)
        The samples; two members share one.
    point_labels_ : list of ndarray of shape (n_sampled, 1 or 2), int32
        Labels of the sampled points by the members that share the sample.

    References
    ----------
    Gagolewski, Bartoszuk & Cena (2016), Genie: a new, fast, and outlier-resistant hierarchical clustering algorithm,
    Information Sciences 363. https://doi.org/10.1016/j.ins.2016.05.003

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa.evaluate import ari
    >>> from consensa.generate import LinkagePartitions
    >>> X, y = make_moons(300, noise=0.05, random_state=0)
    >>> labels = LinkagePartitions(10, k_range=(2, 2), random_state=0).fit_transform(X)
    >>> labels.shape, max(ari(column, y) for column in labels.T)
    ((300, 10), 1.0)
    """

    _fitted = "points_"
    _in_units: ClassVar[tuple[str, ...]] = ("points_",)
    n_partitions: Count = 100
    k_range: KRange = None
    _: KW_ONLY
    gini_range: tuple[float, float] = (0.1, 0.5)
    fraction: Fraction = 0.6
    max_rows: Count = 1500
    sample_size: Count = 200_000
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rows = sampled_rows(X.shape[0], self.sample_size)
        sample = X if rows is None else X[rows]
        rng = as_generator(self.random_state)
        numbers = self._draw_cluster_numbers(sample.shape[0], rng)
        groups = [numbers[at : at + _MEMBERS_PER_SAMPLE] for at in range(0, numbers.size, _MEMBERS_PER_SAMPLE)]
        low, high = check_gini_range(self.gini_range)
        thresholds, seeds = rng.uniform(low, high, len(groups)), rng.integers(2**31 - 1, size=len(groups))
        n_rows = min(max(round(self.fraction * len(sample)), _FEWEST_ROWS), self.max_rows, len(sample))
        tasks = [
            (sample, group, float(threshold), n_rows, int(seed))
            for group, threshold, seed in zip(groups, thresholds, seeds, strict=True)
        ]
        members = self._run(linkage_members, tasks, "linkage")
        self.points_ = [points for points, _ in members]
        self.point_labels_ = [labels for _, labels in members]
        return self._assign(X)

    def _draw_cluster_numbers(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        low, high = default_k_range(n_samples) if self.k_range is None else check_k_range(self.k_range, n_samples)
        logarithms = rng.uniform(math.log(low), math.log(high + 1), size=self.n_partitions)
        return np.clip(np.exp(logarithms).astype(int), low, high)

    def model_arrays(self) -> dict[str, np.ndarray]:
        """Return the sampled points and their labels."""
        check_is_fitted(self, self._fitted)
        points = {f"points{s}": values for s, values in enumerate(self.points_)}
        return points | {f"labels{s}": values for s, values in enumerate(self.point_labels_)}

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        n_samples = len(arrays) // 2
        self.points_ = [arrays[f"points{s}"] for s in range(n_samples)]
        self.point_labels_ = [arrays[f"labels{s}"] for s in range(n_samples)]
        self.n_features_in_ = int(self.points_[0].shape[1])
        return self

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, self._fitted)
        return [int(number) + 1 for labels in self.point_labels_ for number in labels.max(axis=0)]

    def n_drawn_clusters(self, n_samples: int) -> int:
        """Return how many clusters all members will have together."""
        return int(self._draw_cluster_numbers(n_samples, as_generator(self.random_state)).sum())

    def _assign(self, X: np.ndarray) -> np.ndarray:
        pairs = zip(self.points_, self.point_labels_, strict=True)
        return np.hstack([labels[nearest_centers(X, points)] for points, labels in pairs])


def check_gini_range(gini_range: Any) -> tuple[float, float]:
    """Return the smallest and the largest Gini threshold.

    Examples
    --------
    >>> check_gini_range((0.3, 0.3))
    (0.3, 0.3)
    """
    try:
        low, high = map(float, gini_range)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not 0 < low <= high <= 1:
        msg = f"gini_range={gini_range!r} is not allowed: give the smallest and the largest threshold, in (0, 1]."
        raise ValueError(msg)
    return low, high


def linkage_members(
    X: np.ndarray, numbers: np.ndarray, threshold: float, n_rows: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a sample, and label its points by linkage; a single thread, so that no sum depends on the number of jobs."""
    rows = np.sort(np.random.default_rng(seed).choice(X.shape[0], n_rows, replace=False, shuffle=False))
    points = np.asarray(X[rows], float)
    with library_threads(1, "blas"):
        return points, genie_labels(points, numbers, threshold)


def genie_labels(points: np.ndarray, numbers: np.ndarray, threshold: float) -> np.ndarray:
    """Cluster points by single linkage with a Gini threshold, into several numbers of clusters.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
    numbers : ndarray of shape (n_numbers,), int
    threshold : float

    Returns
    -------
    ndarray of shape (n_points, n_numbers), int32

    Examples
    --------
    >>> import numpy as np
    >>> genie_labels(np.array([[0.0], [1.0], [5.0], [6.0], [7.5]]), np.array([2, 3]), 0.3).T
    array([[0, 0, 1, 1, 1],
           [0, 0, 1, 1, 2]], dtype=int32)
    """
    n = points.shape[0]
    first, second, lengths = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    centred = points - points.mean(axis=0)
    kernels.spanning_tree(centred @ centred.T, squared_lengths(centred), first, second, lengths)
    order, merges = np.argsort(lengths, kind="stable"), np.empty((n - 1, 2), np.int64)
    kernels.genie_merges(first[order], second[order], threshold, merges)
    return np.stack([_cut(merges, int(k)) for k in numbers], axis=1)


def _cut(merges: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels after all merges but the last ``n_clusters - 1``."""
    root = np.arange(merges.shape[0] + 1)
    follow_merges(merges[: root.size - n_clusters], root)
    return np.unique(root, return_inverse=True)[1].astype(np.int32)
