"""Compiled loops over the rows of learned similarities: one root per row."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit

__all__ = ["nearest_rows", "project_rows"]

_LARGE = 1e6


@njit
def nearest_rows(
    targets: np.ndarray, prices: np.ndarray, sizes: np.ndarray, start: int, stop: int, out: np.ndarray
) -> None:
    """Write rows C / (p + θ) that sum to 1, columns counted ``sizes`` times.

    ``targets`` and ``prices`` are (n, n) float64 with a positive and a zero diagonal, ``sizes`` is (n,) float64. The
    sum falls in θ and is convex, so Newton's method from where the diagonal alone sums to 1 climbs to the root.
    """
    n = targets.shape[1]
    for i in range(start, stop):
        theta = targets[i, i] * sizes[i]
        for _ in range(100):
            total, slope = 0.0, 0.0
            for j in range(n):
                if targets[i, j] > 0.0:
                    share = targets[i, j] * sizes[j] / (prices[i, j] + theta)
                    total += share
                    slope += share / (prices[i, j] + theta)
            step = (total - 1.0) / slope
            if step <= 1e-13 * theta:
                break
            theta += step
        for j in range(n):
            out[i, j] = targets[i, j] / (prices[i, j] + theta) if targets[i, j] > 0.0 else 0.0


@njit
def project_rows(rows: np.ndarray, sizes: np.ndarray, start: int, stop: int) -> None:
    """Project rows on the simplex in place: at least 0, sum 1 with columns counted ``sizes`` times.

    ``rows`` is (n, m) float64, ``sizes`` (m,) float64. The level is raised to that of the entries still above it until
    none falls below, which takes a few passes. Entries beside which the 1 could be lost are
    first moved down, so that the largest is 0: the level moves with them.
    """
    n = rows.shape[1]
    for i in range(start, stop):
        largest = -np.inf
        for j in range(n):
            largest = max(largest, rows[i, j])
        if abs(largest) > _LARGE:
            for j in range(n):
                rows[i, j] -= largest
        level, n_above = -1e300, -1
        while True:
            n_before, n_above = n_above, 0
            mass, total = 0.0, -1.0
            for j in range(n):
                if rows[i, j] > level:
                    mass += sizes[j]
                    total += sizes[j] * rows[i, j]
                    n_above += 1
            if n_above == 0 or 0 <= n_before <= n_above:
                break
            level = total / mass
        for j in range(n):
            rows[i, j] = max(rows[i, j] - level, 0.0)
