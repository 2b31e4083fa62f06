"""Co-association of objects, refined by their distances and by the compactness of the clusters."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist, squareform

from consensa._budget import check_dense_budget
from consensa._magnitude import ordinary_scale
from consensa.relate.relation import Dense

__all__ = ["refined_co_association"]


def refined_co_association(X: np.ndarray, partitions: np.ndarray) -> Dense:
    r"""Count shared clusters by how near the two objects are and how compact the cluster is.

    :math:`S_{ij} = \frac1M \sum_m q_c \exp(-d_{ij}^2 / 2\sigma_c^2)` over the clusterings in which both lie in the
    same cluster c, with the mean distance :math:`\sigma_c` of the pairs in c and the quality
    :math:`q_c = \min \sigma / \sigma_c`, the minimum over the clusters of the same clustering.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
    partitions : ndarray of shape (n_objects, n_partitions), int
        Labels; an object with a negative label lies in no cluster of that clustering.

    Returns
    -------
    Dense
        Over the *objects*, in [0, 1].

    Notes
    -----
    A variant: that pairs count by their closeness and clusters by their compactness is published, the exact weights
    are not known to us. A cluster in which all distances are 0 has quality 1, as has one of a single object.

    References
    ----------
    Zhong, Yue, Zhang & Lei (2015), A clustering ensemble: two-level-refined co-association matrix with path-based
    transformation, Pattern Recognition 48(8). https://doi.org/10.1016/j.patcog.2015.02.014

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [9.0]])
    >>> refined_co_association(X, np.array([[0], [0], [1], [1]])).similarity.round(2)
    array([[1.  , 0.61, 0.  , 0.  ],
           [0.61, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 0.25, 0.15],
           [0.  , 0.  , 0.15, 0.25]])
    """
    n, n_partitions = partitions.shape
    check_dense_budget(
        2 * 8 * n**2, f"The {n} x {n} co-association of the objects", "EnsembleClustering does without this matrix."
    )
    X, _ = ordinary_scale(X)
    S = np.zeros((n, n))
    for labels in partitions.T:
        clusters = [np.flatnonzero(labels == label) for label in np.unique(labels[labels >= 0])]
        widths = np.array([_width(X[members]) for members in clusters])
        smallest = widths[widths > 0].min(initial=np.inf)
        for members, width in zip(clusters, widths.tolist(), strict=True):
            if width > 0:
                squared = squareform(pdist(X[members], "sqeuclidean"))
                S[np.ix_(members, members)] += smallest / width * np.exp(squared / (-2 * width**2))
            else:
                S[np.ix_(members, members)] += 1.0
    S /= n_partitions
    return Dense(S)


def _width(points: np.ndarray) -> float:
    """Mean distance of all pairs of points; 0 for a single one."""
    return float(pdist(points).mean()) if points.shape[0] > 1 else 0.0
