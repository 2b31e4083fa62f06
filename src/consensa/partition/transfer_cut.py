"""Transfer cut: normalised cut of a bipartite graph through an eigenproblem on its small side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._validation import check_sizes
from consensa.partition.spectral import (
    SpectralCut,
    column_components,
    component_eigenvectors,
    largest_eigenpairs,
    row_components,
)

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.relate.relation import Bipartite

__all__ = ["transfer_cut"]


def transfer_cut(
    graph: Bipartite,
    sizes: np.ndarray | None = None,
    *,
    n_init: int = 10,
    exact_transfer: bool = False,
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
    problem = _ColumnProblem(graph, sp.csr_array(scale @ W @ scale), known, root, exact_transfer)
    components = row_components(graph.matrix, of_column)
    return SpectralCut(
        problem,
        counts,
        components,
        n_init=n_init,
        random_state=random_state,
        hashes=hashes,
        masses=graph.component_masses(of_column),
    )


@dataclass(frozen=True, eq=False)
class _ColumnProblem:
    """The eigenproblem on the columns, D^-1/2 W D^-1/2 with W = Bᵀ D_x⁻¹ B, carried over to the rows."""

    graph: Bipartite
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

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        return largest_eigenpairs(self.normalised, n_pairs, self.known)

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        placed = self.graph.transfer(self.inverse_roots[:, None] * vectors)
        return placed / np.sqrt(np.maximum(values, 1e-12)) if self.exact_transfer else placed
