"""A transfer cut that can also label rows it has not seen, by the columns they are linked to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._random import as_generator
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_n_clusters
from consensa.partition import _kernels_kmeans as kernels
from consensa.partition.kmeans import weighted_kmeans
from consensa.partition.transfer_cut import transfer_cut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.relate.relation import Bipartite

__all__ = ["AnchorCut", "anchor_cut"]

_BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False)
class AnchorCut:
    """Places of the columns of a bipartite graph, and the centres of the clusters among them.

    Parameters
    ----------
    coordinates : ndarray of shape (n_columns, n_dimensions)
    centers : ndarray of shape (n_clusters, n_dimensions)
        A row of the graph lies at the weighted mean of its columns, scaled to length 1, and belongs to the nearest
        centre.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> cut = AnchorCut(np.eye(2), np.eye(2))
    >>> cut.assign(sp.csr_array(np.array([[3.0, 1.0], [0.0, 2.0]])))
    array([0, 1], dtype=int32)
    """

    coordinates: np.ndarray
    centers: np.ndarray

    def assign(self, matrix: sp.csr_array) -> np.ndarray:
        """Label rows by their links (csr_array of shape (n_rows, n_columns)); every row by itself.

        Returns
        -------
        ndarray of shape (n_rows,), int32
        """
        labels = np.empty(matrix.shape[0], np.int64)

        def label(rows: tuple[int, int]) -> None:
            part = slice(*rows)
            kernels.assign(_place(matrix[part], self.coordinates), self.centers, labels[part])

        thread_map(label, row_ranges(labels.size, _BLOCK_ROWS))
        return labels.astype(np.int32)


def anchor_cut(
    graph: Bipartite,
    n_clusters: int,
    *,
    n_init: int = 3,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> AnchorCut:
    """Cut the rows of a bipartite graph into clusters, and keep what is needed to label further rows.

    Parameters
    ----------
    graph : Bipartite
        Sparse; every row and every column has links.
    n_clusters : int
        At most the number of columns.
    n_init, max_iter : int
        Starts and iterations of k-means on the embedding.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    AnchorCut
        Clusters numbered by size, then by first row. Fewer than asked for if fewer rows can be told apart.

    References
    ----------
    Li, Wu & Chang (2012), Segmentation using superpixels: a bipartite graph partitioning approach, CVPR.
    https://doi.org/10.1109/CVPR.2012.6247750

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from consensa.relate import Bipartite
    >>> graph = Bipartite(sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])))
    >>> anchor_cut(graph, 2, random_state=0).assign(graph.matrix)
    array([0, 0, 1], dtype=int32)
    """
    check_n_clusters([n_clusters], graph.n_columns, "representatives (columns of the graph)")
    matrix = sp.csr_array(graph.matrix)
    rng = as_generator(random_state)
    cut = transfer_cut(graph, n_init=n_init, random_state=rng)
    if cut.n_components >= n_clusters:
        return _numbered(_component_cut(matrix, cut.cut(n_clusters)), matrix)
    vectors = cut.leading_vectors(n_clusters)
    degrees = np.asarray(matrix.sum(axis=0)).ravel()
    coordinates = np.ascontiguousarray(vectors / np.sqrt(degrees)[:, None])
    placed = _place(matrix, coordinates)
    ones = np.ones(placed.shape[0])
    labels = weighted_kmeans(placed, ones, n_clusters, n_init=n_init, max_iter=max_iter, random_state=rng)
    return _numbered(AnchorCut(coordinates, _means(placed, labels)), matrix)


def _place(matrix: sp.csr_array, coordinates: np.ndarray) -> np.ndarray:
    """Rows at the weighted means of their columns, scaled to length 1."""
    placed = np.asarray(matrix @ coordinates)
    placed /= np.asarray(matrix.sum(axis=1)).reshape(-1, 1)
    placed /= np.linalg.norm(placed, axis=1, keepdims=True) + 1e-10
    return placed


def _component_cut(matrix: sp.csr_array, labels: np.ndarray) -> AnchorCut:
    """A graph in enough pieces: the columns take the label of the piece they are in."""
    column_labels = np.zeros(matrix.shape[1], np.int64)
    column_labels[matrix.indices] = np.repeat(labels, np.diff(matrix.indptr))
    corners = np.eye(int(labels.max()) + 1)
    return AnchorCut(corners[column_labels], corners)


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    members = sp.csr_array((np.ones(codes.size), (codes, np.arange(codes.size))))
    return np.asarray(members @ points) / counts[:, None]


def _numbered(cut: AnchorCut, matrix: sp.csr_array) -> AnchorCut:
    """Order the clusters by size, then by first row, without those that no row belongs to."""
    found, first, counts = np.unique(cut.assign(matrix), return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    return AnchorCut(cut.coordinates, np.ascontiguousarray(cut.centers[found[order]]))
