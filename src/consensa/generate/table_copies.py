"""Columns that say the same as others: together they weigh as much as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

if TYPE_CHECKING:
    from consensa.generate.table_parts import TableParts

__all__ = ["copy_groups"]

_ROWS = 2000  # looked at; a copy is one in any part of the table
_SAME_NUMBERS = 0.98  # correlation of normal scores
_SAME_LEVELS = 0.95  # mutual information against the larger entropy
_FEWEST = 10  # rows that both columns have a value in


def copy_groups(parts: TableParts, numbers: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the number of the group of every column; columns that are nearly copies of each other share one.

    Parameters
    ----------
    parts : TableParts
    numbers, levels : ndarray of shape (n_rows, ...)
        Parts of a sample of the rows.

    Returns
    -------
    ndarray of shape (n_columns,), int
        The smallest number of a column of the group.
    """
    step = max(1, len(numbers) // _ROWS)
    numbers, levels = numbers[::step], levels[::step]
    measured = [j for j, scale in enumerate(parts.scales) if scale is not None]
    named = [j for j, scale in enumerate(parts.scales) if scale is None]
    groups = np.arange(len(parts.kinds))
    ranked = numbers[:, 1 : 2 * len(measured) : 2]
    for place, j in enumerate(measured):
        close = _correlations(ranked, place) >= _SAME_NUMBERS
        _join(groups, j, [measured[other] for other in np.flatnonzero(close[:place])])
    for place, j in enumerate(named):
        same = [other for other in range(place) if _shared(levels[:, place], levels[:, other]) >= _SAME_LEVELS]
        _join(groups, j, [named[other] for other in same])
    return groups


def _join(groups: np.ndarray, column: int, others: list[int]) -> None:
    if others:
        groups[column] = groups[others[0]]


def _correlations(ranked: np.ndarray, place: int) -> np.ndarray:
    """Absolute correlation of one column with those up to it, over the rows that have both."""
    found = np.zeros(place + 1)
    for other in range(place):
        both = ~np.isnan(ranked[:, place]) & ~np.isnan(ranked[:, other])
        a, b = ranked[both, place], ranked[both, other]
        if both.sum() >= _FEWEST and a.std() > 0 and b.std() > 0:
            found[other] = abs(np.corrcoef(a, b)[0, 1])
    return found


def _shared(a: np.ndarray, b: np.ndarray) -> float:
    """Mutual information of two columns of levels against the larger entropy, over the rows that have both."""
    both = (a >= 0) & (b >= 0)
    if both.sum() < _FEWEST or np.unique(a[both]).size < 2:
        return 0.0
    return float(normalized_mutual_info_score(a[both], b[both], average_method="max"))
