"""Points of the grid weighting x relation x partitioner: the methods of the papers, and those that no paper names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import ELWECDL, LWEA, LWGP, PTA, PTGP, SAL
from consensa.partition import agglomerate
from consensa.relate import Dense, co_association
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


def _product(ensemble: Ensemble, k: int, seed: int, *, plain: float, weighted: float) -> np.ndarray:  # noqa: ARG001
    """Size-weighted average linkage on powers of the co-association C and the locally weighted one, multiplied."""
    S = _dense(ensemble, None) ** plain
    if weighted:
        S *= np.clip(_dense(ensemble, entropy_weights(ensemble, 0.4)), 0.0, 1.0) ** weighted
    return ensemble.to_objects(agglomerate(Dense(S), ensemble.sizes, "average").cut(k))


def _dense(ensemble: Ensemble, weights: np.ndarray | None) -> np.ndarray:
    factor = co_association(ensemble, weights).factor.toarray()
    return np.asarray(factor @ factor.T)


METHODS: dict[str, Callable[[Ensemble, int, int], np.ndarray]] = {
    "SAL": partial(_fit, SAL),
    "LWEA": partial(_fit, LWEA),
    "LWGP": partial(_fit, LWGP),
    "PTA": partial(_fit, PTA),
    "PTGP": partial(_fit, PTGP),
    "ELWECDL": partial(_fit, ELWECDL),
}
GRID: dict[str, Callable[[Ensemble, int, int], np.ndarray]] = {
    "C²": partial(_product, plain=2.0, weighted=0.0),
    "LWCA∘C": partial(_product, plain=1.0, weighted=1.0),
    "√LWCA∘C": partial(_product, plain=1.0, weighted=0.5),
    "SAL, always 100 vectors": partial(_fit, SAL, n_components=100),
    "SAL, 50 vectors": partial(_fit, SAL, n_components=50),
    "SAL, 200 vectors": partial(_fit, SAL, n_components=200),
    "SAL, theta 0.4": partial(_fit, SAL, theta=0.4),
    "SAL, tree of 1,000": partial(_fit, SAL, max_microclusters=1000),
}
POINTS = METHODS | GRID
