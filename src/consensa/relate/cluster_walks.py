"""Cluster-wise similarities, propagated by random walks over the clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._validation import check_integer
from consensa.relate.jaccard import cluster_jaccard
from consensa.relate.through_clusters import check_cluster_matrix, own_clustering_kernel, through_clusters
from consensa.relate.trajectory import transition_matrix

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.relate.relation import Dense

__all__ = ["enhanced_co_association", "propagated_similarity"]


def propagated_similarity(ensemble: Ensemble, n_steps: int = 20, *, lazy: bool = False) -> np.ndarray:
    r"""Compare the random walks that start from the clusters.

    A walker goes from cluster to cluster with probabilities that grow with their Jaccard similarity; two clusters are
    similar if the walks of ``n_steps`` steps from them are, by the cosine of :math:`[P, P^2, \dots, P^T]`.

    Parameters
    ----------
    ensemble : Ensemble
        Only its overlap counts are used.
    n_steps : int, default=20
        Length of the walks.
    lazy : bool, default=False
        Stay where one is with probability 1/2. Published without; but over two base clusterings the other walks only
        alternate between them, and walks from different clusterings never meet.

    Returns
    -------
    ndarray of shape (n_base_clusters, n_base_clusters)
        In [0, 1] with 1 on the diagonal; a cluster that overlaps no other is similar to itself only.

    References
    ----------
    Huang, Wang, Peng, Lai & Kwoh (2021), Enhanced ensemble clustering via fast propagation of cluster-wise
    similarities, IEEE Trans. SMC: Systems 51(1). https://doi.org/10.1109/TSMC.2018.2876202

    Examples
    --------
    >>> from consensa import Ensemble
    >>> propagated_similarity(Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]]), n_steps=2).round(2)
    array([[1.  , 0.47, 0.  , 0.  ],
           [0.47, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.52],
           [0.  , 0.  , 0.52, 1.  ]])
    """
    n_steps = check_integer("n_steps", n_steps)
    check_cluster_matrix(ensemble, 5)
    P = transition_matrix(cluster_jaccard(ensemble), np.ones(ensemble.n_base_clusters)).toarray()
    if lazy:
        P = (P + np.eye(P.shape[0])) / 2
    step = P
    products = P @ P.T
    for _ in range(n_steps - 1):
        step = step @ P
        products += step @ step.T
    length = np.sqrt(products.diagonal())
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    similarity = np.clip(products * inverse[:, None] * inverse, 0.0, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return similarity


def enhanced_co_association(ensemble: Ensemble, similarity: np.ndarray) -> Dense:
    """Co-association in which different clusters of a clustering count by their similarity.

    Parameters
    ----------
    ensemble : Ensemble
    similarity : ndarray of shape (n_base_clusters, n_base_clusters)
        Of the clusters, for example by :func:`propagated_similarity`; only pairs of the same clustering are used.

    Returns
    -------
    Dense
        For every base clustering 1 if two microclusters share a cluster, else the similarity of their clusters; the
        mean over the clusterings. With missing labels as in :func:`~consensa.relate.triple_similarity`.

    References
    ----------
    Huang, Wang, Peng, Lai & Kwoh (2021), Enhanced ensemble clustering via fast propagation of cluster-wise
    similarities, IEEE Trans. SMC: Systems 51(1). https://doi.org/10.1109/TSMC.2018.2876202

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1], [0, 0, 1, 1]])
    >>> enhanced_co_association(ensemble, propagated_similarity(ensemble, 2)).similarity.round(2)
    array([[1.  , 0.76, 0.49],
           [0.76, 1.  , 0.73],
           [0.49, 0.73, 1.  ]])
    """
    kernel = own_clustering_kernel(ensemble, similarity)
    return through_clusters(ensemble, kernel, 1 / np.sqrt(ensemble.n_observed))
