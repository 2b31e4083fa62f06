"""Ensembles of other members than k-means with many k: Leiden, HDBSCAN, linkage, one k, subsamples, experts.

All on simulated cells: counts of genes in groups of unequal size that come in families, some hard to tell apart.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KINDS", "kind_ensemble", "simulated_cells"]

N_GENES = 200
Members = list[np.ndarray]


def kind_ensemble(kind: str, n_members: int, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Return base clusterings (n_objects x n_members, -1 = missing) of simulated cells, and their true groups."""
    rng = np.random.default_rng([run, sorted(KINDS).index(kind)])
    X, truth = simulated_cells(rng)
    return np.column_stack(KINDS[kind](X, truth, n_members, rng)), truth


def simulated_cells(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the first 20 principal components of log-normalised counts of cells, and their groups."""
    n, k = int(rng.integers(500, 1500)), int(rng.integers(5, 15))
    shares = rng.lognormal(0.0, 0.8, k)
    truth = rng.choice(k, n, p=shares / shares.sum())
    families = rng.integers(max(2, k // 3), size=k)
    marker = rng.normal(0.0, 1.0, (families.max() + 1, N_GENES)) * (rng.random((families.max() + 1, N_GENES)) < 0.25)
    own = rng.normal(0.0, 1.0, (k, N_GENES)) * (rng.random((k, N_GENES)) < rng.uniform(0.08, 0.25))
    strength = rng.uniform(0.4, 0.9)
    rates = np.exp(rng.normal(-0.5, 1.0, N_GENES) + strength * (marker[families] + own))
    depth = rng.lognormal(0.0, 0.4, n)
    counts = rng.poisson(rates[truth] * depth[:, None] * rng.gamma(5.0, 0.2, (n, N_GENES)))
    logs = np.log1p(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * np.median(counts.sum(axis=1)))
    return PCA(20, random_state=0).fit_transform(logs), truth


def _leiden(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:  # noqa: ARG001
    import igraph as ig

    links = kneighbors_graph(X, 15).tocoo()
    graph = ig.Graph(X.shape[0], list(zip(links.row.tolist(), links.col.tolist(), strict=True))).simplify()
    members = []
    for resolution in rng.uniform(0.3, 2.5, n):
        random.seed(int(rng.integers(2**31)))  # igraph draws from there
        found = graph.community_leiden("modularity", resolution=float(resolution), n_iterations=2)
        members.append(np.array(found.membership))
    return members


def _kmeans(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:  # noqa: ARG001
    most = int(X.shape[0] ** 0.5)
    return [_centers(X, int(rng.integers(2, most + 1)), rng).labels_ for _ in range(n)]


def _leiden_and_kmeans(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:
    return [*_leiden(X, truth, n // 2, rng), *_kmeans(X, truth, n - n // 2, rng)]


def _hdbscan(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:  # noqa: ARG001
    members = []
    while len(members) < n:
        columns = rng.choice(X.shape[1], 6, replace=False, p=X.std(axis=0) / X.std(axis=0).sum())
        size, near = int(rng.integers(5, 25)), int(rng.integers(2, 8))
        found = HDBSCAN(min_cluster_size=size, min_samples=near, copy=True).fit_predict(X[:, columns])
        if found.max() > 0:
            members.append(found)
    return members


def _linkage(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:  # noqa: ARG001
    most = int(X.shape[0] ** 0.5)
    return [
        AgglomerativeClustering(int(rng.integers(2, most + 1)), linkage=["average", "complete", "ward"][m % 3])
        .fit(X[:, rng.random(X.shape[1]) < 0.7])
        .labels_
        for m in range(n)
    ]


def _one_k(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:
    return [_centers(X, int(truth.max()) + 1, rng).labels_ for _ in range(n)]


def _subsamples(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:
    members = []
    for _ in range(n):
        kept = rng.random(X.shape[0]) < 0.7
        labels = np.full(X.shape[0], -1)
        labels[kept] = _centers(X[kept], int(truth.max()) + 1 + int(rng.integers(-2, 4)), rng).labels_
        members.append(labels)
    return members


def _experts(X: np.ndarray, truth: np.ndarray, n: int, rng: np.random.Generator) -> Members:  # noqa: ARG001
    """People who err, leave gaps and do not tell some groups apart."""
    k, members = int(truth.max()) + 1, []
    for _ in range(n):
        merged = np.where(rng.random(k) < 0.3, rng.integers(k, size=k), np.arange(k))
        labels = merged[truth]
        wrong = rng.random(truth.size) < rng.uniform(0.2, 0.7)
        labels[wrong] = rng.integers(k, size=int(wrong.sum()))
        labels[rng.random(truth.size) < 0.2] = -1
        members.append(labels)
    return members


def _centers(X: np.ndarray, k: int, rng: np.random.Generator) -> KMeans:
    return KMeans(max(k, 2), n_init=1, random_state=int(rng.integers(2**31))).fit(X)


KINDS: dict[str, Callable[[np.ndarray, np.ndarray, int, np.random.Generator], Members]] = {
    "Leiden, other resolutions and seeds": _leiden,
    "Leiden and k-means": _leiden_and_kmeans,
    "HDBSCAN, noise as missing labels": _hdbscan,
    "agglomerative, three linkages": _linkage,
    "k-means, 2 to sqrt(n)": _kmeans,
    "k-means, all with the true k": _one_k,
    "k-means on subsamples": _subsamples,
    "made-up experts, errors and gaps": _experts,
}
