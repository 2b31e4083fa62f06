"""The three shapes a relation between microclusters can have; a partitioner says which it accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._threads import row_ranges

if TYPE_CHECKING:
    from consensa.relate.bipartite import ClusterGraph

__all__ = ["Bipartite", "Dense", "Factored", "Relation"]

_NO_MATRIX = "Average linkage (EAC, LWEA) and the graph methods (LWGP) do without it."


@dataclass(frozen=True, eq=False)
class Dense:
    """A similarity matrix, for the methods that truly need one.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_rows)
        Symmetric, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> Dense(np.eye(3)).n_rows
    3
    """

    similarity: np.ndarray

    def __post_init__(self) -> None:
        S = self.similarity
        if S.ndim != 2 or S.shape[0] != S.shape[1]:
            msg = f"a similarity matrix must be square; got an array of shape {S.shape}."
            raise ValueError(msg)

    @property
    def n_rows(self) -> int:
        """Number of related things (microclusters)."""
        return int(self.similarity.shape[0])


@dataclass(frozen=True, eq=False)
class Factored:
    """A similarity S = B Bᵀ that is never formed.

    Parameters
    ----------
    factor : csr_array of shape (n_rows, n_features)
        B, at least 0.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> Factored(sp.csr_array(np.array([[1.0, 0.0], [0.5, 0.5]]))).to_dense().similarity
    array([[1. , 0.5],
           [0.5, 0.5]])
    """

    factor: sp.csr_array

    @property
    def n_rows(self) -> int:
        """Number of related things (microclusters)."""
        return int(self.factor.shape[0])

    def diagonal(self) -> np.ndarray:
        """Similarity of every row with itself, shape (n_rows,)."""
        return np.asarray(self.factor.multiply(self.factor).sum(axis=1)).ravel()

    def to_dense(self) -> Dense:
        """Form the matrix, within the memory budget."""
        check_dense_budget(8 * self.n_rows**2, f"The {self.n_rows} x {self.n_rows} similarity matrix", _NO_MATRIX)
        S = np.empty((self.n_rows, self.n_rows))
        columns = self.factor.T.toarray()
        for start, stop in row_ranges(self.n_rows, 1024):
            S[start:stop] = self.factor[start:stop] @ columns
        return Dense(S)


@dataclass(frozen=True, eq=False)
class Bipartite:
    """A graph between microclusters (rows) and clusters, anchors or other features (columns).

    Parameters
    ----------
    matrix : csr_array or ndarray of shape (n_rows, n_columns)
        Edge weights, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> graph = Bipartite(np.array([[1.0, 1.0], [0.0, 2.0]]))
    >>> graph.affinity(np.array([1, 1]))
    array([[0.5, 0.5],
           [0.5, 2.5]])
    """

    matrix: sp.csr_array | np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of related things (microclusters)."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of clusters or features on the other side."""
        return int(self.matrix.shape[1])

    def inverse_degrees(self) -> np.ndarray:
        """Return 1 over the row sums, 0 where a row is empty; shape (n_rows,)."""
        degrees = np.asarray(self.matrix.sum(axis=1)).ravel()
        return np.divide(1.0, degrees, out=np.zeros(degrees.size), where=degrees > 0)

    def affinity(self, sizes: np.ndarray) -> sp.csr_array | np.ndarray:
        """Relate the columns through the rows: Bᵀ D⁻¹ B with rows counted ``sizes`` times."""
        scale = self.inverse_degrees() * sizes
        if isinstance(self.matrix, np.ndarray):
            return np.asarray(self.matrix.T @ (self.matrix * scale[:, None]))
        return sp.csr_array(self.matrix.T @ (sp.diags_array(scale) @ self.matrix))

    def transfer(self, vectors: np.ndarray) -> np.ndarray:
        """Carry vectors on the columns over to the rows: D⁻¹ B V, shape (n_rows, n_vectors)."""
        carried = np.asarray(self.matrix @ vectors)
        carried *= self.inverse_degrees()[:, None]
        return carried

    @property
    def cluster_graph(self) -> ClusterGraph | None:
        """The graph itself where its rows are label rows and its columns base clusters, else None."""
        return None

    def component_masses(self, of_column: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:  # noqa: ARG002 - of all rows
        """Return number of objects and first object of every component; None where the rows themselves tell them."""
        return None


Relation: TypeAlias = Factored | Bipartite | Dense
