"""SimRank on the graph of objects and clusters, exact and approximate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges
from consensa._validation import check_fraction, check_integer
from consensa.relate.jaccard import cluster_jaccard
from consensa.relate.through_clusters import check_cluster_matrix, through_clusters

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.relate.relation import Dense

__all__ = ["approximate_simrank", "simrank"]

_ROWS = 1024
_ONE = 1 - 1e-12  # similarities of clusters from here on are not decayed


def simrank(ensemble: Ensemble, decay: float = 0.8, n_rounds: int = 5) -> Dense:
    r"""SimRank based similarity (SRS) of the microclusters.

    Two objects are similar if their clusters are, two clusters if their objects are, and everything is as similar to
    itself as can be: bipartite SimRank, both sides renewed at once from the identity.

    Parameters
    ----------
    ensemble : Ensemble
    decay : float, default=0.8
        By how much a similarity fades in every step, in (0, 1].
    n_rounds : int, default=5
        R; the similarities are renewed R - 1 times, as in LinkCluE.

    Returns
    -------
    Dense
        Similarity of *distinct* objects of two microclusters, so that it is less than 1 on the diagonal.

    Notes
    -----
    In every round :math:`S = \delta Q C Q^T`, where Q are the rows of the incidence divided by their number of labels,
    so the n x n sums of the definition become products of n_c x n_c matrices, and the matrix of the microclusters is
    only formed once, at the end. The result is that of the definition on single objects.

    References
    ----------
    Iam-On, Boongoen & Garrett (2008), Refining pairwise similarity matrix for cluster ensemble problem with cluster
    relations, Discovery Science. https://doi.org/10.1007/978-3-540-88411-8_22
    Iam-On & Garrett (2010), LinkCluE: a MATLAB package for link-based cluster ensembles, J. Statistical Software
    36(9). https://doi.org/10.18637/jss.v036.i09

    Examples
    --------
    >>> from consensa import Ensemble
    >>> simrank(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).similarity.round(2)
    array([[0.59, 0.37, 0.1 ],
           [0.37, 0.5 , 0.37],
           [0.1 , 0.37, 0.61]])
    """
    decay = check_fraction("decay", decay)
    n_updates = check_integer("n_rounds", n_rounds, at_least=2) - 1
    C = cluster_simrank(ensemble, decay, n_updates - 1)
    return through_clusters(ensemble, decay * C, 1 / ensemble.n_observed)


def cluster_simrank(ensemble: Ensemble, decay: float, n_updates: int) -> np.ndarray:
    """SimRank of the clusters after some updates of both sides, shape (n_base_clusters, n_base_clusters)."""
    check_cluster_matrix(ensemble, 4)
    Z = ensemble.incidence
    Q = sp.csr_array((np.repeat(1 / ensemble.n_observed, np.diff(Z.indptr)), Z.indices, Z.indptr), shape=Z.shape)
    spread = sp.csr_array(Z.T @ (sp.diags_array(ensemble.sizes.astype(float)) @ Q))
    inverse = 1 / ensemble.cluster_sizes
    between = np.zeros((ensemble.n_base_clusters, ensemble.n_base_clusters))  # sums of s over distinct objects
    itself = np.zeros(ensemble.n_microclusters)
    C = np.eye(ensemble.n_base_clusters)
    for _ in range(n_updates):
        own = sp.csr_array(Z.T @ (sp.diags_array(ensemble.sizes * (1 - itself)) @ Z))
        between += own.toarray()
        new = decay * inverse[:, None] * between * inverse
        np.fill_diagonal(new, 1.0)
        between = decay * np.asarray(spread @ np.ascontiguousarray((spread @ C).T))
        itself = decay * _quadratic_rows(Q, C)
        C = new
    return C


def approximate_simrank(ensemble: Ensemble, decay: float = 0.8) -> Dense:
    r"""Approximate SimRank based similarity (ASRS) of the microclusters, without rounds.

    Clusters i and j are as similar as :math:`\sum_k J_{ik} J_{jk} / (d_i d_j)`, divided by its largest value, with
    Jaccard similarities J and numbers of neighbours d. Objects: the mean over all pairs of their clusters, decayed
    where the similarity is less than 1.

    Parameters
    ----------
    ensemble : Ensemble
    decay : float, default=0.8
        Trust in links between different clusters, in (0, 1].

    Returns
    -------
    Dense
        Similarity of *distinct* objects of two microclusters, so that it may be less than 1 on the diagonal.

    References
    ----------
    Iam-On & Garrett (2010), LinkCluE: a MATLAB package for link-based cluster ensembles, J. Statistical Software
    36(9). https://doi.org/10.18637/jss.v036.i09

    Examples
    --------
    >>> from consensa import Ensemble
    >>> approximate_simrank(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).similarity.round(2)
    array([[0.5, 0.5, 0.4],
           [0.5, 0.5, 0.4],
           [0.4, 0.4, 0.5]])
    """
    decay = check_fraction("decay", decay)
    check_cluster_matrix(ensemble, 2)
    J = cluster_jaccard(ensemble)
    inverse = 1 / np.maximum(np.diff(J.indptr), 1)
    C = (J @ J.T).toarray() * inverse[:, None] * inverse
    np.fill_diagonal(C, 0.0)
    largest = float(C.max())
    if largest > 0:
        C /= largest
    C = np.where(C >= _ONE, 1.0, decay * C)
    np.fill_diagonal(C, 1.0)
    return through_clusters(ensemble, C, 1 / ensemble.n_observed)


def _quadratic_rows(rows: sp.csr_array, kernel: np.ndarray) -> np.ndarray:
    """Return q C qᵀ of every row q."""
    out = np.empty(rows.shape[0])
    for start, stop in row_ranges(rows.shape[0], _ROWS):
        piece = rows[start:stop]
        out[start:stop] = np.asarray(piece.multiply(piece @ kernel).sum(axis=1)).ravel()
    return out
