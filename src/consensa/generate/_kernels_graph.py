"""Kernels of neighbour graphs: exact neighbours from single-precision distances, by distance and by affinity.

``approximate`` is a block of squared distances (rows x n, float32), off by at most ``slack``. It only rules rows out;
every row that remains is compared by its exact distance in double precision.
"""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part

_ROOT_TWO_PI = 2.5066282746310002
_TINY = 2.220446049250313e-16


@njit_part
def squared_distance(X: np.ndarray, i: int, j: int) -> float:
    """Exact squared distance of two rows, summed in four strands."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    n_whole = X.shape[1] // 4 * 4
    for f in range(0, n_whole, 4):
        a += (X[i, f] - X[j, f]) ** 2
        b += (X[i, f + 1] - X[j, f + 1]) ** 2
        c += (X[i, f + 2] - X[j, f + 2]) ** 2
        d += (X[i, f + 3] - X[j, f + 3]) ** 2
    for f in range(n_whole, X.shape[1]):
        a += (X[i, f] - X[j, f]) ** 2
    return (a + b) + (c + d)


@njit
def nearest_rows(
    approximate: np.ndarray,
    X: np.ndarray,
    first_row: int,
    slack: np.ndarray,
    numbers: np.ndarray,
    distances: np.ndarray,
) -> None:
    """The k nearest other rows of every row of a block, by distance, then number; fills (rows x k) arrays."""
    k = numbers.shape[1]
    smallest = np.empty(k, np.float32)
    for i in range(approximate.shape[0]):
        row = first_row + i
        values = approximate[i]
        smallest[:] = np.inf
        for j in range(values.size):
            if values[j] < smallest[k - 1] and j != row:
                q = k - 1
                while q > 0 and smallest[q - 1] > values[j]:
                    smallest[q] = smallest[q - 1]
                    q -= 1
                smallest[q] = values[j]
        reach = smallest[k - 1] + 2 * slack[i]
        filled = 0
        for j in range(values.size):
            if not values[j] > reach and j != row:  # also where either is no number: k rows are always found
                filled = _insert(squared_distance(X, row, j), j, filled, distances[i], numbers[i], 1.0)


@njit
def strongest_rows(
    approximate: np.ndarray,
    X: np.ndarray,
    first_row: int,
    slack: np.ndarray,
    nearest: np.ndarray,
    radius: np.ndarray,
    mu: float,
    numbers: np.ndarray,
    affinities: np.ndarray,
) -> None:
    """The k other rows of largest affinity of every row of a block, by affinity, then number.

    The affinity is the normal density of the squared distance with the width of :func:`_width`. A row that can enter
    must have distance / width below a limit that follows from the k-th affinity so far (at first that of the
    ``nearest`` rows), so a comparison with the two ``radius`` rules out nearly all others.
    """
    k = numbers.shape[1]
    least = radius.min()
    for i in range(approximate.shape[0]):
        row = first_row + i
        filled = 0
        for p in range(k):
            j = nearest[i, p]
            filled = _insert(_affinity(X, row, j, radius, mu), j, filled, affinities[i], numbers[i], -1.0)
        reach = _reach(affinities[i, k - 1], mu * (radius[row] + least) / 3, mu)
        for j in range(approximate.shape[1]):
            if approximate[i, j] - slack[i] > reach * (radius[row] + radius[j]) or j == row:
                continue
            known = False
            for p in range(k):
                known |= nearest[i, p] == j
            if not known:
                weakest = affinities[i, k - 1]
                _insert(_affinity(X, row, j, radius, mu), j, k, affinities[i], numbers[i], -1.0)
                if affinities[i, k - 1] != weakest:
                    reach = _reach(affinities[i, k - 1], mu * (radius[row] + least) / 3, mu)


@njit_part
def _insert(value: float, j: int, filled: int, values: np.ndarray, numbers: np.ndarray, sign: float) -> int:
    """Insert into a list sorted by rising ``sign * value``, then number; returns how many it holds."""
    k = values.size
    last = min(filled, k - 1)
    if filled == k:
        worst = sign * (values[k - 1] - value)
        if worst < 0 or (worst == 0 and numbers[k - 1] < j):
            return filled
    q = last
    while q > 0:
        gap = sign * (values[q - 1] - value)
        if gap < 0 or (gap == 0 and numbers[q - 1] < j):
            break
        values[q], numbers[q] = values[q - 1], numbers[q - 1]
        q -= 1
    values[q], numbers[q] = value, j
    return last + 1


@njit_part
def _width(distance: float, radii: float, mu: float) -> float:
    """Return mu times the mean of two neighbourhood radii (their sum given) and the distance."""
    return mu * max((radii + distance) / 3.0, _TINY)


@njit_part
def _affinity(X: np.ndarray, i: int, j: int, radius: np.ndarray, mu: float) -> float:
    distance = squared_distance(X, i, j)
    width = _width(distance, radius[i] + radius[j], mu)
    return np.exp(-0.5 * (distance / width) ** 2) / (_ROOT_TWO_PI * width)


@njit_part
def _reach(affinity: float, narrowest: float, mu: float) -> float:
    """A row whose distance exceeds this times the sum of the radii has a smaller affinity."""
    peak = affinity * _ROOT_TWO_PI * max(narrowest, mu * _TINY)
    if peak <= 0.0:
        return np.inf
    limit = np.sqrt(max(-2.0 * np.log(peak), 0.0)) * mu / 3.0 * (1.0 + 1e-12)
    return limit / (1.0 - limit) if limit < 1.0 else np.inf
