"""A transfer cut of rows linked to anchors, which can also label rows it has not seen, by their anchors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._groups import membership, order_by_size
from consensa._random import as_generator
from consensa._rows import GUARD, unit_rows
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_choice, check_integer
from consensa.partition import _kernels_kmeans as kernels
from consensa.partition.cut import StoredCut
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.transfer_cut import transfer_cut
from consensa.relate.relation import Bipartite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consensa._random import RandomState
    from consensa.partition.transfer_cut import TransferCut

__all__ = ["AnchorCut", "AnchorRule", "anchor_cut"]

_BLOCK_ROWS = 8192
_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


@dataclass(frozen=True, eq=False)
class AnchorRule:
    """Places of the columns of a bipartite graph, and the centres of the clusters among them.

    A row of the graph lies at the weighted mean of its columns, scaled to length 1, and belongs to the nearest centre.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> rule = AnchorRule(np.eye(2), np.eye(2))
    >>> rule.assign(sp.csr_array(np.array([[3.0, 1.0], [0.0, 2.0]])))
    array([0, 1], dtype=int32)
    """

    coordinates: np.ndarray
    centers: np.ndarray

    def assign(self, matrix: sp.csr_array) -> np.ndarray:
        """Label rows by their links (csr_array of shape (n_rows, n_columns)), int32; every row by itself."""
        labels = np.empty(matrix.shape[0], np.int64)

        def label(rows: tuple[int, int]) -> None:
            part = slice(*rows)
            kernels.assign(_place(matrix[part], self.coordinates), self.centers, labels[part])

        thread_map(label, row_ranges(labels.size, _BLOCK_ROWS))
        return labels.astype(np.int32)

    def clearness(self, matrix: sp.csr_array) -> np.ndarray:
        """Compare the distances of rows from the nearest and the second centre: 1 - first / second, in [0, 1].

        1 with a single cluster.
        """
        if self.centers.shape[0] == 1:
            return np.ones(matrix.shape[0])
        out = np.empty(matrix.shape[0])
        for start, stop in row_ranges(matrix.shape[0], _BLOCK_ROWS):
            placed = _place(matrix[start:stop], self.coordinates)
            squares = (placed**2).sum(axis=1)[:, None] + (self.centers**2).sum(axis=1) - 2 * placed @ self.centers.T
            near, next_one = np.sqrt(np.maximum(np.partition(squares, 1, axis=1)[:, :2].T, 0.0))
            out[start:stop] = 1 - np.divide(near, next_one, out=np.ones_like(near), where=next_one > 0)
        return out


def anchor_cut(
    graph: Bipartite, *, n_init: int = 3, max_iter: int = 100, random_state: RandomState = None
) -> AnchorCut:
    """Decompose a graph of rows and anchors, so that its rows, and others, can be cut into any number of clusters.

    Parameters
    ----------
    graph : Bipartite
        Sparse; every row and every column has links.
    n_init, max_iter : int
        Starts and iterations of k-means on the embedding.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    AnchorCut

    References
    ----------
    Li, Wu & Chang (2012), Segmentation using superpixels: a bipartite graph partitioning approach, CVPR.
    https://doi.org/10.1109/CVPR.2012.6247750

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from consensa.relate import Bipartite
    >>> graph = Bipartite(sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])))
    >>> anchor_cut(graph, random_state=0).cut(2)
    array([0, 0, 1], dtype=int32)
    """
    starts, rounds = check_integer("n_init", n_init), check_integer("max_iter", max_iter)
    return AnchorCut(sp.csr_array(graph.matrix), starts, rounds, as_generator(random_state).bit_generator.state)


@dataclass(frozen=True, eq=False)
class AnchorCut(StoredCut):
    """The spectrum of a graph of rows and anchors, computed when it is needed.

    Parameters
    ----------
    matrix : csr_array of shape (n_rows, n_anchors)
    n_init, max_iter : int
    seed_state : dict
        State of a generator of random numbers: every number of clusters draws the same ones.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> links = sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]))
    >>> rule = AnchorCut(links, 3, 100, np.random.default_rng(0).bit_generator.state).anchor_rule(2)
    >>> rule.assign(sp.csr_array(np.array([[0.1, 2.0]])))
    array([1], dtype=int32)
    """

    matrix: sp.csr_array
    n_init: int
    max_iter: int
    seed_state: Mapping[str, Any]

    limit = "distinct representatives near any row"

    @property
    def sizes(self) -> np.ndarray:
        """Every row is an object."""
        return np.ones(self.matrix.shape[0], np.int64)

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return int(self.matrix.shape[1])

    @cached_property
    def _rules(self) -> dict[int, AnchorRule]:
        return {}

    @cached_property
    def _spectrum(self) -> tuple[TransferCut, Mapping[str, Any]]:
        rng = _generator(self.seed_state)
        return transfer_cut(Bipartite(self.matrix), n_init=self.n_init, random_state=rng), rng.bit_generator.state

    def anchor_rule(self, n_clusters: int) -> AnchorRule:
        """Return what labels rows by the anchors they are linked to.

        Clusters are numbered by size, then by first row. There are fewer than asked for if fewer rows can be told
        apart.
        """
        self.check(n_clusters)
        if n_clusters not in self._rules:
            self._rules[n_clusters] = _numbered(self._rule(n_clusters), self.matrix)
        return self._rules[n_clusters]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,), int32."""
        return self.anchor_rule(n_clusters).assign(self.matrix)

    def _rule(self, n_clusters: int) -> AnchorRule:
        spectrum, state = self._spectrum
        if spectrum.n_components >= n_clusters:
            return _component_rule(self.matrix, spectrum.cut(n_clusters))
        vectors = spectrum.leading_vectors(n_clusters)
        degrees = np.asarray(self.matrix.sum(axis=0)).ravel()
        coordinates = np.ascontiguousarray(vectors / np.sqrt(degrees)[:, None])
        placed = _place(self.matrix, coordinates)
        ones, rng = np.ones(placed.shape[0]), _generator(state)
        labels = weighted_kmeans(placed, ones, n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=rng)
        return AnchorRule(coordinates, _means(placed, labels))


def _generator(state: Mapping[str, Any]) -> np.random.Generator:
    check_choice("bit_generator", state["bit_generator"], _BIT_GENERATORS)
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


def _place(matrix: sp.csr_array, coordinates: np.ndarray) -> np.ndarray:
    """Rows at the weighted means of their columns, scaled to length 1."""
    placed = np.asarray(matrix @ coordinates)
    placed /= np.asarray(matrix.sum(axis=1)).reshape(-1, 1)
    return unit_rows(placed, guard=GUARD, out=placed)


def _component_rule(matrix: sp.csr_array, labels: np.ndarray) -> AnchorRule:
    """A graph in enough pieces: the columns take the label of the piece they are in."""
    column_labels = np.zeros(matrix.shape[1], np.int64)
    column_labels[matrix.indices] = np.repeat(labels, np.diff(matrix.indptr))
    corners = np.eye(int(labels.max()) + 1)
    return AnchorRule(corners[column_labels], corners)


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return np.asarray(membership(codes, counts.size, np.ones(codes.size)) @ points) / counts[:, None]


def _numbered(rule: AnchorRule, matrix: sp.csr_array) -> AnchorRule:
    """Order the clusters by size, then by first row, without those that no row belongs to."""
    found, first, counts = np.unique(rule.assign(matrix), return_index=True, return_counts=True)
    return AnchorRule(rule.coordinates, np.ascontiguousarray(rule.centers[found[order_by_size(counts, first)]]))
