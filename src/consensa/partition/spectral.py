"""What all spectral cuts share: whole eigenspaces, rows of length 1, k-means, and graphs in pieces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from consensa._budget import check_dense_budget
from consensa._messages import ConsensaWarning
from consensa._random import as_generator
from consensa._threads import library_threads
from consensa._validation import check_integer, check_n_clusters
from consensa.partition.components import component_masses, join_components, join_masses, set_apart
from consensa.partition.kmeans import fit_centers, fitted_points, nearest_labels, weighted_kmeans
from consensa.partition.known_spectrum import KnownSpectrum

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = [
    "CenterFit",
    "EigenProblem",
    "SpectralCut",
    "largest_eigenpairs",
]

_DENSE_ROWS = 1024  # larger eigenproblems are left to Lanczos, smaller ones gain nothing from BLAS threads
_LEAST_PAIRS = 32  # eigenpairs computed at least
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


class CenterFit(NamedTuple):
    """k-means on the rows of an embedding."""

    centers: np.ndarray
    labels: np.ndarray  # of the rows it was fitted on
    kept: np.ndarray | None  # which rows these are, None for all


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
    masses : pair of ndarray of shape (n_components,), default=None
        Number of objects and first object of every component, where the rows are only a sample of all.

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

    _options: ClassVar[tuple[str, ...]] = ()  # what a subclass is built with beside these

    def __init__(
        self,
        problem: EigenProblem,
        sizes: np.ndarray,
        components: np.ndarray,
        *,
        n_init: int,
        random_state: RandomState,
        hashes: np.ndarray | None = None,
        masses: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self._problem = problem
        self._sizes = sizes
        self._components = components
        self._n_init = check_integer("n_init", n_init)
        self._seed = int(as_generator(random_state).integers(2**31 - 1))
        self._hashes = hashes
        self._values, self._vectors = np.empty(0), np.empty((0, 0))
        self._masses = component_masses(components, sizes) if masses is None else masses
        self.n_components = int(self._masses[0].size)

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return self._problem.n_clusters_max

    def eigenvalues(self, n_values: int) -> np.ndarray:
        """Return the largest eigenvalues of the normalised graph, falling from 1."""
        self._decompose(n_values)
        return self._values[:n_values]

    def eigenvalue_sum(self) -> float:
        """Return the sum of all eigenvalues (of a transfer cut)."""
        problem: Any = self._problem
        return float(problem.normalised.diagonal().sum())

    def axes(self, n_clusters: int, power: float = 0.0) -> np.ndarray:
        """Return what rows are placed by (of a transfer cut): a row is the mean of the axes of its clusters.

        Parameters
        ----------
        n_clusters : int
        power : float, default=0.0
            Every dimension is multiplied by its eigenvalue to this power.

        Returns
        -------
        ndarray of shape (n_base_clusters, n_dimensions)
            n_dimensions is ``n_clusters``, or more where eigenvalues are equal; at most all that are positive.
        """
        problem: Any = self._problem
        n_dimensions = self._whole_eigenspaces(n_clusters)
        values, vectors = self._values[:n_dimensions], self._vectors[:, :n_dimensions]
        return np.asarray(problem.inverse_roots[:, None] * vectors * np.maximum(values, _SMALLEST) ** power)

    def embedding(self, n_clusters: int) -> np.ndarray:
        """Place the rows in the eigenspaces that matter for ``n_clusters``: rows of length 1.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        ndarray of shape (n_rows, n_dimensions)
            n_dimensions is ``n_clusters``, or more where eigenvalues are equal; at most all that are positive.
        """
        n_dimensions = self._whole_eigenspaces(n_clusters)
        return unit_rows(self._problem.embed(self._values[:n_dimensions], self._vectors[:, :n_dimensions]))

    def leading_vectors(self, n_clusters: int) -> np.ndarray:
        """Return the eigenvectors of the eigenspaces that matter for ``n_clusters``, as columns."""
        n_vectors = self._whole_eigenspaces(n_clusters)
        return self._vectors[:, :n_vectors]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        check_n_clusters([n_clusters], self._problem.n_clusters_max, self._problem.what)
        if self.n_components >= n_clusters:
            return self.joined(n_clusters)[self._components]
        points = self.embedding(n_clusters)
        fit = self._fit_centers(points, n_clusters)
        labels = fit.labels if fit.kept is None else nearest_labels(points, fit.centers)
        rows, apart = set_apart(fit.labels, n_clusters)
        labels[rows if fit.kept is None else fit.kept[rows]] = apart
        return labels

    def joined(self, n_clusters: int) -> np.ndarray:
        """Return the cluster of every component, where there are at least ``n_clusters`` of them."""
        return join_masses(*self._masses, n_clusters)

    def rule(self, n_clusters: int) -> Any:
        """Return what labels rows that are not here (of a transfer cut): a function of label rows."""
        problem: Any = self._problem
        check_n_clusters([n_clusters], self._problem.n_clusters_max, self._problem.what)
        if self.n_components >= n_clusters:
            return problem.component_rule(self.joined(n_clusters))
        points = self.embedding(n_clusters)
        fit = self._fit_centers(points, n_clusters)
        n_dimensions = points.shape[1]
        values, vectors = self._values[:n_dimensions], self._vectors[:, :n_dimensions]
        return problem.center_rule(values, vectors, fit, n_clusters)

    def _fit_centers(self, points: np.ndarray, n_clusters: int) -> CenterFit:
        kept = fitted_points(self._hashes, points.shape[0])
        fitted, mass = (points, self._sizes) if kept is None else (points[kept], self._sizes[kept])
        seed = np.random.default_rng([self._seed, n_clusters])
        return CenterFit(*fit_centers(fitted, mass, n_clusters, n_init=self._n_init, random_state=seed), kept)

    def cut_rows(
        self, n_clusters: list[int], rows: np.ndarray, weights: np.ndarray, n_init: int = 1
    ) -> list[np.ndarray]:
        """Cut a sample of the rows into several numbers of clusters: quick, to compare numbers rather than to use.

        Parameters
        ----------
        n_clusters : list of int
        rows : ndarray of shape (n_sampled,), int
            k-means fits on these alone.
        weights : ndarray of shape (n_sampled,)
            How many objects each of them stands for.
        n_init : int, default=1
            Starts of k-means, of at most 20 iterations.

        Returns
        -------
        list of ndarray of shape (n_sampled,)
        """
        n_dimensions = self._whole_eigenspaces(max(n_clusters))
        placed = self._problem.embed(self._values[:n_dimensions], self._vectors[:, :n_dimensions])[rows]

        def cut(k: int) -> np.ndarray:
            if self.n_components >= k:
                return np.unique(join_components(self._components, self._sizes, k)[rows], return_inverse=True)[1]
            points = placed[:, : self._whole_eigenspaces(k)]
            points = points / (np.linalg.norm(points, axis=1, keepdims=True) + 1e-10)
            seed = np.random.default_rng([self._seed, k])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConsensaWarning)  # fewer points than clusters: nobody uses these labels
                labels = weighted_kmeans(
                    points, weights, min(k, rows.size), n_init=n_init, max_iter=20, random_state=seed
                )
            return np.unique(labels, return_inverse=True)[1]

        return [np.asarray(cut(k)) for k in n_clusters]

    def to_state(self) -> dict[str, Any]:
        """Return the part of the spectrum that is known, for a file; at least 32 eigenvectors, if there are so many."""
        self._decompose(_LEAST_PAIRS - 1)
        return {
            "values": self._values,
            "placed": self._problem.embed(self._values, self._vectors),
            "limits": (self._problem.n_pairs, self._problem.n_clusters_max, self._problem.what),
            "sizes": self._sizes,
            "components": self._components,
            "hashes": self._hashes,
            "n_init": self._n_init,
            "seed": self._seed,
            **{name: getattr(self, f"_{name}") for name in self._options},
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> SpectralCut:
        """Build the cut again from :meth:`to_state`; it can be cut as far as the eigenvectors reach."""
        problem = KnownSpectrum(*state["limits"])
        cut = cls(
            problem,
            state["sizes"],
            state["components"],
            n_init=state["n_init"],
            random_state=0,
            hashes=state["hashes"],
            **{name: state[name] for name in cls._options},
        )
        cut._seed, cut._values, cut._vectors = state["seed"], state["values"], state["placed"]
        return cut

    def _whole_eigenspaces(self, n_clusters: int) -> int:
        """Smallest number of eigenvectors from ``n_clusters`` on that does not cut through equal eigenvalues.

        At most those of positive eigenvalues: with all of the null space every row would be as far from every other.
        """
        wanted = n_clusters + 1
        while True:
            self._decompose(wanted)
            positive = self._values[self._values > self._problem.n_pairs * np.finfo(float).eps]
            drops = np.flatnonzero(positive[n_clusters - 1 : -1] - positive[n_clusters:] > _EQUAL)
            if drops.size:
                return n_clusters + int(drops[0])
            if positive.size < self._values.size or self._values.size == self._problem.n_pairs:
                return max(positive.size, 1)
            wanted = 2 * self._values.size

    def _decompose(self, n_values: int) -> None:
        if min(n_values, self._problem.n_pairs) > self._values.size:
            n_pairs = min(self._problem.n_pairs, max(_LEAST_PAIRS, 1 << int(n_values).bit_length()))
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
    with library_threads(None if n > _DENSE_ROWS else 1, user_api="blas"):
        values, vectors = scipy.linalg.eigh(dense, subset_by_index=(n - n_pairs, n - 1))
    return values[::-1], vectors[:, ::-1]


def unit_rows(placed: np.ndarray) -> np.ndarray:
    """Scale rows to length 1, in place."""
    placed /= np.linalg.norm(placed, axis=1, keepdims=True) + 1e-10
    return placed
