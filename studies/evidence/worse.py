"""Cells that are worse than published: those of a paper's own methods one by one, others by method, with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from studies.evidence.cells import METRICS, Metric
from studies.evidence.markdown import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.evidence.cells import Cell, Comparison
    from studies.evidence.collect import Section
    from studies.evidence.papers import Page
    from studies.evidence.rows import Place

__all__ = ["compared_table", "worse_table"]

WORSE = ("table", "data set", "method", "setting", "k", "score", "published", "ours", "±", "runs", "why")
COMPARED = ("method", "cells", "worse", "better", "why worse")


def worse_table(page: Page, sections: Sequence[Section]) -> str:
    """List the cells of the paper's own methods that are worse, with the reason or what was tried."""
    rows = []
    for section, each, place, cell in _judged(sections):
        dataset, method, setting = place
        if cell.level != "worse" or not page.is_own(method) or cell.printed is None:
            continue
        digits = METRICS.get(each.metric, Metric()).digits
        figures = [number(value, digits) for value in (cell.printed.mean, cell.ours.mean, cell.ours.error)]
        where = [section.heading, dataset, method, setting.replace(";", ", "), each.k_rule, each.metric]
        runs = f"{cell.ours.runs}{'°' if cell.earlier else ''}"
        why = page.reason(section.name, dataset, method, setting, cell.ours.runs)
        rows.append([*where, *figures, runs, f"{_few(cell)}{why}"])
    return markdown_table(WORSE, rows, left=6) if rows else ""


def compared_table(page: Page, sections: Sequence[Section]) -> str:
    """Count the cells of every other method that are worse or better, with the reason."""
    counts: dict[str, list[str]] = {}
    for _, _, (_, method, _), cell in _judged(sections):
        if not page.is_own(method):
            counts.setdefault(method, []).append(cell.level)
    rows = [
        [method, *(str(count) for count in (len(found), found.count("worse"), found.count("better"))),
         page.compared.get(method, "not explained")]
        for method, found in counts.items()
        if "worse" in found
    ]  # fmt: skip
    return markdown_table(COMPARED, rows) if rows else ""


def _few(cell: Cell) -> str:
    """Say of a cell with one draw how many published deviations it is off, where the paper prints one."""
    if cell.ours.runs > 1 or cell.printed is None or not cell.printed.std:
        return ""
    return f"one draw, {abs(cell.ours.mean - cell.printed.mean) / cell.printed.std:.1f} published deviations off; "


def _judged(sections: Sequence[Section]) -> Iterator[tuple[Section, Comparison, Place, Cell]]:
    for section in sections:
        for each in section.compared:
            for place, cell in each.cells.items():
                if cell.level:
                    yield section, each, place, cell
