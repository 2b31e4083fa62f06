"""Kernels of members on tables: every row by itself and by the values it has, so that chunks do not matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

_NOTHING = 1e-6  # shares that are too small to count
SLOTS = 128  # patterns of gaps whose factors are kept at a time
_GOLDEN = 0x1E3779B97F4A7C15
_SHIFT = 56  # of 63 bits, to the 7 of a slot


class Costs(NamedTuple):
    """What it costs a row to be in each of k clusters, added up over the columns that it has a value in.

    A number x in column ``places[a]`` of the numbers costs ``base[a] + slope[a] * (x - centers[a]) ** 2``, or, where
    there is a covariance ``tied`` of all clusters, all numbers x of a row cost half their squared Mahalanobis distance
    from the centers, by the part of the covariance that belongs to the numbers it has. A level l of column
    ``sites[b]`` of the levels costs ``table[first[b] + l]``; ``prior`` is added once. Shares of all columns, of
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
    tied: np.ndarray  # (p, p), or (0, 0) for clusters with variances of their own


class Patterns(NamedTuple):
    """Factors of the covariance for the numbers that rows have, kept by the pattern of their gaps.

    Slot s holds the pattern ``keys[s]`` (-1 for none): the lower Cholesky factor of its part of the covariance, with
    rows and columns of the identity at the gaps, the centers solved by it, and the sum of the logarithms of its
    diagonal. ``row`` and ``spent``, the costs of a row, are work space.
    """

    keys: np.ndarray  # (SLOTS,) int64
    factors: np.ndarray  # (SLOTS, p, p)
    centers: np.ndarray  # (SLOTS, p, k)
    logs: np.ndarray  # (SLOTS,)
    row: np.ndarray  # (p,)
    spent: np.ndarray  # (k,)


@njit
def assign_rows(
    numbers: np.ndarray, levels: np.ndarray, costs: Costs, kept: Patterns, least: float, labels: np.ndarray
) -> None:
    """Cheapest cluster of every row, ties to the smaller; -1 where the row has less than ``least`` of the columns.

    NaN in ``numbers`` (n x all numbers) and a negative place in ``levels`` (n x all categories) are gaps.
    """
    for i in range(numbers.shape[0]):
        labels[i] = _cheapest(numbers[i], levels[i], costs, least, kept)


@njit_part
def _cheapest(row: np.ndarray, codes: np.ndarray, costs: Costs, least: float, kept: Patterns) -> int:
    """Cheapest cluster of one row."""
    spent = kept.spent
    if _spend(row, codes, costs, kept, spent) < least:
        return -1
    best = 0
    for c in range(1, spent.size):
        if spent[c] < spent[best]:
            best = c
    return best


@njit_part
def _spend(row: np.ndarray, codes: np.ndarray, costs: Costs, kept: Patterns, spent: np.ndarray) -> float:
    """Fill ``spent`` with the costs of one row, and return the share of the columns that it has a value in."""
    prior = costs.prior
    for c in range(spent.size):
        spent[c] = prior[c]
    seen = _spend_tied(row, costs, kept, spent) if costs.tied.shape[0] > 0 else _spend_own(row, costs, spent)
    sites, first, table, shares, n_numbers = costs.sites, costs.first, costs.table, costs.shares, costs.places.size
    for b in range(sites.size):
        level = codes[sites[b]]
        if level >= 0:
            seen += shares[n_numbers + b]
            line = first[b] + level
            for c in range(spent.size):
                spent[c] += table[line, c]
    return seen


@njit_part
def _spend_own(row: np.ndarray, costs: Costs, spent: np.ndarray) -> float:
    """Add the costs of the numbers, by variances of every cluster, and return the share of the columns."""
    places, centers, slope, base, shares = costs.places, costs.centers, costs.slope, costs.base, costs.shares
    seen = 0.0
    for a in range(places.size):
        x = row[places[a]]
        if not np.isnan(x):
            seen += shares[a]
            for c in range(spent.size):
                gap = x - centers[a, c]
                spent[c] += base[a, c] + slope[a, c] * gap * gap
    return seen


@njit_part
def _spend_tied(row: np.ndarray, costs: Costs, kept: Patterns, spent: np.ndarray) -> float:
    """Add the costs of the numbers, by one covariance of all clusters, and return the share of the columns."""
    places, shares, solved = costs.places, costs.shares, kept.row
    pattern, seen = 0, 0.0
    for a in range(places.size):
        x = row[places[a]]
        if np.isnan(x):
            solved[a] = 0.0
        else:
            solved[a] = x
            seen += shares[a]
            pattern |= 1 << a
    slot = ((pattern * _GOLDEN) & 0x7FFFFFFFFFFFFFFF) >> _SHIFT
    if kept.keys[slot] != pattern:
        _fill_slot(costs.tied, costs.centers, pattern, kept, slot)
    factors, centers = kept.factors, kept.centers
    for c in range(spent.size):
        spent[c] += kept.logs[slot]
    for a in range(places.size):
        value = solved[a]
        for b in range(a):
            value -= factors[slot, a, b] * solved[b]
        solved[a] = value = value / factors[slot, a, a]
        for c in range(spent.size):
            gap = value - centers[slot, a, c]
            spent[c] += 0.5 * gap * gap
    return seen


@njit_part
def _fill_slot(tied: np.ndarray, centers: np.ndarray, pattern: int, kept: Patterns, slot: int) -> None:
    """Factorise the part of the covariance that belongs to a pattern, and solve the centers by it."""
    factors, solved = kept.factors, kept.centers
    total = 0.0
    for a in range(tied.shape[0]):
        is_there = (pattern >> a) & 1
        for b in range(a + 1):
            value = tied[a, b] if is_there and (pattern >> b) & 1 else (1.0 if a == b else 0.0)
            for j in range(b):
                value -= factors[slot, a, j] * factors[slot, b, j]
            factors[slot, a, b] = np.sqrt(value) if a == b else value / factors[slot, b, b]
        diagonal = factors[slot, a, a]
        total += np.log(diagonal)
        for c in range(centers.shape[1]):
            solved[slot, a, c] = centers[a, c] if is_there else 0.0
        for b in range(a):
            share = factors[slot, a, b]
            for c in range(centers.shape[1]):
                solved[slot, a, c] -= share * solved[slot, b, c]
        for c in range(centers.shape[1]):
            solved[slot, a, c] /= diagonal
    kept.keys[slot] = pattern
    kept.logs[slot] = total


class Sums(NamedTuple):
    """What clusters hold, rows being shared out among them; all begin at 0."""

    moments: np.ndarray  # (3, p, k): shares, sums and square sums of every number
    counts: np.ndarray  # (n_levels, k)
    sizes: np.ndarray  # (k,)
    scatter: np.ndarray  # (2, p, p), lower half: rows that have both numbers, products of their distances to centers


@njit
def share_rows(
    numbers: np.ndarray, levels: np.ndarray, costs: Costs, kept: Patterns, least: float, sums: Sums
) -> float:
    """Share every row out to the clusters by exp(-cost) and add it up there; return the mean cost of a row.

    The scatter is filled where there is a covariance of all clusters.
    """
    n_tied, spent = costs.tied.shape[0], kept.spent
    spent_by_all, n_rows = 0.0, 0
    for i in range(numbers.shape[0]):
        if _spend(numbers[i], levels[i], costs, kept, spent) < least:
            continue
        spent_by_all += _share_out(spent)
        n_rows += 1
        _add_up(numbers[i], levels[i], costs, spent, sums)
        if n_tied > 0:
            _scatter(numbers[i], costs, spent, sums.scatter)
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


@njit_part
def _add_up(row: np.ndarray, codes: np.ndarray, costs: Costs, spent: np.ndarray, sums: Sums) -> None:
    """Add one row to what clusters hold, by its shares."""
    moments, counts, sizes = sums.moments, sums.counts, sums.sizes
    places, sites, first = costs.places, costs.sites, costs.first
    for c in range(spent.size):
        share = spent[c]
        if share < _NOTHING:
            continue
        sizes[c] += share
        for a in range(places.size):
            x = row[places[a]]
            if not np.isnan(x):
                moments[0, a, c] += share
                moments[1, a, c] += share * x
                moments[2, a, c] += share * x * x
        for b in range(sites.size):
            level = codes[sites[b]]
            if level >= 0:
                counts[first[b] + level, c] += share


@njit_part
def _scatter(row: np.ndarray, costs: Costs, spent: np.ndarray, scatter: np.ndarray) -> None:
    """Add the products of the distances of one row to the centers, by its shares."""
    places, centers = costs.places, costs.centers
    for a in range(places.size):
        x = row[places[a]]
        if np.isnan(x):
            continue
        for b in range(a + 1):
            y = row[places[b]]
            if np.isnan(y):
                continue
            total = 0.0
            for c in range(spent.size):
                total += spent[c] * (x - centers[a, c]) * (y - centers[b, c])
            scatter[0, a, b] += 1.0
            scatter[1, a, b] += total
