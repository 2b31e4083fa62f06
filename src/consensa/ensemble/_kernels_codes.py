"""Kernels over raw label rows: which labels there are, and their codes."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit


@njit
def mark_labels(values: np.ndarray, lowest: int, seen: np.ndarray) -> None:
    """Mark in ``seen`` (columns x range, bool) the labels of every column of ``values`` (rows x columns, integers)."""
    for i in range(values.shape[0]):
        for m in range(values.shape[1]):
            seen[m, np.int64(values[i, m]) - lowest] = True


@njit
def encode_rows(
    values: np.ndarray,
    lowest: np.ndarray,
    bounds: np.ndarray,
    table: np.ndarray,
    missing: np.ndarray,
    out: np.ndarray,
) -> int:
    """Write the codes of integer labels into ``out`` (rows x columns, int32), -1 for ``missing`` (one number or none).

    The code of label v of column m is ``table[bounds[m] + v - lowest[m]]``, -1 where there is no such label. Returns
    the first row with a label that has no code, or -1.
    """
    for i in range(values.shape[0]):
        for m in range(values.shape[1]):
            value = np.int64(values[i, m])
            place = value - lowest[m]
            code = np.int32(-1)
            if 0 <= place < bounds[m + 1] - bounds[m]:
                code = table[bounds[m] + place]
            if code < 0:
                if missing.size > 0 and value == missing[0]:
                    code = np.int32(-1)
                else:
                    return i
            out[i, m] = code
    return -1
