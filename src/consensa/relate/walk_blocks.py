"""Walks inside one connected component of the microclusters: inner products of all pairs, and lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._threads import library_threads, row_ranges, thread_map
from consensa.relate import _kernels_trajectory as kernels
from consensa.relate.slow_modes import WalkPlan, plan_walks, turned

__all__ = ["Block", "lower_tiles", "walk_lengths"]

_TILE = 64  # columns that walk together: few enough to stay in the cache, enough to amortise the indices
_GROUPS = 64  # sums over columns are added up in this many groups, whatever the number of threads


class Block(NamedTuple):
    """One connected component: its microclusters, its P, and where a long walk ends, up to a factor."""

    members: np.ndarray
    P: kernels.Transition
    masses: np.ndarray

    def plan(self, n_steps: int) -> WalkPlan:
        """How its walks are summed up."""
        with library_threads(1, "blas"):
            return plan_walks(self.P, self.masses, n_steps)


def lower_tiles(block: Block, plan: WalkPlan) -> list[np.ndarray]:
    """Inner products of all walks of a component: columns a tile at a time, rows from its first column on.

    Nested products take three quarters of the arithmetic of single columns, but two matrices; of short walks these cost
    more than they save.
    """
    n, P = block.members.size, block.P
    ranges = row_ranges(n, _TILE)
    if plan.is_whole:
        return [
            tile[start:n, : stop - start]
            for tile, (start, stop) in zip(_nest(block, plan.weights), ranges, strict=True)
        ]
    back = turned(P)

    def walk(tile: tuple[int, int]) -> np.ndarray:
        out = np.empty((n, tile[1] - tile[0]))
        kernels.walk_columns(P, back, plan.weights, tile[0], out)
        found = out[tile[0] :] + plan.columns(*tile)
        square = found[: out.shape[1]]
        square[:] = (square + square.T) / 2
        return found

    with library_threads(1, "blas"):
        return thread_map(walk, ranges)


def _nest(block: Block, weights: np.ndarray) -> np.ndarray:
    """Inner products of all walks of a component, G ← P (w I + G) Pᵀ, as tiles of columns: (n_tiles, rows, width).

    A tile lies in one piece of memory; the last columns and rows may be padding.
    """
    n, P = block.members.size, block.P
    width = min(n, _TILE)
    n_tiles = -(-n // width)
    pieces = row_ranges(n_tiles, max(1, n_tiles // 16))
    products = np.zeros((n_tiles, n_tiles * width, width))
    half = np.zeros_like(products)
    half[P.indices // width, np.repeat(np.arange(n), np.diff(P.indptr)), P.indices % width] = weights[-1] * P.data
    index = np.arange(n)
    for t in range(weights.size - 1, -1, -1):
        if t < weights.size - 1:
            products[index // width, index, index % width] += weights[t]
            thread_map(lambda piece: kernels.walk_tiles(P, products, *piece, half), pieces)
        thread_map(lambda piece: kernels.walk_tiles_back(P, half, *piece, products), pieces)
    return products


def walk_lengths(block: Block, plan: WalkPlan) -> np.ndarray:
    """Lengths of all walks of a component, shape (n,): tiles of columns walk on their own."""
    n, P, back = block.members.size, block.P, turned(block.P)
    tiles = row_ranges(n, _TILE)

    def add(group: tuple[int, int]) -> np.ndarray:
        total = np.zeros(n)
        for tile in tiles[group[0] : group[1]]:
            kernels.add_squared_steps(P, back, *tile, plan.weights, total)
        return total

    totals = thread_map(add, row_ranges(len(tiles), -(-len(tiles) // _GROUPS)))
    return np.sqrt(np.sum(totals, axis=0) + plan.diagonal())
