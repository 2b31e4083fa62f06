"""What all spectral cuts share: whole eigenspaces, rows of length 1, k-means, and graphs in pieces."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from consensa._budget import check_dense_budget
from consensa._random import as_generator
from consensa._validation import check_integer, check_n_clusters
from consensa.partition.kmeans import weighted_kmeans

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = [
    "EigenProblem",
    "SpectralCut",
    "column_components",
    "component_eigenvectors",
    "largest_eigenpairs",
    "row_components",
]

_DENSE_ROWS = 1024  # larger eigenproblems are left to Lanczos, smaller ones gain nothing from BLAS threads
_SMALLEST = 1e-12  # eigenvalues below this are rounding
_EQUAL = 1e-9  # eigenvalues closer than this are one eigenspace, never cut through


class EigenProblem(Protocol):
    """A normalised graph whose leading eigenvectors place the rows."""

    @property
    def n_pairs(self) -> int:
        """How many eigenpairs there are."""

    @property
    def n_clusters_max(self) -> int:
        """How many clusters it can be cut into."""

    @property
    def what(self) -> str:
        """What limits that number, for the error message."""

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest eigenvalues, falling, and their eigenvectors."""

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Place the rows by the eigenvectors, shape (n_rows, n_vectors)."""


class SpectralCut:
    """The spectrum of a graph and the cuts it gives; one decomposition serves every number of clusters.

    Parameters
    ----------
    problem : EigenProblem
    sizes : ndarray of shape (n_rows,)
        How many objects each row stands for.
    components : ndarray of shape (n_rows,), int
        Connected component of every row.
    n_init : int
        Starts of k-means on the embedding.
    random_state : int, RandomState, Generator or None
    hashes : ndarray of shape (n_rows,), uint64, or None
        Choose the sample on which k-means fits when there are more than 200,000 rows.

    Attributes
    ----------
    n_components : int
        Number of connected components of the graph.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import transfer_cut
    >>> from consensa.relate import cluster_graph
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 3]])
    >>> cut = transfer_cut(cluster_graph(ensemble), ensemble.sizes, random_state=0)
    >>> cut.n_components, cut.cut(3)
    (3, array([0, 1, 1, 2]))
    """

    def __init__(
        self,
        problem: EigenProblem,
        sizes: np.ndarray,
        components: np.ndarray,
        *,
        n_init: int,
        random_state: RandomState,
        hashes: np.ndarray | None = None,
    ) -> None:
        self._problem = problem
        self._sizes = sizes
        self._components = components
        self._n_init = check_integer("n_init", n_init)
        self._seed = int(as_generator(random_state).integers(2**31 - 1))
        self._hashes = hashes
        self._values, self._vectors = np.empty(0), np.empty((0, 0))
        self.n_components = int(components.max()) + 1

    def eigenvalues(self, n_values: int) -> np.ndarray:
        """Return the largest eigenvalues of the normalised graph, falling from 1."""
        self._decompose(n_values)
        return self._values[:n_values]

    def embedding(self, n_clusters: int, power: float = 0.0) -> np.ndarray:
        """Place the rows in the eigenspaces that matter for ``n_clusters``: rows of length 1.

        Parameters
        ----------
        n_clusters : int
        power : float, default=0.0
            Every dimension is multiplied by its eigenvalue to this power, before the rows are scaled.

        Returns
        -------
        ndarray of shape (n_rows, n_dimensions)
            n_dimensions is ``n_clusters``, or more where eigenvalues are equal; at most all there are.
        """
        n_dimensions = self._whole_eigenspaces(n_clusters)
        values = self._values[:n_dimensions]
        placed = self._problem.embed(values, self._vectors[:, :n_dimensions])
        if power:
            placed = placed * np.maximum(values, _SMALLEST) ** power
        placed /= np.linalg.norm(placed, axis=1, keepdims=True) + 1e-10
        return placed

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        check_n_clusters([n_clusters], self._problem.n_clusters_max, self._problem.what)
        if self.n_components >= n_clusters:
            return join_components(self._components, self._sizes, n_clusters)
        labels = weighted_kmeans(
            self.embedding(n_clusters),
            self._sizes,
            n_clusters,
            n_init=self._n_init,
            random_state=np.random.default_rng([self._seed, n_clusters]),
            hashes=self._hashes,
        )
        return split_groups(labels, n_clusters)

    def _whole_eigenspaces(self, n_clusters: int) -> int:
        """Smallest number of eigenvectors from ``n_clusters`` on that does not cut through equal eigenvalues."""
        wanted = n_clusters + 1
        while True:
            self._decompose(wanted)
            drops = np.flatnonzero(self._values[n_clusters - 1 : -1] - self._values[n_clusters:] > _EQUAL)
            if drops.size:
                return n_clusters + int(drops[0])
            if self._values.size == self._problem.n_pairs:
                return int(self._values.size)
            wanted = 2 * self._values.size

    def _decompose(self, n_values: int) -> None:
        if min(n_values, self._problem.n_pairs) > self._values.size:
            n_pairs = min(self._problem.n_pairs, max(32, 1 << int(n_values).bit_length()))
            self._values, self._vectors = self._problem.solve(n_pairs)


def largest_eigenpairs(
    matrix: np.ndarray | sp.csr_array | LinearOperator, n_pairs: int, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues of a normalised symmetric graph, falling, and their eigenvectors.

    Graphs of up to 1,024 rows are decomposed densely, larger ones by Lanczos with a fixed start.

    Parameters
    ----------
    matrix : array, csr_array or LinearOperator of shape (n, n)
        No eigenvalue exceeds 1.
    n_pairs : int
    known : ndarray of shape (n, n_components), default=None
        Orthonormal eigenvectors of the eigenvalue 1, one per component: Lanczos cannot be trusted to find all of a
        multiple eigenvalue, so they are left out of the iteration.

    Examples
    --------
    >>> import numpy as np
    >>> largest_eigenpairs(np.diag([0.1, 1.0, 0.2]), 2)[0]
    array([1. , 0.2])
    """
    n = int(matrix.shape[0])
    if known is None:
        known = np.empty((n, 0))
    if n <= _DENSE_ROWS or n_pairs > n // 8:
        return _dense_eigenpairs(matrix, n_pairs)
    if n_pairs <= known.shape[1]:
        return np.ones(n_pairs), known[:, :n_pairs]

    def multiply(x: np.ndarray) -> np.ndarray:
        x = x.reshape(n, -1)
        y = matrix @ (x - known @ (known.T @ x))
        return np.asarray(y - known @ (known.T @ y))

    operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=float)
    start = np.random.default_rng(0).random(n)
    values, vectors = eigsh(operator, k=n_pairs - known.shape[1], which="LA", v0=start, tol=1e-11)
    falling = np.argsort(-values, kind="stable")
    return (
        np.concatenate([np.ones(known.shape[1]), values[falling]]),
        np.hstack([known, vectors[:, falling]]),
    )


def _dense_eigenpairs(
    matrix: np.ndarray | sp.csr_array | LinearOperator, n_pairs: int
) -> tuple[np.ndarray, np.ndarray]:
    n = int(matrix.shape[0])
    check_dense_budget(24 * n**2, f"The eigenproblem of {n} rows", "Ask for fewer clusters.")
    if isinstance(matrix, LinearOperator):
        dense = matrix @ np.eye(n)
    else:
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    with threadpool_limits(None if n > _DENSE_ROWS else 1, user_api="blas"):
        values, vectors = scipy.linalg.eigh(dense, subset_by_index=(n - n_pairs, n - 1))
    return values[::-1], vectors[:, ::-1]


def component_eigenvectors(components: np.ndarray, root_degrees: np.ndarray) -> np.ndarray:
    """Eigenvectors of eigenvalue 1 of a normalised graph: roots of the degrees on each component, of length 1.

    Parameters
    ----------
    components : ndarray of shape (n,), int
        Component of every node, -1 for none.
    root_degrees : ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> component_eigenvectors(np.array([0, 0, 1]), np.array([3.0, 4.0, 2.0]))
    array([[0.6, 0. ],
           [0.8, 0. ],
           [0. , 1. ]])
    """
    vectors = np.zeros((components.size, int(components.max()) + 1))
    linked = np.flatnonzero(components >= 0)
    vectors[linked, components[linked]] = root_degrees[linked]
    return vectors / np.linalg.norm(vectors, axis=0)


def column_components(affinity: sp.csr_array) -> np.ndarray:
    """Connected component of every column with any weight; -1 for the others."""
    used = np.asarray(affinity.sum(axis=1)).ravel() > 0
    component = np.full(used.size, -1)
    component[used] = connected_components(affinity[used][:, used], directed=False)[1]
    return component


def row_components(matrix: sp.csr_array | np.ndarray, of_column: np.ndarray) -> np.ndarray:
    """Component of every row: that of its first column with a weight; empty rows join the first component."""
    if isinstance(matrix, np.ndarray):
        filled, first = matrix.any(axis=1), np.argmax(matrix > 0, axis=1)
    else:
        linked = sp.csr_array(matrix > 0)
        filled = np.diff(linked.indptr) > 0
        first = np.zeros(linked.shape[0], np.int64)
        first[filled] = linked.indices[linked.indptr[:-1][filled]]
    return np.where(filled, of_column[first], 0)


def split_groups(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Set rows apart until there are ``n_clusters`` groups: the last row of the largest group, of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> split_groups(np.array([0, 0, 2, 2, 2]), 4)
    array([0, 3, 1, 1, 2])
    """
    labels = np.unique(labels, return_inverse=True)[1]
    for new in range(int(labels.max()) + 1, n_clusters):
        labels[np.flatnonzero(labels == np.argmax(np.bincount(labels)))[-1]] = new
    return np.asarray(labels)


def join_components(components: np.ndarray, sizes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Join the lightest components until ``n_clusters`` are left; of equal ones the later first.

    Examples
    --------
    >>> import numpy as np
    >>> join_components(np.array([0, 1, 2, 2]), np.array([5, 1, 1, 1]), 2)
    array([0, 1, 1, 1])
    """
    n_components = int(components.max()) + 1
    mass = np.bincount(components, sizes, n_components)
    first = np.full(n_components, components.size)
    np.minimum.at(first, components, np.arange(components.size))
    group = np.arange(n_components)
    queue = [(mass[c], -first[c], [c]) for c in range(n_components)]
    heapq.heapify(queue)
    for _ in range(n_components - n_clusters):
        light, light_first, members = heapq.heappop(queue)
        heavy, heavy_first, others = heapq.heappop(queue)
        members += others
        heapq.heappush(queue, (light + heavy, max(light_first, heavy_first), members))
    for _, _, members in queue:
        group[members] = members[0]
    return np.asarray(np.unique(group[components], return_inverse=True)[1])
