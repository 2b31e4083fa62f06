"""Brute-force twins: the papers' formulas on single objects, in plain numpy and scipy, with no thought of speed.

Labels are integer arrays (n x M); -1 is a missing label.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform


def clusters_of(labels):
    """Members of every cluster of every column as boolean vectors, and the column each belongs to."""
    members, owner = [], []
    for m in range(labels.shape[1]):
        for label in np.unique(labels[labels[:, m] >= 0, m]):
            members.append(labels[:, m] == label)
            owner.append(m)
    return np.array(members), np.array(owner)


def uncertainty(labels):
    """Entropy of every cluster in bits, missing labels by the ``skip`` policy."""
    members, _ = clusters_of(labels)
    n_partitions = labels.shape[1]
    out = []
    for cluster in members:
        entropies = []
        for m in range(n_partitions):
            seen = labels[cluster, m]
            seen = seen[seen >= 0]
            if seen.size:
                share = np.unique(seen, return_counts=True)[1] / seen.size
                entropies.append(-sum(p * math.log2(p) for p in share))
        out.append(sum(entropies) * n_partitions / len(entropies))
    return np.array(out)


def eci(labels, theta):
    """Ensemble-driven cluster index of every cluster."""
    return np.exp(-uncertainty(labels) / (theta * labels.shape[1]))


def co_association(labels, weights=None):
    """Weighted co-association of all pairs of objects, one pair and one column at a time."""
    members, _ = clusters_of(labels)
    w = np.ones(len(members)) if weights is None else weights
    n = labels.shape[0]
    S = np.zeros((n, n))
    for cluster, weight in zip(members, w, strict=True):
        S[np.ix_(cluster, cluster)] += weight
    observed = (labels >= 0).sum(axis=1)
    return S / np.sqrt(np.outer(observed, observed))


def object_linkage(S, method):
    """scipy's linkage of all objects on 1 - S (the diagonal does not matter)."""
    D = 1 - S
    np.fill_diagonal(D, 0)
    return linkage(squareform(D, checks=False), method)


def cut_tree(Z, n_clusters):
    """Undo the last ``n_clusters - 1`` merges of a scipy linkage matrix."""
    n = Z.shape[0] + 1
    groups = {i: [i] for i in range(n)}
    for t in range(n - n_clusters):
        a, b = int(Z[t, 0]), int(Z[t, 1])
        groups[n + t] = groups.pop(a) + groups.pop(b)
    labels = np.empty(n, int)
    for g, members in enumerate(groups.values()):
        labels[members] = g
    return labels


def level(similarity):
    """The step of 1e-10 in which a similarity is compared."""
    return math.floor(similarity * 1e10 + 0.6180339887498949)


def greedy_merges(S, sizes, method):
    """Merge the best pair of all pairs again and again, from the definition: O(n^3) and more.

    The best pair: largest similarity in steps of 1e-10, then smaller index, then larger index. The similarity of two
    regions is the mean (by size), smallest or largest similarity of their members, always from the members. Returns
    the merges, their similarities, and whether another pair was just as similar.
    """
    sizes = np.asarray(sizes, float)
    regions = {i: [i] for i in range(S.shape[0])}
    merges, heights, tied = [], [], []

    def similarity(a, b):
        block = S[np.ix_(regions[a], regions[b])]
        if method == "average":
            wa, wb = sizes[regions[a]], sizes[regions[b]]
            return float(wa @ block @ wb / (wa.sum() * wb.sum()))
        return float(block.min() if method == "complete" else block.max())

    while len(regions) > 1:
        pairs = sorted((-level(similarity(a, b)), a, b) for a, b in itertools.combinations(sorted(regions), 2))
        _, a, b = pairs[0]
        tied.append(len(pairs) > 1 and pairs[0][0] == pairs[1][0])
        merges.append((a, b))
        heights.append(similarity(a, b))
        regions[a] = regions[a] + regions.pop(b)
    return np.array(merges, int).reshape(-1, 2), np.array(heights), np.array(tied, bool)


def full_bipartite(labels, weights):
    """All eigenpairs of the normalised graph of n objects and n_c clusters, largest first.

    Returns the eigenvalues and the generalised eigenvectors' object parts, D^-1/2 p.
    """
    members, _ = clusters_of(labels)
    B = members.T * weights
    n, n_c = B.shape
    E = np.block([[np.zeros((n, n)), B], [B.T, np.zeros((n_c, n_c))]])
    root = 1 / np.sqrt(E.sum(axis=1))
    values, vectors = np.linalg.eigh(root[:, None] * E * root)
    return values[::-1], (root[:, None] * vectors[:, ::-1])[:n]


def confidence(group, labels):
    """Silhouette on co-association, object by object."""
    S = co_association(labels)
    out = np.zeros(group.size)
    for i in range(group.size):
        if group[i] < 0 or (labels[i] < 0).all():
            continue
        mean = {}
        for g in np.unique(group[group >= 0]):
            others = [j for j in np.flatnonzero(group == g) if j != i and (labels[j] >= 0).any()]
            mean[g] = float(np.mean(S[i, others])) if others else 0.0
        own = mean.pop(group[i])
        other = max(mean.values(), default=0.0)
        if max(own, other) > 0:
            out[i] = max((own - other) / max(own, other), 0.0)
    return out


def same_partition(a, b):
    """Do two label vectors group the objects in the same way?"""
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


def tie_free_cuts(similarities, gap=1e-7):
    """Numbers of clusters whose cut does not fall between merges of (nearly) equal similarity, k = 1 included."""
    falling = np.asarray(similarities)
    n = falling.size + 1
    return [1, *(k for k in range(2, n) if falling[n - k - 1] - falling[n - k] > gap), n]
