"""Kernel of the sums over the rows that two clusters share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part


class Rows(NamedTuple):
    """Label rows, stored by column, of which ``begin`` to ``end`` count; the sum of their weights is below 2**62.

    Labels count from 1, and 0 is a missing one: places in an array that cannot be negative are found faster.
    """

    columns: np.ndarray  # (M, n) uint32, 0 = missing
    offsets: np.ndarray  # (M + 1,) int64: first cluster of every column
    weights: np.ndarray  # (n,) int64
    begin: int
    end: int


@njit
def add_stripe(
    left: np.ndarray, n_left: int, first: int, rows: Rows, table: np.ndarray, row: int, out: np.ndarray
) -> None:
    """Add the weights of rows to every pair of a label in ``left`` and a cluster of column ``first`` or a later one.

    ``left`` (n,) are uint32 labels from 1 to ``n_left``, 0 = missing. ``out`` (limbs x rows x n_c, int64) receives the
    sum of label i and cluster c at ``[:, row + i - 1, c]``: in one limb as it is, in two limbs cut after 30 bits. A
    pair of columns is summed in ``table`` (int64), which stays in the cache and is handed over once, but for the sums
    of rows without a label, which so need no branch; where there are too many clusters, weights go to ``out`` at once.
    """
    columns, offsets, weights = rows.columns, rows.offsets, rows.weights
    begin, end = rows.begin, rows.end
    largest = min(table.size, 8 * (end - begin) + 64)
    for b in range(first, columns.shape[0]):
        start, n_right = offsets[b], offsets[b + 1] - offsets[b]
        width = np.uint32(n_right + 1)
        if (n_left + 1) * width > largest:
            for u in range(begin, end):
                if left[u] > 0 and columns[b, u] > 0:
                    _put(out, row + left[u] - 1, start + columns[b, u] - 1, weights[u])
            continue
        table[: (n_left + 1) * width] = 0
        for u in range(begin, end):
            table[left[u] * width + columns[b, u]] += weights[u]
        for i in range(n_left):
            for j in range(n_right):
                _put(out, row + i, start + j, table[(i + 1) * width + j + 1])


@njit_part
def _put(out: np.ndarray, i: int, j: int, value: int) -> None:
    if out.shape[0] == 1:
        out[0, i, j] += value
    else:
        out[0, i, j] += value >> 30
        out[1, i, j] += value & 0x3FFFFFFF
