"""Kernel of the best one-element move, on microclusters as blocks."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit


@njit
def improve(labels: np.ndarray, sizes: np.ndarray, chosen: np.ndarray, costs: np.ndarray, least: int) -> int:
    """Move the block whose move lowers the cost most, again and again; returns the number of moves.

    ``costs[u, a]`` is what an object of block u adds to the cost in cluster a, the objects of its own block left out;
    an empty cluster costs nothing. ``chosen`` and ``costs`` are changed. A cluster keeps at least
    ``least`` blocks.
    """
    n, k = costs.shape
    filled = np.zeros(k, np.int64)
    for u in range(n):
        filled[chosen[u]] += 1
    n_moves = 0
    while True:
        gain, block, there = 0, -1, -1
        for u in range(n):
            here = costs[u, chosen[u]]
            if filled[chosen[u]] <= least:
                continue
            for a in range(k):
                if sizes[u] * (here - costs[u, a]) > gain:
                    gain, block, there = sizes[u] * (here - costs[u, a]), u, a
        if block < 0:
            return n_moves
        old = chosen[block]
        for v in range(n):
            if v == block:
                continue
            apart = 0
            for m in range(labels.shape[1]):
                if labels[v, m] >= 0 and labels[block, m] >= 0:
                    apart += -1 if labels[v, m] == labels[block, m] else 1
            costs[v, old] -= sizes[block] * apart
            costs[v, there] += sizes[block] * apart
        filled[old] -= 1
        filled[there] += 1
        chosen[block] = there
        n_moves += 1
