"""U-SPEC, ultra-scalable spectral clustering: a sparse graph of rows and representatives, cut by a transfer cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from consensa._random import as_generator
from consensa._validation import check_choice, check_integer, check_n_clusters
from consensa.generate.anchors import Representatives, anchor_affinities, representatives, unit_rows
from consensa.partition.anchor_cut import AnchorCut, anchor_cut
from consensa.relate.relation import Bipartite

if TYPE_CHECKING:
    import scipy.sparse as sp

    from consensa._random import RandomState

__all__ = ["AnchorClusters", "uspec"]

_BLOCK_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class AnchorClusters:
    """A spectral clustering through representatives, which can label any row.

    Parameters
    ----------
    anchors : Representatives
    cut : AnchorCut
        Places of the representatives, and centres of the clusters.
    n_neighbors : int
        Representatives that every row is linked to.
    sigma : float
        Width of the kernel.
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
    cut: AnchorCut
    n_neighbors: int
    sigma: float
    metric: str

    def assign(self, X: np.ndarray) -> np.ndarray:
        """Label rows (n_rows x n_features); every row by itself, so that chunks do not matter.

        Returns
        -------
        ndarray of shape (n_rows,), int32
        """
        labels = np.empty(X.shape[0], np.int32)
        for start in range(0, X.shape[0], _BLOCK_ROWS):
            block = X[start : start + _BLOCK_ROWS]
            numbers, squared = self.anchors.nearest(
                unit_rows(block) if self.metric == "cosine" else block, self.n_neighbors
            )
            labels[start : start + _BLOCK_ROWS] = self.cut.assign(self._graph(numbers, squared))
        return labels

    ARRAYS: ClassVar[tuple[str, ...]] = (
        *("points", "bounds", "group_centers", "around"),
        *("coordinates", "centers"),
        *("n_neighbors", "sigma"),
    )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return everything but the metric as named arrays."""
        parts: list[Any] = 4 * [self.anchors] + 2 * [self.cut] + 2 * [self]
        return {name: np.asarray(getattr(part, name)) for name, part in zip(self.ARRAYS, parts, strict=True)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], metric: str) -> AnchorClusters:
        """Return the clustering that ``to_arrays`` described."""
        points, bounds, groups, around, coordinates, centers, n_neighbors, sigma = (arrays[name] for name in cls.ARRAYS)
        anchors = Representatives(points, bounds, groups, around)
        return cls(anchors, AnchorCut(coordinates, centers), int(n_neighbors), float(sigma), metric)

    def _graph(self, numbers: np.ndarray, squared: np.ndarray) -> sp.csr_array:
        return anchor_affinities(numbers, squared, self.anchors.points.shape[0], self.metric, self.sigma)


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
    check_choice("metric", metric, ("euclidean", "cosine"))
    k = check_integer("n_clusters", n_clusters)
    rng = as_generator(random_state)
    rows = unit_rows(X) if metric == "cosine" else X
    anchors = _representatives(rows, check_integer("n_representatives", n_representatives), n_neighbors, metric, rng)
    n_anchors = anchors.points.shape[0]
    n_linked = min(check_integer("n_neighbors", n_neighbors), n_anchors)
    numbers, squared = anchors.nearest(rows, n_linked)
    sigma = float(np.sqrt(squared).mean())
    graph = anchor_affinities(numbers, squared, n_anchors, metric, sigma)
    used = np.unique(numbers)
    k = min(k, used.size) if clip else check_n_clusters([k], used.size, "distinct representatives near any row")[0]
    linked = Bipartite(graph[:, used])
    cut = anchor_cut(
        linked,
        k,
        n_init=check_integer("n_init", n_init),
        max_iter=check_integer("max_iter", max_iter),
        random_state=rng,
    )
    labels = cut.assign(linked.matrix)
    spread = AnchorCut(cut.coordinates[_nearest_used(anchors.points, used)], cut.centers)
    return AnchorClusters(anchors, spread, n_linked, sigma, metric), labels


def _representatives(
    rows: np.ndarray, n_representatives: int, n_neighbors: int, metric: str, rng: np.random.Generator
) -> Representatives:
    found = representatives(rows, n_representatives, check_integer("n_neighbors", n_neighbors), rng)
    if metric == "euclidean":
        return found
    return Representatives(unit_rows(found.points), found.bounds, found.group_centers, found.around)


def _nearest_used(points: np.ndarray, used: np.ndarray) -> np.ndarray:
    """For every representative its place among the used ones; one that no row was linked to goes to the nearest."""
    place = np.full(points.shape[0], -1)
    place[used] = np.arange(used.size)
    for unused in np.flatnonzero(place < 0):
        place[unused] = np.argmin(((points[used] - points[unused]) ** 2).sum(axis=1))
    return place
