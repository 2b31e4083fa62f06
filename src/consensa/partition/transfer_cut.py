"""Transfer cut: normalised cut of a bipartite graph through an eigenproblem on its small side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp

from consensa._validation import check_n_clusters, check_sizes
from consensa.partition.components import (
    column_components,
    component_eigenvectors,
    row_components,
    set_apart,
    split_groups,
)
from consensa.partition.kmeans import nearest_labels
from consensa.partition.spectral import SpectralCut, largest_eigenpairs, unit_rows
from consensa.relate.bipartite import transfer_to_rows

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.partition.spectral import CenterFit
    from consensa.relate.relation import Bipartite

__all__ = ["transfer_cut"]


def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    exact_transfer: bool = False,
    both_sides: bool = False,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> SpectralCut:
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
    SpectralCut

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
    counts = check_sizes(sizes, graph.n_rows)
    W = sp.csr_array(graph.affinity(counts))
    W = (W + W.T) * 0.5
    degrees = np.asarray(W.sum(axis=1)).ravel()
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros(degrees.size), where=degrees > 0)
    scale = sp.diags_array(root)
    of_column = column_components(W)
    known = component_eigenvectors(of_column, np.sqrt(degrees))
    normalised = sp.csr_array(scale @ W @ scale)
    components = row_components(graph.matrix, of_column)
    if both_sides:
        joint = _BothSides(graph, normalised, known, root, exact_transfer=True)
        mass = np.concatenate([counts, of_column >= 0])
        vertices = np.concatenate([components, np.maximum(of_column, 0)])
        return RowsCut(joint, mass, vertices, n_init=n_init, random_state=random_state, n_rows=graph.n_rows)
    problem = _ColumnProblem(graph, normalised, known, root, exact_transfer)
    return SpectralCut(
        problem,
        counts,
        components,
        n_init=n_init,
        random_state=random_state,
        hashes=hashes,
        masses=graph.component_masses(of_column),
    )


class RowsCut(SpectralCut):
    """A spectral cut of rows and columns together, of which the rows are kept.

    Parameters
    ----------
    *args, **options
        As for :class:`SpectralCut`, rows first, then columns.
    n_rows : int
    """

    _options: ClassVar[tuple[str, ...]] = ("n_rows",)

    def __init__(self, *args: Any, n_rows: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._n_rows = n_rows

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        check_n_clusters([n_clusters], self._n_rows, "microclusters (distinct label rows)")
        return split_groups(super().cut(n_clusters)[: self._n_rows], n_clusters)


@dataclass(frozen=True, eq=False)
class _ColumnProblem:
    """The eigenproblem on the columns, D^-1/2 W D^-1/2 with W = Bᵀ D_x⁻¹ B, carried over to the rows."""

    graph: Any
    normalised: sp.csr_array
    known: np.ndarray
    inverse_roots: np.ndarray
    exact_transfer: bool
    what: str = "base clusters (columns of the graph)"

    @property
    def n_pairs(self) -> int:
        return self.graph.n_columns

    @property
    def n_clusters_max(self) -> int:
        return self.graph.n_columns

    def component_rule(self, joined: np.ndarray) -> ComponentRule:
        """Tell rows that are not here apart by their component."""
        of_column = column_components(self.normalised)
        return ComponentRule(self.graph.ensemble.offsets, self.graph.weights, joined[of_column], int(joined[0]))

    def center_rule(self, values: np.ndarray, vectors: np.ndarray, fit: CenterFit, n_clusters: int) -> CenterRule:
        """Tell rows that are not here apart by the nearest centre."""
        rows, apart = set_apart(fit.labels, n_clusters)
        ensemble = self.graph.ensemble
        return CenterRule(
            ensemble.offsets,
            self.graph.weights,
            self.inverse_roots[:, None] * vectors,
            np.sqrt(np.maximum(values, 1e-12)) if self.exact_transfer else None,
            fit.centers,
            ensemble.labels[rows],
            apart,
        )

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        return largest_eigenpairs(self.normalised, n_pairs, self.known)

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        placed = self.graph.transfer(self.inverse_roots[:, None] * vectors)
        return placed / np.sqrt(np.maximum(values, 1e-12)) if self.exact_transfer else placed


@dataclass(frozen=True, eq=False)
class _BothSides(_ColumnProblem):
    """The same eigenproblem, placing the columns too."""

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        return np.vstack([super().embed(values, vectors), vectors])


@dataclass(frozen=True, eq=False)
class ComponentRule:
    """Labels of label rows by their connected component, each row on its own."""

    offsets: np.ndarray
    weights: np.ndarray
    of_cluster: np.ndarray
    of_empty: int

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.of_cluster.max()) + 1

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        clusters = np.where(codes >= 0, codes + self.offsets[:-1], 0)
        linked = (codes >= 0) & (self.weights[clusters] > 0)
        first = clusters[np.arange(codes.shape[0]), np.argmax(linked, axis=1)]
        labels = np.where(linked.any(axis=1), self.of_cluster[first], self.of_empty)
        return np.where((codes >= 0).any(axis=1), labels, -1)


@dataclass(frozen=True, eq=False)
class CenterRule:
    """Labels of label rows by the nearest centre in the embedding, each row on its own."""

    offsets: np.ndarray
    weights: np.ndarray
    vectors: np.ndarray
    divisors: np.ndarray | None
    centers: np.ndarray
    apart_rows: np.ndarray
    apart_labels: np.ndarray

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.centers.shape[0])

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        placed = transfer_to_rows(codes, self.offsets, self.weights, self.vectors)
        if self.divisors is not None:
            placed /= self.divisors
        labels = nearest_labels(unit_rows(placed), self.centers)
        for row, label in zip(self.apart_rows, self.apart_labels, strict=True):
            labels[(codes == row).all(axis=1)] = label
        labels[(codes < 0).all(axis=1)] = -1
        return labels
