"""The tree behind a report: the method's own, or one of a sample; condensed to a few leaves."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.ensemble.microclusters import MicroclusterTable
from consensa.partition import Dendrogram, agglomerate
from consensa.relate import Dense

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["Tree", "condense", "leaf_order", "tree_of"]

_MAX_LEAVES = 48
_MOST_LEAVES = 120  # where there are more clusters than that, not all of them are leaves
_MAX_ROWS = 1000
_DETAIL = 200  # a split is shown if its smaller side holds one object in 200
_WITHIN = 2.0  # added to similarities within clusters, so that these are complete before they merge


@dataclass(frozen=True, eq=False)
class Tree:
    """A dendrogram of microclusters."""

    codes: np.ndarray  # the label row of every leaf
    counts: np.ndarray  # how many of its objects were looked at
    labels: np.ndarray  # its cluster
    dendrogram: Dendrogram
    own: bool  # whether the method itself made the tree


def tree_of(subject: Subject) -> Tree:
    """Return the method's tree; for a method without one, average linkage within its clusters and then of them.

    That is the tree of the microclusters in the sample of objects.
    """
    if subject.labeller is not None:
        cut = subject.model.cut_.cut_for(subject.labeller.n_clusters)
        if cut.tree is not None:
            codes = subject.ensemble.labels[cut.tree_rows]
            labels = np.asarray(subject.labeller.unmarked(codes), np.int64)
            return Tree(codes, subject.ensemble.sizes[cut.tree_rows], labels, cut.tree, own=True)
    chosen = np.arange(subject.sample.size)[:: 1 + subject.sample.size // _MAX_ROWS]
    labels = subject.labels[subject.sample]
    if np.unique(labels[chosen]).size < subject.n_clusters:  # the thinner sample lost a cluster
        chosen = np.arange(subject.sample.size)
    rows = MicroclusterTable(subject.ensemble.n_partitions).add(subject.sample_codes[chosen])
    pairs = rows * subject.n_clusters + labels[chosen]
    _, first, counts = np.unique(pairs, return_index=True, return_counts=True)
    codes, labels = subject.sample_codes[chosen[first]], labels[chosen[first]].astype(np.int64)
    factor = subject.shared.factor(codes)
    similarity = np.clip((factor @ factor.T).toarray(), 0, 1)
    similarity = (similarity + similarity.T) / 2 + _WITHIN * (labels[:, None] == labels)
    merged = agglomerate(Dense(similarity), counts)
    levels = np.where(merged.similarities >= _WITHIN - 1e-9, merged.similarities - _WITHIN, merged.similarities)
    return Tree(codes, counts, labels, Dendrogram(merged.merges, levels, counts), own=False)


def leaf_order(dendrogram: Dendrogram) -> np.ndarray:
    """Leaves from left to right, the larger side of every merge first.

    Examples
    --------
    >>> import numpy as np
    >>> leaf_order(Dendrogram(np.array([[0, 2], [0, 1]]), np.array([0.9, 0.1]), np.array([1, 1, 1])))
    array([0, 2, 1])
    """
    left, right, _ = _nodes(dendrogram)
    n = dendrogram.n_leaves
    order: list[int] = []
    waiting = [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node < n:
            order.append(node)
        else:
            waiting += [right[node - n], left[node - n]]
    return np.array(order, np.int64)


def condense(tree: Tree, sizes: np.ndarray) -> dict[str, Any]:
    """Open a tree from its root: first down to the clusters, then to the most even splits, to a few leaves.

    ``leaves``: [objects, cluster] from left to right; ``merges``: [left, right, similarity] upwards, where the number
    of a merge is that of the leaves plus its place in the list.
    """
    n = tree.dendrogram.n_leaves
    left, right, objects = _nodes(tree.dendrogram)
    opened = _open(left, right, objects, min(max(_MAX_LEAVES, sizes.size), _MOST_LEAVES), sizes.size)
    scale = sizes / np.maximum(np.bincount(tree.labels, tree.counts, sizes.size), 1)
    cluster = _first_labels(left, tree.labels)
    leaves: list[list[int]] = []
    merges: list[list[Any]] = []
    levels = np.minimum.accumulate(np.clip(tree.dendrogram.similarities, 0, 1))
    place: dict[int, int] = {}
    for node in _from_left(2 * n - 2, opened, left, right, n):
        if node not in opened:
            place[node] = len(leaves)
            leaves.append([round(float(objects[node] * scale[cluster[node]])), int(cluster[node])])
    for node in sorted(opened):
        place[node] = len(leaves) + len(merges)
        merges.append([place[left[node - n]], place[right[node - n]], round(float(levels[node - n]), 3)])
    return {"leaves": leaves, "merges": merges}


def _nodes(dendrogram: Dendrogram) -> tuple[list[int], list[int], list[float]]:
    """Children of every merge, the larger first, and the objects of every node; leaves come first."""
    n = dendrogram.n_leaves
    node = list(range(n))
    objects = dendrogram.sizes.astype(float).tolist()
    left, right = [0] * (n - 1), [0] * (n - 1)
    for t, (a, b) in enumerate(dendrogram.merges.tolist()):
        one, two = node[a], node[b]
        if objects[two] > objects[one]:
            one, two = two, one
        left[t], right[t] = one, two
        objects.append(objects[one] + objects[two])
        node[a] = n + t
    return left, right, objects


def _open(left: list[int], right: list[int], objects: list[float], n_leaves: int, n_clusters: int) -> set[int]:
    """Merges to show: the last ones, down to the clusters, then those that lead to the most even split."""
    n = len(left) + 1
    total = 2 * n - 1
    worth = [0.0] * n
    for one, two in zip(left, right, strict=True):
        worth.append(max(min(objects[one], objects[two]), worth[one], worth[two]))
    opened: set[int] = set()
    waiting: list[tuple[int, float, int]] = []

    def offer(node: int) -> None:
        late = node >= total - n_clusters + 1
        if node >= n and (late or worth[node] * _DETAIL >= objects[-1]):
            heapq.heappush(waiting, (-node, 0.0, node) if late else (0, -worth[node], node))

    offer(total - 1)
    while waiting and len(opened) < n_leaves - 1:
        node = heapq.heappop(waiting)[2]
        opened.add(node)
        offer(left[node - n])
        offer(right[node - n])
    return opened


def _from_left(root: int, opened: set[int], left: list[int], right: list[int], n: int) -> list[int]:
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if node in opened:
            waiting += [right[node - n], left[node - n]]
    return found


def _first_labels(left: list[int], labels: np.ndarray) -> list[int]:
    """Cluster of every node: that of its first leaf."""
    found = labels.tolist()
    for child in left:
        found.append(found[child])
    return found
