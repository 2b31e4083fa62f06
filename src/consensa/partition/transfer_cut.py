"""Transfer cut: normalised cut of a bipartite graph through an eigenproblem on its small side."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from consensa._budget import check_dense_budget
from consensa._random import as_generator
from consensa._validation import check_integer, check_n_clusters
from consensa.partition.kmeans import weighted_kmeans

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.relate.relation import Bipartite

__all__ = ["TransferCut", "transfer_cut"]

_DENSE_COLUMNS = 4096  # more columns than this are left to Lanczos
_EQUAL = 1e-9  # eigenvalues closer than this are one eigenspace, never cut through


def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    exact_transfer: bool = False,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> TransferCut:
    """Decompose a bipartite graph, so that its rows can be cut into any number of clusters.

    Parameters
    ----------
    graph : Bipartite
        Rows are microclusters, columns clusters.
    sizes : ndarray of shape (n_rows,), int64, default=None
        How many objects each row stands for; None for 1.
    n_init : int, default=10
        Starts of k-means on the embedding.
    exact_transfer : bool, default=False
        Scale the embedding by the 1/(1 - γ) of the theory, which the published codes leave out.
    random_state : int, RandomState, Generator or None, default=None
    hashes : ndarray of shape (n_rows,), uint64, default=None
        Choose the sample on which k-means fits when there are more than 200,000 rows.

    Returns
    -------
    TransferCut

    References
    ----------
    Li, Wu & Chang (2012), Segmentation using superpixels: a bipartite graph partitioning approach, CVPR.
    https://doi.org/10.1109/CVPR.2012.6247750

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.relate import cluster_graph
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2]])
    >>> transfer_cut(cluster_graph(ensemble), ensemble.sizes, random_state=0).cut(2)
    array([0, 0, 1])
    """
    n_init = check_integer("n_init", n_init)
    counts = np.ones(graph.n_rows, np.int64) if sizes is None else np.asarray(sizes)
    seed = int(as_generator(random_state).integers(2**31 - 1))
    return TransferCut(graph, counts, n_init=n_init, exact_transfer=exact_transfer, seed=seed, hashes=hashes)


class TransferCut:
    """The spectrum of a bipartite graph and the cuts it gives; made by :func:`transfer_cut`.

    Attributes
    ----------
    n_components : int
        Number of connected components of the graph.
    """

    def __init__(
        self,
        graph: Bipartite,
        sizes: np.ndarray,
        *,
        n_init: int,
        exact_transfer: bool,
        seed: int,
        hashes: np.ndarray | None,
    ) -> None:
        self._graph = graph
        self._sizes = sizes
        self._n_init = n_init
        self._exact_transfer = exact_transfer
        self._seed = seed
        self._hashes = hashes
        self._normalised, self._root_degrees = _normalise(graph, sizes)
        self._component = _components(self._normalised, self._root_degrees > 0)
        self.n_components = int(self._component.max()) + 1
        self._eigenvalues = np.empty(0)
        self._eigenvectors = np.empty((graph.n_columns, 0))

    def eigenvalues(self, n_values: int) -> np.ndarray:
        """Return the largest eigenvalues of the normalised graph of the columns, falling from 1."""
        self._decompose(n_values)
        return self._eigenvalues[:n_values]

    def embedding(self, n_clusters: int) -> np.ndarray:
        """Place the rows in the eigenspaces that matter for ``n_clusters``: rows of length 1.

        Returns
        -------
        ndarray of shape (n_rows, n_dimensions)
            n_dimensions is ``n_clusters``, or more where eigenvalues are equal.
        """
        n_dimensions = self._whole_eigenspaces(n_clusters)
        placed = self._graph.transfer(self._eigenvectors[:, :n_dimensions])
        if self._exact_transfer:
            placed /= np.sqrt(np.maximum(self._eigenvalues[:n_dimensions], 1e-12))
        placed /= np.linalg.norm(placed, axis=1, keepdims=True) + 1e-10
        return placed

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        check_n_clusters([n_clusters], self._graph.n_columns, "base clusters (columns of the graph)")
        if self.n_components >= n_clusters:
            return self._join_components(n_clusters)
        return weighted_kmeans(
            self.embedding(n_clusters),
            self._sizes,
            n_clusters,
            n_init=self._n_init,
            rng=np.random.default_rng([self._seed, n_clusters]),
            hashes=self._hashes,
        )

    def _whole_eigenspaces(self, n_clusters: int) -> int:
        """Smallest number of eigenvectors from ``n_clusters`` on that does not cut through equal eigenvalues."""
        wanted = n_clusters + 1
        while True:
            self._decompose(wanted)
            values = self._eigenvalues
            drops = np.flatnonzero(values[n_clusters - 1 : -1] - values[n_clusters:] > _EQUAL)
            if drops.size:
                return n_clusters + int(drops[0])
            if values.size == self._graph.n_columns:
                return int(values.size)
            wanted = 2 * values.size

    def _decompose(self, n_values: int) -> None:
        if n_values <= self._eigenvalues.size or self._eigenvalues.size == self._graph.n_columns:
            return
        n_columns = self._graph.n_columns
        n_pairs = min(n_columns, max(32, 1 << int(n_values).bit_length()))
        if n_columns <= _DENSE_COLUMNS or n_pairs > n_columns // 4:
            check_dense_budget(
                24 * n_columns**2,
                f"The eigenproblem of {n_columns} clusters",
                "Use fewer clusters.",
            )
            dense = self._normalised.toarray()
            values, vectors = scipy.linalg.eigh(dense, subset_by_index=(n_columns - n_pairs, n_columns - 1))
        else:
            start = np.random.default_rng(0).random(n_columns)
            values, vectors = eigsh(self._normalised, k=n_pairs, which="LA", v0=start, tol=1e-12)
        falling = np.argsort(-values, kind="stable")
        self._eigenvalues = values[falling]
        self._eigenvectors = self._root_degrees[:, None] * vectors[:, falling]

    def _join_components(self, n_clusters: int) -> np.ndarray:
        """Join the lightest components until ``n_clusters`` are left; ties by the first row."""
        first_column = _first_columns(self._graph.matrix)
        of_row = np.where(first_column >= 0, self._component[first_column], 0)
        mass = np.bincount(of_row, self._sizes, self.n_components)
        n_rows = of_row.size
        first = np.full(self.n_components, n_rows)
        np.minimum.at(first, of_row, np.arange(n_rows))
        group = np.arange(self.n_components)
        queue = [(mass[c], -first[c], c, [c]) for c in range(self.n_components)]
        heapq.heapify(queue)
        for _ in range(self.n_components - n_clusters):
            light, light_first, _, members = heapq.heappop(queue)
            heavy, heavy_first, target, others = heapq.heappop(queue)
            group[members] = target
            heapq.heappush(queue, (light + heavy, max(light_first, heavy_first), target, members + others))
        return np.asarray(np.unique(group[of_row], return_inverse=True)[1])


def _normalise(graph: Bipartite, sizes: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    """D^-1/2 W D^-1/2 of the affinity W of the columns, and D^-1/2 (0 for columns without any row)."""
    W = sp.csr_array(graph.affinity(sizes))
    W = (W + W.T) * 0.5
    degrees = np.asarray(W.sum(axis=1)).ravel()
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros(degrees.size), where=degrees > 0)
    scale = sp.diags_array(root)
    return sp.csr_array(scale @ W @ scale), root


def _components(normalised: sp.csr_array, used: np.ndarray) -> np.ndarray:
    """Component of every column that has any row; -1 for the others."""
    component = np.full(used.size, -1)
    component[used] = connected_components(normalised[used][:, used], directed=False)[1]
    return component


def _first_columns(matrix: sp.csr_array | np.ndarray) -> np.ndarray:
    """First column with a positive weight of every row; -1 for an empty row."""
    if isinstance(matrix, np.ndarray):
        return np.where(matrix.any(axis=1), np.argmax(matrix > 0, axis=1), -1)
    linked = sp.csr_array(matrix > 0)
    filled = np.diff(linked.indptr) > 0
    first = np.full(linked.shape[0], -1)
    first[filled] = linked.indices[linked.indptr[:-1][filled]]
    return first
