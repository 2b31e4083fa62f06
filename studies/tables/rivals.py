"""The usual ways to cluster a mixed table; gaps are filled by the mean or the commonest level first."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WAYS"]


def _filled(frame: Any) -> tuple[Any, list[str], list[str]]:
    """The table without gaps, and the names of its numbers and of its categories."""
    from pandas.api.types import is_numeric_dtype

    filled = frame.copy()
    numbers = [name for name in frame if is_numeric_dtype(frame[name])]
    named = [name for name in frame if name not in numbers]
    for name in numbers:
        filled[name] = filled[name].astype(float).fillna(filled[name].astype(float).mean())
    for name in named:
        filled[name] = filled[name].astype(object).fillna(filled[name].mode()[0]).astype(str)
    return filled, numbers, named


def _standard(values: np.ndarray) -> np.ndarray:
    deviation = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1))


def consensa_default(frame: Any, k: int, seed: int) -> np.ndarray:
    """EnsembleClustering as it is."""
    import consensa

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", consensa.ConsensaWarning)  # rows without any value
        return np.asarray(consensa.EnsembleClustering(k, random_state=seed).fit(frame).labels_)


def one_hot_kmeans(frame: Any, k: int, seed: int) -> np.ndarray:
    """One column of 0 and 1 for every level, all standardised, k-means with 10 starts."""
    import pandas as pd

    filled, numbers, named = _filled(frame)
    coded = pd.get_dummies(filled, columns=named, dtype=float) if named else filled[numbers]
    return KMeans(k, n_init=10, random_state=seed).fit_predict(_standard(coded.to_numpy(float)))


def k_prototypes(frame: Any, k: int, seed: int) -> np.ndarray:
    """Package kmodes: k-prototypes on standardised numbers; k-means where there is no category."""
    from kmodes.kprototypes import KPrototypes

    filled, numbers, named = _filled(frame)
    values = _standard(filled[numbers].to_numpy(float))
    if not named:
        return KMeans(k, n_init=10, random_state=seed).fit_predict(values)
    both = np.hstack([values.astype(object), filled[named].to_numpy(object)])
    places = list(range(len(numbers), both.shape[1]))
    return np.asarray(KPrototypes(k, n_init=3, max_iter=30, random_state=seed).fit_predict(both, categorical=places))


def gower_average(frame: Any, k: int, seed: int) -> np.ndarray:  # noqa: ARG001 - there is nothing random in it
    """Package gower: its distances, and average linkage."""
    import gower

    filled, _, named = _filled(frame)
    distances = gower.gower_matrix(filled, cat_features=np.array([name in named for name in filled]))
    return np.asarray(AgglomerativeClustering(k, metric="precomputed", linkage="average").fit_predict(distances))


def famd_kmeans(frame: Any, k: int, seed: int) -> np.ndarray:
    """Package prince: up to five axes of a factor analysis of mixed data (of PCA without categories), k-means."""
    import prince

    filled, numbers, named = _filled(frame)
    way = prince.FAMD if numbers and named else prince.PCA if numbers else prince.MCA
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its libraries
        axes = way(n_components=min(5, filled.shape[1] - 1), random_state=seed).fit(filled).row_coordinates(filled)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(axes.to_numpy())


WAYS: dict[str, Callable[[Any, int, int], np.ndarray]] = {
    "consensa": consensa_default,
    "one-hot, k-means": one_hot_kmeans,
    "k-prototypes": k_prototypes,
    "Gower, average": gower_average,
    "FAMD, k-means": famd_kmeans,
}
