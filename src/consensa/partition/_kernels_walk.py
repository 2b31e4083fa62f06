"""Kernels of products with the graph of the clusters, from the label rows alone."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part

_ROWS = 2048  # whose sums stay in the cache, as the vectors of a group of columns do


@njit
def add_walk(
    labels: np.ndarray,
    offsets: np.ndarray,
    factors: np.ndarray,
    groups: np.ndarray,
    vectors: np.ndarray,
    unit: float,
    out: np.ndarray,
) -> None:
    """Go from the clusters to the rows and back: eight vectors at once, in whole numbers of 1 / ``unit``.

    A row gets the sum of the ``vectors`` (n_c x 8) of its clusters times its factor, and adds it to all of them, into
    ``out`` (n_c x 8, int64). Whole numbers make the sum the same for any order of the rows. Some rows and a group of
    columns at a time, ``groups[g]`` to ``groups[g + 1]``, whose vectors stay in the cache.
    """
    sums, whole = np.empty((_ROWS, 8)), np.empty((_ROWS, 8), np.int64)
    for begin in range(0, labels.shape[0], _ROWS):
        end = min(begin + _ROWS, labels.shape[0])
        sums[:] = 0.0
        for g in range(groups.size - 1):
            _gather(labels, offsets, vectors, begin, end, groups[g], groups[g + 1], sums)
        for u in range(begin, end):
            for c in range(8):
                whole[u - begin, c] = _whole(sums[u - begin, c] * (factors[u] * unit))
        for g in range(groups.size - 1):
            _hand_out(labels, offsets, whole, begin, end, groups[g], groups[g + 1], out)


@njit_part
def _gather(
    labels: np.ndarray,
    offsets: np.ndarray,
    vectors: np.ndarray,
    begin: int,
    end: int,
    first: int,
    last: int,
    sums: np.ndarray,
) -> None:
    """Add the vectors of the clusters in columns ``first..last`` to the sums of their rows.

    Eight names and no inner loop, whose overhead would be as large as its work.
    """
    for u in range(begin, end):
        s = sums[u - begin]
        a, b, c, d, e, f, g, h = s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
        for m in range(first, last):
            if labels[u, m] >= 0:
                v = vectors[np.uint64(offsets[m] + labels[u, m])]
                a += v[0]
                b += v[1]
                c += v[2]
                d += v[3]
                e += v[4]
                f += v[5]
                g += v[6]
                h += v[7]
        s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7] = a, b, c, d, e, f, g, h


@njit_part
def _hand_out(
    labels: np.ndarray,
    offsets: np.ndarray,
    whole: np.ndarray,
    begin: int,
    end: int,
    first: int,
    last: int,
    out: np.ndarray,
) -> None:
    """Add what the rows have to their clusters in columns ``first..last``."""
    for u in range(begin, end):
        s = whole[u - begin]
        i, j, k, l, w, x, y, z = s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
        for m in range(first, last):
            if labels[u, m] >= 0:
                o = out[np.uint64(offsets[m] + labels[u, m])]
                o[0] += i
                o[1] += j
                o[2] += k
                o[3] += l
                o[4] += w
                o[5] += x
                o[6] += y
                o[7] += z


@njit_part
def _whole(x: float) -> int:
    return int(np.rint(x))


@njit
def join_clusters(labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray, root: np.ndarray) -> None:
    """Join the clusters of every row, of those with a weight; ``root`` (n_c) comes in as their own numbers.

    At the end the root of a cluster is the smallest number of its component.
    """
    for u in range(labels.shape[0]):
        first = -1
        for m in range(labels.shape[1]):
            if labels[u, m] < 0 or weights[offsets[m] + labels[u, m]] <= 0.0:
                continue
            c = offsets[m] + labels[u, m]
            if first < 0:
                first = c
            if root[c] != root[first]:
                a, b = _find(root, first), _find(root, c)
                root[max(a, b)] = min(a, b)
    for c in range(root.size):
        root[c] = root[root[c]]  # roots point to smaller numbers, which are settled by now


@njit_part
def _find(root: np.ndarray, c: int) -> int:
    """Root of a cluster; the way to it becomes shorter."""
    while root[c] != c:
        root[c] = root[root[c]]
        c = root[c]
    return c
