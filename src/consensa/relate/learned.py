"""What methods share that learn a similarity with a given number of connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from consensa._budget import check_dense_budget

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["Placement", "check_learning_budget", "place_by_laplacian", "sum_labelled", "sum_together"]

_DENSE_ROWS = 512  # larger eigenproblems are left to Lanczos on the inverse
_SHIFT = 1e-3  # of the mean degree, so that the inverse exists


class Placement(NamedTuple):
    """Smooth coordinates on a graph (n_rows x n_dimensions), and how many pieces the graph has."""

    points: np.ndarray
    n_components: int


def check_learning_budget(n_rows: int, n_matrices: int, what: str) -> None:
    """Refuse to learn a similarity of too many microclusters, before anything is allocated."""
    check_dense_budget(
        n_matrices * 8 * n_rows**2,
        f"{what} of {n_rows} microclusters",
        "EAC, WEAC, LWEA and LWGP do without such matrices.",
    )


def place_by_laplacian(similarity: np.ndarray, sizes: np.ndarray, n_dimensions: int) -> Placement:
    """Place microclusters by the eigenvectors of the smallest eigenvalues of the Laplacian of their objects.

    Coordinates of a single object of every row: with all objects, the columns are orthonormal. Of a graph with more
    than ``n_dimensions`` components, those of some of the components.

    Notes
    -----
    The Laplacian of n objects has the eigenvalues and (up to the root of the sizes) eigenvectors of
    diag(S n) - N^½ S N^½ over the microclusters, and others that only tell objects of one microcluster apart.

    Examples
    --------
    >>> import numpy as np
    >>> S = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> place_by_laplacian(S, np.array([1, 1, 4]), 2).n_components
    2
    """
    root = np.sqrt(sizes)
    n_components, component = connected_components(sp.csr_array(similarity), directed=False)
    null = np.zeros((root.size, n_components))
    null[np.arange(root.size), component] = root
    null /= np.linalg.norm(null, axis=0)
    n_others = n_dimensions - n_components
    if n_others <= 0:
        return Placement(null[:, :n_dimensions] / root[:, None], n_components)
    laplacian = -similarity * root[:, None] * root
    laplacian[np.diag_indices_from(laplacian)] += similarity @ sizes
    if root.size <= _DENSE_ROWS or n_dimensions > root.size // 8:
        others = scipy.linalg.eigh(laplacian, subset_by_index=(n_components, n_dimensions - 1))[1]
    else:
        others = _smallest_by_inverse(laplacian, null, n_others)
    return Placement(np.hstack([null, others]) / root[:, None], n_components)


def _smallest_by_inverse(laplacian: np.ndarray, null: np.ndarray, n_vectors: int) -> np.ndarray:
    """Eigenvectors of the smallest eigenvalues that are not 0, by Lanczos on the inverse; overwrites the Laplacian."""
    n = laplacian.shape[0]
    laplacian[np.diag_indices_from(laplacian)] += _SHIFT * laplacian.diagonal().mean()
    factor = scipy.linalg.cho_factor(laplacian, lower=True, overwrite_a=True, check_finite=False)

    def solve(x: np.ndarray) -> np.ndarray:
        x = x.reshape(n) - null @ (null.T @ x.reshape(n))
        y = scipy.linalg.cho_solve(factor, x, check_finite=False)
        return np.asarray(y - null @ (null.T @ y))

    operator = LinearOperator((n, n), matvec=solve, dtype=float)
    start = np.random.default_rng(0).random(n)
    values, vectors = eigsh(operator, k=n_vectors, which="LA", v0=start, tol=1e-10)
    return vectors[:, np.argsort(-values, kind="stable")]


def sum_together(ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
    """Sum the weights of the clusterings that put two rows together, shape (n_microclusters, n_microclusters)."""
    Z = ensemble.incidence
    weighted = sp.csr_array((weights[ensemble.owner[Z.indices]], Z.indices, Z.indptr), shape=Z.shape)
    return np.asarray((weighted @ Z.T).toarray(), dtype=float)


def sum_labelled(ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
    """Sum the weights of the clusterings that label both of two rows, shape (n_microclusters, n_microclusters)."""
    labelled = ensemble.labels >= 0
    if labelled.all():
        return np.full(2 * (ensemble.n_microclusters,), float(weights.sum()))
    return (labelled * weights) @ labelled.T.astype(float)
