"""Balanced k-way graph partitioning by METIS, through the package pymetis."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._c_output import without_c_messages
from consensa._messages import warn
from consensa._random import draw_seed
from consensa._validation import check_integer, check_positive
from consensa.partition.components import split_groups
from consensa.partition.cut import Cut
from consensa.relate.relation import Bipartite, Dense, Factored

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["MetisCut", "integer_weights", "metis", "require_pymetis"]

_MEAN_WEIGHT = 100_000  # of an edge, in integers: differences of 1e-5 of the mean are still seen
_RECURSIVE_UP_TO = 8  # clusters; METIS's recursive bisection stays near balance whatever is allowed
_ANY_IMBALANCE = 1e6  # beyond it nothing changes, and METIS counts in 32 bits
_COMPLAINT = b"\t***"  # how its messages begin
_BYTES_PER_EDGE = 40  # neighbour and weight, both in int64, and the coarser graphs inside METIS
_INSTEAD = 'A transfer cut (partitioner="tcut") or average linkage (partitioner="average") does without it.'


def metis(
    relation: Dense | Factored | Bipartite,
    sizes: np.ndarray | None = None,
    *,
    vertex_weights: np.ndarray | None = None,
    imbalance: float | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> MetisCut:
    """Prepare a graph for METIS, which cuts it into parts of nearly equal weight through its lightest edges.

    Parameters
    ----------
    relation : Dense, Factored or Bipartite
        Dense and Factored: the graph of all pairs with a similarity above 0. Bipartite: rows and columns are
        vertices, and both are partitioned.
    sizes : ndarray of shape (n_rows,), int, default=None
        How many equal objects each row stands for. Their vertices are merged: weights of vertices and edges add up,
        edges between them are never cut. None for 1.
    vertex_weights : ndarray of shape (n_rows,), int, default=None
        What the parts are balanced by; None for ``sizes``. Columns of a bipartite graph weigh 1.
    imbalance : float or None, default=None
        By what share a part may outweigh the mean; uses k-way partitioning. None for METIS's own: 0.001 by recursive
        bisection up to 8 clusters, 0.03 by k-way partitioning for more.
    n_init : int, default=10
        Number of partitionings that METIS tries; the one with the lightest cut is kept.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    MetisCut
        To be cut into any number of clusters.

    Notes
    -----
    METIS wants integers. Similarities are scaled to a mean of 100,000, or less where the total would overflow the
    index type of the build, and no edge falls below 1. Where all possible edges are there (all pairs, or all pairs of
    a row and a column), the smallest weight is subtracted first: between parts of given sizes that takes the same from
    every cut, and it keeps the contrast of weights that are all alike.
    Where METIS leaves parts without rows (many clusters of few rows), rows of the largest parts are set apart, with a
    warning.

    References
    ----------
    Karypis & Kumar (1998), A fast and high quality multilevel scheme for partitioning irregular graphs, SIAM Journal
    on Scientific Computing 20(1). https://doi.org/10.1137/S1064827595287997

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.relate import Dense
    >>> S = np.array([[1, 0.9, 0.1, 0.2], [0.9, 1, 0.2, 0.1], [0.1, 0.2, 1, 0.8], [0.2, 0.1, 0.8, 1]])
    >>> labels = metis(Dense(S), random_state=0).cut(2)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    require_pymetis()
    counts = _as_weights("sizes", sizes, np.ones(relation.n_rows, np.int64))
    balanced = _as_weights("vertex_weights", vertex_weights, counts)
    seed = draw_seed(random_state)
    excess = None if imbalance is None else check_positive("imbalance", imbalance)
    if isinstance(relation, Bipartite):
        graph = _bipartite_graph(relation, counts)
        balanced = np.concatenate([balanced, np.ones(relation.n_columns, np.int64)])
    else:
        graph = _pair_graph(relation, counts)
    return MetisCut(graph, balanced, counts, excess, check_integer("n_init", n_init), seed)


class MetisCut(Cut):
    """A graph that METIS cuts into any number of parts; the parts of the first vertices, the rows, are returned."""

    sizes: np.ndarray

    def __init__(
        self,
        graph: sp.csr_array,
        vertex_weights: np.ndarray,
        sizes: np.ndarray,
        imbalance: float | None,
        n_init: int,
        seed: int,
    ) -> None:
        dtype = require_pymetis().zero_copy_dtype()
        self._starts, self._adjacent = graph.indptr.astype(dtype), graph.indices.astype(dtype)
        self._edge_weights = integer_weights(graph.data, int(np.iinfo(dtype).max)).astype(dtype)
        self._vertex_weights = vertex_weights.astype(dtype)
        self.sizes = sizes
        self._imbalance = imbalance
        self._n_init = n_init
        self._seed = seed

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        self.check(n_clusters)
        n_rows = self.sizes.size
        if n_clusters in (1, n_rows):
            return np.arange(n_rows) % n_clusters
        pymetis = require_pymetis()
        options = pymetis.Options(seed=self._seed, ncuts=self._n_init)
        if self._imbalance is not None:
            options.ufactor = max(1, round(1000 * min(self._imbalance, _ANY_IMBALANCE)))
        with without_c_messages(_COMPLAINT) if self._has_giants(n_clusters) else nullcontext():
            found = pymetis.part_graph(
                n_clusters,
                pymetis.CSRAdjacency(self._starts, self._adjacent),
                vweights=self._vertex_weights,
                eweights=self._edge_weights,
                options=options,
                recursive=n_clusters <= _RECURSIVE_UP_TO and self._imbalance is None,
            )
        parts = np.asarray(found.vertex_part, dtype=np.int64)[:n_rows]
        labels = np.asarray(np.unique(parts, return_inverse=True)[1])
        n_found = int(labels.max()) + 1
        if n_found < n_clusters:
            empty = n_clusters - n_found
            warn(f"METIS left {empty} of the {n_clusters} clusters without objects; the largest ones were split.")
        return split_groups(labels, n_clusters)

    def _has_giants(self, n_clusters: int) -> bool:
        """Whether a row outweighs a part, so that METIS may leave parts empty, which it complains of by itself."""
        return int(self._vertex_weights.max()) * n_clusters > int(self._vertex_weights.sum())


def integer_weights(weights: np.ndarray, largest_total: int) -> np.ndarray:
    """Scale edge weights above 0 to integers of at least 1 whose sum stays below a quarter of the largest number.

    Examples
    --------
    >>> import numpy as np
    >>> integer_weights(np.array([0.5, 1.0, 1.5, 1e-12]), 2**31 - 1)
    array([ 66667, 133333, 200000,      1])
    """
    if weights.size > largest_total // 8:
        msg = f"METIS was built for at most {largest_total // 8} edges; this graph has {weights.size}. {_INSTEAD}"
        raise ValueError(msg)
    total = float(weights.sum())
    if not total > 0:
        return np.ones(weights.size, np.int64)
    # rounding and the floor add at most 1 per edge, an eighth of the largest number in all
    scale = min(_MEAN_WEIGHT * weights.size, largest_total // 8) / total
    return np.maximum(np.rint(weights * scale), 1).astype(np.int64)


def require_pymetis() -> Any:
    """Import pymetis, or say which extra brings it."""
    try:
        import pymetis
    except ImportError as error:
        msg = (
            "METIS partitioning needs the package pymetis. Install it with `pip install pymetis`, or choose "
            'another partitioner, for example "tcut".'
        )
        raise ImportError(msg) from error
    return pymetis


def _as_weights(name: str, given: np.ndarray | None, default: np.ndarray) -> np.ndarray:
    if given is None:
        return default
    weights = np.asarray(given)
    if weights.shape != default.shape or weights.dtype.kind not in "iu" or np.any(weights < 0):
        msg = f"{name} of shape {weights.shape} and type {weights.dtype} does not fit: {default.size} whole numbers of "
        raise ValueError(msg + "at least 0 are needed.")
    return weights.astype(np.int64)


def _pair_graph(relation: Dense | Factored, counts: np.ndarray) -> sp.csr_array:
    """Graph of the pairs of rows: similarity above 0, times the number of pairs of objects."""
    n = relation.n_rows
    check_dense_budget(_BYTES_PER_EDGE * n**2, f"The graph of all pairs of {n} rows for METIS", _INSTEAD)
    S = (relation.to_dense() if isinstance(relation, Factored) else relation).similarity
    if not np.all(np.isfinite(S)):
        msg = "the similarity matrix holds NaN or infinite values; METIS needs finite similarities."
        raise ValueError(msg)
    S = 0.5 * (S + S.T)
    np.fill_diagonal(S, 0.0)
    linked = S > 0
    degrees = np.count_nonzero(linked, axis=1)
    if degrees.sum() == n * (n - 1) and n > 1:
        S -= S[linked].min()
    S *= counts
    S *= counts[:, None]
    starts = np.concatenate([[0], np.cumsum(degrees)])
    return sp.csr_array((S[linked], np.nonzero(linked)[1], starts), shape=S.shape)


def _bipartite_graph(relation: Bipartite, counts: np.ndarray) -> sp.csr_array:
    """Graph of rows and columns: [[0, B], [Bᵀ, 0]], the edges of a row counted as often as its objects."""
    edges = sp.csr_array(relation.matrix)
    check_dense_budget(2 * _BYTES_PER_EDGE * edges.nnz, f"The graph of {edges.nnz} edges for METIS", _INSTEAD)
    edges = edges.astype(float, copy=True)
    edges.eliminate_zeros()
    if edges.nnz == edges.shape[0] * edges.shape[1] and edges.nnz > 0:
        edges.data -= edges.data.min()
    edges.data *= np.repeat(counts, np.diff(edges.indptr))
    return sp.csr_array(sp.block_array([[None, edges], [edges.T, None]], format="csr"))
