"""Two levels: one tree makes regions, another one joins them."""

from __future__ import annotations

import numpy as np

from consensa.partition.dendrogram import Dendrogram

__all__ = ["join_trees"]


def join_trees(fine: Dendrogram, coarse: Dendrogram) -> Dendrogram:
    """Put a tree of regions on top of the tree that made the regions.

    Parameters
    ----------
    fine : Dendrogram
        Its cut into as many clusters as ``coarse`` has leaves gives the regions.
    coarse : Dendrogram
        The tree of these regions; leaf r is region r of that cut.

    Returns
    -------
    Dendrogram
        On the leaves of ``fine``. Merges within regions have the similarity of the first merge above them or more:
        the two trees need not measure alike, and the order is what counts.

    Examples
    --------
    >>> import numpy as np
    >>> fine = Dendrogram(np.array([[0, 2], [0, 1]]), np.array([0.9, 0.4]), np.array([1, 1, 1]))
    >>> coarse = Dendrogram(np.array([[0, 1]]), np.array([0.5]), np.array([2, 1]))
    >>> tree = join_trees(fine, coarse)
    >>> tree.merges.tolist(), tree.similarities.tolist()
    ([[0, 2], [0, 1]], [0.9, 0.5])
    """
    n_within = fine.n_leaves - coarse.n_leaves
    first = np.unique(fine.cut(coarse.n_leaves), return_index=True)[1]
    top = coarse.similarities[:1].max(initial=0.0)
    within = np.maximum(fine.similarities[:n_within], top)
    return Dendrogram(
        np.concatenate([fine.merges[:n_within], first[coarse.merges]]),
        np.concatenate([within, coarse.similarities]),
        fine.sizes,
    )
