"""Everyday data for the choice of the default: what scikit-learn has, few clusters as a rule, k-means ensembles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from consensa.generate import KMeansPartitions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EVERYDAY", "everyday_ensemble"]

Data = tuple[np.ndarray, np.ndarray]


def _scaled(load: Callable[..., Data]) -> Data:
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


EVERYDAY: dict[str, Callable[[], Data]] = {
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "breast cancer": lambda: _scaled(datasets.load_breast_cancer),
    "blobs": lambda: datasets.make_blobs(1500, centers=5, random_state=1),
    "overlapping blobs": lambda: datasets.make_blobs(1500, centers=6, cluster_std=2.2, random_state=3),
    "blobs of unequal spread": lambda: datasets.make_blobs(1500, cluster_std=[1, 2.5, 0.5], random_state=170),
    "blobs of unequal size": lambda: datasets.make_blobs([2000, 200, 50, 50, 20], random_state=4),
    "two moons": lambda: datasets.make_moons(1000, noise=0.06, random_state=0),
    "two rings": lambda: datasets.make_circles(1000, noise=0.04, factor=0.5, random_state=0),
}


def everyday_ensemble(name: str, n_members: int, run: int) -> Data:
    """Return base clusterings (n_objects x n_members) of a data set, and its true classes."""
    X, truth = EVERYDAY[name]()
    return KMeansPartitions(n_members, random_state=run).fit_transform(X), truth
