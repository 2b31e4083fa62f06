"""The order in which regions were merged, cut into any number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consensa._kernels_merges import follow_merges
from consensa._stored import check_fits, numbers_below
from consensa.partition.cut import StoredCut

__all__ = ["Dendrogram"]


@dataclass(frozen=True, eq=False)
class Dendrogram(StoredCut):
    """The tree of an agglomeration.

    Parameters
    ----------
    merges : ndarray of shape (n_leaves - 1, 2), int64
        The two regions of each merge, the smaller index first. A region carries the index of its smallest leaf.
    similarities : ndarray of shape (n_leaves - 1,)
        Similarity of the two regions when they merged, falling.
    sizes : ndarray of shape (n_leaves,)
        How many objects every leaf (microcluster) stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import Dendrogram
    >>> tree = Dendrogram(np.array([[0, 2], [0, 1]]), np.array([0.9, 0.1]), np.array([1, 1, 1]))
    >>> tree.cut(2)
    array([0, 1, 0])
    >>> tree.to_linkage()
    array([[0. , 2. , 0.1, 2. ],
           [1. , 3. , 0.9, 3. ]])
    """

    merges: np.ndarray
    similarities: np.ndarray
    sizes: np.ndarray

    def check_parts(self) -> None:
        """Refuse merges that are not those of so many leaves."""
        n = self.n_leaves
        check_fits(self.sizes.shape == (n,) and n > 0, "the leaves of its tree")
        check_fits(self.merges.shape == (n - 1, 2) and numbers_below(self.merges, n), "the merges of its tree")
        check_fits(np.all(self.merges[:, 0] < self.merges[:, 1]), "the merges of its tree")
        check_fits(self.similarities.shape == (n - 1,), "the similarities of its tree")

    @property
    def n_leaves(self) -> int:
        """Number of leaves (microclusters)."""
        return int(self.sizes.size)

    @property
    def tree(self) -> Dendrogram:
        """The tree itself."""
        return self

    def cut(self, n_clusters: int) -> np.ndarray:
        """Undo the last ``n_clusters - 1`` merges, so that exactly ``n_clusters`` clusters come back.

        Returns
        -------
        ndarray of shape (n_leaves,), int64
            Numbered by the first leaf of the cluster.
        """
        self.check(n_clusters)
        kept = self.merges[: self.n_leaves - n_clusters]
        root, is_root = np.arange(self.n_leaves), np.ones(self.n_leaves, np.bool_)
        follow_merges(kept, root)
        is_root[kept[:, 1]] = False
        return np.asarray((np.cumsum(is_root) - 1)[root])

    def to_linkage(self, leaf_sizes: str = "leaves") -> np.ndarray:
        """Write the tree as a scipy linkage matrix, with the distance 1 - similarity.

        Parameters
        ----------
        leaf_sizes : {"leaves", "objects"}, default="leaves"
            What the fourth column counts. scipy's functions want leaves.

        Returns
        -------
        ndarray of shape (n_leaves - 1, 4)
        """
        node = np.arange(self.n_leaves)
        count = np.ones(self.n_leaves) if leaf_sizes == "leaves" else self.sizes.astype(float)
        Z = np.empty((self.n_leaves - 1, 4))
        distances = np.maximum.accumulate(np.clip(1 - self.similarities, 0, None))
        for t, (a, b) in enumerate(self.merges):
            count[a] += count[b]
            Z[t] = min(node[a], node[b]), max(node[a], node[b]), distances[t], count[a]
            node[a] = self.n_leaves + t
        return Z
