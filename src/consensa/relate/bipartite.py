"""The graph of microclusters and weighted clusters."""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._stored import Stored, check_fits
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_cluster_weights
from consensa.ensemble import _kernels
from consensa.ensemble.pairs import DegreeSums
from consensa.ensemble.sums import incidence_of
from consensa.relate.relation import Bipartite, check_entries, inverse_sums, scale_both

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["ClusterGraph", "cluster_graph", "transfer_to_rows"]

_SMALLEST_WEIGHT = 2.0**-40  # relative to the largest; keeps the fixed-point numbers within 61 bits
_CHUNK_ROWS = 1 << 16


def cluster_graph(ensemble: Ensemble, weights: np.ndarray | None = None) -> ClusterGraph:
    """Link every microcluster to the clusters it lies in, by the weight of the cluster.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters, at least 0; None for 1. Their common scale does not matter; a weight below 2⁻⁴⁰
        of the largest counts as that.

    Returns
    -------
    ClusterGraph
        A :class:`Bipartite` relation of shape (n_microclusters, n_base_clusters).

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Eq. 25-26.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import Ensemble
    >>> cluster_graph(Ensemble([[0, 0, 1], [0, 1, 1]])).matrix.toarray()
    array([[1., 0., 1., 0.],
           [1., 0., 0., 1.],
           [0., 1., 0., 1.]])
    """
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    if not w.any():
        msg = "all cluster weights are 0, so no object is linked to any cluster. Give at least one positive weight."
        raise ValueError(msg)
    scaled = w / w.max()
    scaled[w > 0] = np.maximum(scaled[w > 0], _SMALLEST_WEIGHT)
    return ClusterGraph(ensemble, scaled)


class ClusterGraph(Bipartite, Stored):
    """A Bipartite relation B = Z diag(w), whose affinity is a sum of integers.

    The sums are the same for any order or chunking of the rows, in memory or out of core. The matrix is formed when it
    is asked for: a transfer cut of a connected graph does without.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,)
        At least 0, the largest 1.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ClusterGraph(Ensemble([[0, 0, 1], [0, 1, 1]]), np.array([1.0, 1.0, 1.0, 0.5])).inverse_degrees().round(2)
    array([0.5 , 0.67, 0.67])
    """

    ensemble: Ensemble
    weights: np.ndarray

    def __init__(self, ensemble: Ensemble, weights: np.ndarray) -> None:
        self.__dict__.update(ensemble=ensemble, weights=weights)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """B, shape (n_microclusters, n_base_clusters)."""
        return self._weighted(self.ensemble.incidence)

    @property
    def n_rows(self) -> int:
        """Number of microclusters."""
        return self.ensemble.n_microclusters

    @property
    def n_columns(self) -> int:
        """Number of clusters."""
        return self.ensemble.n_base_clusters

    def check(self) -> None:
        """Refuse weights that cannot be compared."""
        check_entries(self.weights, "the graph")

    def inverse_degrees(self) -> np.ndarray:
        """Return 1 over the row sums, 0 where a row is empty; shape (n_rows,)."""
        labels, offsets = self.ensemble.labels, self.ensemble.offsets
        pieces = (labels[start:stop] for start, stop in row_ranges(self.n_rows, _CHUNK_ROWS))
        return np.concatenate([inverse_sums(self._weighted(incidence_of(piece, offsets))) for piece in pieces])

    def _weighted(self, Z: sp.csr_array) -> sp.csr_array:
        return sp.csr_array((self.weights[Z.indices], Z.indices, Z.indptr), shape=Z.shape)

    @property
    def cluster_graph(self) -> ClusterGraph:
        """The graph itself: further label rows can be placed by their clusters."""
        return self

    def state(self) -> dict[str, Any]:
        """Return what the graph can be built from again, for a file: the matrix follows from the ensemble."""
        return {"ensemble": self.ensemble, "weights": self.weights}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> ClusterGraph:
        """Build the graph again from :meth:`state`."""
        return cluster_graph(state["ensemble"], state["weights"])

    def affinity(self, sizes: np.ndarray) -> sp.csr_array | np.ndarray:
        """Relate the clusters through the objects: Bᵀ D⁻¹ B, summed in fixed point."""
        bits = _fraction_bits(self.ensemble, self.weights)
        new = partial(DegreeSums, self.ensemble.offsets, self.weights, bits)  # no part of self may travel to a worker
        inverse = self.ensemble.sum_rows(new, sizes).finish()
        return scale_both(inverse, self.weights)

    def transfer(self, vectors: np.ndarray) -> np.ndarray:
        """Carry vectors on the clusters over to the microclusters: D⁻¹ B V, shape (n_rows, n_vectors)."""
        return transfer_to_rows(self.ensemble.labels, self.ensemble.offsets, self.weights, vectors)

    def component_masses(self, of_column: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return number of objects and first object of every component, where the microclusters are only a sample."""
        leads = self.ensemble.leads
        if leads is None:
            return None
        used = np.flatnonzero(of_column >= 0)
        n_components = int(of_column.max()) + 1
        first = np.full(n_components, np.iinfo(np.int64).max)
        np.minimum.at(first, of_column[used], leads.first[used])
        return np.bincount(of_column[used], leads.counts[used], n_components), first


def transfer_to_rows(labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Give label rows the weighted mean of the vectors of their clusters; a row is its own sum, whatever the others.

    Examples
    --------
    >>> import numpy as np
    >>> labels, vectors = np.array([[0, 0], [1, -1]], np.int32), np.array([[1.0], [2.0], [5.0]])
    >>> transfer_to_rows(labels, np.array([0, 2, 3]), np.array([1.0, 1.0, 3.0]), vectors)
    array([[4.],
           [2.]])
    """
    n_clusters = int(offsets[-1])
    fits = weights.shape == (n_clusters,) and vectors.ndim == 2 and vectors.shape[0] == n_clusters
    check_fits(fits and labels.shape[1] == offsets.size - 1, "the vectors of its clusters")
    out = np.empty((labels.shape[0], vectors.shape[1]))
    vectors = np.ascontiguousarray(vectors)

    def carry(piece: tuple[int, int]) -> None:
        rows = slice(*piece)
        _kernels.carry_to_rows(labels[rows], offsets, weights, vectors, out[rows])

    thread_map(carry, row_ranges(labels.shape[0], _CHUNK_ROWS))
    return out


def _fraction_bits(ensemble: Ensemble, weights: np.ndarray) -> int:
    """Bits after the point of 1 / degree: no number, and no sum of its upper part over all objects, needs over 62 bits.

    The bound on the degrees comes from the counts of the clusters, so that it is known before any row is read again.
    """
    smallest = 0.0
    for start, stop in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        if ensemble.cluster_sizes[start:stop].sum() == ensemble.n_labelled:  # this clustering labels every object
            smallest += float(weights[start:stop].min())
    if smallest == 0.0:
        smallest = float(weights[weights > 0].min())
    before_point = math.ceil(math.log2(max(1.0 / smallest, 1.0)))
    return min(52, 60 - before_point, 92 - before_point - math.ceil(math.log2(ensemble.n_labelled)))
