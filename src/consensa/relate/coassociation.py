"""Weighted co-association of microclusters, kept as a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._validation import check_cluster_weights
from consensa.relate.relation import Factored

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["co_association"]


def co_association(ensemble: Ensemble, weights: np.ndarray | None = None) -> Factored:
    r"""Relate two microclusters by the mean weight of the clusters they share.

    :math:`S = B B^T` with :math:`B = Z\,\mathrm{diag}(\sqrt{w})`, every row divided by the square root of the number
    of base clusterings that label it. With weights of 1 this is the co-association matrix of evidence accumulation,
    with entropy weights the locally weighted one.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters, at least 0; None for 1.

    Returns
    -------
    Factored
        With a factor of shape (n_microclusters, n_base_clusters).

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Eq. 14-17.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import Ensemble
    >>> co_association(Ensemble([[0, 0, 1], [0, 1, 1]])).to_dense().similarity
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    Z = ensemble.incidence
    row = np.repeat(1 / np.sqrt(ensemble.n_observed), np.diff(Z.indptr))
    B = sp.csr_array((np.sqrt(w)[Z.indices] * row, Z.indices, Z.indptr), shape=Z.shape)
    return Factored(B)
