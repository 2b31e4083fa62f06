"""Symmetric non-negative factorisation of the co-association, which is never formed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._random import draw_seeds
from consensa._threads import thread_map
from consensa._validation import check_integer
from consensa.partition.components import best_columns
from consensa.partition.count_kmeans import count_kmeans
from consensa.partition.geometry import make_utility

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["factorise"]

_EPS = 1e-8
_TOLERANCE = 1e-7


def factorise(
    ensemble: Ensemble, n_clusters: int, *, n_init: int = 5, max_iter: int = 200, random_state: RandomState = None
) -> tuple[np.ndarray, float]:
    """Approximate the co-association of all objects by Q D Qᵀ, with Q >= 0 and nearly orthogonal, D diagonal.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
        Number of columns of Q.
    n_init : int, default=5
        Number of starts, each from a k-means clustering of the label rows; the one with the smallest loss is kept.
    max_iter : int, default=200
        Largest number of multiplicative updates of each start.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
        Column of Q D^1/2 with the largest entry.
    loss : float
        Squared Frobenius norm of what is left of the matrix of all objects.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> labels, loss = factorise(Ensemble([[0, 0, 0, 1, 1], [0, 0, 0, 2, 2]]), 2, random_state=0)
    >>> bool(labels[0] != labels[1]), round(loss, 4)
    (True, 0.0)
    """
    check_integer("max_iter", max_iter)
    seeds = draw_seeds(random_state, check_integer("n_init", n_init))
    rows = np.repeat(np.sqrt(ensemble.sizes / ensemble.n_observed), ensemble.n_observed)
    Z = ensemble.incidence
    factor = sp.csr_array((rows, Z.indices, Z.indptr), shape=Z.shape)
    roots = np.sqrt(ensemble.sizes)[:, None]
    geometry = make_utility(ensemble, "u_c")

    def run(seed: int) -> tuple[float, np.ndarray]:
        start, _ = count_kmeans(ensemble, geometry, n_clusters, n_init=1, random_state=seed)
        loss, Q, d = _multiply(factor, (0.2 + np.eye(n_clusters)[start]) * roots, max_iter)
        return loss, best_columns(Q / roots * np.sqrt(d))

    loss, labels = min(thread_map(run, seeds), key=lambda found: found[0])
    square = factor.T @ factor
    return labels, loss + float(np.sum(square.data**2))


def _multiply(factor: sp.csr_array, Q: np.ndarray, max_iter: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Update Q and the diagonal d in turn until the loss (without its constant) stands still."""
    Q = Q / np.linalg.norm(Q, axis=0)
    product = factor @ (factor.T @ Q)
    d = np.sum(Q * product, axis=0)
    lowest = np.inf
    for _ in range(max_iter):
        pull = product * d
        Q = Q * np.sqrt(pull / (Q @ (Q.T @ pull) + _EPS))
        product = factor @ (factor.T @ Q)
        gram, inner = Q.T @ Q, np.sum(Q * product, axis=0)
        d = d * np.sqrt(inner / (np.sum(gram**2 * d, axis=1) + _EPS))
        loss = float(d @ gram**2 @ d - 2.0 * d @ inner)
        if loss >= lowest - _TOLERANCE * abs(lowest):
            break
        lowest = loss
    return loss, Q, d
