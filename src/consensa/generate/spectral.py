"""Spectral clustering of a sparse graph (Ng, Jordan & Weiss), safe on graphs in many pieces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh, splu
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._rows import unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["spectral_embedding", "spectral_labels"]

_DENSE_ROWS = 600
_FACTOR_ROWS = 30_000  # beyond, the factors of a neighbour graph may not fit
_SHIFT = 1e-6


def spectral_labels(graph: sp.csr_array, n_clusters: int, seed: int) -> np.ndarray:
    """Cluster the nodes of a graph: leading eigenvectors, rows of length 1, k-means.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric, at least 0.
    n_clusters : int
        At most n.
    seed : int

    Returns
    -------
    ndarray of shape (n,), int32

    References
    ----------
    Ng, Jordan & Weiss (2002), On spectral clustering: analysis and an algorithm, NIPS 14.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> graph = sp.csr_array(np.array([[0, 1, 0, 0], [1, 0, 0.1, 0], [0, 0.1, 0, 1], [0, 0, 1, 0]]))
    >>> labels = spectral_labels(graph, 2, seed=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    rows = spectral_embedding(graph, n_clusters, seed)
    rows = unit_rows(rows, guard=1e-10, out=rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters: ids vanish
        model = KMeans(n_clusters, n_init=3, max_iter=100, random_state=seed).fit(rows)
    return model.labels_.astype(np.int32)


def spectral_embedding(graph: sp.csr_array, n_vectors: int, seed: int) -> np.ndarray:
    """Leading eigenvectors of the normalised graph, shape (n, n_vectors).

    The eigenvectors of eigenvalue 1 are the indicators of the connected components; they are known and left out of the
    iteration. With more components than vectors, a random mixture of the indicators is returned, in which no two
    components coincide.
    """
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    root = 1 / np.sqrt(np.maximum(degrees, np.finfo(float).tiny))
    normalised = sp.csr_array(sp.diags_array(root) @ graph @ sp.diags_array(root))
    n_components, component = connected_components(graph, directed=False)
    rng = np.random.default_rng(seed)
    if n_components >= n_vectors:
        return rng.standard_normal((n_components, n_vectors))[component]
    indicators = np.zeros((degrees.size, n_components))
    indicators[np.arange(degrees.size), component] = np.sqrt(np.maximum(degrees, np.finfo(float).tiny))
    indicators /= np.linalg.norm(indicators, axis=0)
    if n_vectors == n_components:
        return indicators
    others = _next_eigenvectors(normalised, indicators, n_vectors - n_components, rng)
    return np.hstack([indicators, others])


def _next_eigenvectors(
    normalised: sp.csr_array, known: np.ndarray, n_vectors: int, rng: np.random.Generator
) -> np.ndarray:
    """Eigenvectors of the largest eigenvalues beside those of the known eigenvectors.

    The eigenvalues crowd just below 1, where plain Lanczos is slow and wrong; so it runs on the inverse of
    (1 + shift) I - N while a sparse factorisation is cheap.
    """
    n = normalised.shape[0]
    if n <= _DENSE_ROWS or n_vectors > n // 3:
        deflated = normalised.toarray() - 2 * known @ known.T
        return np.asarray(scipy.linalg.eigh(deflated, subset_by_index=(n - n_vectors, n - 1))[1])
    apply = _inverse(normalised) if n <= _FACTOR_ROWS else normalised.__matmul__

    def multiply(x: np.ndarray) -> np.ndarray:
        x = x.reshape(n, -1)
        y = apply(x - known @ (known.T @ x))
        return np.asarray(y - known @ (known.T @ y))

    operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=float)
    n_basis = min(n, 2 * n_vectors + 20)
    return np.asarray(eigsh(operator, k=n_vectors, which="LA", v0=rng.random(n), ncv=n_basis, tol=1e-6)[1])


def _inverse(normalised: sp.csr_array) -> Callable[[np.ndarray], np.ndarray]:
    """Multiplication with the inverse of (1 + shift) I - N, whose largest eigenvalues are those of N."""
    shifted = sp.csc_matrix(sp.eye_array(normalised.shape[0]) * (1 + _SHIFT) - normalised)
    return splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve
