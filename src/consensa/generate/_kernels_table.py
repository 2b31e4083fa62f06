"""Kernels of members on tables: every row by itself and by the values it has, so that chunks do not matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

_NOTHING = 1e-6  # shares that are too small to count


class Costs(NamedTuple):
    """What it costs a row to be in each of k clusters, added up over the columns that it has a value in.

    A number x in column ``places[a]`` of the numbers costs ``base[a] + slope[a] * (x - centers[a]) ** 2``, a level l of
    column ``sites[b]`` of the levels costs ``table[first[b] + l]``; ``prior`` is added once. Shares of all columns, of
    numbers first, add up to 1.
    """

    places: np.ndarray  # (p,) int64
    centers: np.ndarray  # (p, k)
    slope: np.ndarray  # (p, k)
    base: np.ndarray  # (p, k)
    sites: np.ndarray  # (q,) int64
    first: np.ndarray  # (q,) int64: the first row of every column in the table
    table: np.ndarray  # (n_levels, k)
    prior: np.ndarray  # (k,)
    shares: np.ndarray  # (p + q,)


@njit
def assign_rows(numbers: np.ndarray, levels: np.ndarray, costs: Costs, least: float, labels: np.ndarray) -> None:
    """Cheapest cluster of every row, ties to the smaller; -1 where the row has less than ``least`` of the columns.

    NaN in ``numbers`` (n x all numbers) and a negative place in ``levels`` (n x all categories) are gaps.
    """
    spent = np.empty(costs.prior.size)
    for i in range(numbers.shape[0]):
        labels[i] = _cheapest(numbers[i], levels[i], costs, least, spent)


@njit_part
def _cheapest(row: np.ndarray, codes: np.ndarray, costs: Costs, least: float, spent: np.ndarray) -> int:
    """Cheapest cluster of one row; ``spent`` is work space."""
    if _spend(row, codes, costs, spent) < least:
        return -1
    best = 0
    for c in range(1, spent.size):
        if spent[c] < spent[best]:
            best = c
    return best


@njit_part
def _spend(row: np.ndarray, codes: np.ndarray, costs: Costs, spent: np.ndarray) -> float:
    """Fill ``spent`` with the costs of one row, and return the share of the columns that it has a value in."""
    places, centers, slope, base = costs.places, costs.centers, costs.slope, costs.base
    sites, first, table, prior, shares = costs.sites, costs.first, costs.table, costs.prior, costs.shares
    for c in range(spent.size):
        spent[c] = prior[c]
    seen = 0.0
    for a in range(places.size):
        x = row[places[a]]
        if not np.isnan(x):
            seen += shares[a]
            for c in range(spent.size):
                gap = x - centers[a, c]
                spent[c] += base[a, c] + slope[a, c] * gap * gap
    for b in range(sites.size):
        level = codes[sites[b]]
        if level >= 0:
            seen += shares[places.size + b]
            line = first[b] + level
            for c in range(spent.size):
                spent[c] += table[line, c]
    return seen


class Sums(NamedTuple):
    """What clusters hold, rows being shared out among them; all begin at 0."""

    moments: np.ndarray  # (3, p, k): shares, sums and square sums of every number
    counts: np.ndarray  # (n_levels, k)
    sizes: np.ndarray  # (k,)


@njit
def share_rows(numbers: np.ndarray, levels: np.ndarray, costs: Costs, least: float, sums: Sums) -> float:
    """Share every row out to the clusters by exp(-cost) and add it up there; return the mean cost of a row."""
    moments, counts, sizes = sums.moments, sums.counts, sums.sizes
    places, sites, first = costs.places, costs.sites, costs.first
    spent = np.empty(costs.prior.size)
    spent_by_all, n_rows = 0.0, 0
    for i in range(numbers.shape[0]):
        if _spend(numbers[i], levels[i], costs, spent) < least:
            continue
        spent_by_all += _share_out(spent)
        n_rows += 1
        for c in range(spent.size):
            if spent[c] < _NOTHING:
                continue
            share = spent[c]
            sizes[c] += share
            for a in range(places.size):
                x = numbers[i, places[a]]
                if not np.isnan(x):
                    moments[0, a, c] += share
                    moments[1, a, c] += share * x
                    moments[2, a, c] += share * x * x
            for b in range(sites.size):
                level = levels[i, sites[b]]
                if level >= 0:
                    counts[first[b] + level, c] += share
    return spent_by_all / max(n_rows, 1)


@njit_part
def _share_out(spent: np.ndarray) -> float:
    """Turn costs into shares that add up to 1, in place; return the cost of the mixture."""
    least = spent[0]
    for c in range(1, spent.size):
        least = min(least, spent[c])
    total = 0.0
    for c in range(spent.size):
        spent[c] = np.exp(least - spent[c])
        total += spent[c]
    for c in range(spent.size):
        spent[c] /= total
    return least - np.log(total)
