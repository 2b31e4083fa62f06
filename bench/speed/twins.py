"""What a user would write by hand: LWEA and LWGP on objects, with numpy, scipy and scikit-learn only."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans

__all__ = ["TWINS", "cluster_index", "lwea_twin", "lwgp_twin"]


def cluster_index(labels: np.ndarray, theta: float) -> list[np.ndarray]:
    """Ensemble-driven cluster index of every cluster of every column, from contingency tables."""
    n_partitions = labels.shape[1]
    weights = []
    for own in labels.T:
        entropy = np.zeros(own.max() + 1)
        for other in labels.T:
            table = np.zeros((own.max() + 1, other.max() + 1))
            np.add.at(table, (own, other), 1)
            share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
            entropy -= np.sum(share * np.log2(share, out=np.zeros_like(share), where=share > 0), axis=1)
        weights.append(np.exp(-entropy / (theta * n_partitions)))
    return weights


def lwea_twin(labels: np.ndarray, n_clusters: int, theta: float = 0.4) -> np.ndarray:
    """LWEA with the n x n co-association matrix and scipy's average linkage."""
    n_objects, n_partitions = labels.shape
    similarity = np.zeros((n_objects, n_objects))
    for column, weights in zip(labels.T, cluster_index(labels, theta), strict=True):
        for cluster, weight in enumerate(weights):
            inside = np.flatnonzero(column == cluster)
            similarity[np.ix_(inside, inside)] += weight / n_partitions
    distance = np.subtract(1.0, similarity, out=similarity)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    del similarity, distance
    return np.asarray(fcluster(linkage(condensed, "average"), n_clusters, "maxclust"))


def lwgp_twin(labels: np.ndarray, n_clusters: int, theta: float = 0.4, n_init: int = 10, seed: int = 0) -> np.ndarray:
    """LWGP with the bipartite graph of all objects, a full eigendecomposition and k-means on all objects."""
    weights = np.concatenate(cluster_index(labels, theta))
    offsets = np.cumsum([0, *(labels.max(axis=0)[:-1] + 1)])
    columns = (labels + offsets).ravel()
    rows = np.repeat(np.arange(labels.shape[0]), labels.shape[1])
    B = sp.csr_array((weights[columns], (rows, columns)), shape=(labels.shape[0], weights.size))
    inverse = sp.diags_array(1.0 / B.sum(axis=1))
    W = (B.T @ inverse @ B).toarray()
    root = 1.0 / np.sqrt(W.sum(axis=1))
    _, vectors = np.linalg.eigh(root[:, None] * W * root)
    embedding = inverse @ B @ (root[:, None] * vectors[:, -n_clusters:])
    embedding /= np.linalg.norm(embedding, axis=1, keepdims=True) + 1e-10
    kmeans = KMeans(n_clusters, n_init=n_init, max_iter=100, random_state=seed)
    return np.asarray(kmeans.fit(embedding).labels_)


TWINS = {"lwea": lwea_twin, "lwgp": lwgp_twin}
