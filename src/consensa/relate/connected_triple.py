"""Weighted connected triples: clusters are similar that overlap the same third clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._validation import check_fraction
from consensa.relate.jaccard import cluster_jaccard
from consensa.relate.through_clusters import check_similarity, through_clusters

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.relate.relation import Dense

__all__ = ["connected_triples", "triple_similarity"]


def connected_triples(ensemble: Ensemble) -> sp.csr_array:
    r"""Weighted connected triples (WCT) of the clusters of each base clustering.

    :math:`\mathrm{WCT}_{ij} = \sum_k \min(J_{ik}, J_{jk})` over all clusters k, with Jaccard similarities J, for
    clusters i and j of the same clustering.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    csr_array of shape (n_base_clusters, n_base_clusters)
        Block diagonal, with 0 on the diagonal; not normalised.

    References
    ----------
    Iam-On, Boongoen, Garrett & Price (2011), A link-based approach to the cluster ensemble problem, IEEE TPAMI 33(12).
    https://doi.org/10.1109/TPAMI.2011.84

    Examples
    --------
    >>> from consensa import Ensemble
    >>> connected_triples(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).toarray().round(2)
    array([[0.  , 0.25, 0.  , 0.  ],
           [0.25, 0.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.25],
           [0.  , 0.  , 0.25, 0.  ]])
    """
    _check_blocks(ensemble)
    J = cluster_jaccard(ensemble)
    blocks = []
    for start, stop in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        rows = J[start:stop].toarray()
        rows = rows[:, rows.any(axis=0)]
        block = np.array([np.minimum(row, rows).sum(axis=1) for row in rows]).reshape(stop - start, stop - start)
        np.fill_diagonal(block, 0.0)
        blocks.append(sp.coo_array(block))
    return sp.csr_array(sp.block_diag(blocks, format="csr"))


def _check_blocks(ensemble: Ensemble) -> None:
    """Refuse clusterings of so many clusters that their overlaps with all others do not fit into the budget."""
    n_c, largest = ensemble.n_base_clusters, int(np.diff(ensemble.offsets).max())
    check_dense_budget(
        2 * 8 * largest * (n_c + largest),
        f"The overlaps of {largest} clusters of one clustering with all {n_c} clusters",
        "EAC, WEAC, LWEA and LWGP do without it.",
    )


def triple_similarity(ensemble: Ensemble, decay: float = 0.8) -> Dense:
    """Connected-triple based similarity (CTS) of the microclusters.

    For every base clustering 1 if two microclusters share a cluster, else ``decay`` times the normalised connected
    triples of their clusters; the mean over the clusterings.

    Parameters
    ----------
    ensemble : Ensemble
    decay : float, default=0.8
        Trust in links between different clusters, in (0, 1]; 0.8 in LinkCluE.

    Returns
    -------
    Dense
        In [0, 1] with 1 on the diagonal.

    Notes
    -----
    The triples are divided by the largest one within any clustering, as in LinkCluE. With missing labels the sum runs
    over the clusterings that label both rows and is divided by the geometric mean of their numbers of labels.

    References
    ----------
    Iam-On, Boongoen, Garrett & Price (2011), A link-based approach to the cluster ensemble problem, IEEE TPAMI 33(12).
    https://doi.org/10.1109/TPAMI.2011.84
    Iam-On & Garrett (2010), LinkCluE: a MATLAB package for link-based cluster ensembles, J. Statistical Software
    36(9). https://doi.org/10.18637/jss.v036.i09

    Examples
    --------
    >>> from consensa import Ensemble
    >>> triple_similarity(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).similarity.round(2)
    array([[1. , 0.9, 0.8],
           [0.9, 1. , 0.9],
           [0.8, 0.9, 1. ]])
    """
    decay = check_fraction("decay", decay)
    check_similarity(ensemble)
    triples = connected_triples(ensemble)
    largest = float(triples.max()) if triples.nnz else 0.0
    if largest > 0:
        triples = triples * (decay / largest)
    kernel = sp.csr_array(triples + sp.eye_array(ensemble.n_base_clusters))
    return through_clusters(ensemble, kernel, 1 / np.sqrt(ensemble.n_observed))
