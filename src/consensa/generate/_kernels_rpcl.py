"""Kernel of rival penalised competitive learning: one pass over the data."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit


@njit
def learn(
    X: np.ndarray,
    order: np.ndarray,
    units: np.ndarray,
    wins: np.ndarray,
    rate: float,
    rival_rate: float,
) -> None:
    """Show the rows of ``X`` (n x d) in ``order`` to the ``units`` (d x k, one column each; changed).

    The unit with the smallest distance, weighted by how often it has won (``wins``, int64, counted up), moves towards
    the row by the share ``rate``, the second away from it by ``rival_rate``; a single unit has no rival. All units must
    have won once or more: one without a win would be at distance 0 from everything.

    The weight is the number of wins, not its share of all wins: dividing all of them by the same number changes
    nothing.
    """
    n_features, n_units = units.shape
    distance = np.empty(n_units)
    for position in range(order.size):
        x = X[order[position]]
        for j in range(n_units):
            distance[j] = 0.0
        for s in range(n_features):
            value, row = x[s], units[s]
            for j in range(n_units):
                gap = value - row[j]
                distance[j] += gap * gap
        winner, rival = 0, -1
        best, second = wins[0] * distance[0], np.inf
        for j in range(1, n_units):
            cost = wins[j] * distance[j]
            if cost < best:
                rival, second = winner, best
                winner, best = j, cost
            elif cost < second:
                rival, second = j, cost
        for s in range(n_features):
            units[s, winner] += rate * (x[s] - units[s, winner])
            if rival >= 0:
                units[s, rival] -= rival_rate * (x[s] - units[s, rival])
        wins[winner] += 1
