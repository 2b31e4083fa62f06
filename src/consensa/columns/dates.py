"""Dates that are written as texts, in the notations that tables have them in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DATE_FORMS", "parse_dates"]

DATE_FORMS = ("", "dmy", "mdy", "named")
_CLOCK = r"(?P<clock>[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
_PLAIN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})" + _CLOCK)
_PARTED = r"(?P<{}>\d{{1,2}})([./-])(?P<{}>\d{{1,2}})\2(?P<year>\d{{4}})"
_SHORT = r"|(?P<{}2>\d{{2}})([./-])(?P<{}2>\d{{2}})\6(?P<year2>\d{{2}})"  # 2 of each, as versions like 1.2.10 have not
_DAY_FIRST = re.compile(f"(?:{_PARTED.format('day', 'month')}{_SHORT.format('day', 'month')}){_CLOCK}")
_MONTH_FIRST = re.compile(f"(?:{_PARTED.format('month', 'day')}{_SHORT.format('month', 'day')}){_CLOCK}")
_NAMED = re.compile(
    r"(?:(?P<day>\d{1,2})[. -]+(?P<month>[A-Za-z]{3,9})\.?,?[ -]+|(?P<month2>[A-Za-z]{3,9})\.? (?P<day2>\d{1,2}),? )"
    r"(?P<year>\d{4}|\d{2})" + _CLOCK
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_FORMS = {"": _YEAR_FIRST, "dmy": _DAY_FIRST, "mdy": _MONTH_FIRST, "named": _NAMED}
_MILLISECONDS = 86_400_000.0


def parse_dates(texts: Sequence[str], form: str = "") -> np.ndarray | None:
    """Return days since 1970-01-01, or None if one of the texts is no date of that form.

    Parameters
    ----------
    texts : sequence of str
    form : {"", "dmy", "mdy", "named"}
        Year, month, day in this order; day first; month first; the month in English words. A time of the day and a
        time zone may follow. Years of two digits are those from 1969 to 2068.

    Returns
    -------
    ndarray of shape (n_texts,), float, or None

    Examples
    --------
    >>> parse_dates(["1970-01-02", "1970-01-01 12:00"]), parse_dates(["31.12.1970"], "dmy"), parse_dates(["soon"])
    (array([1. , 0.5]), array([364.]), None)
    >>> parse_dates(["Jan 2, 1970", "3-Jan-70"], "named")
    array([1., 2.])
    """
    if form == "" and all(map(_PLAIN.fullmatch, texts)):
        return _plain_dates(texts)
    found = np.empty(len(texts))
    for place, text in enumerate(texts):
        match = _FORMS[form].fullmatch(text)
        day = None if match is None else _days(match.groupdict())
        if day is None:
            return None
        found[place] = day
    return found


def _plain_dates(texts: Sequence[str]) -> np.ndarray | None:
    """The same for the commonest notation, all at once."""
    try:
        stamps = np.array(texts, dtype="datetime64[ms]")
    except ValueError:
        return None
    return stamps.astype(np.int64) / _MILLISECONDS


def _days(parts: dict[str, str | None]) -> float | None:
    """Days since 1970-01-01 by the parts of a date; None where there is no such day."""
    year, month, day = (parts[name] or parts.get(name + "2") or "" for name in ("year", "month", "day"))
    if month.isalpha():
        name = month.lower()
        month = next((str(i) for i, full in enumerate(_MONTHS, 1) if full.startswith(name)), "0")
    if len(year) == 2:
        year = ("20" if int(year) < 69 else "19") + year
    clock = (parts["clock"] or " 00:00").replace(" ", "T")
    clock = clock if len(clock.partition(":")[0]) == 3 else "T0" + clock[1:]
    try:
        stamp = np.datetime64(f"{year}-{int(month):02}-{int(day):02}{clock}", "ms")
    except ValueError:
        return None
    return float(stamp.astype(np.int64)) / _MILLISECONDS - _offset(parts["zone"])


def _offset(zone: str | None) -> float:
    """Days that the clock of a time zone is ahead."""
    if zone is None or zone == "Z":
        return 0.0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (1 if zone[0] == "+" else -1) * (60 * hours + minutes) / 1440
