"""An order of microclusters and clusters that does not depend on how the label matrix was written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np
import scipy.sparse as sp

from consensa.relate.relation import Bipartite, Factored

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["CanonicalOrder", "RestoredCut", "canonical_order"]

_ROUNDS = 4  # of refinement: what lies four clusters away no longer tells two microclusters apart
_KEPT_BITS = 30  # of a value, so that 2³¹ objects add up exactly


class _Cut(Protocol):
    def cut(self, n_clusters: int) -> np.ndarray:
        """Return a label for every row."""


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """Microclusters and clusters in an order of their own.

    Parameters
    ----------
    rows : ndarray of shape (n_microclusters,), int64
        Numbers of the microclusters, in order.
    columns : ndarray of shape (n_base_clusters,), int64
        Numbers of the clusters, in order.
    """

    rows: np.ndarray
    columns: np.ndarray

    @overload
    def arrange(self, relation: Factored) -> Factored: ...

    @overload
    def arrange(self, relation: Bipartite) -> Bipartite: ...

    def arrange(self, relation: Factored | Bipartite) -> Factored | Bipartite:
        """Write a relation of microclusters and clusters in this order."""
        if isinstance(relation, Factored):
            return Factored(self._ordered(relation.factor))
        return Bipartite(self._ordered(relation.matrix))

    def restore(self, cut: _Cut) -> RestoredCut:
        """Hand the labels of rows in this order back to the microclusters."""
        return RestoredCut(cut, self.rows)

    def _ordered(self, matrix: sp.csr_array | np.ndarray) -> sp.csr_array:
        ordered = sp.csr_array(sp.csr_array(matrix)[self.rows][:, self.columns])
        ordered.sort_indices()
        return ordered


@dataclass(frozen=True, eq=False)
class RestoredCut:
    """A cut of rows in another order.

    Parameters
    ----------
    ordered : object with ``cut(n_clusters)``
    rows : ndarray of shape (n_rows,), int64
        Which row stands at each place.
    """

    ordered: _Cut
    rows: np.ndarray

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        labels = np.empty(self.rows.size, np.int64)
        labels[self.rows] = self.ordered.cut(n_clusters)
        return labels


def canonical_order(ensemble: Ensemble) -> CanonicalOrder:
    """Order microclusters and clusters by what they are, not by where they stand.

    Graph partitioners answer differently when the vertices of the same graph are numbered differently. In this order
    the same ensemble gives the same graph, whatever the order of its rows and columns and the names of its labels.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    CanonicalOrder

    Notes
    -----
    Colour refinement: a cluster is known by its size and the mean value of its objects, a microcluster by its size and
    the mean value of its clusters, again and again. The sums are exact, so that they do not depend on their order.
    What four rounds cannot tell apart stands in the order of the first object.

    References
    ----------
    Weisfeiler & Leman (1968), The reduction of a graph to canonical form, Nauchno-Technicheskaya Informatsia 2(9).

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> labels = np.array([[0, 0], [0, 1], [1, 1], [0, 1], [1, 2]])
    >>> order = canonical_order(Ensemble(labels)).rows
    >>> flipped = canonical_order(Ensemble(labels[::-1, ::-1])).rows
    >>> bool(np.all(Ensemble(labels).labels[order] == Ensemble(labels[::-1, ::-1]).labels[flipped][:, ::-1]))
    True
    """
    Z, sizes = ensemble.incidence, ensemble.sizes
    of_size, of_cluster = _scatter(sizes.astype(float)), _scatter(ensemble.cluster_sizes.astype(float))
    row, column = of_size, of_cluster
    for _ in range(_ROUNDS):
        mean = (Z.T @ (sizes * _short(row))) / ensemble.cluster_sizes
        column = _scatter(mean) ^ of_cluster
        mean = (Z @ _short(column)) / ensemble.n_observed
        row = _scatter(mean) ^ of_size
    return CanonicalOrder(np.argsort(row, kind="stable"), np.argsort(column, kind="stable"))


def _short(values: np.ndarray) -> np.ndarray:
    return (values >> np.uint64(64 - _KEPT_BITS)).astype(np.int64)


def _scatter(values: np.ndarray) -> np.ndarray:
    """Mix the bits of floating-point numbers (the finaliser of splitmix64)."""
    x = np.ascontiguousarray(values, dtype=float).view(np.uint64).copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    x ^= x >> np.uint64(31)
    return x
