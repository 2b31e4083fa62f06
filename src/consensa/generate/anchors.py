"""Representatives of many rows, and every row's nearest ones: the sparse graph that U-SPEC cuts."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._magnitude import even_rows
from consensa._random import draw_seeds
from consensa._rows import squared_lengths
from consensa._stored import check_fits, numbers_below
from consensa._threads import library_threads, row_ranges, thread_map
from consensa.generate import _kernels_anchors as kernels

__all__ = ["Representatives", "anchor_affinities", "directions", "representatives"]

_CANDIDATES = 10  # rows drawn per representative, and neighbours kept of one per neighbour wanted
_SELECT_ITERATIONS = 10
_GROUP_ITERATIONS = 20
_BLOCK_ROWS = 8192
_TINY = np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Representatives:
    """Points that stand for many rows, in groups, with the neighbours of each.

    Parameters
    ----------
    points : ndarray of shape (n_representatives, n_features)
        Group after group.
    bounds : ndarray of shape (n_groups + 1,), int64
        Representatives of group g are ``bounds[g] .. bounds[g + 1] - 1``.
    group_centers : ndarray of shape (n_groups, n_features)
    around : ndarray of shape (n_representatives, n_candidates), int32
        Every representative and the ones nearest to it.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> found = representatives(X, 4, 2, np.random.default_rng(0))
    >>> numbers, squared = found.nearest(X, 2)
    >>> numbers.shape, bool((squared[:, 0] <= squared[:, 1]).all())
    ((20, 2), True)
    """

    points: np.ndarray
    bounds: np.ndarray
    group_centers: np.ndarray
    around: np.ndarray

    def __post_init__(self) -> None:
        n_points, n_groups = self.points.shape[0], self.group_centers.shape[0]
        rising = self.bounds.shape == (n_groups + 1,) and np.all(np.diff(self.bounds) > 0)
        check_fits(rising and self.bounds[0] == 0 and self.bounds[-1] == n_points, "the groups of representatives")
        check_fits(self.group_centers.shape[1:] == self.points.shape[1:], "the centres of representatives")
        fits = self.around.ndim == 2 and self.around.shape[0] == n_points and numbers_below(self.around, n_points)
        check_fits(fits, "the neighbours of representatives")

    def nearest(self, X: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return numbers and squared distances of the (approximately) nearest representatives of every row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        n_neighbors : int
            At most the number of candidates.

        Returns
        -------
        numbers : ndarray of shape (n_rows, n_neighbors), int32
        squared : ndarray of shape (n_rows, n_neighbors), float64
        """
        numbers = np.empty((X.shape[0], n_neighbors), np.int32)
        squared = np.empty((X.shape[0], n_neighbors))
        anchors = kernels.Anchors(
            np.ascontiguousarray(self.group_centers.T),
            np.ascontiguousarray(self.points.T),
            self.points,
            self.bounds,
            self.around,
        )

        def search(rows: tuple[int, int]) -> None:
            part = slice(*rows)
            kernels.nearest_anchors(np.ascontiguousarray(X[part], float), anchors, numbers[part], squared[part])

        thread_map(search, row_ranges(X.shape[0], _BLOCK_ROWS))
        return numbers, squared


def representatives(
    X: np.ndarray, n_representatives: int, n_neighbors: int, rng: np.random.Generator
) -> Representatives:
    """Choose representatives of the rows: a random sample, then the centres of k-means on it.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    n_representatives : int
        No more than there are rows are chosen; equal ones count once.
    n_neighbors : int
        Neighbours that will be asked for; ten times as many candidates are kept.
    rng : Generator

    Returns
    -------
    Representatives

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6),
    Sections 3.1.1-3.1.2. https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> import numpy as np
    >>> representatives(np.eye(3), 10, 1, np.random.default_rng(0)).points.shape
    (3, 3)
    """
    n_rows = X.shape[0]
    n_drawn = min(n_rows, _CANDIDATES * n_representatives)
    drawn = np.sort(rng.choice(n_rows, n_drawn, replace=False)) if n_drawn < n_rows else np.arange(n_rows)
    first_seed, second_seed = draw_seeds(rng, 2)
    sample = np.ascontiguousarray(X[drawn], float)
    points = sample
    if n_representatives < n_drawn:
        points = _k_means(sample, n_representatives, _SELECT_ITERATIONS, first_seed).cluster_centers_
    points = np.unique(points, axis=0)
    n_groups = math.isqrt(points.shape[0])
    model = _k_means(points, n_groups, _GROUP_ITERATIONS, second_seed)
    used, group, counts = np.unique(model.labels_, return_inverse=True, return_counts=True)
    points = points[np.argsort(group, kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n_around = min(points.shape[0], _CANDIDATES * n_neighbors + 1)
    return Representatives(points, bounds, model.cluster_centers_[used], _around(points, n_around))


def anchor_affinities(
    numbers: np.ndarray, squared: np.ndarray, n_anchors: int, metric: str, sigma: float
) -> sp.csr_array:
    """Turn squared distances to the nearest anchors into the weights of a sparse bipartite graph.

    Parameters
    ----------
    numbers, squared : ndarray of shape (n_rows, n_neighbors)
        Which anchors are near, and their squared distances.
    n_anchors : int
    metric : {"euclidean", "cosine"}
        exp(-d²/(2σ²)), or the cosine of rows of length 1; never less than the smallest float that still counts.
    sigma : float
        Width of the kernel, at least 0.

    Returns
    -------
    csr_array of shape (n_rows, n_anchors)

    Examples
    --------
    >>> import numpy as np
    >>> anchor_affinities(np.array([[0, 1]]), np.array([[0.0, 2.0]]), 3, "euclidean", 1.0).toarray().round(3)
    array([[1.   , 0.368, 0.   ]])
    """
    n_rows, n_neighbors = numbers.shape
    if metric == "cosine":
        weights = np.maximum(1 - squared / 2, _TINY)
    else:
        with np.errstate(over="ignore"):  # of rows that are far from all representatives
            weights = np.maximum(np.exp(-squared / max(2 * sigma**2, np.finfo(float).tiny)), _TINY)
    pointers = np.arange(0, numbers.size + 1, n_neighbors)
    graph = sp.csr_array((weights.ravel(), numbers.ravel(), pointers), shape=(n_rows, n_anchors))
    graph.sort_indices()
    return graph


def directions(X: np.ndarray) -> np.ndarray:
    """Scale every row to length 1 in double precision, whatever that of X; rows of zeros stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> directions(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    rows = even_rows(X)
    length = np.sqrt(squared_lengths(rows, float))
    return np.asarray(rows / np.where(length > 0, length, 1.0)[:, None], float)


def _around(points: np.ndarray, n_around: int) -> np.ndarray:
    """Every point and its nearest ones; blocks of distances, never the whole matrix."""
    found = np.empty((points.shape[0], n_around), np.int32)
    half = 0.5 * squared_lengths(points)
    for start, stop in row_ranges(points.shape[0], max(1, (1 << 22) // points.shape[0])):
        gaps = half - points[start:stop] @ points.T
        gaps[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        found[start:stop] = _smallest(gaps, n_around)
    return found


def _k_means(points: np.ndarray, k: int, max_iter: int, seed: int) -> KMeans:
    """A single thread: sums in another order could change labels with the number of jobs."""
    model = KMeans(k, init="random", n_init=1, max_iter=max_iter, random_state=seed)
    with library_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few iterations are meant, equal points are counted once
        return model.fit(points)


def _smallest(values: np.ndarray, n_kept: int) -> np.ndarray:
    """Places of the smallest values of every row, rising, of equal ones the first; only these are sorted.

    Examples
    --------
    >>> _smallest(np.array([[3.0, 1.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0]]), 2)
    array([[3, 1],
           [0, 1]])
    """
    border = np.partition(values, n_kept - 1, axis=1)[:, n_kept - 1 : n_kept]
    row, place = np.nonzero(values <= border)
    if row.size > n_kept * values.shape[0]:  # ties at the border
        return np.asarray(np.argsort(values, axis=1, kind="stable")[:, :n_kept])
    places = place.reshape(-1, n_kept)
    order = np.argsort(np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(places, order, axis=1))
