"""In which features the clusters of a consensus live, from the feature weights of its members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._groups import count_table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["consensus_feature_weights"]


def consensus_feature_weights(
    labels: np.ndarray, partitions: np.ndarray, feature_weights: Sequence[np.ndarray]
) -> np.ndarray:
    """Average the feature weights of the members over the objects of every consensus cluster.

    Every object brings, from every base clustering, the weights of the cluster it lies in there.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,), int
        The consensus, 0, 1, ...
    partitions : ndarray of shape (n_objects, n_partitions), int
        The base clusterings, 0, 1, ... in every column.
    feature_weights : sequence of n_partitions ndarrays of shape (n_clusters of that base clustering, n_features)
        Rows sum to 1.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
        Rows sum to 1.

    References
    ----------
    Proposed as future work by Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 7.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> weights = [np.array([[0.8, 0.2], [0.4, 0.6]])]
    >>> consensus_feature_weights(np.array([0, 0, 1]), np.array([[0], [1], [1]]), weights)
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """
    n_clusters = int(labels.max()) + 1
    total = np.zeros((n_clusters, feature_weights[0].shape[1]))
    for member, weights in zip(partitions.T, feature_weights, strict=True):
        total += count_table(labels, member, (n_clusters, len(weights))).toarray() @ weights
    return total / (np.bincount(labels)[:, None] * len(feature_weights))
