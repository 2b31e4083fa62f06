"""Path-based similarity: as strong as the weakest link of the best path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa.partition.agglomerate import agglomerate
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa.partition.dendrogram import Dendrogram

__all__ = ["path_similarity"]


def path_similarity(relation: Dense) -> Dense:
    """Replace similarities by the best that a path allows: the largest smallest link over all paths.

    Parameters
    ----------
    relation : Dense
        Similarities of n_rows things.

    Returns
    -------
    Dense
        With 1 on the diagonal. Things that no path links get the smallest positive value, so that all are linked; if
        there is none, they stay at 0.

    Notes
    -----
    This is the similarity at which two things merge in single linkage, so one dendrogram gives it: along its leaves
    in order, two of them are linked by the smallest merge between them.

    References
    ----------
    Fischer & Buhmann (2003), Path-based clustering for grouping of smooth curves and texture segmentation, IEEE TPAMI
    25(4). https://doi.org/10.1109/TPAMI.2003.1190577

    Examples
    --------
    >>> import numpy as np
    >>> path_similarity(Dense(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.4], [0.1, 0.4, 1.0]]))).similarity
    array([[1. , 0.5, 0.4],
           [0.5, 1. , 0.4],
           [0.4, 0.4, 1. ]])
    """
    n = relation.n_rows
    check_dense_budget(
        3 * 8 * n**2, f"The {n} x {n} path-based similarity", "EnsembleClustering does without a matrix of the objects."
    )
    if n == 1:
        return Dense(np.ones((1, 1)))
    order, links = _leaf_order(agglomerate(relation, None, "single"))
    positive = links[links > 0]
    if positive.size:
        links = np.maximum(links, positive.min())
    P = np.empty((n, n))
    for position, leaf in enumerate(order[:-1]):
        weakest = np.minimum.accumulate(links[position:])
        P[leaf, order[position + 1 :]] = weakest
        P[order[position + 1 :], leaf] = weakest
    np.fill_diagonal(P, 1.0)
    return Dense(P)


def _leaf_order(tree: Dendrogram) -> tuple[np.ndarray, np.ndarray]:
    """Leaves such that every region stands together, and the similarity at which neighbours in this order merged."""
    last = np.arange(tree.n_leaves)
    following = np.full(tree.n_leaves, -1)
    link = np.zeros(tree.n_leaves)
    for (a, b), similarity in zip(tree.merges.tolist(), tree.similarities.tolist(), strict=True):
        following[last[a]], link[last[a]] = b, similarity  # a region carries its first leaf
        last[a] = last[b]
    order = np.empty(tree.n_leaves, np.int64)
    leaf = 0
    for position in range(tree.n_leaves):
        order[position] = leaf
        leaf = int(following[leaf])
    return order, link[order[:-1]]
