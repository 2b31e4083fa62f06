"""The rule: from the evidence to a probability for every number of clusters, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from consensa.choose.evidence import Evidence

__all__ = ["FROM_FEATURES", "FROM_LABELS", "RULE", "Weights", "choose_number", "single_cluster", "softmax"]

# Fitted on simulated ensembles only, by ``python -m studies fit-k``; in the order of K_FEATURES, ONE_FEATURES,
# PLACED_FEATURES and PLACED_ONE_FEATURES.
K_WEIGHTS = np.array([5.141, -4.348, -2.215, 4.245, 4.551, -2.508])
ONE_WEIGHTS = np.array([1.938, 0.978, 1.074, -0.113, -0.656, -1.069, -0.077])
TEMPERATURE = 1.983
PLACED_WEIGHTS = np.array([3.971, -2.380, -2.204, 2.952, 2.349, -0.156, 0.841, -5.584, -0.861, -0.887])
PLACED_ONE_WEIGHTS = np.array([1.025, 0.979, 0.770, 0.160, -0.620, -0.891, -0.114, 0.327, 3.346])
PLACED_TEMPERATURE = 2.178
RULE = (
    "Every k has a probability from the conductance of the splits, the eigenvalues of the graph and log k, with "
    "features also from the fit of Gaussians, lifetimes and how far apart parts lie, by weights fitted on simulated "
    "ensembles; k = 1 is chosen where it is more probable than all others together, else the most probable k where "
    "most of the probability lies within 20 %."
)
_NEAR = 0.2


class Weights(NamedTuple):
    """What the rule multiplies its features by."""

    k: np.ndarray  # of K_FEATURES, or of PLACED_FEATURES
    temperature: float  # of the probabilities of k = 2, 3, ...
    one: np.ndarray  # of ONE_FEATURES, or of PLACED_ONE_FEATURES


FROM_LABELS = Weights(K_WEIGHTS, TEMPERATURE, ONE_WEIGHTS)
FROM_FEATURES = Weights(PLACED_WEIGHTS, PLACED_TEMPERATURE, PLACED_ONE_WEIGHTS)


def choose_number(evidence: Evidence, candidates: np.ndarray, weights: Weights | None = None) -> tuple[int, np.ndarray]:
    """Return the chosen number of clusters and the probabilities of the candidates.

    Parameters
    ----------
    evidence : Evidence
        Of all candidates, and others.
    candidates : ndarray of int, rising
    weights : Weights or None, default=None
        None for those of the evidence: with features, or with labels alone.

    Returns
    -------
    chosen : int
    probabilities : ndarray of shape (n_candidates,)
    """
    if weights is None:
        weights = _weights_for(evidence)
    places = np.searchsorted(evidence.k, candidates)
    several = candidates > 1
    if not several.any():
        return 1, np.ones(1)
    p = np.zeros(candidates.size)
    score = np.round(evidence.k_features()[places[several]] @ weights.k, 9)
    score[_needless(evidence.apart[places[several]], candidates[several])] = -np.inf
    p[several] = softmax(score / weights.temperature)
    if not several[0]:
        one = single_cluster(evidence, weights)
        p[several] *= 1 - one
        p[0] = one
        if one >= 0.5:
            return 1, p
    k, q = candidates[several], softmax(score)  # cooler than what is told: warm ones favour many clusters
    near = np.abs(k[:, None] - k) <= _NEAR * k
    around = near[int(np.argmax(np.round(near @ q, 9)))]
    return int(k[np.flatnonzero(around)[int(np.argmax(q[around]))]]), p


def _needless(apart: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Candidates whose last split sets but a few objects apart, where one cluster less is a candidate, too."""
    return ~apart & np.isin(k - 1, k)


def single_cluster(evidence: Evidence, weights: Weights | None = None) -> float:
    """Return the probability that there is but one cluster; weights None for those of the evidence."""
    weights = _weights_for(evidence) if weights is None else weights
    return float(expit(np.round(evidence.one_features() @ weights.one, 9)))


def _weights_for(evidence: Evidence) -> Weights:
    return FROM_LABELS if evidence.separation is None else FROM_FEATURES


def softmax(score: np.ndarray) -> np.ndarray:
    """Return numbers in [0, 1] that sum to 1 and have the logarithms of the score, but for a constant.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.log([1.0, 3.0]))
    array([0.25, 0.75])
    """
    e = np.exp(score - score.max())
    return np.asarray(e / e.sum())
