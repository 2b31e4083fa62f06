"""What all spectral cuts share: whole eigenspaces, rows of length 1, k-means, and graphs in pieces."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

import numpy as np

from consensa._budget import check_dense_budget
from consensa._messages import ConsensaWarning
from consensa._random import draw_seed
from consensa._rows import GUARD, unit_rows
from consensa._stored import check_fits, numbers_below
from consensa._validation import check_integer
from consensa.ensemble.sampling import smallest_hashes
from consensa.partition.components import (
    component_masses,
    eigenvector_bytes,
    join_components,
    join_masses,
    set_apart,
)
from consensa.partition.cut import Cut
from consensa.partition.kmeans import fit_centers, nearest_labels, weighted_kmeans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa._random import RandomState

__all__ = ["CenterFit", "EigenProblem", "KnownPlaces", "SpectralCut", "refuse_more"]

_WITHOUT = "Average linkage (EAC, LWEA) does without them, also with clusters that share nothing with others."
_LEAST_PAIRS = 32  # eigenpairs computed at least
_SPARE_PAIRS = 8  # beyond those asked for, to see where an eigenspace ends
_EQUAL = 1e-9  # eigenvalues closer than this are one eigenspace, never cut through


@dataclass(frozen=True, eq=False)
class EigenProblem(ABC):
    """A normalised graph whose leading eigenvectors place the rows."""

    n_pairs: int  # how many eigenpairs there are
    n_clusters_max: int  # how many clusters it can be cut into
    what: str  # what limits that number, for the error message

    @abstractmethod
    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest eigenvalues, falling, and their eigenvectors."""

    @abstractmethod
    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Place the rows by the eigenvectors, shape (n_rows, n_vectors)."""

    def solved(self, values: np.ndarray, vectors: np.ndarray) -> tuple[EigenProblem, np.ndarray]:
        """Return the problem without what it is solved from, and the vectors that it then takes, for a file."""
        return KnownPlaces(self.n_pairs, self.n_clusters_max, self.what), self.embed(values, vectors)


class KnownPlaces(EigenProblem):
    """A problem that was solved before: its eigenvectors are the places of the rows already."""

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Refuse: what more eigenvectors would be computed from was not saved."""
        refuse_more(n_pairs)

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:  # noqa: ARG002 - of all problems
        """Return the places, stored in the same order: the lengths of rows are rounded as before."""
        return vectors.copy(order="K")


class CenterFit(NamedTuple):
    """k-means on the rows of an embedding."""

    centers: np.ndarray
    labels: np.ndarray  # of the rows it was fitted on
    kept: np.ndarray | None  # which rows these are, None for all


def refuse_more(n_pairs: int) -> NoReturn:
    """Say that a spectrum that was saved reaches no further."""
    msg = (
        f"this many clusters need {n_pairs} eigenvectors, more than were saved with the model; fit it again for "
        "them, or save it after a cut into as many clusters."
    )
    raise ValueError(msg)


class SpectralCut(Cut):
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
        Number of connected components of the graph that hold rows.

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

    sizes: np.ndarray

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
        self.problem = problem
        self.sizes = sizes
        self._components = components
        self._n_init = check_integer("n_init", n_init)
        self._seed = draw_seed(random_state)
        self._hashes = hashes
        self._values, self._vectors = np.empty(0), np.empty((0, 0))
        self._masses = component_masses(components, sizes) if masses is None else masses
        self.n_components = int(np.count_nonzero(self._masses[0]))  # clusters linked to each other alone hold no rows

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return self.problem.n_clusters_max

    @property
    def limit(self) -> str:  # type: ignore[override]
        """What limits the number of clusters."""
        return self.problem.what

    def eigenvalues(self, n_values: int) -> np.ndarray:
        """Return the largest eigenvalues of the normalised graph, falling from 1."""
        self._decompose(n_values)
        return self._values[:n_values]

    def n_leading(self, least: int, above: float) -> int:
        """Return how many eigenvalues exceed ``above``, but at least ``least``, and at most as many as there are."""
        wanted = max(least, self.n_components + 1)  # every component has an eigenvalue 1
        while True:
            self._decompose(wanted)
            if self._values[-1] <= above or self._values.size == self.problem.n_pairs:
                found = int(np.count_nonzero(self._values > above))
                return min(max(found, least), self.problem.n_pairs)
            wanted = self._values.size + 1  # twice as many at a time

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
        return unit_rows(self.problem.embed(self._values[:n_dimensions], self._vectors[:, :n_dimensions]), guard=GUARD)

    def leading_vectors(self, n_clusters: int) -> np.ndarray:
        """Return the eigenvectors of the eigenspaces that matter for ``n_clusters``, as columns."""
        n_vectors = self._whole_eigenspaces(n_clusters)
        return self._vectors[:, :n_vectors]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        self.check(n_clusters)
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

    def _fit_centers(self, points: np.ndarray, n_clusters: int) -> CenterFit:
        kept = smallest_hashes(self._hashes, points.shape[0])
        fitted, mass = (points, self.sizes) if kept is None else (points[kept], self.sizes[kept])
        seed = np.random.default_rng([self._seed, n_clusters])
        return CenterFit(*fit_centers(fitted, mass, n_clusters, n_init=self._n_init, random_state=seed), kept)

    def cut_rows(self, n_clusters: Sequence[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
        """Cut a sample of the rows into several numbers of clusters; k-means fits on these alone, with one start."""
        n_dimensions = self._whole_eigenspaces(max(n_clusters))
        placed = self.problem.embed(self._values[:n_dimensions], self._vectors[:, :n_dimensions])[rows]

        def cut(k: int) -> np.ndarray:
            if self.n_components >= k:
                return np.unique(join_components(self._components, self.sizes, k)[rows], return_inverse=True)[1]
            points = unit_rows(placed[:, : self._whole_eigenspaces(k)], guard=GUARD)
            seed = np.random.default_rng([self._seed, k])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConsensaWarning)  # fewer points than clusters: nobody uses these labels
                labels = weighted_kmeans(points, weights, min(k, rows.size), n_init=1, max_iter=20, random_state=seed)
            return np.unique(labels, return_inverse=True)[1]

        return [np.asarray(cut(k)) for k in n_clusters]

    def state(self) -> dict[str, Any]:
        """Return the part of the spectrum that is known, for a file; at least 32 eigenvectors, if there are so many."""
        self._decompose(_LEAST_PAIRS - 1)
        problem, vectors = self.problem.solved(self._values, self._vectors)
        return {
            "values": self._values,
            "vectors": vectors,
            "problem": problem,
            "sizes": self.sizes,
            "components": self._components,
            "masses": self._masses,
            "hashes": self._hashes,
            "n_init": self._n_init,
            "seed": self._seed,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Build the cut again from :meth:`state`; it can be cut as far as the eigenvectors reach."""
        components, sizes, masses = state["components"], state["sizes"], state["masses"]
        values, vectors, hashes = state["values"], state["vectors"], state["hashes"]
        fits = components.shape == sizes.shape and components.ndim == 1
        check_fits(fits and numbers_below(components, len(masses[0])), "the components of its cut")
        check_fits(len(masses) == 2 and masses[0].shape == masses[1].shape, "the masses of its cut")
        check_fits(hashes is None or hashes.shape == sizes.shape, "the hashes of its cut")
        check_fits(values.ndim == 1 and vectors.ndim == 2 and vectors.shape[1] == values.size, "its eigenvectors")
        options = {name: state[name] for name in ("n_init", "hashes", "masses")}
        cut = cls(state["problem"], state["sizes"], state["components"], random_state=0, **options)
        cut._seed, cut._values, cut._vectors = state["seed"], state["values"], state["vectors"]
        return cut

    def _whole_eigenspaces(self, n_clusters: int) -> int:
        """Smallest number of eigenvectors from ``n_clusters`` on that does not cut through equal eigenvalues.

        At most those of positive eigenvalues: with all of the null space every row would be as far from every other.
        """
        # the eigenvalue 1 comes once with every component: they are all one eigenspace, known before any is computed
        wanted = max(n_clusters, self.n_components) + 1
        while True:
            self._decompose(wanted)
            positive = self._values[self._values > self.problem.n_pairs * np.finfo(float).eps]
            drops = np.flatnonzero(positive[n_clusters - 1 : -1] - positive[n_clusters:] > _EQUAL)
            if drops.size:
                return n_clusters + int(drops[0])
            if positive.size < self._values.size or self._values.size == self.problem.n_pairs:
                return max(positive.size, 1)
            wanted = 2 * self._values.size

    def _decompose(self, n_values: int) -> None:
        if min(n_values, self.problem.n_pairs) > self._values.size:
            more = max(_LEAST_PAIRS, n_values + _SPARE_PAIRS, 2 * self._values.size)
            n_pairs = min(self.problem.n_pairs, more)
            needed = eigenvector_bytes(self.problem.n_pairs, n_pairs)
            check_dense_budget(needed, f"{n_pairs} eigenvectors of a graph of {self.problem.n_pairs} nodes", _WITHOUT)
            self._values, self._vectors = self.problem.solve(n_pairs)
