"""Members of the MDEC ensemble against the straightforward way: full matrices in double precision, scikit-learn."""

from __future__ import annotations

import resource
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import euclidean_distances

from consensa.evaluate import nmi
from consensa.generate import MetricSubspacePartitions

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["generation_speed"]


def plain_member(X: np.ndarray, n_neighbors: int, mu: float, n_clusters: int, seed: int) -> np.ndarray:
    """One member as one would write it by hand, in the steps of the published code."""
    D = euclidean_distances(X, squared=True)
    np.fill_diagonal(D, np.inf)
    radius = np.sort(D, axis=1)[:, :n_neighbors].mean(axis=1) + np.finfo(float).eps
    np.fill_diagonal(D, 0.0)
    width = mu * np.maximum((radius[:, None] + radius + D) / 3, np.finfo(float).eps)
    W = np.exp(-0.5 * (D / width) ** 2) / (np.sqrt(2 * np.pi) * width)
    np.fill_diagonal(W, 0.0)
    weakest = -np.partition(-W, n_neighbors - 1, axis=1)[:, n_neighbors - 1 : n_neighbors]
    W[weakest > W] = 0.0
    W = np.maximum(W, W.T)
    model = SpectralClustering(n_clusters, affinity="precomputed", n_init=3, random_state=seed)
    return np.asarray(model.fit_predict(W))


def generation_speed(data_dir: Path, name: str, n_members: int, seed: int) -> dict[str, Any]:
    """Time the same members both ways, on one thread of jobs; ours first, so that the peak is its own."""
    with np.load(data_dir / "sets" / f"{name}.npz", allow_pickle=False) as data:
        X = data["X"].astype(float)
    warm = MetricSubspacePartitions(1, random_state=seed)
    warm.fit(X[:700])
    start = time.perf_counter()
    generator = MetricSubspacePartitions(n_members, random_state=seed)
    labels = generator.fit_transform(X)
    ours = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    agreement = []
    for m, member in enumerate(generator.members_):
        plain = plain_member(X[:, member.features], member.n_neighbors, member.mu, member.n_clusters, member.seed)
        agreement.append(nmi(plain, labels[:, m]))
    theirs = time.perf_counter() - start
    return {
        "data set": name,
        "members": n_members,
        "ours, s per member": round(ours / n_members, 2),
        "plain, s per member": round(theirs / n_members, 2),
        "ratio": round(theirs / ours, 1),
        "peak MiB": round(peak),
        "mean NMI of the two": round(float(np.mean(agreement)), 3),
    }
