"""CPU time of the low-rank representation in the row space against the same iteration on Ñ x Ñ matrices.

The direct iteration takes hours, so one of its iterations is timed and multiplied by the number of iterations that the
run in the row space needed (the published schedule needs several times as many).
"""

from __future__ import annotations

import resource
import time

import numpy as np

from consensa import Ensemble
from consensa.relate.low_rank import RowSpace, row_space
from consensa.relate.pursuit import dictionary_pursuit, outlier_pursuit
from consensa.weigh import divergence_weights

__all__ = ["low_rank_speed"]


def low_rank_speed(
    n_microclusters: int = 4000, n_partitions: int = 20, n_labels: int = 35, n_direct: int = 1
) -> dict[str, float]:
    """Time the reduced iteration to its end, and a few iterations of the published scheme in both forms.

    Returns
    -------
    dict
        CPU seconds at the middle of the lambda window: the decomposition, the reduced run, and one iteration of the
        published scheme in the row space and directly; the ratios; and the peak memory before the direct one starts.
    """
    start = time.process_time()
    space = _made_up_space(n_microclusters, n_partitions, n_labels)
    figures: dict[str, float] = {"n_microclusters": space.basis.shape[0], "n_dimensions": space.scale.size}
    figures["decomposition"] = time.process_time() - start
    lam = (space.lambda_low + space.lambda_high) / 2
    start = time.process_time()
    figures["reduced_n_iter"] = outlier_pursuit(space.coordinates, lam).residuals.shape[0]
    figures["reduced"] = time.process_time() - start
    start = time.process_time()
    dictionary_pursuit(space.coordinates, lam, learn=False, mu=1.0, tol=0.0, max_iter=5)
    figures["published_iteration"] = (time.process_time() - start) / 5
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["direct_iteration"] = _time_direct(space, lam, n_direct)
    figures["ratio_published"] = figures["direct_iteration"] / figures["published_iteration"]
    whole = figures["decomposition"] + figures["reduced"]
    figures["ratio_reduced"] = figures["direct_iteration"] * figures["reduced_n_iter"] / whole
    return figures


def _made_up_space(n_microclusters: int, n_partitions: int, n_labels: int) -> RowSpace:
    rng = np.random.default_rng(0)
    classes = rng.integers(10, size=n_microclusters)
    shape = (n_microclusters, n_partitions)
    labels = (classes[:, None] * 3 + rng.integers(3, size=shape)) % n_labels
    labels = np.where(rng.random(shape) < 0.3, rng.integers(n_labels, size=shape), labels)
    ensemble = Ensemble(labels)
    return row_space(ensemble, divergence_weights(ensemble, 1.0))


def _time_direct(space: RowSpace, lam: float, n_iterations: int) -> float:
    """Mean CPU seconds of an iteration with Ñ x Ñ variables, from the middle of the schedule."""
    X, R = space.coordinates, space.basis
    n, mu = X.shape[1], 1.0
    Z, Y2 = R @ X / 2, np.zeros((n, n))
    E, Y1 = np.zeros_like(X), np.zeros_like(X)
    start = time.process_time()
    for _ in range(n_iterations):
        U, values, Vt = np.linalg.svd(Z + Y2 / mu)
        J = (U * np.maximum(values - 1 / mu, 0.0)) @ Vt
        T = R @ (X - E) + J + (R @ Y1 - Y2) / mu
        Z = T - 0.5 * (R @ (R.T @ T))
        M = X - R.T @ Z + Y1 / mu
        length = np.linalg.norm(M, axis=0)
        E = M * np.maximum(0.0, 1 - lam / mu / np.maximum(length, 1e-300))
        Y1 += mu * (X - R.T @ Z - E)
        Y2 += mu * (Z - J)
        mu *= 1.1
    return (time.process_time() - start) / n_iterations
