"""Kernels of single linkage with a Gini threshold: the spanning tree of a few points, and the order of its merges."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part


@njit
def spanning_tree(
    products: np.ndarray, squares: np.ndarray, first: np.ndarray, second: np.ndarray, lengths: np.ndarray
) -> None:
    """Minimum spanning tree of points (Prim): edges ``first`` - ``second``, squared distances ``lengths`` (n - 1 each).

    A squared distance follows from ``products`` (n x n), the inner products, and their diagonal ``squares`` (n), none
    of them NaN, when it is looked at. Between steps ``nearest[j]`` is the point of the tree nearest to point j, which
    is not in it yet, and ``best[j]`` their distance; equal ones go to the smaller number.
    """
    n = squares.size
    best, nearest, inside = np.full(n, np.inf), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    newest = 0
    for t in range(n - 1):
        inside[newest] = True
        found = -1
        for j in range(n):
            if inside[j]:
                continue
            gap = (-2.0 * products[newest, j] + squares[j]) + squares[newest]
            if gap < best[j]:
                best[j], nearest[j] = gap, newest
            if found < 0 or best[j] < best[found]:
                found = j
        first[t], second[t], lengths[t] = nearest[found], found, best[found]
        newest = found


@njit
def genie_merges(first: np.ndarray, second: np.ndarray, threshold: float, merges: np.ndarray) -> None:
    """Join points along the edges of a tree (n - 1, by rising length), into ``merges`` (n - 1 x 2): region, absorbed.

    The shortest edge is next, but where the Gini index of the sizes of the regions exceeds ``threshold`` the shortest
    one that has a smallest region at an end. A region carries the number of one of its points (``root``), and
    ``times[s]`` regions have size s.
    """
    n = first.size + 1
    root, size, times = np.arange(n), np.ones(n, np.int64), np.zeros(n + 1, np.int64)
    done = np.zeros(n - 1, np.bool_)
    times[1] = n
    shortest = 0
    for t in range(n - 1):
        while done[shortest]:
            shortest += 1
        edge, smallest = shortest, _smallest_if_unequal(times, n - t, n, threshold)
        while smallest > 0 and (
            done[edge] or min(size[_find(root, first[edge])], size[_find(root, second[edge])]) > smallest
        ):
            edge += 1
        done[edge] = True
        a, b = _find(root, first[edge]), _find(root, second[edge])
        merges[t, 0], merges[t, 1] = a, b
        times[size[a]] -= 1
        times[size[b]] -= 1
        root[b] = a
        size[a] += size[b]
        times[size[a]] += 1


@njit_part
def _smallest_if_unequal(times: np.ndarray, n_regions: int, n: int, threshold: float) -> int:
    """Size of the smallest region where the sizes are too unequal, otherwise 0."""
    before, smallest, spread = 0, 0, 0.0
    for s in range(1, n + 1):
        if times[s] > 0:
            if smallest == 0:
                smallest = s
            spread += s * times[s] * (2.0 * before + times[s] - n_regions)
            before += times[s]
            if before == n_regions:
                break
    return smallest if spread > threshold * n * (n_regions - 1) else 0


@njit_part
def _find(root: np.ndarray, i: int) -> int:
    """Region of point ``i``; the way to it becomes shorter."""
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i
