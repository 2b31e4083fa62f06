"""The graph of microclusters and weighted clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._validation import check_cluster_weights
from consensa.ensemble import count_overlaps
from consensa.relate.relation import Bipartite

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["ClusterGraph", "cluster_graph", "fixed_point"]

_SMALLEST_WEIGHT = 2.0**-40  # relative to the largest; keeps the fixed-point numbers within 61 bits
_LOW_BITS = 30


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
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Eq. 20-22.
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
    Z = ensemble.incidence
    matrix = sp.csr_array((scaled[Z.indices], Z.indices, Z.indptr), shape=Z.shape)
    return ClusterGraph(matrix, ensemble, scaled)


@dataclass(frozen=True, eq=False)
class ClusterGraph(Bipartite):
    """A Bipartite relation B = Z diag(w), whose affinity is a sum of integers.

    The sums are the same for any order or chunking of the rows, in memory or out of core.
    """

    ensemble: Ensemble
    weights: np.ndarray

    def affinity(self, sizes: np.ndarray) -> sp.csr_array | np.ndarray:
        """Relate the clusters through the microclusters: Bᵀ D⁻¹ B, summed in fixed point."""
        high, low, scale = fixed_point(self.inverse_degrees())
        counted = [count_overlaps(self.ensemble, sizes * part) for part in (high, low)]
        inverse = (counted[0].astype(float) * 2.0**_LOW_BITS + counted[1].astype(float)) * scale
        w = sp.diags_array(self.weights)
        return sp.csr_array(w @ inverse @ w)


def fixed_point(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Write numbers >= 0 as integers of two limbs: ``(high * 2**30 + low) * scale``.

    Parameters
    ----------
    values : ndarray of shape (n,)
        At most 2⁴⁰.

    Returns
    -------
    high, low : ndarray of shape (n,), int64
        Below 2³¹ and 2³⁰, so that 2³¹ of them can be added without overflow.
    scale : float
        A power of two; the absolute error is at most half of it.

    Examples
    --------
    >>> import numpy as np
    >>> high, low, scale = fixed_point(np.array([0.5, 3.0]))
    >>> (high * 2.0**30 + low) * scale
    array([0.5, 3. ])
    """
    exponent = int(np.ceil(np.log2(max(float(values.max(initial=1.0)), 1.0))))
    bits = min(52, 60 - exponent)
    whole = np.rint(values * 2.0**bits).astype(np.int64)
    return whole >> _LOW_BITS, whole & (2**_LOW_BITS - 1), 2.0**-bits
