"""What the speed page runs: every method of consensa, and what a user would write or pick otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.methods import FEATURE_METHODS, METHODS
from consensa.methods.consensus import make_method

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CANDIDATES", "N_CLUSTERS", "Candidate"]

N_CLUSTERS = 20


@dataclass(frozen=True)
class Candidate:
    """One way to cluster: its ``run`` takes a label matrix or features, and returns a fitted model or labels."""

    name: str
    data: str  # "labels" or "features"
    run: Callable[[np.ndarray], Any]
    own: bool = True


def _method(name: str) -> Candidate:
    return Candidate(name, "labels", lambda labels: make_method(name, N_CLUSTERS, 0, {}).fit(labels))


def _feature_method(name: str) -> Candidate:
    def run(X: np.ndarray) -> Any:
        model = FEATURE_METHODS[name].load()(N_CLUSTERS)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        return model.fit(X)

    return Candidate(name, "features", run)


def scipy_eac(labels: np.ndarray) -> np.ndarray:
    """Evidence accumulation by hand: the dense co-association, then scipy's average linkage."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.zeros((labels.shape[0], labels.shape[0]))
    for column in labels.T:
        distance += column[:, None] != column
    distance /= labels.shape[1]
    return np.asarray(fcluster(linkage(squareform(distance, checks=False), "average"), N_CLUSTERS, "maxclust"))


def one_hot_kmeans(labels: np.ndarray) -> np.ndarray:
    """k-means on the one-hot labels, with as many starts as consensa's own methods have by default."""
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import OneHotEncoder

    one_hot = OneHotEncoder(dtype=np.float64).fit_transform(labels)
    return np.asarray(KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(one_hot).labels_)


def sklearn_kmeans(X: np.ndarray) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(X)


def sklearn_agglomerative(X: np.ndarray) -> Any:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(N_CLUSTERS).fit(X)


CANDIDATES = {
    candidate.name: candidate
    for candidate in (
        Candidate("one-hot k-means", "labels", one_hot_kmeans, own=False),
        Candidate("scipy EAC", "labels", scipy_eac, own=False),
        *(_method(name) for name in METHODS),
        Candidate("KMeans", "features", sklearn_kmeans, own=False),
        Candidate("AgglomerativeClustering", "features", sklearn_agglomerative, own=False),
        *(_feature_method(name) for name in FEATURE_METHODS),
    )
}
