"""Groups of things: how many each shares with others, their members, and their numbers by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from consensa._types import IntArray

__all__ = ["count_table", "first_members", "membership", "order_by_size", "ranks_by_size", "segment_sums"]


def count_table(
    rows: IntArray, columns: IntArray, shape: tuple[int, int], weights: np.ndarray | None = None
) -> sp.csr_array:
    """Count how often every row number stands beside every column number, each pair ``weights`` times (None: once).

    Examples
    --------
    >>> import numpy as np
    >>> count_table(np.array([0, 0, 1]), np.array([1, 1, 0]), (2, 2)).toarray()
    array([[0, 2],
           [1, 0]])
    """
    weights = np.ones(rows.size, np.int64) if weights is None else weights
    return sp.csr_array(sp.coo_array((weights, (rows, columns)), shape=shape))


def membership(groups: IntArray, n_groups: int, weights: np.ndarray | None = None) -> sp.csr_array:
    """Say which things lie in every group: the weight of each thing (None: 1), shape (n_groups, n_things)."""
    return count_table(groups, np.arange(groups.size), (n_groups, groups.size), weights)


def first_members(groups: IntArray, n_groups: int) -> IntArray:
    """Return the place of the first member of every group; the number of things where there is none, or group -1.

    Examples
    --------
    >>> import numpy as np
    >>> first_members(np.array([1, -1, 1, 0]), 3)
    array([3, 0, 4])
    """
    first = np.full(n_groups + 1, groups.size)
    np.minimum.at(first, groups, np.arange(groups.size))
    return first[:-1]


def order_by_size(sizes: np.ndarray, firsts: np.ndarray) -> IntArray:
    """Return groups by falling size, equal ones by their first members.

    Examples
    --------
    >>> import numpy as np
    >>> order_by_size(np.array([2, 5, 2]), np.array([7, 0, 3]))
    array([1, 2, 0])
    """
    return np.lexsort((firsts, -sizes))


def ranks_by_size(sizes: np.ndarray, firsts: np.ndarray) -> IntArray:
    """Return the place of every group in :func:`order_by_size`, int32."""
    ranks = np.empty(sizes.size, np.int32)
    ranks[order_by_size(sizes, firsts)] = np.arange(sizes.size, dtype=np.int32)
    return ranks


def segment_sums(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Sum consecutive values of the last axis from every offset to the next; 0 for an empty segment.

    ``numpy.add.reduceat`` gives the next value there, and fails at the end.

    Examples
    --------
    >>> import numpy as np
    >>> segment_sums(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 2, 3, 3]))
    array([3., 0., 3., 0.])
    """
    filled = np.diff(offsets) > 0
    sums = np.zeros((*values.shape[:-1], filled.size), values.dtype)
    if filled.any():
        sums[..., filled] = np.add.reduceat(values, offsets[:-1][filled], axis=-1)
    return sums
