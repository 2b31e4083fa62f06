"""The largest eigenvalues of a graph and their eigenvectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy.linalg

from consensa._budget import check_dense_budget
from consensa._threads import library_threads
from consensa.partition.block_krylov import block_krylov

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["DENSE_ROWS", "largest_eigenpairs"]

DENSE_ROWS = 1024  # larger eigenproblems are left to block Lanczos, smaller ones gain nothing from BLAS threads


class Multiplies(Protocol):
    """An operator that vectors can be multiplied by."""

    @property
    def shape(self) -> Any:
        """Rows and columns."""

    def __matmul__(self, X: np.ndarray) -> np.ndarray: ...


def largest_eigenpairs(
    matrix: np.ndarray | sp.csr_array | Multiplies, n_pairs: int, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues of a normalised symmetric graph, falling, and their eigenvectors; none exceeds 1.

    Graphs of up to 1,024 rows are decomposed densely, larger ones by block Lanczos with a fixed start, whose products
    of several vectors are made by BLAS where the graph is an array. The ``known`` orthonormal eigenvectors of the
    eigenvalue 1, one per component, are left out of the iteration.

    Examples
    --------
    >>> import numpy as np
    >>> largest_eigenpairs(np.diag([0.1, 1.0, 0.2]), 2)[0]
    array([1. , 0.2])
    """
    n = int(matrix.shape[0])
    if known is None:
        known = np.empty((n, 0))
    if n <= DENSE_ROWS or n_pairs > n // 8:
        return _dense_eigenpairs(matrix, n_pairs)
    if n_pairs <= known.shape[1]:
        return np.ones(n_pairs), known[:, :n_pairs]

    def multiply(x: np.ndarray) -> np.ndarray:
        y = matrix @ (x - known @ (known.T @ x))
        return np.asarray(y - known @ (known.T @ y))

    values, vectors = block_krylov(multiply, n, n_pairs - known.shape[1])
    return np.concatenate([np.ones(known.shape[1]), values]), np.hstack([known, vectors])


def _dense_eigenpairs(matrix: np.ndarray | sp.csr_array | Multiplies, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    n = int(matrix.shape[0])
    check_dense_budget(24 * n**2, f"The eigenproblem of {n} rows", "Ask for fewer clusters.")
    dense = matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix @ np.eye(n))
    with library_threads(None if n > DENSE_ROWS else 1, user_api="blas"):
        try:
            values, vectors = scipy.linalg.eigh(dense, subset_by_index=(n - n_pairs, n - 1))
        except np.linalg.LinAlgError:  # of LAPACK's driver for a part of the spectrum, where many values are equal
            values, vectors = (part[..., n - n_pairs :] for part in scipy.linalg.eigh(dense, driver="ev"))
    return values[::-1], vectors[:, ::-1]
