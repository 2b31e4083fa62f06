"""Entropic uncertainty of clusters and the ensemble-driven cluster index (ECI)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._validation import LARGEST, check_positive

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["cluster_uncertainty", "entropy_weights", "normalised_entropy_weights"]

_TINY = np.finfo(float).tiny


def cluster_uncertainty(ensemble: Ensemble) -> np.ndarray:
    r"""Entropy of every cluster with respect to the whole ensemble, in bits.

    :math:`H(C_i) = -\sum_j p_{ij} \log_2 p_{ij}` with :math:`p_{ij} = |C_i \cap C_j| / |C_i|`, over all clusters j
    of all base clusterings: 0 for a cluster that no other clustering splits.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    ndarray of shape (n_base_clusters,)

    Notes
    -----
    With missing labels, the shares in clustering m are taken among the members of :math:`C_i` that m has labelled,
    and the sum is scaled up by M over the number of clusterings that labelled any of them.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Eq. 7-9.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import Ensemble
    >>> cluster_uncertainty(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]))
    array([1., 0., 0., 0., 0.])
    """
    return _uncertainty(ensemble, ensemble.n_partitions)


def _uncertainty(ensemble: Ensemble, n_scaled: int) -> np.ndarray:
    """Uncertainty of every cluster, scaled up to a number of clusterings.

    Weights use the number of those with any label: one without would change them by rounding, and so decide ties.
    """
    entropy, _, n_counted = ensemble.spread
    return np.asarray(np.maximum(entropy / np.log(2.0), 0.0) * (n_scaled / n_counted))


def entropy_weights(ensemble: Ensemble, theta: float = 0.4) -> np.ndarray:
    r"""Ensemble-driven cluster index :math:`\exp(-H(C_i) / (\theta M))`, in (0, 1].

    Parameters
    ----------
    ensemble : Ensemble
    theta : float, default=0.4
        How slowly the weight falls with the uncertainty; the paper recommends 0.2 to 1.

    Returns
    -------
    ndarray of shape (n_base_clusters,)

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), Eq. 10.
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import Ensemble
    >>> entropy_weights(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]), theta=0.5).round(4)
    array([0.3679, 1.    , 1.    , 1.    , 1.    ])
    """
    return _index(_uncertainty(ensemble, ensemble.n_filled), ensemble.n_filled, check_positive("theta", theta, LARGEST))


def normalised_entropy_weights(ensemble: Ensemble, theta: float = 0.06) -> np.ndarray:
    r"""Weights :math:`\exp(-H(C_i) / (\theta M \log_2 k_i))`; the clustering of :math:`C_i` has :math:`k_i` clusters.

    The uncertainty of a cluster grows with its size, so that :func:`entropy_weights` prefer fine clusterings to coarse
    ones. Here it is divided by the entropy that the clustering of the cluster can have: no clustering loses by being
    coarse. With these weights :func:`~consensa.relate.co_association` is the NWCA of SDGCA, up to its scale.

    Parameters
    ----------
    ensemble : Ensemble
    theta : float, default=0.06
        How slowly the weight falls with the uncertainty; the authors tune it for every data set, from 0.02 to 0.18,
        with a median of 0.06.

    Returns
    -------
    ndarray of shape (n_base_clusters,)
        In (0, 1].

    Notes
    -----
    A clustering of one cluster has no entropy to divide by; its cluster is weighed as by :func:`entropy_weights`.
    Missing labels count as in :func:`cluster_uncertainty`.

    References
    ----------
    Zhang, Jia, Song & Wang (2025), Similarity and dissimilarity guided co-association matrix construction for ensemble
    clustering, IEEE TKDE. https://doi.org/10.48550/arXiv.2411.00904

    Examples
    --------
    >>> from consensa import Ensemble
    >>> normalised_entropy_weights(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]), theta=0.5).round(4)
    array([0.3679, 1.    , 1.    , 1.    , 1.    ])
    """
    theta = check_positive("theta", theta, LARGEST)
    largest = np.log2(np.maximum(np.diff(ensemble.offsets), 2))  # 1 for one cluster as for two
    return _index(_uncertainty(ensemble, ensemble.n_filled) / largest[ensemble.owner], ensemble.n_filled, theta)


def _index(uncertainty: np.ndarray, n_scaled: int, theta: float) -> np.ndarray:
    index = np.exp(-uncertainty / (theta * n_scaled))
    return np.maximum(index, _TINY)  # a tiny theta must not cut every link
