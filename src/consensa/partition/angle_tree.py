"""Average linkage on the angles between the places of label rows, of a sample of them where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa._threads import row_ranges, thread_map
from consensa._validation import check_integer, check_n_clusters
from consensa.partition.agglomerate import agglomerate
from consensa.partition.components import set_apart
from consensa.partition.kmeans import fitted_points
from consensa.partition.spectral import unit_rows
from consensa.relate.bipartite import transfer_to_rows
from consensa.relate.cosine import cosine_power

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition.dendrogram import Dendrogram

__all__ = ["AngleTree", "Places", "angle_tree"]

_PLACED_ROWS = 1 << 14  # at a time
_UNITS = 1024  # masses are whole numbers of this part of an object


@dataclass(frozen=True)
class Places:
    """Where label rows lie: at the weighted mean of the axes of their clusters, moved to length 1.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)
    axes : ndarray of shape (n_base_clusters, n_dimensions)

    Examples
    --------
    >>> import numpy as np
    >>> place = Places(np.array([0, 2, 3]), np.ones(3), np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> place(np.array([[0, 0], [1, -1]], np.int32)).round(2)
    array([[1., 0.],
           [0., 1.]])
    """

    offsets: np.ndarray
    weights: np.ndarray
    axes: np.ndarray

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the places of label rows (n x M, int32, -1 = missing)."""
        return unit_rows(transfer_to_rows(codes, self.offsets, self.weights, self.axes))


def angle_tree(ensemble: Ensemble, places: Places, max_microclusters: int = 4000) -> Dendrogram | AngleTree:
    """Join microclusters by the mean squared cosine between the places of their objects.

    Parameters
    ----------
    ensemble : Ensemble
    places : Places
    max_microclusters : int, default=4000
        Of more than these a sample of this size is joined: large microclusters are always in it, small ones by their
        hash and size, and each counts for those that are not (priority sampling). Every other microcluster goes to
        the cluster with the greatest mean squared cosine.

    Returns
    -------
    Dendrogram, or AngleTree of a sample

    References
    ----------
    Duffield, Lund & Thorup (2007), Priority sampling for estimation of arbitrary subset sums, Journal of the ACM
    54(6). https://doi.org/10.1145/1314690.1314696

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2]])
    >>> axes = np.array([[1.0, 0.0], [0.0, 1.0], [0.2, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> angle_tree(ensemble, Places(ensemble.offsets, np.ones(6), axes)).cut(2)
    array([0, 1, 1, 1])
    """
    most = check_integer("max_microclusters", max_microclusters)
    if ensemble.n_microclusters <= most and ensemble.leads is None:
        found = places(ensemble.labels)
        return agglomerate(cosine_power(found, found, alpha=1), ensemble.sizes, "average")
    rows, masses = _sample(ensemble.hashes, ensemble.sizes, min(most, ensemble.n_microclusters))
    found = places(ensemble.labels[rows])
    tree = agglomerate(cosine_power(found, found, alpha=1), masses, "average")
    return AngleTree(tree, rows, masses, places, ensemble)


@dataclass(frozen=True, eq=False)
class AngleTree:
    """The tree of a sample of the microclusters, which labels all the others too.

    Parameters
    ----------
    dendrogram : Dendrogram
    rows : ndarray of shape (n_sampled,), int
        The microclusters that are its leaves.
    masses : ndarray of shape (n_sampled,), int64
        What each of them counts for.
    places : Places
    ensemble : Ensemble

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import SAL
    >>> rng = np.random.default_rng(0)
    >>> labels = np.where(rng.random((200, 5)) < 0.9, np.repeat([0, 1], 100)[:, None], rng.integers(2, size=(200, 5)))
    >>> tree = SAL(2, max_microclusters=10, random_state=0).fit(labels).tree_
    >>> tree.dendrogram.n_leaves, tree.cut(2).size == tree.ensemble.n_microclusters
    (10, True)
    """

    dendrogram: Dendrogram
    rows: np.ndarray
    masses: np.ndarray
    places: Places
    ensemble: Ensemble

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return self.dendrogram.n_leaves

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of all microclusters for a number of clusters, shape (n_microclusters,)."""
        rule = self.rule(n_clusters)
        labels = np.empty(self.ensemble.n_microclusters, np.int64)

        def work(piece: tuple[int, int]) -> None:
            labels[slice(*piece)] = rule(self.ensemble.labels[slice(*piece)])

        thread_map(work, row_ranges(labels.size, _PLACED_ROWS))
        return labels

    def cut_rows(self, n_clusters: list[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:  # noqa: ARG002
        """Cut some of the microclusters into several numbers of clusters; as :meth:`SpectralCut.cut_rows`.

        Parameters
        ----------
        n_clusters : list of int
        rows : ndarray of shape (n_rows,), int
        weights : ndarray of shape (n_rows,)
            Not used: the tree is there already.

        Returns
        -------
        list of ndarray of shape (n_rows,)
        """
        labels = self.ensemble.labels[rows]
        return [np.unique(self.rule(k)(labels), return_inverse=True)[1] for k in n_clusters]

    def rule(self, n_clusters: int) -> AngleRule:
        """Return what labels any label rows: a function of them."""
        check_n_clusters([n_clusters], self.n_clusters_max, "microclusters in the sample (max_microclusters)")
        sampled = self.ensemble.labels[self.rows]
        found, groups = self.places(sampled), self.dendrogram.cut(n_clusters)
        n = found.shape[1]
        moments = np.empty((n_clusters, n, n))
        for group in range(n_clusters):
            members, mass = found[groups == group], self.masses[groups == group]
            moments[group] = (members * (mass / mass.sum())[:, None]).T @ members
        rule = AngleRule(self.places, moments, sampled[:0], np.empty(0, np.int64))
        rows, labels = set_apart(rule(sampled), n_clusters)
        return AngleRule(self.places, moments, sampled[rows], labels)


@dataclass(frozen=True, eq=False)
class AngleRule:
    """Labels of label rows by the greatest mean squared cosine with a cluster, each row on its own."""

    places: Places
    moments: np.ndarray  # (h·g)² is hᵀ (g gᵀ) h, so its mean over a cluster needs only the mean of the g gᵀ
    apart_rows: np.ndarray
    apart_labels: np.ndarray

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.moments.shape[0])

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        labels = np.empty(codes.shape[0], np.int64)
        for start, stop in row_ranges(codes.shape[0], _PLACED_ROWS):
            places = self.places(codes[start:stop])
            means = np.column_stack([((places @ moment) * places).sum(axis=1) for moment in self.moments])
            labels[start:stop] = np.argmax(means.round(10), axis=1)
        for row, label in zip(self.apart_rows, self.apart_labels, strict=True):
            labels[(codes == row).all(axis=1)] = label
        labels[(codes < 0).all(axis=1)] = -1
        return labels


def _sample(hashes: np.ndarray, sizes: np.ndarray, n_sampled: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the sampled rows, rising, and their masses."""
    known = fitted_points(hashes, sizes.size)
    known = np.arange(sizes.size) if known is None else known
    priority = (hashes[known].astype(np.float64) + 1.0) / 2.0**64 / sizes[known]
    order = np.argsort(priority, kind="stable")
    rows = np.sort(order[:n_sampled])
    least = 0.0 if n_sampled >= order.size else 1.0 / priority[order[n_sampled]]
    masses = np.maximum(sizes[known][rows], least)
    return known[rows], np.rint(masses * _UNITS).astype(np.int64)
