"""The rule: from the evidence to a probability for every number of clusters, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from consensa.choose.evidence import Evidence

__all__ = ["K_WEIGHTS", "ONE_WEIGHTS", "RULE", "TEMPERATURE", "choose_number", "single_cluster", "softmax"]

# Fitted on simulated ensembles only, by ``python -m studies fit-k``; in the order of K_FEATURES and ONE_FEATURES.
K_WEIGHTS = np.array([5.426, -3.833, -2.787, 5.501, 4.374, -2.443])
ONE_WEIGHTS = np.array([1.801, 1.453, 0.202, -0.043, -2.484, -1.229, 0.006])
TEMPERATURE = 2.044
RULE = (
    "Every k has a probability from the conductance of the splits before and after it, the eigenvalues of the graph "
    "and log k, by weights fitted on simulated ensembles; k = 1 is chosen where it is more probable than all others "
    "together, else the most probable k where most of the probability lies within 20 %."
)
_NEAR = 0.2


def choose_number(
    evidence: Evidence,
    candidates: np.ndarray,
    k_weights: np.ndarray = K_WEIGHTS,
    one_weights: np.ndarray = ONE_WEIGHTS,
    temperature: float = TEMPERATURE,
) -> tuple[int, np.ndarray]:
    """Return the chosen number of clusters and the probabilities of the candidates.

    Parameters
    ----------
    evidence : Evidence
        Of all candidates, and others.
    candidates : ndarray of int, rising
    k_weights, one_weights : ndarray
    temperature : float

    Returns
    -------
    chosen : int
    probabilities : ndarray of shape (n_candidates,)
    """
    places = np.searchsorted(evidence.k, candidates)
    several = candidates > 1
    if not several.any():
        return 1, np.ones(1)
    p = np.zeros(candidates.size)
    score = np.round(evidence.k_features()[places[several]] @ k_weights, 9)
    p[several] = softmax(score / temperature)
    if not several[0]:
        one = single_cluster(evidence, one_weights)
        p[several] *= 1 - one
        p[0] = one
        if one >= 0.5:
            return 1, p
    k, q = candidates[several], softmax(score)
    near = np.abs(k[:, None] - k) <= _NEAR * k
    around = near[int(np.argmax(np.round(near @ q, 9)))]
    return int(k[np.flatnonzero(around)[int(np.argmax(q[around]))]]), p


def single_cluster(evidence: Evidence, one_weights: np.ndarray = ONE_WEIGHTS) -> float:
    """Return the probability that there is but one cluster."""
    return float(expit(np.round(evidence.one_features() @ one_weights, 9)))


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
