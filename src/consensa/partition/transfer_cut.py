"""Transfer cut: normalised cut of a bipartite graph through an eigenproblem on its small side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from consensa._validation import check_n_clusters, check_sizes
from consensa.partition.cluster_walk import column_graph, inverse_roots
from consensa.partition.components import (
    component_eigenvectors,
    component_masses,
    row_components,
    set_apart,
    split_groups,
)
from consensa.partition.cut import Cut, StoredCut
from consensa.partition.eigenpairs import largest_eigenpairs
from consensa.partition.rules import CenterRule, ComponentRule
from consensa.partition.spectral import EigenProblem, SpectralCut, refuse_more
from consensa.relate.bipartite import ClusterGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import scipy.sparse as sp

    from consensa._random import RandomState
    from consensa.partition.cluster_walk import ClusterWalk
    from consensa.relate.relation import Bipartite

__all__ = ["ColumnProblem", "RowsCut", "TransferCut", "transfer_cut"]

SMALLEST = 1e-12  # eigenvalues below this are rounding


@overload
def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    exact_transfer: bool = False,
    both_sides: Literal[False] = False,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> TransferCut: ...


@overload
def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    both_sides: Literal[True],
    random_state: RandomState = None,
) -> RowsCut: ...


def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    exact_transfer: bool = False,
    both_sides: bool = False,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> TransferCut | RowsCut:
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
    both_sides : bool, default=False
        Run k-means on rows and columns together, placed by the left and right singular vectors of D_x^-1/2 B D_y^-1/2,
        and keep the rows: spectral co-clustering, as in HBGF. Always an exact transfer.
    random_state : int, RandomState, Generator or None, default=None
    hashes : ndarray of shape (n_rows,), uint64, default=None
        Choose the sample on which k-means fits when there are more than 200,000 rows.

    Returns
    -------
    TransferCut, or RowsCut for both sides

    Notes
    -----
    A graph with at least as many components as clusters is cut along the components, the lightest ones joined.
    Otherwise eigenspaces are never cut through: the embedding has as many more dimensions as eigenvalues are equal.

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
    graph.check()
    counts = check_sizes(sizes, graph.n_rows)
    degrees, of_column, normalised = column_graph(graph, counts)
    known = component_eigenvectors(of_column, np.sqrt(degrees))
    is_connected = of_column.max() <= 0  # its matrix may then stay unformed
    components = np.zeros(counts.size, of_column.dtype) if is_connected else row_components(graph.matrix, of_column)
    limits = (degrees.size, "base clusters (columns of the graph)"), (counts.size, Cut.limit)
    width = (degrees.size, *min(limits, key=lambda limit: limit[0]))
    solvable = (*width, graph, normalised, known, inverse_roots(degrees), of_column)
    if both_sides:
        joint = _BothSides(*solvable, exact_transfer=True)
        mass = np.concatenate([counts, of_column >= 0])
        parts = np.concatenate([components, np.maximum(of_column, 0)])
        return RowsCut(SpectralCut(joint, mass, parts, n_init=n_init, random_state=random_state), counts)
    problem = ColumnProblem(*solvable, exact_transfer=exact_transfer)
    return TransferCut(
        problem,
        counts,
        components,
        n_init=n_init,
        random_state=random_state,
        hashes=hashes,
        masses=graph.component_masses(of_column) or component_masses(components, counts, int(of_column.max()) + 1),
    )


class TransferCut(SpectralCut):
    """The spectrum of a bipartite graph; where its rows are label rows, it labels any further ones too.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.relate import cluster_graph
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2]])
    >>> cut = transfer_cut(cluster_graph(ensemble), ensemble.sizes, random_state=0)
    >>> cut.axes(2).shape, cut.rule(2)(ensemble.labels)
    ((5, 2), array([0, 0, 1]))
    """

    problem: ColumnProblem

    def axes(self, n_clusters: int, power: float = 0.0) -> np.ndarray:
        """Return what rows are placed by: a row is the mean of the axes of its clusters.

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
        n_dimensions = self._whole_eigenspaces(n_clusters)
        values, vectors = self._values[:n_dimensions], self._vectors[:, :n_dimensions]
        return np.asarray(self.problem.inverse_roots[:, None] * vectors * np.maximum(values, SMALLEST) ** power)

    def rule(self, n_clusters: int) -> CenterRule | ComponentRule | None:
        """Return what labels further label rows: their component, or the nearest centre in the embedding."""
        # the places of other rows, such as those of PTGP, are all that a file keeps of them
        graph = self.problem.graph.cluster_graph if isinstance(self.problem, ColumnProblem) else None
        if graph is None:
            return None
        self.check(n_clusters)
        if self.n_components >= n_clusters:
            joined = self.joined(n_clusters)
            of_cluster = joined[self.problem.components]
            return ComponentRule(graph.ensemble.offsets, graph.weights, of_cluster, int(joined[0]))
        points = self.embedding(n_clusters)
        fit = self._fit_centers(points, n_clusters)
        rows, apart = set_apart(fit.labels, n_clusters)
        values, vectors = self._values[: points.shape[1]], self._vectors[:, : points.shape[1]]
        return CenterRule(
            graph.ensemble.offsets,
            graph.weights,
            self.problem.inverse_roots[:, None] * vectors,
            np.sqrt(np.maximum(values, SMALLEST)) if self.problem.exact_transfer else None,
            fit.centers,
            graph.ensemble.labels[rows if fit.kept is None else fit.kept[rows]],
            apart,
        )


@dataclass(frozen=True, eq=False)
class RowsCut(StoredCut):
    """A spectral cut of rows and, after them, columns together, of which the rows are kept."""

    vertices: SpectralCut
    sizes: np.ndarray

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return min(self.sizes.size, self.vertices.n_clusters_max)

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        check_n_clusters([n_clusters], self.sizes.size, self.limit)
        return split_groups(self.vertices.cut(n_clusters)[: self.sizes.size], n_clusters)

    def cut_rows(self, n_clusters: Sequence[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
        """Cut a sample of the rows into several numbers of clusters."""
        return self.vertices.cut_rows(n_clusters, rows, weights)


@dataclass(frozen=True, eq=False)
class ColumnProblem(EigenProblem):
    """The eigenproblem on the columns, D^-1/2 W D^-1/2 with W = Bᵀ D_x⁻¹ B, carried over to the rows."""

    graph: Bipartite
    normalised: np.ndarray | sp.csr_array | ClusterWalk | None  # None of a problem that was solved before, and saved
    known: np.ndarray  # eigenvectors of eigenvalue 1
    inverse_roots: np.ndarray  # 1 over the roots of the degrees of the columns
    components: np.ndarray  # of every column, -1 for one without any weight
    exact_transfer: bool

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest eigenvalues, falling, and their eigenvectors."""
        if self.normalised is None:
            refuse_more(n_pairs)
        return largest_eigenpairs(self.normalised, n_pairs, self.known)

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Place the rows by the eigenvectors, shape (n_rows, n_vectors)."""
        placed = self.graph.transfer(self.inverse_roots[:, None] * vectors)
        return placed / np.sqrt(np.maximum(values, SMALLEST)) if self.exact_transfer else placed

    def solved(self, values: np.ndarray, vectors: np.ndarray) -> tuple[EigenProblem, np.ndarray]:
        """Return the problem without what it is solved from, and the vectors that it then takes, for a file."""
        graph = self.graph.cluster_graph
        if graph is None:
            return super().solved(values, vectors)
        plain = ClusterGraph(graph.ensemble, graph.weights)
        return replace(self, graph=plain, normalised=None), vectors


@dataclass(frozen=True, eq=False)
class _BothSides(ColumnProblem):
    """The same eigenproblem, placing the columns too."""

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        return np.vstack([super().embed(values, vectors), vectors])

    def solved(self, values: np.ndarray, vectors: np.ndarray) -> tuple[EigenProblem, np.ndarray]:
        return EigenProblem.solved(self, values, vectors)
