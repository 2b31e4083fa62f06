"""Where a tree or a spectrum has its gaps: the lifetime of every number of clusters, and the eigengap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa.partition.transfer_cut import transfer_cut
from consensa.relate.bipartite import cluster_graph

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["eigengaps", "lifetimes"]


def lifetimes(tree: Dendrogram, n_clusters: np.ndarray) -> np.ndarray:
    """Return for every k how long the tree keeps k clusters: the gap between two merges.

    asin(sqrt(born)) - asin(sqrt(died)), with *born* the similarity of the merge that leaves k clusters and *died* that
    of the next merge. A similarity is a share of base clusterings, and on this scale a share has the same error
    whatever its size: plain differences favour many clusters, ratios favour few. All leaves by themselves are born at
    similarity 1.

    Parameters
    ----------
    tree : Dendrogram
    n_clusters : ndarray of int
        The candidates k, from 1 to n_leaves.

    Returns
    -------
    ndarray of shape (n_candidates,)
        In [0, pi/2]; NaN for k = 1, which never dies.

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), Section 4.
    https://doi.org/10.1109/TPAMI.2005.113
    Anscombe (1948), The transformation of Poisson, binomial and negative-binomial data, Biometrika 35.
    https://doi.org/10.1093/biomet/35.3-4.246

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import Dendrogram
    >>> tree = Dendrogram(np.array([[0, 1], [2, 3], [0, 2]]), np.array([0.9, 0.8, 0.2]), np.ones(4, int))
    >>> lifetimes(tree, np.array([1, 2, 3, 4])).round(3)
    array([  nan, 0.644, 0.142, 0.322])
    """
    falling = np.minimum.accumulate(tree.similarities)  # average linkage can go up a little where ties were rounded
    born = np.arcsin(np.sqrt(np.clip(np.append(falling[::-1], 1.0), 0.0, 1.0)))
    out = born[n_clusters - 1] - born[np.maximum(n_clusters - 2, 0)]
    out[n_clusters == 1] = np.nan
    return out


def eigengaps(ensemble: Ensemble, n_clusters: np.ndarray) -> np.ndarray:
    """Return for every k the gap after the k-th eigenvalue of the graph of objects and base clusters.

    The graph and its spectrum are those of the transfer cut without weights, an eigenproblem on the base clusters; it
    exists for every ensemble, whatever the method. A large gap says that k clusters are nearly separate.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : ndarray of int
        The candidates k.

    Returns
    -------
    ndarray of shape (n_candidates,)
        NaN where k is larger than the number of base clusters.

    References
    ----------
    Li, Wu & Chang (2012), Segmentation using superpixels: a bipartite graph partitioning approach, CVPR.
    https://doi.org/10.1109/CVPR.2012.6247750
    von Luxburg (2007), A tutorial on spectral clustering, Statistics and Computing 17, Section 8.3.
    https://doi.org/10.1007/s11222-007-9033-z

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> eigengaps(Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]]), np.array([2, 3])).round(3) + 0.0
    array([0., 1.])
    """
    spectrum = transfer_cut(cluster_graph(ensemble), ensemble.sizes, random_state=0)
    wanted = int(n_clusters.max()) + 1
    values = np.full(wanted, np.nan)
    found = spectrum.eigenvalues(wanted)
    values[: found.size] = np.clip(found, 0.0, 1.0)
    if found.size < wanted:
        values[found.size] = 0.0  # beyond the last base cluster there is nothing
    return values[n_clusters - 1] - values[n_clusters]
