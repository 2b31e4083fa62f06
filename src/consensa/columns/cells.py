"""Cells of one column, block by block: numbers where they can be, else distinct texts and their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["GAPS", "Cells", "as_texts", "cells_of_series", "cells_of_texts", "parse_dates", "parse_numbers"]

GAPS = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "NaT", "?"})
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?Z?")
_PARTED = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?: \d{2}:\d{2}(?::\d{2})?)?")
_CODE = re.compile(r"0\d+")
_SECONDS = 86_400.0


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

    Numbers and dates like 2024-12-31 are read as such where all cells are; digits after a leading 0 are a code.

    Examples
    --------
    >>> cells_of_texts(["1", "", "2.5"]).values
    array([1. , nan, 2.5])
    >>> cells_of_texts(["a", "?", "a"]).values, cells_of_texts(["01", "02"]).kind
    (array([ 0., nan,  0.]), 'text')
    """
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(cell, len(places)) for cell in cells), np.int64, len(cells))
    known = [text for text in places if text not in GAPS]
    where = np.full(len(places), np.nan)
    where[[places[text] for text in known]] = np.arange(len(known))
    found = where[codes]
    numbers = parse_numbers(known, decimal)
    if numbers is not None and not any(map(_CODE.fullmatch, known)):
        return Cells("number", _looked_up(numbers, found))
    dates = parse_dates(known)
    if dates is not None:
        return Cells("date", _looked_up(dates, found))
    return Cells("text", found, known)


def _looked_up(table: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Values at some places of a table, NaN where the place is."""
    return np.append(table, np.nan)[np.where(np.isnan(places), table.size, places).astype(np.int64)]


def parse_numbers(texts: Sequence[str], decimal: str = ".") -> np.ndarray | None:
    """Return numbers, or None if one of the texts is none.

    Examples
    --------
    >>> parse_numbers(["1e3", "-2"]), parse_numbers(["1.234,5"], ","), parse_numbers(["1_0"])
    (array([1000.,   -2.]), array([1234.5]), None)
    """
    if decimal != ".":
        texts = [text.replace(".", "").replace(decimal, ".") for text in texts]
    whole = "".join(texts)
    if "_" in whole or not whole.isascii():  # float() takes 10_1, which is more often the name of a sample
        return None
    try:
        return np.array(texts, dtype=float)
    except ValueError:
        return None


def parse_dates(texts: Sequence[str], form: str = "") -> np.ndarray | None:
    """Return days since 1970-01-01, or None if one of the texts is no date of that form.

    Examples
    --------
    >>> parse_dates(["1970-01-02", "1970-01-01 12:00"]), parse_dates(["31.12.1970"], "dmy"), parse_dates(["soon"])
    (array([1. , 0.5]), array([364.]), None)
    """
    if form:
        texts = [_turned(text, form) for text in texts]
    if not all(map(_ISO.fullmatch, texts)):
        return None
    try:
        stamps = np.array([text.removesuffix("Z") for text in texts], dtype="datetime64[ms]")
    except ValueError:
        return None
    return stamps.astype(np.int64) / (1000 * _SECONDS)


def _turned(text: str, form: str) -> str:
    """A date that begins with its day or month in the order year, month, day."""
    parts = _PARTED.fullmatch(text)
    if parts is None:
        return text
    day, month = (parts[1], parts[2]) if form == "dmy" else (parts[2], parts[1])
    return f"{parts[3]}-{int(month):02}-{int(day):02}{text[parts.end(3) :]}"


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
    return str(np.datetime64(round(value * 1000 * _SECONDS), "ms")).removesuffix("T00:00:00.000")


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
        levels = [str(level) for level in kind.categories] if kind == nw.Enum else sorted({*texts} - {""})
        found = cells_of_texts_as_levels(texts, levels)
        return Cells("text", found, levels, is_category=True, is_ordered=kind == nw.Enum)
    values = series.to_list()
    if values and all(isinstance(value, bool) or _plain(value) == "" for value in values):
        return Cells("boolean", np.array([np.nan if _plain(value) == "" else float(value) for value in values]))
    return cells_of_texts([_plain(value) for value in values], decimal)


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
    return np.where(series.is_null().to_numpy(), np.nan, np.asarray(moments, float)) / (1000 * _SECONDS)


def _plain(value: Any) -> str:
    """A cell of a frame as a text without blanks around it; "" for a gap."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return ""
    text = str(value).strip()
    return "" if text in GAPS else text
