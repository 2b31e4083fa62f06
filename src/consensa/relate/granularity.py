"""The graph of objects, clusters and links between clusters (multi-granularity link analysis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_cluster_weights, check_positive
from consensa.relate._kernels_triples import add_common_minima
from consensa.relate.bipartite import ClusterGraph, cluster_graph
from consensa.relate.jaccard import cluster_jaccard

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["LinkedClusterGraph", "common_triples", "granularity_graph"]

_INSTEAD = "Use base clusterings of fewer clusters, or LWGP, which needs no links between clusters."


def common_triples(ensemble: Ensemble, weights: np.ndarray | None = None) -> np.ndarray:
    r"""Link clusters by their common neighbours: the source-aware connected triples of GP-MGLA.

    :math:`\sum_k w_k \min(J_{ik}, J_{jk})` over all clusters k, the two themselves included, with the Jaccard
    similarities J; divided by the largest value, that of a cluster with itself included; then 1 for every cluster with
    itself.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        How much the neighbour counts, at least 0: how reliable its clustering is. None for 1.

    Returns
    -------
    ndarray of shape (n_base_clusters, n_base_clusters)
        Symmetric, in [0, 1].

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import Ensemble
    >>> common_triples(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).round(3)
    array([[1.   , 0.13 , 0.696, 0.261],
           [0.13 , 1.   , 0.   , 0.522],
           [0.696, 0.   , 1.   , 0.13 ],
           [0.261, 0.522, 0.13 , 1.   ]])
    """
    n = ensemble.n_base_clusters
    w = check_cluster_weights(weights, n)
    check_dense_budget(32 * n**2, f"The {n} x {n} matrix of links between clusters", _INSTEAD)
    J = sp.csr_array(sp.eye_array(n) + cluster_jaccard(ensemble))
    J.sort_indices()
    links = np.zeros((n, n))

    def fill(piece: tuple[int, int]) -> None:
        add_common_minima(J.indptr, J.indices, J.data, w, *piece, links)

    thread_map(fill, row_ranges(n, 64))
    largest = float(links.max())
    if largest > 0:
        links /= largest
    np.fill_diagonal(links, 1.0)
    return links


def granularity_graph(ensemble: Ensemble, weights: np.ndarray | None = None, alpha: float = 0.5) -> LinkedClusterGraph:
    """Link objects to the clusters they lie in, and clusters to clusters with common neighbours.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters, at least 0; None for 1.
    alpha : float, default=0.5
        Weight of the links of objects relative to those between clusters.

    Returns
    -------
    LinkedClusterGraph
        A :class:`Bipartite` relation of shape (n_microclusters, n_base_clusters).

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import Ensemble
    >>> graph = granularity_graph(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]]))
    >>> graph.affinity(graph.ensemble.sizes).round(2)
    array([[1.54, 0.21, 1.23, 0.6 ],
           [0.21, 1.01, 0.08, 0.85],
           [1.23, 0.08, 1.29, 0.23],
           [0.6 , 0.85, 0.23, 1.23]])
    """
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    graph = cluster_graph(ensemble, w)
    scale = check_positive("alpha", alpha) * float(w.max())
    return LinkedClusterGraph(ensemble, graph.weights, common_triples(ensemble, w), scale)


class LinkedClusterGraph(ClusterGraph):
    """A ClusterGraph to which every cluster adds a row of its own: its links with the other clusters.

    The added rows count once each; only the microclusters are placed and cut.
    """

    links: np.ndarray
    scale: float  # what the links of the microclusters are multiplied by

    def __init__(self, ensemble: Ensemble, weights: np.ndarray, links: np.ndarray, scale: float) -> None:
        super().__init__(ensemble, weights)
        self.__dict__.update(links=links, scale=scale)

    def affinity(self, sizes: np.ndarray) -> sp.csr_array | np.ndarray:
        """Relate the clusters through the microclusters and through the clusters: Bᵀ D⁻¹ B over both kinds of rows."""
        through_clusters = self.links.T @ (self.links / self.links.sum(axis=1, keepdims=True))
        return np.asarray(self.scale * super().affinity(sizes) + (through_clusters + through_clusters.T) * 0.5)
