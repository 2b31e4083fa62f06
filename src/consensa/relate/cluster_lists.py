"""The microclusters of every cluster, through which kernels find those that share a cluster with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["ClusterLists", "cluster_lists"]


class ClusterLists(NamedTuple):
    """Labels of the microclusters, and the microclusters of every cluster.

    Cluster ``offsets[m] + labels[u, m]`` is that of microcluster u in base clustering m; the microclusters of cluster
    c are ``members[starts[c]:starts[c + 1]]``, rising.
    """

    labels: np.ndarray  # (n, M) int32, -1 = missing
    offsets: np.ndarray  # (M,) int64: number of the first cluster of every base clustering
    starts: np.ndarray  # (n_clusters + 1,) int64
    members: np.ndarray  # (labels that are not missing,) uint32: without a sign, kernels need not look for below 0


def cluster_lists(ensemble: Ensemble) -> ClusterLists:
    """List the microclusters of every cluster.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> lists = cluster_lists(Ensemble([[0, 0, 1], [0, 1, 1]]))
    >>> lists.starts, lists.members
    (array([0, 2, 3, 4, 6]), array([0, 1, 2, 0, 1, 2], dtype=uint32))
    """
    turned = sp.csr_array(ensemble.incidence.T)
    starts, members = turned.indptr.astype(np.int64), turned.indices.astype(np.uint32)
    return ClusterLists(ensemble.labels, ensemble.offsets, starts, members)
