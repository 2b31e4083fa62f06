"""Published figures beside ours, as text."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from studies.reproduce.declare import heading_of
from studies.reproduce.published import match, published_cells
from studies.reproduce.schema import SCORES
from studies.statistics import TOLERANCE, agreement, mean_of, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from studies.reproduce.declare import Exhibit, Paper, Reading, Row
    from studies.reproduce.published import PublishedCell
    from studies.statistics import Summary

__all__ = ["exhibit_report", "summaries"]

Cell = tuple[str, str, str]
_RATIOS = ("seconds",)


def summaries(exhibit: Exhibit, rows: Sequence[Row], reading: Reading) -> dict[Cell, Summary]:
    """Summarise our runs by (data set, method, setting)."""
    values: dict[Cell, list[float]] = defaultdict(list)
    for row in exhibit.rows(rows, reading.metric):
        if row["k_rule"] == reading.k_rule and (not reading.only or row["setting"] in reading.settings.values()):
            values[row["dataset"], row["method"], row["setting"]].append(float(row["value"]))
    return {cell: summarise(found) for cell, found in values.items()}


def exhibit_report(paper: Paper, exhibit: Exhibit, rows: Sequence[Row], data_dir: Path) -> str:
    """Write a table or figure: published, ours, difference, standard error and runs, or our means alone.

    A ``?`` marks a published figure that is probably a slip; it does not count.
    """
    lines = [f"Paper {paper.name}, {heading_of(exhibit.name)}: {exhibit.title}"]
    if exhibit.lost:
        lines.append("Not available: " + "; ".join(f"{name} ({why})" for name, why in exhibit.lost.items()) + ".")
    if exhibit.note:
        lines.append(f"Note: {exhibit.note}.")
    mine = [row for row in rows if row["table"] in exhibit.blocks]
    if not mine:
        return "\n".join([*lines, "Nothing was run."])
    if len({row["versions"] for row in mine}) > 1:
        lines.append("Caution: these runs were made by different states of the source or versions of the packages.")
    cells = published_cells(data_dir, paper.name, exhibit.name)
    for reading in exhibit.readings:
        ours = summaries(exhibit, rows, reading)
        theirs = match(cells, reading)
        if ours and any(cell in theirs for cell in ours):
            lines += _compared(reading, ours, theirs)
        elif ours:
            lines += ["", *_means(reading, ours)]
    return "\n".join(lines)


def _label(method: str, setting: str) -> str:
    return f"{method} {setting}".strip()


def _title(reading: Reading) -> str:
    return f"{reading.metric}{f', {reading.k_rule} k' if reading.k_rule else ''}"


def _compared(reading: Reading, ours: Mapping[Cell, Summary], theirs: Mapping[Cell, PublishedCell]) -> list[str]:
    blocks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for dataset, method, setting in ours:
        blocks[method, setting].append(dataset)
    lines: list[str] = []
    if len({dataset for dataset, _, _ in ours}) == 1:
        mine = {_label(method, setting): found for (_, method, setting), found in ours.items()}
        stated = {
            _label(method, setting): cell
            for (name, method, setting), cell in theirs.items()
            if (name, method, setting) in ours
        }
        return ["", *_block(f"{next(iter(ours))[0]}, {_title(reading)}", reading.metric, mine, stated)]
    for (method, setting), datasets in blocks.items():
        title = f"{_label(method, setting)}, {_title(reading)}"
        mine = {name: ours[name, method, setting] for name in datasets}
        stated = {name: theirs[name, method, setting] for name in datasets if (name, method, setting) in theirs}
        lines += ["", *_block(title, reading.metric, mine, stated)]
    return [*lines, "", *_ranked(reading, ours, theirs)]


def _block(title: str, metric: str, ours: Mapping[str, Summary], theirs: Mapping[str, PublishedCell]) -> Iterator[str]:
    ratio = metric in _RATIOS
    last = "ratio" if ratio else "diff"
    yield title
    yield f"{'':<44}{'published':>11}{'ours':>11}{last:>10}{'SE':>10}{'runs':>6}"
    differences = {}
    for name, cell in ours.items():
        left, difference = f"{'-':>11}", f"{'-':>10}"
        if name in theirs:
            stated = theirs[name]
            left = f"{stated.mean:>10.3f}{'?' if stated.doubt else ' '}"
            difference = f"{cell.mean / stated.mean:>10.3f}" if ratio else f"{cell.mean - stated.mean:>+10.3f}"
            if not stated.doubt:
                differences[name] = cell.mean - stated.mean
        yield f"{name:<44}{left}{cell.mean:>11.3f}{difference}{cell.error:>10.3f}{cell.runs:>6}"
    if len(differences) > 1 and metric in SCORES:
        levels = Counter(agreement(value, ours[name].error) for name, value in differences.items())
        yield (
            f"mean difference {mean_of(differences.values()):+.3f}; within {TOLERANCE} or 2 standard errors of the "
            f"published figure: {levels['agrees']} of {len(differences)}, better {levels['better']}, worse "
            f"{levels['worse']}"
        )


def _ranked(reading: Reading, ours: Mapping[Cell, Summary], theirs: Mapping[Cell, PublishedCell]) -> Iterator[str]:
    """Methods by their mean over the data sets, with the published mean on the same data sets."""
    if reading.metric in _RATIOS or len({(method, setting) for _, method, setting in ours}) < 2:
        return
    mine: dict[str, list[float]] = defaultdict(list)
    stated: dict[str, list[float]] = defaultdict(list)
    gaps: dict[str, list[float]] = defaultdict(list)
    for cell, found in ours.items():
        name = _label(cell[1], cell[2])
        mine[name].append(found.mean)
        if cell in theirs and not theirs[cell].doubt:
            stated[name].append(theirs[cell].mean)
            gaps[name].append(found.mean - theirs[cell].mean)
    their_mean = {name: mean_of(values) for name, values in stated.items()}
    order = sorted(their_mean, key=lambda name: -their_mean[name])
    yield f"{f'mean, {_title(reading)}':<44}{'rank':>5}{'ours':>9}{'sets':>6}{'published':>11}{'rank':>6}{'diff':>9}"
    for rank, name in enumerate(sorted(mine, key=lambda name: -mean_of(mine[name])), start=1):
        line = f"{name:<44}{rank:>5}{mean_of(mine[name]):>9.3f}{len(mine[name]):>6}"
        if name in their_mean:
            line += f"{their_mean[name]:>11.3f}{order.index(name) + 1:>6}{mean_of(gaps[name]):>+9.3f}"
        yield line


def _means(reading: Reading, ours: Mapping[Cell, Summary]) -> Iterator[str]:
    """Our means over the data sets, for figures that the paper only draws."""
    values: dict[tuple[str, str], list[Summary]] = defaultdict(list)
    for (_, method, setting), found in ours.items():
        values[method, setting].append(found)
    yield f"{f'mean, {_title(reading)}':<44}{'ours':>11}{'sets':>6}{'runs':>6}"
    for (method, setting), group in values.items():
        runs = max(each.runs for each in group)
        yield f"{_label(method, setting):<44}{mean_of(each.mean for each in group):>11.3f}{len(group):>6}{runs:>6}"
