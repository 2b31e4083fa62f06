"""The three shapes a relation between microclusters can have; a partitioner says which it accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._threads import row_ranges

if TYPE_CHECKING:
    from consensa.relate.bipartite import ClusterGraph

__all__ = [
    "Bipartite",
    "Dense",
    "Factored",
    "Parted",
    "Relation",
    "Triangle",
    "check_entries",
    "inverse_sums",
    "scale_both",
]

_SCALED_ROWS = 256
_LARGEST = 1e100
_COST_OF_MEETING = 12  # of a sparse product, for every two rows that share a column, against one with a full matrix

_NO_MATRIX = "Average linkage (EAC, LWEA) and the graph methods (LWGP) do without it."


def check_entries(matrix: np.ndarray | sp.csr_array, what: str) -> None:
    """Refuse numbers that are not between 0 and 1e100: no kernel compares with NaN, and products fit.

    Examples
    --------
    >>> check_entries(np.array([1.0, np.nan]), "a graph")
    Traceback (most recent call last):
    ...
    ValueError: a graph needs numbers between 0 and 1e+100; it holds nan to nan. Replace NaN and rescale it.
    """
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    smallest, largest = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not (smallest >= 0 and largest <= _LARGEST):  # also where they are NaN
        msg = (
            f"{what} needs numbers between 0 and {_LARGEST:.0e}; it holds {smallest} to {largest}. "
            "Replace NaN and rescale it."
        )
        raise ValueError(msg)


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

    def within(self, rows: np.ndarray) -> Dense:
        """Similarities of some rows with each other."""
        return self if rows.size == self.n_rows else Dense(self.similarity[np.ix_(rows, rows)])


@dataclass(frozen=True, eq=False)
class Triangle:
    """The part of a similarity matrix above the diagonal, made to be used up by one agglomeration.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows (n_rows - 1) / 2,)
        Row after row, each from behind the diagonal on, as in scipy's condensed distances.
    n_rows : int

    Examples
    --------
    >>> import numpy as np
    >>> Triangle(np.array([0.5, 0.1, 0.2]), 3).row(0)
    array([0.5, 0.1])
    """

    similarity: np.ndarray
    n_rows: int

    def row(self, i: int) -> np.ndarray:
        """Similarities of a row with those after it."""
        start = i * (2 * self.n_rows - i - 1) // 2
        return self.similarity[start : start + self.n_rows - 1 - i]


class Parted(Protocol):
    """A similarity that can be had for some rows alone."""

    @property
    def n_rows(self) -> int:
        """Number of related things (microclusters)."""

    def within(self, rows: np.ndarray) -> Dense | Triangle:
        """Similarities of some rows, in rising order, with each other."""


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
        columns = sp.csr_array(self.factor.T)
        met = np.diff(columns.indptr).astype(float)  # rows of every column, each of which meets all of them
        if _COST_OF_MEETING * float(met @ met) > float(self.factor.nnz) * self.n_rows:
            columns = columns.toarray()  # many meet in every column
        for start, stop in row_ranges(self.n_rows, 1024):
            product = self.factor[start:stop] @ columns
            S[start:stop] = product if isinstance(product, np.ndarray) else product.toarray()
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

    def check(self) -> None:
        """Refuse entries that cannot be compared."""
        check_entries(self.matrix, "the graph")

    def inverse_degrees(self) -> np.ndarray:
        """Return 1 over the row sums, 0 where a row is empty; shape (n_rows,)."""
        return inverse_sums(self.matrix)

    def affinity(self, sizes: np.ndarray) -> sp.csr_array | np.ndarray:
        """Relate the columns through the rows, counted ``sizes`` times: Bᵀ D⁻¹ B, symmetric to the last bit."""
        scale = self.inverse_degrees() * sizes
        if isinstance(self.matrix, np.ndarray):
            related = np.asarray(self.matrix.T @ (self.matrix * scale[:, None]))
        else:
            related = sp.csr_array(self.matrix.T @ (sp.diags_array(scale) @ self.matrix))
        return (related + related.T) * 0.5

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


def inverse_sums(matrix: np.ndarray | sp.csr_array) -> np.ndarray:
    """Return 1 over the row sums, 0 where a row is empty; shape (n_rows,).

    Examples
    --------
    >>> import numpy as np
    >>> inverse_sums(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([0.25, 0.  ])
    """
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    return np.divide(1.0, degrees, out=np.zeros(degrees.size), where=degrees > 0)


def scale_both(matrix: np.ndarray | sp.csr_array, scale: np.ndarray) -> np.ndarray | sp.csr_array:
    """Multiply rows and columns by the same factors; as symmetric as the matrix is, an array in place.

    Examples
    --------
    >>> import numpy as np
    >>> scale_both(np.array([[1.0, 2.0], [2.0, 3.0]]), np.array([1.0, 10.0]))
    array([[  1.,  20.],
           [ 20., 300.]])
    """
    if isinstance(matrix, np.ndarray):
        for start, stop in row_ranges(matrix.shape[0], _SCALED_ROWS):
            matrix[start:stop] *= scale[start:stop, None] * scale
        return matrix
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    values = matrix.data * (scale[rows] * scale[matrix.indices])
    return sp.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


Relation: TypeAlias = Factored | Bipartite | Dense
