"""The normalised graph of the clusters as products alone, where its matrix would cost more than they do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa._threads import n_threads, row_ranges, thread_map
from consensa.ensemble.sampling import SAMPLE_ABOVE
from consensa.ensemble.sums import counts_by_cluster
from consensa.partition import _kernels_walk as kernels
from consensa.partition.components import column_components
from consensa.partition.eigenpairs import DENSE_ROWS
from consensa.relate.relation import scale_both

if TYPE_CHECKING:
    import scipy.sparse as sp

    from consensa.relate.bipartite import ClusterGraph
    from consensa.relate.relation import Bipartite

__all__ = ["ClusterWalk", "ColumnGraph", "column_graph"]

_VECTORS = 8  # at a time, those of the kernel
_BITS = 61  # of the sums
_FEWEST_ROWS = 4096  # for a thread
_GROUP_CLUSTERS = 8192  # 512 KiB of vectors
# A product of eight vectors costs 3.6 ns for every label, or 0.8 ns for every pair of clusters; to count the pairs
# costs 2 ns for every pair of labels of a row. Some 40 products are needed.
_LABEL_COST, _PAIR_COST, _COUNT_COST = 144, 32, 2


class ColumnGraph(NamedTuple):
    """The graph of the columns of a bipartite graph: W = Bᵀ D⁻¹ B."""

    degrees: np.ndarray
    components: np.ndarray  # of every column, -1 for one without any weight
    normalised: np.ndarray | sp.csr_array | ClusterWalk  # W with rows and columns divided by the roots of degrees


def column_graph(graph: Bipartite, sizes: np.ndarray) -> ColumnGraph:
    """Relate the columns of a bipartite graph through its rows, which count ``sizes`` times.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.relate import Bipartite
    >>> column_graph(Bipartite(np.array([[1.0, 1.0], [0.0, 2.0]])), np.array([1, 1])).degrees
    array([1., 3.])
    """
    clusters = graph.cluster_graph
    if clusters is not None and _is_walked(clusters):
        return _walked(clusters, sizes)
    W = graph.affinity(sizes)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    return ColumnGraph(degrees, column_components(W), scale_both(W, inverse_roots(degrees)))


def inverse_roots(degrees: np.ndarray) -> np.ndarray:
    """Return 1 over the roots of degrees, 0 for 0."""
    return np.divide(1.0, np.sqrt(degrees), out=np.zeros(degrees.size), where=degrees > 0)


def _is_walked(graph: ClusterGraph) -> bool:
    """Whether products from the label rows are cheaper than a matrix; of many rows only a sample may be known."""
    ensemble = graph.ensemble
    if ensemble.leads is not None or ensemble.n_microclusters > SAMPLE_ABOVE or ensemble.n_base_clusters <= DENSE_ROWS:
        return False
    n_labels = ensemble.n_microclusters * ensemble.n_partitions
    counted = _PAIR_COST * ensemble.n_base_clusters**2 + _COUNT_COST * n_labels * ensemble.n_partitions
    return _LABEL_COST * n_labels < counted


def _walked(graph: ClusterGraph, sizes: np.ndarray) -> ColumnGraph:
    ensemble = graph.ensemble
    degrees = graph.weights * counts_by_cluster(ensemble.labels, ensemble.offsets, sizes)
    root = np.arange(degrees.size)
    kernels.join_clusters(ensemble.labels, ensemble.offsets, graph.weights, root)
    components = np.full(degrees.size, -1)
    components[degrees > 0] = np.unique(root[degrees > 0], return_inverse=True)[1]
    return ColumnGraph(degrees, components, ClusterWalk(graph, sizes, degrees))


def _column_groups(offsets: np.ndarray) -> np.ndarray:
    """Cut the columns into groups of so many clusters that their vectors stay in the cache: where each begins."""
    bounds = [0]
    for m in range(1, offsets.size - 1):
        if offsets[m + 1] - offsets[bounds[-1]] > _GROUP_CLUSTERS:
            bounds.append(m)
    return np.array([*bounds, offsets.size - 1])


class ClusterWalk:
    """D^-1/2 W D^-1/2 with W = Bᵀ D_x⁻¹ B of a graph of label rows, of which no matrix is formed.

    Its products are sums of whole numbers, the same for any order of the rows.

    Parameters
    ----------
    graph : ClusterGraph
    sizes : ndarray of shape (n_rows,)
    degrees : ndarray of shape (n_base_clusters,)
        Row sums of W.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> from consensa.relate import cluster_graph
    >>> ensemble = Ensemble([[0, 0, 1], [0, 1, 1]])
    >>> walk = ClusterWalk(cluster_graph(ensemble), ensemble.sizes, ensemble.cluster_sizes)
    >>> (walk @ np.eye(4)).round(2)[0]
    array([0.5 , 0.  , 0.35, 0.25])
    """

    def __init__(self, graph: ClusterGraph, sizes: np.ndarray, degrees: np.ndarray) -> None:
        self.shape = (degrees.size, degrees.size)
        self._labels, self._offsets = graph.ensemble.labels, graph.ensemble.offsets
        self._groups = _column_groups(self._offsets)
        self._factors = graph.inverse_degrees() * sizes
        self._scale = graph.weights * inverse_roots(degrees)
        # |Σ_i f_i (B x)_i| is at most this times |x|, as the normalised graph has no eigenvalue above 1
        self._bound = math.sqrt(float(self._factors.sum()))

    def __matmul__(self, X: np.ndarray) -> np.ndarray:
        """Multiply vectors, the columns of X (n_base_clusters x n_vectors)."""
        blocks = [self._walk(X[:, start:stop]) for start, stop in row_ranges(X.shape[1], _VECTORS)]
        return np.hstack(blocks) if len(blocks) != 1 else blocks[0]

    def _walk(self, X: np.ndarray) -> np.ndarray:
        """Multiply at most eight vectors."""
        n_vectors = X.shape[1]
        vectors = np.zeros((X.shape[0], _VECTORS))
        np.multiply(X, self._scale[:, None], out=vectors[:, :n_vectors])
        longest = float(np.sqrt(np.einsum("ij,ij->j", X, X).max(initial=0.0)))
        unit = 2.0 ** (_BITS - math.ceil(math.log2(max(self._bound * longest, 2.0**-_BITS))))

        def add(piece: tuple[int, int]) -> np.ndarray:
            rows, out = slice(*piece), np.zeros(vectors.shape, np.int64)
            kernels.add_walk(self._labels[rows], self._offsets, self._factors[rows], self._groups, vectors, unit, out)
            return out

        n_rows = self._labels.shape[0]
        first, *others = thread_map(add, row_ranges(n_rows, max(-(-n_rows // n_threads()), _FEWEST_ROWS)))
        for other in others:
            first += other
        return np.asarray(first[:, :n_vectors] * (self._scale / unit)[:, None])
