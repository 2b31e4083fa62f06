"""Points of the grid weighting x relation x partitioner: the methods of the papers, and those that no paper names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import EAC, ELWECDL, LWEA, LWGP, PTA, PTGP, SAL
from consensa.partition import AgreeingCut, agglomerate, sampled_trees, transfer_cut
from consensa.relate import Angles, Dense, cluster_graph, co_association
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa import Ensemble

__all__ = ["GRID", "METHODS", "POINTS", "WINNER"]

WINNER = "SAL"


def _fit(estimator: Callable[..., Any], ensemble: Ensemble, k: int, seed: int, **parameters: Any) -> np.ndarray:
    model = estimator(n_clusters=k, missing=None, **parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return np.asarray(model.fit(ensemble).labels_)


def _walk(
    ensemble: Ensemble,
    k: int,
    seed: int,  # noqa: ARG001
    *,
    power: float = 0.75,
    gini_thresholds: tuple[float, float] = (1.0, 0.5),
    n_vectors: int = 100,
    most: int = 4000,
) -> np.ndarray:
    """SAL with another length of the walk (eigenvalues to ``2 power + 1``), other trees or one alone."""
    graph = cluster_graph(ensemble, entropy_weights(ensemble, 1.0))
    axes = transfer_cut(graph, ensemble.sizes).axes(n_vectors, power=power)
    angles = Angles(ensemble.offsets, graph.weights, axes)
    first, second = sampled_trees(ensemble, angles, most, gini_thresholds)
    return ensemble.to_objects(AgreeingCut(first, second, ensemble).cut(k))


def _product(
    ensemble: Ensemble,
    k: int,
    seed: int,  # noqa: ARG001
    *,
    relation: Callable[[Ensemble], np.ndarray],
    power: float = 1.0,
    weighted: float = 0.0,
) -> np.ndarray:
    """Size-weighted average linkage on powers of a relation and of the locally weighted co-association."""
    S = relation(ensemble) ** power
    if weighted:
        factor = co_association(ensemble, entropy_weights(ensemble, 0.4)).factor.toarray()
        S *= np.clip(factor @ factor.T, 0.0, 1.0) ** weighted
    return ensemble.to_objects(agglomerate(Dense(S), ensemble.sizes, "average").cut(k))


def root_relation(ensemble: Ensemble, theta: float = 1.0) -> np.ndarray:
    """Cosines, not below 0, of the rows of H = X V Λ^-1/4, with X = Z diag(w) and Xᵀ N X = V Λ Vᵀ."""
    X = ensemble.incidence.toarray() * entropy_weights(ensemble, theta)
    values, vectors = np.linalg.eigh(X.T @ (ensemble.sizes[:, None] * X))
    kept = values > 1e-6 * values[-1]
    H = X @ vectors[:, kept] * values[kept] ** -0.25
    H /= np.linalg.norm(H, axis=1, keepdims=True)
    return np.asarray(np.clip(H @ H.T, 0.0, 1.0))


METHODS: dict[str, Callable[[Ensemble, int, int], np.ndarray]] = {
    "SAL": partial(_fit, SAL),
    "LWEA": partial(_fit, LWEA),
    "LWGP": partial(_fit, LWGP),
    "PTA": partial(_fit, PTA),
    "PTGP": partial(_fit, PTGP),
    "ELWECDL": partial(_fit, ELWECDL),
}
GRID: dict[str, Callable[[Ensemble, int, int], np.ndarray]] = {
    "C²": partial(_product, relation=root_relation, power=2.0),
    "LWCA∘C": partial(_product, relation=root_relation, weighted=1.0),
    "√LWCA∘C": partial(_product, relation=root_relation, weighted=0.5),
    "SAL at first": partial(_walk, power=-0.25, gini_thresholds=(1.0, 1.0)),
    "SAL before": partial(_walk, power=1.0, gini_thresholds=(0.7, 0.5)),
    "SAL, 1 step": partial(_walk, power=0.0),
    "SAL, 2 steps": partial(_walk, power=0.5),
    "SAL, 3 steps": partial(_walk, power=1.0),
    "SAL, 4 steps": partial(_walk, power=1.5),
    "SAL, Gini 0.5": partial(_walk, gini_thresholds=(0.5, 0.5)),
    "SAL, Gini 0.7 and 0.5": partial(_walk, gini_thresholds=(0.7, 0.5)),
    "SAL, no Gini": partial(_walk, gini_thresholds=(1.0, 1.0)),
    "SAL, 50 vectors": partial(_walk, n_vectors=50),
    "SAL, 200 vectors": partial(_walk, n_vectors=200),
    "EAC": partial(_fit, EAC),
    "SAL, theta 0.4": partial(_fit, SAL, theta=0.4),
    "SAL, tree of 1,000": partial(_fit, SAL, max_microclusters=1000),
}
POINTS = METHODS | GRID
