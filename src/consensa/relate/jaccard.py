"""Jaccard similarity of all clusters of an ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["cluster_jaccard"]


def cluster_jaccard(ensemble: Ensemble) -> sp.csr_array:
    """Common objects of every two clusters over the objects in either, from the overlap counts.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    csr_array of shape (n_base_clusters, n_base_clusters)
        Symmetric, in (0, 1]; 0 (not stored) on the diagonal and between clusters of the same clustering.

    References
    ----------
    Iam-On, Boongoen, Garrett & Price (2011), A link-based approach to the cluster ensemble problem, IEEE TPAMI 33(12).
    https://doi.org/10.1109/TPAMI.2011.84

    Examples
    --------
    >>> from consensa import Ensemble
    >>> cluster_jaccard(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])).toarray().round(2)
    array([[0.  , 0.  , 0.67, 0.25],
           [0.  , 0.  , 0.  , 0.5 ],
           [0.67, 0.  , 0.  , 0.  ],
           [0.25, 0.5 , 0.  , 0.  ]])
    """
    O = ensemble.overlap.tocoo()
    cluster, other = O.coords
    apart = cluster != other
    cluster, other, common = cluster[apart], other[apart], O.data[apart]
    sizes = ensemble.cluster_sizes
    ratio = common / (sizes[cluster] + sizes[other] - common)
    return sp.csr_array(sp.coo_array((np.asarray(ratio, dtype=float), (cluster, other)), shape=O.shape))
