"""One base clustering of a table: a mixture of clusters.

Numbers are normal in a cluster, levels have frequencies and are independent. Numbers are independent too, with
variances of every cluster, or have one covariance in all clusters, so that what they share within clusters (tall
people weigh more) does not make clusters. A row is compared by the columns that it has a value in, so that a gap needs
no value in its place. Means, deviations and frequencies lean towards those of the whole table by as much as a few rows
weigh, so that small clusters and rare levels cannot dominate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa.generate import _kernels_table as kernels
from consensa.generate._kernels_table import SLOTS, Costs, Patterns, Sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.generate.table_parts import Look

__all__ = ["LEAST_SHARE", "MemberPlan", "TableMember", "fit_member", "patterns_for"]

LEAST_SHARE = 1 / 3  # of the weight of the columns; a row with less gets no label
_FEW_ROWS = 2.0  # by whose weight variances lean towards that of the table
_FEW_LEVELS = 1.0  # and frequencies
_START_VARIANCE = 0.5  # of clusters that begin with one row
_START_SHARE = 0.6  # of the level of that row
_CANDIDATES = 5  # rows drawn for every cluster to begin with
_GAIN = 1e-4  # of the mean cost of a row, below which the fit ends
_LEAST_VARIANCE = 0.02  # of a number in a cluster, against 1 in the table


def patterns_for(costs: Costs) -> Patterns:
    """Return room for the factors of patterns, of which none is there yet, and for the costs of a row.

    Examples
    --------
    >>> none = np.empty((0, 2))
    >>> where = np.empty(0, np.int64)
    >>> costs = Costs(where, none, none, none, where, where, none, np.zeros(2), np.empty(0), np.empty((0, 0)))
    >>> patterns_for(costs).spent.shape
    (2,)
    """
    n_tied, k = costs.tied.shape[0], costs.prior.size
    n_slots = SLOTS if n_tied > 0 else 0
    return Patterns(
        np.full(n_slots, -1),
        np.empty((n_slots, n_tied, n_tied)),
        np.empty((n_slots, n_tied, k)),
        np.empty(n_slots),
        np.empty(n_tied),
        np.empty(k),
    )


@dataclass(frozen=True, eq=False)
class TableMember:
    """A fitted base clustering: the costs of clusters, as the kernels take them.

    Parameters
    ----------
    places, centers, slope, base, sites, first, table, prior, shares, tied : ndarray
        See ``Costs``.
    """

    places: np.ndarray
    centers: np.ndarray
    slope: np.ndarray
    base: np.ndarray
    sites: np.ndarray
    first: np.ndarray
    table: np.ndarray
    prior: np.ndarray
    shares: np.ndarray
    tied: np.ndarray

    @property
    def n_clusters(self) -> int:
        """Number of clusters; some may have no row."""
        return int(self.prior.size)

    @property
    def costs(self) -> Costs:
        """What kernels take."""
        return Costs(*(getattr(self, name) for name in Costs._fields))

    def assign(self, numbers: np.ndarray, levels: np.ndarray, labels: np.ndarray) -> None:
        """Fill in the labels of rows, -1 where a row has too few values.

        Parameters
        ----------
        numbers, levels : ndarray of shape (n_rows, ...)
            Parts of the table.
        labels : ndarray of shape (n_rows,), int32
        """
        kernels.assign_rows(numbers, levels, self.costs, patterns_for(self.costs), LEAST_SHARE, labels)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The parts that a member looks at, with their weights and what the whole table holds in them."""

    places: np.ndarray
    sites: np.ndarray
    weights: np.ndarray  # of numbers, then of levels
    first: np.ndarray
    owner: np.ndarray  # of every line of the table of levels: the number of its column among the sites
    frequencies: np.ndarray  # of every line in all rows

    @property
    def of_numbers(self) -> np.ndarray:
        """Weights of the numbers, to be set against clusters."""
        return self.weights[: self.places.size, None]

    @property
    def of_levels(self) -> np.ndarray:
        """Weights of the lines of the table."""
        return self.weights[self.places.size :][self.owner][:, None]


class MemberPlan(NamedTuple):
    """What a member is to be: what it looks at, with which weights, and into how many clusters it cuts.

    ``is_tied`` says whether all clusters have one covariance of the numbers.
    """

    looks: Sequence[Look]
    weights: Sequence[float]
    n_clusters: int
    seed: int
    is_tied: bool


def fit_member(
    numbers: np.ndarray, levels: np.ndarray, n_levels: Sequence[int], plan: MemberPlan, max_iter: int
) -> TableMember:
    """Fit a base clustering by expectation and maximisation, from rows drawn at random.

    Parameters
    ----------
    numbers, levels : ndarray of shape (n_rows, ...)
        Parts of a sample of the rows.
    n_levels : sequence of int
        Of every column of the levels.
    plan : MemberPlan
    max_iter : int

    Returns
    -------
    TableMember
    """
    chosen = _choose(levels, n_levels, plan)
    member = _start(numbers, levels, chosen, plan)
    before = np.inf
    for _ in range(max_iter):
        sums = _no_sums(chosen, member)
        cost = kernels.share_rows(numbers, levels, member.costs, patterns_for(member.costs), LEAST_SHARE, sums)
        member = _from_sums(sums, chosen)
        if before - cost < _GAIN:
            break
        before = cost
    return member


def _no_sums(chosen: _Chosen, member: TableMember) -> Sums:
    n_numbers, k = member.centers.shape
    scatter = np.zeros((2, *member.tied.shape))
    return Sums(np.zeros((3, n_numbers, k)), np.zeros((chosen.owner.size, k)), np.zeros(k), scatter)


def _choose(levels: np.ndarray, n_levels: Sequence[int], plan: MemberPlan) -> _Chosen:
    pairs = list(zip(plan.looks, plan.weights, strict=True))
    places = [(place, weight / len(look.numbers)) for look, weight in pairs for place in look.numbers]
    sites = [(site, weight) for look, weight in pairs for site in look.levels]
    lengths = [n_levels[site] for site, _ in sites]
    counts = [np.bincount(levels[levels[:, site] >= 0, site], minlength=n_levels[site]) for site, _ in sites]
    shares = [(count + 1 / count.size) / (count.sum() + 1) for count in counts]
    return _Chosen(
        np.array([place for place, _ in places], np.int64),
        np.array([site for site, _ in sites], np.int64),
        np.array([weight for _, weight in [*places, *sites]], float),
        np.cumsum([0, *lengths])[: len(sites)].astype(np.int64),
        np.repeat(np.arange(len(sites)), lengths),
        np.concatenate([*shares, np.empty(0)]),
    )


def _member(
    chosen: _Chosen, centers: np.ndarray, variances: np.ndarray, tied: np.ndarray, shares: np.ndarray, prior: np.ndarray
) -> TableMember:
    """Costs of clusters with these means, variances or one covariance, and frequencies."""
    return TableMember(
        chosen.places,
        np.ascontiguousarray(centers),
        chosen.of_numbers / (2 * variances),
        chosen.of_numbers * 0.5 * np.log(variances),
        chosen.sites,
        chosen.first,
        -chosen.of_levels * np.log(shares),
        -np.log(prior),
        chosen.weights / chosen.weights.sum(),
        tied,
    )


def _start(numbers: np.ndarray, levels: np.ndarray, chosen: _Chosen, plan: MemberPlan) -> TableMember:
    """Clusters around single rows; what a row does not have is as in the whole table."""
    n_clusters = plan.n_clusters
    rows = _different_rows(numbers[:, chosen.places], levels[:, chosen.sites], plan)
    centers = np.nan_to_num(numbers[np.ix_(rows, chosen.places)].T)
    shares = np.repeat(chosen.frequencies[:, None], n_clusters, axis=1)
    found = levels[np.ix_(rows, chosen.sites)]
    for c, b in zip(*np.nonzero(found >= 0), strict=True):
        lines = chosen.owner == b
        shares[lines, c] *= 1 - _START_SHARE
        shares[chosen.first[b] + found[c, b], c] += _START_SHARE
    tied = _START_VARIANCE * _covariance(_whole_scatter(numbers[:, chosen.places], plan), chosen)
    prior = np.full(n_clusters, 1 / n_clusters)
    return _member(chosen, centers, np.full(centers.shape, _START_VARIANCE), tied, shares, prior)


def _whole_scatter(numbers: np.ndarray, plan: MemberPlan) -> np.ndarray:
    """Scatter of all rows around their mean, which is where one covariance of all clusters begins."""
    if not plan.is_tied:
        return np.zeros((2, 0, 0))
    is_there = ~np.isnan(numbers)
    means = np.where(is_there, numbers, 0).sum(axis=0) / np.maximum(is_there.sum(axis=0), 1)
    away = np.where(is_there, numbers - means, 0)
    return np.stack([is_there.T.astype(float) @ is_there, away.T @ away])


def _different_rows(numbers: np.ndarray, levels: np.ndarray, plan: MemberPlan) -> np.ndarray:
    """Draw rows to begin with, which are not alike as long as a draw of several for every cluster has others."""
    n_drawn = min(len(numbers), _CANDIDATES * plan.n_clusters)
    drawn = np.random.default_rng(plan.seed).choice(len(numbers), n_drawn, replace=False)
    first = np.unique(np.hstack([numbers[drawn], levels[drawn]]), axis=0, return_index=True)[1]
    again = np.setdiff1d(np.arange(n_drawn), first)
    return np.asarray(drawn[np.append(np.sort(first), again)[: plan.n_clusters]])


def _from_sums(sums: Sums, chosen: _Chosen) -> TableMember:
    """Clusters by what they hold; parts of the table are on scales of mean 0 and variance 1."""
    weight, total, squares = sums.moments
    centers = total / np.maximum(weight, 1e-12)
    variances = (np.maximum(squares - weight * centers**2, 0) + _FEW_ROWS) / (weight + _FEW_ROWS)
    known = np.zeros((chosen.sites.size, sums.sizes.size))
    np.add.at(known, chosen.owner, sums.counts)
    shares = (sums.counts + _FEW_LEVELS * chosen.frequencies[:, None]) / (known[chosen.owner] + _FEW_LEVELS)
    prior = (sums.sizes + 1) / (sums.sizes.sum() + sums.sizes.size)
    return _member(chosen, centers, variances, _covariance(sums.scatter, chosen), shares, prior)


def _covariance(scatter: np.ndarray, chosen: _Chosen) -> np.ndarray:
    """Covariance within clusters, from the rows that have both of two numbers; a heavy column has a small one."""
    if not scatter.size:
        return scatter[0]
    pairs, products = scatter
    lean = pairs + _FEW_ROWS + len(pairs)
    half = np.tril(products / lean, -1)
    own = np.maximum(products.diagonal() / np.maximum(pairs.diagonal(), 1.0), _LEAST_VARIANCE)
    values, axes = np.linalg.eigh(half + half.T + np.diag(own))
    found = (axes * np.maximum(values, _LEAST_VARIANCE / 2)) @ axes.T  # pairs of different rows need not fit together
    roots = np.sqrt(chosen.of_numbers)
    return np.ascontiguousarray(found / roots / roots.T)
