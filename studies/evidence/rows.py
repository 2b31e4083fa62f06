"""Our runs from a result file, grouped into cells."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from studies.reproduce.schema import COLUMNS, setting_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["Place", "Run", "count_text", "group_runs", "is_number", "read_rows", "sort_places"]

Run = tuple[int, int]  # seed and number
Place = tuple[str, str, str]  # data set, method, setting


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a result file; without the file there are no rows."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        absent = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if absent:
            msg = f"{path} is not a result file of 'reproduce': it has no column {absent[0]!r}."
            raise ValueError(msg)
        return list(reader)


def group_runs(rows: Iterable[Mapping[str, str]], k_rule: str) -> dict[Place, dict[Run, float]]:
    """Return the values of one k rule by (data set, method, setting) and run; what is no number is left out."""
    cells: dict[Place, dict[Run, float]] = defaultdict(dict)
    for row in rows:
        value = float(row["value"] or "nan")
        if row["k_rule"] == k_rule and not math.isnan(value):
            cells[row["dataset"], row["method"], row["setting"]][int(row["seed"]), int(row["run"])] = value
    return {place: dict(sorted(runs.items())) for place, runs in cells.items()}


def sort_places(cells: Mapping[Place, Any], datasets: Sequence[str], methods: Sequence[str]) -> dict[Place, Any]:
    """Sort the cells by the given order of data sets and methods, and by the numbers in their settings.

    The order of the rows in a result file is that in which the runs were finished, so it must not count.
    """
    by_set, by_method = _first_places(datasets), _first_places(methods)

    def key(place: Place) -> tuple[object, ...]:
        dataset, method, setting = place
        column = by_method.get(method, len(methods)), method, _numbers(setting)
        return *column, by_set.get(dataset, len(datasets)), dataset

    return {place: cells[place] for place in sorted(cells, key=key)}


def _first_places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in reversed(list(enumerate(names)))}


def _numbers(setting: str) -> list[tuple[str, float, str]]:
    """Return what a setting is sorted by: names, then values as numbers, with what is no number at the end."""
    parts = setting_parts(setting).items()
    return [(name, float(text) if is_number(text) else math.inf, text) for name, text in parts]


def is_number(text: str) -> bool:
    """Tell whether a text is a plain positive number."""
    return text.replace(".", "", 1).isdigit()


def count_text(counts: Sequence[int]) -> str:
    """Write how many runs the cells have.

    Examples
    --------
    >>> count_text([20, 20])
    '20'
    >>> count_text([5, 20])
    '5 to 20'
    """
    if not counts:
        return "0"
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"
