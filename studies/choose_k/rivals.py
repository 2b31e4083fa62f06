"""Other answers to the question how many clusters, from the features or the base clusterings alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score

from consensa.choose import eigengaps

if TYPE_CHECKING:
    from consensa import Ensemble

__all__ = ["CANDIDATES", "rival_numbers"]

CANDIDATES = np.array([*range(1, 11), 12, 14, 17, 20, 24, 29, 35, 40])
CONSTANT = 10
_MOST_OBJECTS = 500
_MOST_FEATURES = 30  # principal components, as k-means of images for every k is by far the slowest part
_REFERENCES = 3  # uniform data sets of the gap statistic


def rival_numbers(X: np.ndarray, ensemble: Ensemble) -> dict[str, int]:
    """Return the number of clusters by every other rule."""
    k = np.arange(2, min(40, ensemble.n_microclusters - 1) + 1)
    gaps = np.nan_to_num(eigengaps(ensemble, k), nan=-1.0)
    X = X[np.random.default_rng(0).permutation(len(X))[:_MOST_OBJECTS]]
    if X.shape[1] > _MOST_FEATURES:
        X = PCA(min(_MOST_FEATURES, len(X) - 1), random_state=0).fit_transform(X)
    labels = {int(number): _kmeans(X, int(number)) for number in CANDIDATES if number < len(X)}
    widths = {number: silhouette_score(X, found) for number, (found, _) in labels.items() if number > 1}
    density = HDBSCAN(copy=True).fit_predict(X)
    return {
        "silhouette of k-means": max(widths, key=lambda number: float(widths[number])),
        "gap statistic": _gap(X, {number: loss for number, (_, loss) in labels.items()}),
        "eigengap": int(k[int(np.argmax(gaps))]),
        "HDBSCAN's own": max(int(density.max()) + 1, 1),
        "always 10": CONSTANT,
    }


def _kmeans(X: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    model = KMeans(k, n_init=2, random_state=0).fit(X)
    return model.labels_, float(model.inertia_)


def _gap(X: np.ndarray, losses: dict[int, float]) -> int:
    """Tibshirani, Walther & Hastie (2001): the first k whose gap is within an error of the next, box along the axes."""
    rng = np.random.default_rng(0)
    turned = PCA(random_state=0).fit(X)
    box = turned.transform(X)
    low, high = box.min(axis=0), box.max(axis=0)
    drawn = [turned.inverse_transform(rng.uniform(low, high, box.shape)) for _ in range(_REFERENCES)]
    logs = {k: np.log([max(_kmeans(reference, k)[1], 1e-12) for reference in drawn]) for k in losses}
    gap = {k: float(logs[k].mean() - np.log(max(losses[k], 1e-12))) for k in losses}
    error = {k: float(logs[k].std() * np.sqrt(1 + 1 / _REFERENCES)) for k in losses}
    numbers = sorted(losses)
    for k, following in pairwise(numbers):
        if gap[k] >= gap[following] - error[following]:
            return k
    return numbers[-1]
