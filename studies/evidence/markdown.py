"""Comparisons as Markdown tables and as CSV."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from studies.evidence.cells import LEVELS, METRICS, Cell, Comparison, Metric
from studies.evidence.rows import count_text
from studies.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["column_names", "details", "legend", "matrix", "number"]

DETAIL_COLUMNS = (
    "dataset", "method", "setting", "k_rule", "metric", "published", "published_sd", "doubtful", "mean", "sd",
    "standard_error", "runs", "draws", "difference", "agreement",
)  # fmt: skip


def number(value: float, digits: int = 3, *, signed: bool = False) -> str:
    """Write a figure briefly: scores without the leading zero, counts with commas.

    Examples
    --------
    >>> number(0.6121), number(-0.01, signed=True), number(0.02, signed=True), number(12345.6, 0)
    ('.612', '-.010', '+.020', '12,346')
    """
    if math.isnan(value):
        return "-"
    text = f"{value:{'+' if signed else ''},.{digits}f}"
    return text.replace("0.", ".", 1) if digits >= 3 and text.lstrip("+-").startswith("0.") else text


def column_names(comparison: Comparison) -> dict[tuple[str, str], str]:
    """Name what is compared: methods, settings where there is one method, or both where both vary.

    No setting beside others means that the best was chosen by the truth.
    """
    pairs = list(dict.fromkeys(place[1:] for place in comparison.cells))
    methods = comparison.names(1)
    if len(methods) == 1 and len(pairs) > 1:
        return {pair: _readable(pair[1]) for pair in pairs}
    several = {method for method in methods if sum(pair[0] == method for pair in pairs) > 1}
    return {pair: f"{pair[0]} ({_readable(pair[1])})" if pair[0] in several else pair[0] for pair in pairs}


def _readable(setting: str) -> str:
    return setting.replace(";", ", ") or "by truth"


def matrix(comparison: Comparison) -> str:
    """Write a comparison as data sets x methods (or settings), the shorter side across.

    A cell is ``ours (published)``, below it the difference and our standard error. The last column of the data sets
    says how many runs they have, the last line of the methods gives their means over the cells that are compared. Of a
    figure, which the paper only draws, the columns with a published figure in its text are enough here.
    """
    rule = METRICS.get(comparison.metric, Metric())
    columns, datasets = column_names(comparison), comparison.names(0)
    if comparison.table.startswith("fig"):
        columns = {pair: label for pair, label in columns.items() if any(p[1:] == pair for p in comparison.printed)}
    texts = {
        (name, pair): _cell_text(comparison.cells[name, *pair], rule)
        for name in datasets
        for pair in columns
        if (name, *pair) in comparison.cells
    }
    counts = {
        name: count_text([cell.ours.runs for place, cell in comparison.cells.items() if place[0] == name])
        for name in datasets
    }
    means = {pair: _mean_text([c for p, c in comparison.cells.items() if p[1:] == pair], rule) for pair in columns}
    if len(columns) <= len(datasets):
        heading = ["data set", *columns.values(), "runs"]
        rows = [[name, *(texts.get((name, pair), "") for pair in columns), counts[name]] for name in datasets]
        return markdown_table(heading, [*rows, ["**mean**", *(means[pair] for pair in columns), ""]])
    last = len(datasets) > 1  # the mean of one data set says nothing new
    rows = [
        [label, *(texts.get((name, pair), "") for name in datasets), *[means[pair]][:last]]
        for pair, label in columns.items()
    ]
    runs = ["runs", *(counts[name] for name in datasets), *[""][:last]]
    return markdown_table(["", *datasets, *["**mean**"][:last]], [*rows, runs])


def _cell_text(cell: Cell, rule: Metric) -> str:
    ours = number(cell.ours.mean, rule.digits) + ("°" if cell.earlier else "")
    error = "" if math.isnan(cell.ours.error) else f"±{number(cell.ours.error, rule.digits)}"
    if cell.printed is None:
        return _unbroken([LEVELS[""], ours], [error])
    difference = number(cell.ours.mean - cell.printed.mean, rule.digits, signed=True)
    doubt = "?" if cell.printed.doubt else ""
    printed = f"({number(cell.printed.mean, rule.digits)}{doubt})"
    return _unbroken([LEVELS[cell.level], ours, printed], [difference, error])


def _mean_text(cells: Sequence[Cell], rule: Metric) -> str:
    """Mean over the cells with a sure published figure; without any, over all."""
    sure = [(cell.ours.mean, cell.printed.mean) for cell in cells if cell.printed and not cell.printed.doubt]
    if not sure:
        return number(mean_of(cell.ours.mean for cell in cells), rule.digits)
    ours, theirs = (mean_of(side) for side in zip(*sure, strict=True))
    difference = number(ours - theirs, rule.digits, signed=True)
    return _unbroken([number(ours, rule.digits), f"({number(theirs, rule.digits)})"], [difference])


def _unbroken(*lines: Sequence[str]) -> str:
    """Write the lines of a cell so that narrow columns do not break them further."""
    return "<br>".join(filter(None, ("\u00a0".join(filter(None, words)) for words in lines)))


def legend(tolerance: float) -> str:
    """Explain the cells and colours."""
    return (
        "A cell: `ours (published)`, below it `difference ± our standard error` (over runs). "
        f"{LEVELS['agrees']} agrees: within {tolerance:g} of the published figure, or within 2 standard errors of the "
        "difference (ours, and the published one where a deviation is printed); "
        f"{LEVELS['better']} better and {LEVELS['worse']} worse by more than both, "
        f"{LEVELS['']} no published figure, a doubtful one (`?`), or not judged. "
        "Of a published figure below ten times the tolerance a tenth is allowed, or 0.005. A cell that could not be "
        "worse whatever was found does not count. "
        "A cell with one run has no standard error and is judged by the tolerance alone. "
        "For errors in percent, less is better and the tolerance is 3, or a tenth, or 1; for counts of links and "
        "microclusters it is 10 % to both sides; seconds come from other machines and are not judged."
    )


def details(comparisons: Iterable[Comparison]) -> str:
    """Write every cell of a table as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, DETAIL_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in comparisons:
        for (dataset, method, setting), cell in each.cells.items():
            printed = cell.printed
            writer.writerow({
                "dataset": dataset, "method": method, "setting": setting, "k_rule": each.k_rule, "metric": each.metric,
                "published": "" if printed is None else f"{printed.mean:g}",
                "published_sd": "" if printed is None or printed.std is None else f"{printed.std:g}",
                "doubtful": "yes" if printed is not None and printed.doubt else "",
                "mean": _exact(cell.ours.mean), "sd": _exact(cell.ours.sd), "standard_error": _exact(cell.ours.error),
                "runs": cell.ours.runs, "draws": "" if cell.earlier else "kept",
                "difference": "" if printed is None else _exact(cell.ours.mean - printed.mean),
                "agreement": cell.level,
            })  # fmt: skip
    return text.getvalue()


def _exact(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
