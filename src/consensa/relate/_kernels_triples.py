"""Compiled sums over the common neighbours of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._numba import njit

if TYPE_CHECKING:
    import numpy as np

__all__ = ["add_common_minima"]


@njit
def add_common_minima(
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """Add w_k min(J_ik, J_jk) over all k to ``out`` (n x n) for the rows i from start to stop.

    J is symmetric and given by its rows (CSR); every sum runs over rising k, so that ``out`` is symmetric to the bit.
    """
    for i in range(start, stop):
        for a in range(indptr[i], indptr[i + 1]):
            k, own = indices[a], values[a]
            weight = weights[k]
            for b in range(indptr[k], indptr[k + 1]):
                out[i, indices[b]] += weight * min(own, values[b])
