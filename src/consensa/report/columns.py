"""The columns of a table: what they were taken for, their gaps, and what is usual in every cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.report.text import clean, clean_all
from consensa.report.wording import number_text, share_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.columns import Column

__all__ = ["table_facts", "usual_values"]

_MOST_COLUMNS = 60
_MOST_CLUSTERS = 20
_WORD = 40  # characters of a name
_CELL_BYTES = 30_000
_NO_VALUE = "–"


def table_facts(columns: Sequence[Column] | None) -> dict[str, Any] | None:
    """Say what the columns of a table are, and how many of their cells are gaps; None where there is no table.

    Examples
    --------
    >>> from consensa.columns import Column
    >>> facts = table_facts([Column("no", "id", n_rows=4), Column("age", "number", n_rows=4, n_missing=1)])
    >>> facts["n_gaps"], facts["n_cells"], facts["left_out"], facts["columns"]
    (1, 4, ['no (id)'], [{'name': 'age', 'kind': 'number', 'gaps': 1, 'share': 0.25}])
    """
    if columns is None:
        return None
    used = [column for column in columns if column.is_used]
    left_out = [f"{clean(column.name, _WORD)} ({column.kind})" for column in columns if not column.is_used]
    return {
        "n_cells": sum(column.n_rows for column in used),
        "n_gaps": sum(column.n_missing for column in used),
        "n_columns": len(used),
        "left_out": left_out[:_MOST_COLUMNS],
        "columns": [
            {
                "name": clean(column.name, _WORD),
                "kind": column.kind,
                "gaps": column.n_missing,
                "share": round(column.n_missing / max(column.n_rows, 1), 4),
            }
            for column in used[:_MOST_COLUMNS]
        ],
    }


def usual_values(columns: Sequence[Column], values: np.ndarray, groups: np.ndarray) -> list[list[str]]:
    """Write what is usual among all objects and in each of the largest clusters, for every column.

    The median of numbers and dates, the commonest level of categories with its share, the share of yes.

    Parameters
    ----------
    columns : sequence of Column
    values : ndarray of shape (n_objects, n_columns), NaN for gaps
    groups : ndarray of shape (n_objects,), int
        Clusters of the objects.

    Returns
    -------
    list of lists of str
        By column: among all, then in cluster 0, 1, ...

    Examples
    --------
    >>> from consensa.columns import Column
    >>> columns = [Column("age", "number"), Column("plan", "category", ("free", "team"))]
    >>> usual_values(columns, np.array([[20.0, 0], [30.0, 0], [70.0, 1]]), np.array([0, 0, 1]))
    [['30', '25', '70'], ['free 67 %', 'free 100 %', 'team 100 %']]
    """
    shown = min(int(groups.max(initial=-1)) + 1, _MOST_CLUSTERS)
    inside = [np.ones(groups.size, bool), *(groups == c for c in range(shown))]
    table = []
    for column, own in zip(columns[:_MOST_COLUMNS], values.T, strict=False):
        known = ~np.isnan(own)
        parts = [own[known & rows] for rows in inside]
        by_level = column.kind in ("category", "boolean")
        table.append([_usual_level(column, part) for part in parts] if by_level else _medians(column, parts))
    words = clean_all([word for row in table for word in row], _CELL_BYTES)
    return [words[i : i + shown + 1] for i in range(0, len(words), shown + 1)]


def _usual_level(column: Column, values: np.ndarray) -> str:
    if not values.size:
        return _NO_VALUE
    shares = np.bincount(values.astype(np.int64), minlength=2) / values.size
    level = 1 if column.kind == "boolean" else int(shares.argmax())
    words = column.levels or ("no", "yes")
    return f"{words[level]} {share_text(shares[level])}"


def _medians(column: Column, parts: list[np.ndarray]) -> list[str]:
    """Medians, all with the digits that their range asks for."""
    # the mean of the middle two is that of their halves, whose sum always fits
    medians = [2 * float(np.median(part / 2)) if part.size else np.nan for part in parts]
    known = [value for value in medians if not np.isnan(value)]
    if not known:
        return [_NO_VALUE] * len(medians)
    if column.kind != "number":
        low, high = min(known), max(known)
        return [
            _NO_VALUE if np.isnan(value) else value_text(column, value, high if high - value > value - low else low)[0]
            for value in medians
        ]
    apart = (max(known) - min(known)) / 2
    return [_NO_VALUE if np.isnan(value) else number_text(value, value - apart) for value in medians]
