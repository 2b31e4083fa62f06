"""Relations made by hand: numbers of every size, also none at all, reach no kernel unchecked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa import partition
from consensa.relate import Bipartite, Dense, Factored
from tools.fuzz.rules import answer, demand

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PARTITIONERS", "check_relation", "relation_case"]

_ODD = (np.nan, np.inf, -np.inf, -1.0, 1e308, 1e-308, 0.0)


def relation_case(seed: int) -> dict[str, Any]:
    """Draw a matrix, mostly sound, and what cuts it."""
    rng = np.random.default_rng([6, seed])
    n, d = int(rng.choice([1, 2, 3, 6, 20, 40])), int(rng.choice([1, 2, 5]))
    X = rng.random((n, d)) * rng.choice([1.0, 1.0, 1e-200, 1e-12, 1e12, 1e200])
    X[rng.random(X.shape) < rng.choice([0.0, 0.5])] = 0.0
    if rng.random() < 0.4:
        X[rng.integers(n), rng.integers(d)] = rng.choice(_ODD)
    if rng.random() < 0.2:
        X = X[rng.integers(0, n, n)]
    return {"X": X, "k": int(rng.choice([1, 2, 3, n])), "name": str(rng.choice(list(PARTITIONERS))), "seed": seed}


def check_relation(case: dict[str, Any]) -> bool:
    """Cut it: labels of all rows from 0 on, or one sentence."""
    X, k, name = case["X"], int(case["k"]), str(case["name"])
    with np.errstate(all="ignore"):
        found, said = answer(lambda: PARTITIONERS[name](X, k))
    if found is None:
        return False
    found = np.asarray(found)
    demand(found.shape == (len(X),) and found.min() >= 0, "shape", str(found))
    n_found = np.unique(found).size
    demand(n_found == k or any(str(n_found) in text for text in said), "clusters", f"{n_found} of {k}")
    return True


def _similarity(X: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return X @ X.T


PARTITIONERS: dict[str, Callable[[np.ndarray, int], Any]] = {
    "agglomerate a factor": lambda X, k: partition.agglomerate(Factored(sp.csr_array(X)), np.ones(len(X))).cut(k),
    "agglomerate": lambda X, k: partition.agglomerate(Dense(_similarity(X)), np.ones(len(X))).cut(k),
    "single linkage": lambda X, k: partition.agglomerate(Dense(_similarity(X)), np.ones(len(X)), linkage="single").cut(
        k
    ),
    "normalised cut": lambda X, k: partition.normalised_cut(Dense(_similarity(X)), np.ones(len(X)), random_state=0).cut(
        k
    ),
    "normalised cut of a factor": lambda X, k: partition.normalised_cut(
        Factored(sp.csr_array(X)), np.ones(len(X)), random_state=0
    ).cut(k),
    "transfer cut": lambda X, k: partition.transfer_cut(
        Bipartite(sp.csr_array(X)), np.ones(len(X)), random_state=0
    ).cut(k),
    "anchor cut": lambda X, k: partition.anchor_cut(Bipartite(sp.csr_array(X)), random_state=0).cut(k),
    "metis": lambda X, k: partition.metis(Bipartite(sp.csr_array(X)), np.ones(len(X))).cut(k),
    "k-means": lambda X, k: partition.weighted_kmeans(X, np.ones(len(X)), k, n_init=2, random_state=0),
    "k-means, odd weights": lambda X, k: partition.weighted_kmeans(np.nan_to_num(X), X[:, 0], k, random_state=0),
}
