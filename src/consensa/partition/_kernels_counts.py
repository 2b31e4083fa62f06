"""Kernels on label rows: what a row costs in every cluster, its cheapest cluster, and exact counts."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part


@njit_part
def _add_row(row: np.ndarray, offsets: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    for m in range(row.size):
        if row[m] >= 0:
            c = offsets[m] + row[m]
            for j in range(out.size):
                out[j] += table[c, j]


@njit
def row_costs(
    labels: np.ndarray, offsets: np.ndarray, table: np.ndarray, scale: np.ndarray, bias: np.ndarray, out: np.ndarray
) -> None:
    """Fill ``out[i, j]`` with ``scale[i] * bias[j]`` plus ``table[c, j]`` of every base cluster c of row i."""
    for i in range(labels.shape[0]):
        for j in range(bias.size):
            out[i, j] = scale[i] * bias[j]
        _add_row(labels[i], offsets, table, out[i])


@njit
def cheapest(
    labels: np.ndarray,
    offsets: np.ndarray,
    table: np.ndarray,
    scale: np.ndarray,
    bias: np.ndarray,
    chosen: np.ndarray,
    cost: np.ndarray,
) -> None:
    """Find the column in which every row costs least (ties: the first), and what it costs there."""
    gaps = np.empty(bias.size)
    for i in range(labels.shape[0]):
        for j in range(bias.size):
            gaps[j] = scale[i] * bias[j]
        _add_row(labels[i], offsets, table, gaps)
        best = 0
        for j in range(1, bias.size):
            if gaps[j] < gaps[best]:
                best = j
        chosen[i] = best
        cost[i] = gaps[best]


@njit
def add_counts(
    labels: np.ndarray, offsets: np.ndarray, sizes: np.ndarray, chosen: np.ndarray, counts: np.ndarray
) -> None:
    """Add the objects of every row to ``counts[cluster of the row, base cluster of the row]``."""
    for i in range(labels.shape[0]):
        for m in range(labels.shape[1]):
            if labels[i, m] >= 0:
                counts[chosen[i], offsets[m] + labels[i, m]] += sizes[i]
