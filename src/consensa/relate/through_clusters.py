"""From a similarity of clusters to one of microclusters: S = Z T Zᵀ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._threads import row_ranges
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["check_cluster_matrix", "check_similarity", "own_clustering_kernel", "through_clusters"]

_ROWS = 512  # microclusters related at a time


def through_clusters(ensemble: Ensemble, kernel: sp.csr_array | np.ndarray, scale: np.ndarray) -> Dense:
    r"""Relate microclusters through a similarity of the clusters they lie in, within the memory budget.

    :math:`s_{uv} = q_u q_v \sum_{c \ni u} \sum_{c' \ni v} T_{cc'}` with a symmetric T, and q for example 1 over the
    number of labels of the row, or its square root.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1], [0, 1, 1]])
    >>> through_clusters(ensemble, np.eye(4), 1 / np.sqrt(ensemble.n_observed)).similarity.round(2)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    check_similarity(ensemble)
    n = ensemble.n_microclusters
    Z = ensemble.incidence
    rows = sp.csr_array((np.repeat(scale, np.diff(Z.indptr)), Z.indices, Z.indptr), shape=Z.shape)
    S = np.empty((n, n))
    for start, stop in row_ranges(n, _ROWS):
        reached = rows[start:stop] @ kernel
        dense = reached.toarray() if sp.issparse(reached) else np.asarray(reached)
        S[start:stop] = (rows @ np.ascontiguousarray(dense.T)).T
    return Dense(S)


def check_similarity(ensemble: Ensemble) -> None:
    """Refuse a similarity of the microclusters beyond the budget; first of all, before what it is made from."""
    n = ensemble.n_microclusters
    check_dense_budget(
        2 * 8 * n**2, f"The {n} x {n} similarity of the microclusters", "EAC, WEAC, LWEA and LWGP do without it."
    )


def own_clustering_kernel(ensemble: Ensemble, similarity: np.ndarray) -> sp.csr_array:
    """Keep the similarities of clusters of the same clustering, a block for each, with 1 on the diagonal."""
    blocks = []
    for start, stop in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        block = similarity[start:stop, start:stop].copy()
        np.fill_diagonal(block, 1.0)
        blocks.append(sp.coo_array(block))
    return sp.csr_array(sp.block_diag(blocks, format="csr"))


def check_cluster_matrix(ensemble: Ensemble, n_matrices: int) -> None:
    """Refuse dense matrices of the clusters beyond the budget."""
    n_c = ensemble.n_base_clusters
    check_dense_budget(
        n_matrices * 8 * n_c**2,
        f"The {n_c} x {n_c} similarity of the base clusters",
        "Use fewer base clusterings, or LWGP, which does without it.",
    )
