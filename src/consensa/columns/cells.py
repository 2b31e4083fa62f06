"""Cells of one column, block by block: numbers where they can be, else distinct texts and their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.columns.dates import parse_dates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "BLANKS",
    "CODE",
    "GAPS",
    "Cells",
    "as_texts",
    "cells_of_series",
    "cells_of_texts",
    "parse_numbers",
    "with_points",
]

GAPS = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "NaT", "?"})
# Among numbers or dates these stand for no value; in a column of words they are words
BLANKS = frozenset({"-", "--", "---", ".", "..", "n.a.", "N.A.", "#N/A", "#NV", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!"})
CODE = re.compile(r"0\d+")
_MILLISECONDS = 86_400_000.0


@dataclass(frozen=True, eq=False)
class Cells:
    """Some rows of one column.

    Parameters
    ----------
    kind : {"number", "boolean", "date", "text"}
    values : ndarray of shape (n_rows,), float
        Numbers, days since 1970-01-01, or places in ``levels``; NaN for gaps.
    levels : list of str
        Distinct texts, where the kind is "text".
    is_category, is_ordered : bool
        Whether the type of the column says that its texts are levels, and that their order counts.
    """

    kind: str
    values: np.ndarray
    levels: list[str] | None = None
    is_category: bool = False
    is_ordered: bool = False


def cells_of_texts(cells: Sequence[str], decimal: str = ".") -> Cells:
    """Return cells that are written as texts, without blanks around them.

    Numbers and dates like 2024-12-31 are read as such where all cells are, but for signs like "-" or "n.a.", which are
    gaps there; digits after a leading 0 are a code.

    Examples
    --------
    >>> cells_of_texts(["1", "", "2.5", "-"]).values
    array([1. , nan, 2.5, nan])
    >>> cells_of_texts(["a", "?", "a"]).values, cells_of_texts(["01", "02"]).kind
    (array([ 0., nan,  0.]), 'text')
    """
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(cell, len(places)) for cell in cells), np.int64, len(cells))
    words = [text for text in places if text not in GAPS]
    written = [text for text in words if text not in BLANKS] or words
    numbers = parse_numbers(written, decimal)
    if numbers is not None and not any(map(CODE.fullmatch, written)):
        return Cells("number", _looked_up(numbers, places, written)[codes])
    dates = parse_dates(written)
    if dates is not None:
        return Cells("date", _looked_up(dates, places, written)[codes])
    return Cells("text", _looked_up(np.arange(len(words), dtype=float), places, words)[codes], words)


def _looked_up(values: np.ndarray, places: dict[str, int], texts: list[str]) -> np.ndarray:
    """The value of every distinct text, NaN where it is not among those with one."""
    found = np.full(len(places), np.nan)
    found[[places[text] for text in texts]] = values
    return found


def with_points(texts: Sequence[str], decimal: str) -> list[str] | None:
    """Return numbers with a point as the decimal sign, or None if one has points that are not between thousands.

    Examples
    --------
    >>> with_points(["1.234,5", "7"], ","), with_points(["31.12.2024"], ","), with_points(["1.5"], ",")
    (['1234.5', '7'], None, None)
    """
    grouped = _grouped(decimal)
    if not all(grouped.fullmatch(text) for text in texts if "." in text):
        return None
    return [text.replace(".", "").replace(decimal, ".") for text in texts]


@cache
def _grouped(decimal: str) -> re.Pattern[str]:
    """Numbers with points between thousands."""
    return re.compile(rf"[-+]?\d{{1,3}}(?:\.\d{{3}})+(?:{re.escape(decimal)}\d*)?(?:[eE][-+]?\d+)?")


def parse_numbers(texts: Sequence[str], decimal: str = ".") -> np.ndarray | None:
    """Return numbers, or None if one of the texts is none.

    Examples
    --------
    >>> parse_numbers(["1e3", "-2"]), parse_numbers(["1.234,5"], ","), parse_numbers(["1_0"])
    (array([1000.,   -2.]), array([1234.5]), None)
    """
    if decimal != ".":
        pointed = with_points(texts, decimal)
        if pointed is None:
            return None
        texts = pointed
    whole = "".join(texts)
    if "_" in whole or not whole.isascii():  # float() takes 10_1, which is more often the name of a sample
        return None
    try:
        return np.array(texts, dtype=float)
    except ValueError:
        return None


def as_texts(cells: Cells) -> Cells:
    """Return cells as texts: numbers and dates as people write them.

    Examples
    --------
    >>> import numpy as np
    >>> as_texts(Cells("number", np.array([2.0, np.nan, 0.5]))).levels
    ['0.5', '2']
    """
    if cells.kind == "text":
        return cells
    known = ~np.isnan(cells.values)
    distinct, places = np.unique(cells.values[known], return_inverse=True)
    found = np.full(cells.values.size, np.nan)
    found[known] = places
    write: Callable[[float], str] = {"boolean": _word_of, "date": _day_of}.get(cells.kind, "{:.15g}".format)
    return Cells("text", found, [write(value) for value in distinct.tolist()])


def _word_of(value: float) -> str:
    return "true" if value else "false"


def _day_of(value: float) -> str:
    return str(np.datetime64(round(value * _MILLISECONDS), "ms")).removesuffix("T00:00:00.000")


def cells_of_series(series: Any, decimal: str = ".") -> Cells:
    """Return a column of a frame (a narwhals series) as cells.

    Examples
    --------
    >>> import narwhals as nw, pandas as pd
    >>> cells_of_series(nw.from_native(pd.Series([1, None]), series_only=True)).values
    array([ 1., nan])
    """
    import narwhals as nw

    kind = series.dtype
    if kind == nw.Boolean:
        return Cells("boolean", _floats(series))
    if kind.is_numeric():
        return Cells("number", _floats(series))
    if kind in (nw.Date, nw.Datetime):
        return Cells("date", _days(series))
    if kind in (nw.Categorical, nw.Enum):
        texts = [_plain(value) for value in series.to_list()]
        order = [str(level) for level in kind.categories] if kind == nw.Enum else _arrow_order(series)
        levels = order or sorted({*texts} - {""})
        found = cells_of_texts_as_levels(texts, levels)
        return Cells("text", found, levels, is_category=True, is_ordered=bool(order))
    values = series.to_list()
    if values and all(isinstance(value, bool) or _plain(value) == "" for value in values):
        return Cells("boolean", np.array([np.nan if _plain(value) == "" else float(value) for value in values]))
    return cells_of_texts([_plain(value) for value in values], decimal)


def _arrow_order(series: Any) -> list[str]:
    """Levels of an ordered dictionary of pyarrow, which narwhals takes for unordered; none of any other column."""
    native = series.to_native()
    if not getattr(getattr(native, "type", None), "ordered", False):
        return []
    return [str(level) for level in native.unify_dictionaries().chunk(0).dictionary.to_pylist()] if len(native) else []


def cells_of_texts_as_levels(cells: Sequence[str], levels: Sequence[str]) -> np.ndarray:
    """Return the places of texts among given levels, NaN where there is none.

    Examples
    --------
    >>> cells_of_texts_as_levels(["b", "x"], ["a", "b"])
    array([ 1., nan])
    """
    places = {level: float(place) for place, level in enumerate(levels)}
    return np.array([places.get(cell, np.nan) for cell in cells], float)


def _floats(series: Any) -> np.ndarray:
    import narwhals as nw

    return np.asarray(series.cast(nw.Float64).to_numpy(), float)


def _days(series: Any) -> np.ndarray:
    """Dates and times as days; those with a time zone by their moment."""
    import narwhals as nw

    moments = series.dt.timestamp("ms").cast(nw.Float64).to_numpy()
    return np.where(series.is_null().to_numpy(), np.nan, np.asarray(moments, float)) / _MILLISECONDS


def _plain(value: Any) -> str:
    """A cell of a frame as a text without blanks around it; "" for a gap."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return ""
    text = str(value).strip()
    return "" if text in GAPS else text
