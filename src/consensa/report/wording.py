"""Numbers, shares, dates and differences in the words of people."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["number_text", "share_text", "value_text", "way_text"]

_WAYS = {"date": ("later than", "earlier than")}


def share_text(share: float) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> share_text(0.884), share_text(0.004), share_text(0.0)
    ('88 %', 'below 1 %', '0 %')
    """
    if 0 < share < 0.005:
        return "below 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def value_text(column: Any, inside: float, outside: float) -> tuple[str, str]:
    """Write two values of a column with the digits that tell them apart.

    Examples
    --------
    >>> from consensa.columns import Column
    >>> value_text(Column("income", "number"), 61234.0, 38120.0), value_text(Column("since", "date"), 19000.0, 18000.0)
    (('61,000', '38,000'), ('2022-01', '2019-04'))
    """
    if column.kind == "date":
        months = abs(inside - outside) > 60
        days = [str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D")) for value in (inside, outside)]
        return (days[0][:7], days[1][:7]) if months and days[0][:7] != days[1][:7] else (days[0], days[1])
    if column.kind == "ordered" and column.levels:
        return str(column.levels[round(inside)]), str(column.levels[round(outside)])
    return number_text(inside, outside), number_text(outside, inside)


def number_text(value: float, beside: float) -> str:
    """Write a number with the digits that tell it from another.

    Examples
    --------
    >>> number_text(0.3512, 0.121), number_text(7.0, 7.0), number_text(3.2e12, 1.0e12)
    ('0.35', '7', '3.2e+12')
    """
    apart = abs(value - beside)
    size = max(abs(value), abs(beside))
    if not math.isfinite(apart) or size >= 1e9 or (size and apart / size < 1e-6 and apart > 0):
        return f"{value:.4g}"
    if apart == 0:
        return f"{value:,.4g}" if size < 1e4 else f"{value:,.0f}"
    whole = float(value).is_integer() and float(beside).is_integer()
    digits = min(1 - math.floor(math.log10(apart)), 0 if whole else 9)
    if digits > 6:
        return f"{value:.4g}"
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def way_text(kind: str, effect: float) -> str:
    """Say how far values lie above or below others, by Cliff's delta.

    Examples
    --------
    >>> way_text("number", 0.9), way_text("date", -0.6), way_text("number", 0.4)
    ('far above', 'earlier than', 'rather above')
    """
    above, below = _WAYS.get(kind, ("above", "below"))
    far = "far " if abs(effect) >= 0.8 else "" if abs(effect) >= 0.55 else "rather "
    return far + (above if effect > 0 else below)
