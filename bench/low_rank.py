"""Speed of the low-rank representation in the row space against the same iteration on Ñ x Ñ matrices.

The direct iteration takes hours, so a few of its iterations are timed and multiplied by the number that the run in the
row space needed; both do the same updates, so the numbers are the same.
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
    n_microclusters: int = 4000, n_partitions: int = 20, n_labels: int = 35, n_direct: int = 2
) -> dict[str, float]:
    """Time the row-space iterations to their end and ``n_direct`` iterations of the direct one.

    Returns
    -------
    dict
        Seconds of the decomposition, of both row-space iterations at the middle of the lambda window and of one
        direct iteration, the numbers of iterations, the ratios, and the peak memory before the direct one starts.
    """
    space = _made_up_space(n_microclusters, n_partitions, n_labels)
    figures: dict[str, float] = {"n_microclusters": space.basis.shape[0], "n_dimensions": space.scale.size}
    lam = (space.lambda_low + space.lambda_high) / 2
    for name, pursuit, options in (
        ("reduced", outlier_pursuit, {}),
        ("full", dictionary_pursuit, {"learn": False, "rho": 1.1}),
    ):
        start = time.perf_counter()
        run = pursuit(space.coordinates, lam, **options)
        figures |= {f"{name}_seconds": time.perf_counter() - start, f"{name}_n_iter": run.residuals.shape[0]}
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["direct_seconds_per_iteration"] = _time_direct(space, lam, n_direct)
    direct = figures["direct_seconds_per_iteration"] * figures["full_n_iter"]
    figures["ratio_same_iteration"] = direct / figures["full_seconds"]
    figures["ratio_reduced"] = direct / figures["reduced_seconds"]
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
    """Seconds of one iteration with Ñ x Ñ variables, from the middle of the schedule; the first is not counted."""
    X, R = space.coordinates, space.basis
    n, mu = X.shape[1], 1.0
    Z, Y2 = np.zeros((n, n)), np.zeros((n, n))
    E, Y1 = np.zeros_like(X), np.zeros_like(X)
    times = []
    for _ in range(n_iterations + 1):
        start = time.perf_counter()
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
        times.append(time.perf_counter() - start)
    return float(np.mean(times[1:]))
