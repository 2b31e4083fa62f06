"""What members look at in a table: every column in one or more ways, on scales that do not depend on its unit.

A number is looked at in two ways, both robust against outliers and skew: by the inverse hyperbolic sine of its
distance from the median in robust deviations (linear near the median, logarithmic in the tails), and by its normal
score (the quantile of the normal distribution at its rank). A date is looked at as a time in the same ways, and,
where it varies, as a place in the year (on a circle) and as a day of the week. Booleans and categories are levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from consensa._magnitude import FITS, exponent_of, times_power

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.columns import Column

__all__ = ["Look", "NumberScale", "TableParts", "find_parts"]

_KNOTS = 257
_YEAR = 365.2425
_NORMAL_IQR = 1.3489795


@dataclass(frozen=True, eq=False)
class NumberScale:
    """How the numbers of one column are scaled.

    Parameters
    ----------
    exponent : int
        All else is of the values * 2**-exponent, whose differences fit.
    median, spread : float
        Of the column: its median, and its robust deviation.
    shift, stretch : float
        Mean and deviation of the inverse hyperbolic sine.
    knots, scores : ndarray
        Values of the column, rising, and their normal scores; others lie between.

    Examples
    --------
    >>> import numpy as np
    >>> scale = NumberScale.of(np.array([1.0, 2.0, 3.0, 4.0, 1000.0, np.nan]))
    >>> scale.tamed(np.array([3.0, 1000.0, np.nan])).round(2), scale.ranked(np.array([3.0, 1000.0])).round(2)
    (array([-0.4 ,  1.96,   nan]), array([0.  , 1.46]))
    """

    exponent: int
    median: float
    spread: float
    shift: float
    stretch: float
    knots: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> NumberScale:
        """Find the scale of a column; without any value in the sample it does not matter."""
        known = values[~np.isnan(values)]
        if not known.size:
            known = np.zeros(1)
        exponent = exponent_of(known, keep=FITS)
        known = times_power(known, -exponent)
        low, median, high = np.quantile(known, [0.25, 0.5, 0.75])
        spread = (high - low) / _NORMAL_IQR or float(np.abs(known - median).mean()) or 1.0
        tamed = _tamed(known, median, spread)
        distinct, counts = np.unique(known, return_counts=True)
        middle = (np.cumsum(counts) - 0.5 * counts) / known.size  # the middle of the ranks of equal values
        scores = ndtri(middle)
        stretch = float(np.sqrt(np.average(scores**2, weights=counts))) or 1.0
        kept = np.unique(np.linspace(0, distinct.size - 1, min(distinct.size, _KNOTS)).astype(np.int64))
        return cls(
            exponent, float(median), float(spread), float(tamed.mean()), float(tamed.std()) or 1.0,
            distinct[kept], scores[kept] / stretch,
        )  # fmt: skip

    def tamed(self, values: np.ndarray) -> np.ndarray:
        """Values with tamed tails, of mean 0 and deviation 1."""
        values = times_power(values, -self.exponent)
        return (_tamed(values, self.median, self.spread) - self.shift) / self.stretch

    def ranked(self, values: np.ndarray) -> np.ndarray:
        """Normal scores of values."""
        values = times_power(values, -self.exponent)
        return np.where(np.isnan(values), np.nan, np.interp(values, self.knots, self.scores))


def _tamed(values: np.ndarray, median: float, spread: float) -> np.ndarray:
    """Inverse hyperbolic sine of the distance from the median; one that does not fit counts as the largest number."""
    largest = np.finfo(float).max
    with np.errstate(over="ignore"):
        return np.asarray(np.arcsinh(np.clip((values - median) / spread, -largest, largest)))


@dataclass(frozen=True)
class Look:
    """One way to look at a column: which numbers and which levels of the parts belong to it."""

    column: int
    numbers: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class TableParts:
    """All parts of a table: how they are made of a coded matrix, and which belong together.

    Parameters
    ----------
    kinds : tuple of str
        Of the columns of the coded matrix.
    scales : tuple of NumberScale or None
        Of every column; None for categories and booleans.
    n_levels : tuple of int
        Of every column of the levels.
    looks : tuple of Look
        Ways to look at columns.
    days, years : tuple of int
        Columns of the coded matrix that are looked at as a day of the week, and as a place in the year.
    """

    kinds: tuple[str, ...]
    scales: tuple[NumberScale | None, ...]
    n_levels: tuple[int, ...]
    looks: tuple[Look, ...]
    days: tuple[int, ...]
    years: tuple[int, ...]

    def make(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers (float, NaN for gaps) and the levels (int32, -1 for gaps) of rows of a coded matrix.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_columns)

        Returns
        -------
        numbers : ndarray of shape (n_rows, n_numbers)
        levels : ndarray of shape (n_rows, n_level_columns), int32
        """
        numbers: list[np.ndarray] = []
        for column, scale in zip(values.T, self.scales, strict=True):
            if scale is not None:
                numbers += [scale.tamed(column), scale.ranked(column)]
        for j in self.years:
            turn = 2 * np.pi * values[:, j] / _YEAR
            numbers += [np.sqrt(2) * np.cos(turn), np.sqrt(2) * np.sin(turn)]
        levels = [values[:, j] for j, scale in enumerate(self.scales) if scale is None]
        levels += [np.floor(values[:, j]) % 7 for j in self.days]
        return _stacked(numbers, len(values), np.float64), _stacked(levels, len(values), np.int32)


def _stacked(columns: Sequence[np.ndarray], n_rows: int, dtype: type) -> np.ndarray:
    """Columns side by side; gaps are -1 among whole numbers."""
    out: np.ndarray = np.empty((n_rows, len(columns)), dtype)
    for place, column in enumerate(columns):
        out[:, place] = column if dtype is np.float64 else np.where(np.isnan(column), -1, column)
    return out


def find_parts(values: np.ndarray, columns: Sequence[Column]) -> TableParts:
    """Find scales and ways to look at the columns of a coded matrix.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        A sample of the rows.
    columns : sequence of n_columns Column
        The used columns.

    Returns
    -------
    TableParts
    """
    kinds = tuple(column.kind for column in columns)
    measured = [kind in ("number", "ordered", "date") for kind in kinds]
    scales = tuple(NumberScale.of(values[:, j]) if found else None for j, found in enumerate(measured))
    dates = [j for j, kind in enumerate(kinds) if kind == "date"]
    known = {j: values[~np.isnan(values[:, j]), j] for j in dates}
    years = tuple(j for j in dates if np.ptp(known[j]) >= _YEAR)
    days = tuple(j for j in dates if np.ptp(known[j]) >= 7 and np.unique(np.floor(known[j]) % 7).size > 1)
    looks, n_numbers, n_sites = [], 0, 0
    for j, found in enumerate(measured):
        if found:
            looks += [Look(j, (n_numbers,)), Look(j, (n_numbers + 1,))]
            n_numbers += 2
        else:
            looks.append(Look(j, (), (n_sites,)))
            n_sites += 1
    for j in years:
        looks.append(Look(j, (n_numbers, n_numbers + 1)))
        n_numbers += 2
    looks += [Look(j, (), (n_sites + place,)) for place, j in enumerate(days)]
    n_levels = [max(len(columns[j].levels), 2) for j, found in enumerate(measured) if not found] + [7] * len(days)
    return TableParts(kinds, scales, tuple(n_levels), tuple(looks), days, years)
