"""Walks inside one connected component of the microclusters: inner products of all pairs, and lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa import _budget
from consensa._threads import library_threads, row_ranges, thread_map
from consensa.relate import _kernels_trajectory as kernels
from consensa.relate.relation import Triangle
from consensa.relate.slow_modes import WalkPlan, plan_walks, turned

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Block", "walk_lengths", "walk_triangle"]

_TILE = 64  # columns that walk together: few enough to stay in the cache, enough to amortise the indices
_GROUPS = 64  # sums over columns are added up in this many groups, whatever the number of threads

_NESTED_BYTES = 20  # two matrices and a triangle, for every pair of microclusters


class Block(NamedTuple):
    """One connected component: its microclusters, its P, and where a long walk ends, up to a factor."""

    members: np.ndarray
    P: kernels.Transition
    masses: np.ndarray

    def plan(self, n_steps: int) -> WalkPlan:
        """How its walks are summed up."""
        with library_threads(1, "blas"):
            return plan_walks(self.P, self.masses, n_steps)


def walk_triangle(block: Block, plan: WalkPlan) -> tuple[Triangle, np.ndarray]:
    """Inner products of all walks of a component and their lengths (n,), rows in the order of the microclusters."""
    n = block.members.size
    place = np.empty(n, np.int64)
    place[np.argsort(block.members)] = np.arange(n)
    products, squares = np.empty(n * (n - 1) // 2), np.empty(n)

    def keep(tile: np.ndarray, start: int) -> None:
        kernels.put_tile(tile, start, place, products)
        squares[place[start : start + tile.shape[1]]] = tile.diagonal()

    _each_tile(block, plan, keep)
    return Triangle(products, n), np.sqrt(squares)


def _each_tile(block: Block, plan: WalkPlan, keep: Callable[[np.ndarray, int], None]) -> None:
    """Hand over the inner products of all walks: columns a tile at a time, rows from its first column on.

    Nested products take three quarters of the arithmetic of single columns, but two matrices; of short walks these cost
    more than they save.
    """
    n, P = block.members.size, block.P
    ranges = row_ranges(n, _TILE)
    if plan.is_whole and _NESTED_BYTES * n**2 <= _budget.DENSE_BUDGET:
        for tile, (start, stop) in zip(_nest(block, plan.weights), ranges, strict=True):
            keep(tile[start:n, : stop - start], start)
        return
    back, lowest = turned(P), np.minimum.accumulate(P.indices[P.indptr[:-1]][::-1])[::-1].astype(np.int64)

    def walk(tile: tuple[int, int]) -> None:
        out = np.empty((n, tile[1] - tile[0]))
        kernels.walk_columns(P, back, lowest, plan.weights, tile[0], out)
        found = out[tile[0] :] + plan.columns(*tile)
        square = found[: out.shape[1]]
        square[:] = (square + square.T) / 2
        keep(found, tile[0])

    with library_threads(1, "blas"):
        thread_map(walk, ranges)


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
