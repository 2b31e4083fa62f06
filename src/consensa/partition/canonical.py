"""An order of microclusters and clusters that does not depend on how the label matrix was written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
import scipy.sparse as sp

from consensa._kernels_mixing import mix_all
from consensa._stored import check_fits, numbers_below
from consensa.partition.cut import Cut, StoredCut
from consensa.relate.relation import Bipartite, Factored

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["CanonicalOrder", "RestoredCut", "canonical_order"]

_ROUNDS = 4  # of refinement: what lies four clusters away no longer tells two microclusters apart
_KEPT_BITS = 30  # of a value, so that 2³¹ objects add up exactly


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """Numbers of the microclusters and of the clusters, in an order of their own."""

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

    def restore(self, cut: Cut) -> RestoredCut:
        """Hand the labels of rows in this order back to the microclusters."""
        return RestoredCut(cut, self.rows)

    def _ordered(self, matrix: sp.csr_array | np.ndarray) -> sp.csr_array:
        ordered = sp.csr_array(sp.csr_array(matrix)[self.rows][:, self.columns])
        ordered.sort_indices()
        return ordered


@dataclass(frozen=True, eq=False)
class RestoredCut(StoredCut):
    """A cut of rows in another order."""

    ordered: Cut
    rows: np.ndarray  # which row stands at each place

    def check_parts(self) -> None:
        """Refuse what is no order of the rows."""
        n = self.ordered.sizes.size
        check_fits(self.rows.shape == (n,) and numbers_below(self.rows, n), "the rows of its cut")

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each row stands for."""
        sizes = np.empty_like(self.ordered.sizes)
        sizes[self.rows] = self.ordered.sizes
        return sizes

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return self.ordered.n_clusters_max

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
    """Mix the bits of floating-point numbers."""
    bits = np.array(values, dtype=float).view(np.uint64)
    mix_all(bits)
    return bits
