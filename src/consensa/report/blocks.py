"""The consensus matrix in blocks of objects: mean co-association from the factor, never pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._groups import count_table
from consensa.report.tree import leaf_order

if TYPE_CHECKING:
    from consensa.report.subject import Subject
    from consensa.report.tree import Tree

__all__ = ["block_means", "consensus_blocks"]

_MAX_BLOCKS = 96


def consensus_blocks(subject: Subject, tree: Tree) -> dict[str, Any]:
    """Cut the objects, in the order of the tree, into blocks within clusters, and relate the blocks.

    ``cluster`` and ``size`` of every block, and ``values``: mean co-association of every two blocks in percent, the
    lower triangle by rows.
    """
    order = leaf_order(tree.dendrogram)
    shown = subject.n_clusters <= _MAX_BLOCKS or tree.labels[order] < _MAX_BLOCKS
    order = order[shown] if isinstance(shown, np.ndarray) else order
    row_blocks, columns, counts, clusters = _cut(order, tree, subject.sizes)
    members = count_table(row_blocks, columns, (clusters.size, tree.counts.size), counts.astype(float))
    means = block_means(members, subject.shared.factor(tree.codes))
    lower = means[np.tril_indices(clusters.size)]
    return {
        "cluster": clusters.tolist(),
        "size": np.asarray(members.sum(axis=1)).ravel().astype(int).tolist(),
        "values": np.rint(100 * np.clip(lower, 0, 1)).astype(int).tolist(),
    }


def block_means(members: sp.csr_array, factor: sp.csr_array) -> np.ndarray:
    """Mean of S = B Bᵀ between the objects of every two blocks, no object with itself; 1 for an object alone.

    ``members`` says how many objects of every row lie in every block (n_blocks x n_rows), ``factor`` is B.

    Examples
    --------
    >>> import numpy as np
    >>> members, factor = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> block_means(sp.csr_array(members), sp.csr_array(factor))
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    sums = sp.csr_array(members @ factor)
    total = (sums @ sums.T).toarray()
    size = np.asarray(members.sum(axis=1)).ravel()
    itself = np.asarray(factor.multiply(factor).sum(axis=1)).ravel()
    total[np.diag_indices(size.size)] -= members @ itself
    pairs = np.outer(size, size) - np.diag(size)
    return np.divide(total, pairs, out=np.ones_like(total), where=pairs > 0)


def _cut(order: np.ndarray, tree: Tree, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Blocks of nearly equal counts within every cluster: (block, leaf, count) triples and the cluster of each block.

    A leaf with many objects may lie in several blocks.
    """
    labels = tree.labels[order]
    total = max(int(sizes.sum()), 1)
    blocks, leaves, shares = [], [], []
    clusters: list[int] = []
    for label in dict.fromkeys(labels.tolist()):
        own = order[labels == label]
        ends = np.cumsum(tree.counts[own])
        n_blocks = int(np.clip(round(_MAX_BLOCKS * sizes[label] / total), 1, min(ends[-1], _MAX_BLOCKS)))
        bounds = (np.arange(1, n_blocks) * ends[-1]) // n_blocks
        cuts = np.unique(np.concatenate([ends, bounds]))
        leaves.append(own[np.searchsorted(ends, cuts)])
        blocks.append(len(clusters) + np.searchsorted(bounds, cuts, side="left"))
        shares.append(np.diff(cuts, prepend=0))
        clusters += [label] * n_blocks
    return np.concatenate(blocks), np.concatenate(leaves), np.concatenate(shares), np.array(clusters)
