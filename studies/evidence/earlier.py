"""Means of runs whose single draws were not kept; each goes as soon as its draws are made again."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from studies.statistics import Summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from studies.evidence.cells import Comparison
    from studies.evidence.rows import Place, Run

__all__ = ["ENOUGH", "Earlier", "divide", "forget_earlier", "read_earlier", "write_earlier"]

FILE = "earlier.csv"
FIELDS = ("paper", "table", "dataset", "method", "setting", "k_rule", "metric", "mean", "sd", "runs")
ENOUGH = 10  # draws that count more than any mean without its draws
ROUNDED = 1e-6  # what the digits of a kept mean leave open
Earlier = dict[tuple[str, str, str, str], dict["Place", Summary]]  # by paper, table, metric and k rule


def read_earlier(folder: Path) -> Earlier:
    """Return the means of a folder; none without a file."""
    path = folder / FILE
    found: Earlier = {}
    if path.is_file():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                place = row["dataset"], row["method"], row["setting"]
                mean = Summary(float(row["mean"]), float(row["sd"] or "nan"), int(row["runs"]))
                found.setdefault((row["paper"], row["table"], row["metric"], row["k_rule"]), {})[place] = mean
    return found


def write_earlier(folder: Path, comparisons: Iterable[tuple[str, Comparison]]) -> None:
    """Keep the means that the pages still show, given as (paper, comparison); without any there is no file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    lines = [
        (paper, each.table, *place, each.k_rule, each.metric, f"{cell.ours.mean:.6g}",
         "" if cell.ours.runs == 1 else f"{cell.ours.sd:.6g}", cell.ours.runs)
        for paper, each in comparisons
        for place, cell in each.cells.items()
        if cell.earlier
    ]  # fmt: skip
    writer.writerows(lines)
    path = folder / FILE
    if lines:
        path.write_text(text.getvalue(), encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def forget_earlier(folder: Path, methods: Mapping[str, Collection[str]]) -> None:
    """Drop the means of methods that give other figures now, by paper."""
    path = folder / FILE
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        kept = [row for row in reader if row["method"] not in methods.get(row["paper"], ())]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def divide(
    runs: Mapping[str, Mapping[Place, Mapping[Run, float]]], earlier: Mapping[str, Mapping[Place, Summary]]
) -> set[Place]:
    """Return the places at which the earlier means are shown, for all k rules alike.

    They are, where any k rule that they have has fewer than :data:`ENOUGH` draws, and fewer than they stand for under
    every k rule; not where best k is below true k, which only means of different draws can be.

    Parameters
    ----------
    runs, earlier : dict by k rule
        Of one table in one metric.

    Examples
    --------
    >>> place = ("VS", "LWEA", "")
    >>> divide({"true": {place: {(0, 0): 0.5}}}, {"true": {place: Summary(0.5, 0.1, 20)}})
    {('VS', 'LWEA', '')}
    >>> divide({"true": {place: {(0, 0): 0.5}}}, {"true": {place: Summary(0.5, float("nan"), 1)}})
    set()
    >>> divide({}, {"true": {place: Summary(0.5, 0.1, 20)}, "best": {place: Summary(0.4, float("nan"), 1)}})
    set()
    """
    found = set()
    for place in {place for means in earlier.values() for place in means}:
        rules = [rule for rule, means in earlier.items() if place in means]
        fewest = min(len(runs.get(rule, {}).get(place, ())) for rule in rules)
        shown = {rule: earlier[rule][place].mean for rule in rules}
        impossible = {"true", "best"} <= shown.keys() and shown["best"] < shown["true"] - ROUNDED
        if not impossible and fewest < min(ENOUGH, *(earlier[rule][place].runs for rule in rules)):
            found.add(place)
    return found
