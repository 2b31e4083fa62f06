"""Average linkage of label rows by a dense similarity, of a sample of them where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges, thread_map
from consensa._validation import check_integer, check_n_clusters
from consensa.partition.agglomerate import agglomerate
from consensa.partition.components import set_apart
from consensa.partition.kmeans import fitted_points
from consensa.partition.spectral import unit_rows
from consensa.relate.bipartite import transfer_to_rows
from consensa.relate.cosine import cosine_power
from consensa.relate.relation import Factored

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition.dendrogram import Dendrogram
    from consensa.relate.relation import Dense

__all__ = ["Angles", "Nearness", "SampledTree", "SharedClusters", "sampled_tree"]

_SCORED_ROWS = 1 << 14  # at a time
_UNITS = 1024  # masses are whole numbers of this part of an object


class Nearness(Protocol):
    """A similarity of label rows, whose mean over the members of a group needs no matrix."""

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Return what is to be known of a group of weighted label rows."""

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, up to a factor for every row; shape (n_rows, n_groups)."""


@dataclass(frozen=True)
class Angles:
    """Squared cosine between label rows, each placed at the weighted mean of the axes of its clusters.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)
    axes : ndarray of shape (n_base_clusters, n_dimensions)

    Examples
    --------
    >>> import numpy as np
    >>> angles = Angles(np.array([0, 2, 3]), np.ones(3), np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]))
    >>> angles.similarity(np.array([[0, -1], [1, -1], [0, 0]], np.int32)).similarity.round(2)
    array([[1. , 0. , 0.5],
           [0. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """

    offsets: np.ndarray
    weights: np.ndarray
    axes: np.ndarray

    def places(self, codes: np.ndarray) -> np.ndarray:
        """Return the places of label rows, moved to length 1."""
        return unit_rows(transfer_to_rows(codes, self.offsets, self.weights, self.axes))

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""
        places = self.places(codes)
        return cosine_power(places, places, alpha=1)

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Mean of g gᵀ over the places g: (h·g)² is hᵀ (g gᵀ) h, so its mean needs no more."""
        places = self.places(codes)
        return np.asarray((places * (masses / masses.sum())[:, None]).T @ places)

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, shape (n_rows, n_groups)."""
        places = self.places(codes)
        return np.column_stack([((places @ moment) * places).sum(axis=1) for moment in groups])


@dataclass(frozen=True)
class SharedClusters:
    """Mean weight of the clusters that two label rows share: the weighted co-association.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)

    Examples
    --------
    >>> import numpy as np
    >>> shared = SharedClusters(np.array([0, 2, 4]), np.array([1.0, 0.5, 1.0, 1.0]))
    >>> shared.similarity(np.array([[0, 0], [1, 0], [1, 1]], np.int32)).similarity.round(2)
    array([[1.  , 0.5 , 0.  ],
           [0.5 , 0.75, 0.25],
           [0.  , 0.25, 0.75]])
    """

    offsets: np.ndarray
    weights: np.ndarray

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""
        return Factored(self._factor(codes)).to_dense()

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Mean of the rows of the factor B, as S = B Bᵀ."""
        return np.asarray(self._factor(codes).T @ (masses / masses.sum()))

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, up to a factor for every row; shape (n_rows, n_groups)."""
        return transfer_to_rows(codes, self.offsets, np.sqrt(self.weights), groups.T)

    def _factor(self, codes: np.ndarray) -> sp.csr_array:
        known = codes >= 0
        clusters = (codes + self.offsets[:-1])[known]
        n_known = np.count_nonzero(known, axis=1)
        values = np.sqrt(self.weights[clusters] / np.repeat(n_known, n_known))
        ends = np.concatenate([[0], np.cumsum(n_known)])
        return sp.csr_array((values, clusters, ends), shape=(codes.shape[0], self.weights.size))


def sampled_tree(ensemble: Ensemble, nearness: Nearness, max_microclusters: int = 4000) -> Dendrogram | SampledTree:
    """Join microclusters by the mean similarity of their objects.

    Parameters
    ----------
    ensemble : Ensemble
    nearness : Nearness
    max_microclusters : int, default=4000
        Of more than these a sample of this size is joined: large microclusters are always in it, small ones by their
        hash and size, and each counts for those that are not (priority sampling). Every other microcluster goes to
        the cluster with the greatest mean similarity.

    Returns
    -------
    Dendrogram, or SampledTree

    References
    ----------
    Duffield, Lund & Thorup (2007), Priority sampling for estimation of arbitrary subset sums, Journal of the ACM
    54(6). https://doi.org/10.1145/1314690.1314696

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2]])
    >>> sampled_tree(ensemble, SharedClusters(ensemble.offsets, np.ones(6))).cut(2)
    array([0, 1, 1, 1])
    """
    most = check_integer("max_microclusters", max_microclusters)
    if ensemble.n_microclusters <= most and ensemble.leads is None:
        return agglomerate(nearness.similarity(ensemble.labels), ensemble.sizes, "average")
    rows, masses = _sample(ensemble.hashes, ensemble.sizes, min(most, ensemble.n_microclusters))
    tree = agglomerate(nearness.similarity(ensemble.labels[rows]), masses, "average")
    return SampledTree(tree, rows, masses, nearness, ensemble)


@dataclass(frozen=True, eq=False)
class SampledTree:
    """The tree of a sample of the microclusters, which labels all the others too.

    Parameters
    ----------
    dendrogram : Dendrogram
    rows : ndarray of shape (n_sampled,), int
        The microclusters that are its leaves.
    masses : ndarray of shape (n_sampled,), int64
        What each of them counts for.
    nearness : Nearness
    ensemble : Ensemble

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import SAL
    >>> rng = np.random.default_rng(0)
    >>> labels = np.where(rng.random((200, 5)) < 0.9, np.repeat([0, 1], 100)[:, None], rng.integers(2, size=(200, 5)))
    >>> tree = SAL(2, max_microclusters=10).fit(labels).tree_
    >>> tree.dendrogram.n_leaves, tree.cut(2).size == tree.ensemble.n_microclusters
    (10, True)
    """

    dendrogram: Dendrogram
    rows: np.ndarray
    masses: np.ndarray
    nearness: Any
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

        thread_map(work, row_ranges(labels.size, _SCORED_ROWS))
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

    def rule(self, n_clusters: int) -> NearestGroup:
        """Return what labels any label rows: a function of them."""
        check_n_clusters([n_clusters], self.n_clusters_max, "microclusters in the sample (max_microclusters)")
        sampled, groups = self.ensemble.labels[self.rows], self.dendrogram.cut(n_clusters)
        members = [groups == group for group in range(n_clusters)]
        known = np.array([self.nearness.group(sampled[each], self.masses[each]) for each in members])
        rule = NearestGroup(self.nearness, known, sampled[:0], np.empty(0, np.int64))
        rows, labels = set_apart(rule(sampled), n_clusters)
        return NearestGroup(self.nearness, known, sampled[rows], labels)


@dataclass(frozen=True, eq=False)
class NearestGroup:
    """Labels of label rows by the group of greatest mean similarity, each row on its own."""

    nearness: Any
    groups: np.ndarray
    apart_rows: np.ndarray
    apart_labels: np.ndarray

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.groups.shape[0])

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        labels = np.empty(codes.shape[0], np.int64)
        for start, stop in row_ranges(codes.shape[0], _SCORED_ROWS):
            labels[start:stop] = np.argmax(self.nearness.scores(self.groups, codes[start:stop]).round(10), axis=1)
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
