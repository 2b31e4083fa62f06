"""Means, errors, agreement with published figures, tests and ranks: one place for the text tables and the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "LEVEL",
    "TOLERANCE",
    "Summary",
    "agreement",
    "average_ranks",
    "common_cells",
    "leaders",
    "mean_of",
    "paired_contest",
    "summarise",
    "summary_contest",
]

TOLERANCE = 0.02
LEVEL = 0.05  # of the tests


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and number of the runs; the deviation is NaN for a single run."""

    mean: float
    sd: float
    runs: int

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN for a single run."""
        return self.sd / float(np.sqrt(self.runs))


def summarise(values: Iterable[float]) -> Summary:
    """Summarise the values of the runs of one cell.

    Examples
    --------
    >>> summarise([2.0, 4.0])
    Summary(mean=3.0, sd=1.41..., runs=2)
    >>> round(summarise([2.0, 4.0]).error, 6)
    1.0
    """
    found = np.fromiter(values, float)
    sd = float(found.std(ddof=1)) if found.size > 1 else float("nan")
    return Summary(float(found.mean()), sd, int(found.size))


def mean_of(values: Iterable[float]) -> float:
    """Return the mean as a float."""
    return float(np.mean(list(values)))


def agreement(
    difference: float, error: float = float("nan"), tolerance: float = TOLERANCE, *, both_sides: bool = False
) -> str:
    """Name how far our figure is from the published one, to both sides.

    Parameters
    ----------
    difference : float
        Ours less the published figure, with the sign turned where less is better.
    error : float
        Standard error of the difference; NaN if it is not known.
    tolerance : float
    both_sides : bool
        For figures that are neither good nor bad: too large is as wrong as too small.

    Returns
    -------
    str
        "agrees": within the tolerance, or within two standard errors. "better" and "worse": beyond both.

    Examples
    --------
    >>> [agreement(difference, 0.01) for difference in (0.03, 0.02, -0.02, -0.03)]
    ['better', 'agrees', 'agrees', 'worse']
    """
    allowed = tolerance if np.isnan(error) else max(tolerance, 2 * error)
    if abs(difference) <= allowed:
        return "agrees"
    return "better" if difference > 0 and not both_sides else "worse"


def paired_contest(ours: Mapping[Any, float], others: Mapping[Any, float], level: float = LEVEL) -> int:
    """Compare two methods by the t-test on the differences of the runs that both have.

    Returns
    -------
    int
        1: the first is significantly better; -1: the second is; 0: no significant difference, or fewer than two runs.
        Differences that are the same in every run, and not 0, decide without a test.

    Examples
    --------
    >>> paired_contest({0: 0.9, 1: 0.8, 2: 0.95}, {0: 0.5, 1: 0.45, 2: 0.5})
    1
    """
    runs = sorted(ours.keys() & others.keys())
    if len(runs) < 2:
        return 0
    differences = np.array([ours[run] - others[run] for run in runs])
    if np.ptp(differences) < 1e-12:
        return int(np.sign(np.round(differences[0], 12)))
    return _verdict(float(differences.mean()), float(stats.ttest_1samp(differences, 0.0).pvalue), level)


def summary_contest(ours: Summary, other: Summary, level: float = LEVEL) -> int:
    """Compare two methods of which only mean, deviation and number of runs are known, by the unpaired t-test."""
    if ours.sd == other.sd == 0:
        return int(np.sign(ours.mean - other.mean))
    test = stats.ttest_ind_from_stats(ours.mean, ours.sd, ours.runs, other.mean, other.sd, other.runs, equal_var=False)
    return _verdict(ours.mean - other.mean, float(test.pvalue), level)


def _verdict(difference: float, p: float, level: float) -> int:
    return int(np.sign(difference)) if p < level else 0


def common_cells(figures: Sequence[Mapping[str, Mapping[str, float]]]) -> tuple[list[str], list[str]]:
    """Return the methods and cells of a full table: every method has every cell in all of ``figures``.

    Methods with less than half of the cells are left out first, so that they do not cost all others their cells.

    Parameters
    ----------
    figures : sequence of dict (method) of dict (cell) of float
    """
    shared = {
        method: set.intersection(*(set(table.get(method, {})) for table in figures)) for method in dict(figures[0])
    }
    every = set().union(*shared.values()) if shared else set()
    methods = [method for method, cells in shared.items() if cells and 2 * len(cells) >= len(every)]
    full = set.intersection(*(shared[method] for method in methods)) if methods else set()
    return methods, [cell for cell in dict.fromkeys(c for m in methods for c in figures[0][m]) if cell in full]


def average_ranks(
    figures: Mapping[str, Mapping[str, float]], methods: Sequence[str], cells: Sequence[str]
) -> dict[str, float]:
    """Rank the methods in every cell, 1 for the largest figure, and average the ranks; ties share theirs.

    Examples
    --------
    >>> average_ranks({"a": {"x": 0.9, "y": 0.5}, "b": {"x": 0.1, "y": 0.5}}, ["a", "b"], ["x", "y"])
    {'a': 1.25, 'b': 1.75}
    """
    table = np.array([[figures[method][cell] for cell in cells] for method in methods])
    ranks = stats.rankdata(-table, axis=0).mean(axis=1)
    return dict(zip(methods, map(float, ranks), strict=True))


def leaders(
    figures: Mapping[str, Mapping[str, float]], methods: Sequence[str], cells: Sequence[str], places: int
) -> dict[str, int]:
    """Count in how many cells a method is among the first places; who ties with the last of them is among them."""
    table = np.array([[figures[method][cell] for cell in cells] for method in methods])
    ranks = stats.rankdata(-table, axis=0, method="min")
    return dict(zip(methods, map(int, (ranks <= places).sum(axis=1)), strict=True))
