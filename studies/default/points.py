"""Points of the grid weighting x relation x partitioner: the methods of the papers, and those that no paper names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import ELWECDL, LWEA, LWGP, PTA, PTGP, SAL
from consensa.partition import agglomerate, transfer_cut
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


def _tree_alone(ensemble: Ensemble, k: int, seed: int) -> np.ndarray:  # noqa: ARG001
    """SAL without the tree that stands in."""
    return ensemble.to_objects(SAL(k, missing=None).fit(ensemble).cut_.first.cut(k))


def _refined(ensemble: Ensemble, k: int, seed: int, *, rounds: int = 10) -> np.ndarray:  # noqa: ARG001
    """SAL, after which every microcluster moves to the cluster of greatest mean similarity, until none does."""
    S, labels = _squared_cosines(ensemble), SAL(k, missing=None).fit(ensemble).cut_.first.cut(k)
    for _ in range(rounds):
        members = (labels[:, None] == np.arange(k)) * ensemble.sizes[:, None]
        moved = np.argmax((S @ members / members.sum(axis=0)).round(10), axis=1)
        if np.array_equal(moved, labels) or np.unique(moved).size < k:
            break
        labels = moved
    return ensemble.to_objects(labels)


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


def _squared_cosines(ensemble: Ensemble, n_components: int = 100) -> np.ndarray:
    """The similarity of SAL."""
    graph = cluster_graph(ensemble, entropy_weights(ensemble, 1.0))
    axes = transfer_cut(graph, ensemble.sizes).axes(n_components, power=-0.25)
    return np.asarray(Angles(ensemble.offsets, graph.weights, axes).similarity(ensemble.labels).similarity)


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
    "√LWCA∘SAL": partial(_product, relation=_squared_cosines, weighted=0.5),
    "SAL, cosines to 1.5": partial(_product, relation=_squared_cosines, power=0.75),
    "SAL, refined": _refined,
    "SAL, its tree alone": _tree_alone,
    "SAL, always 100 vectors": partial(_fit, SAL, n_components=100),
    "SAL, 50 vectors": partial(_fit, SAL, n_components=50),
    "SAL, 200 vectors": partial(_fit, SAL, n_components=200),
    "SAL, theta 0.4": partial(_fit, SAL, theta=0.4),
    "SAL, tree of 1,000": partial(_fit, SAL, max_microclusters=1000),
}
POINTS = METHODS | GRID
