"""From result files and declarations to comparisons: what the page of a paper shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.evidence.cells import Comparison, compare
from bench.evidence.rows import group_runs, sort_places
from bench.reproduce.published import match, published_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from bench.reproduce.declare import Exhibit, Paper

__all__ = ["Section", "collect", "missing_methods", "missing_sets"]


@dataclass(frozen=True)
class Section:
    """A table or figure of a paper with all its comparisons.

    Parameters
    ----------
    name, title, note : str
    comparisons : tuple of Comparison
        One per metric and k rule that we have runs for.
    lost : dict of str
        Data sets of the paper that do not exist here, with the reason.
    doubts : tuple of str
        Published cells that are probably slips.
    """

    name: str
    title: str
    note: str = ""
    comparisons: tuple[Comparison, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Table V, or Fig. 5."""
        return f"Fig. {self.name.removeprefix('fig')}" if self.name.startswith("fig") else f"Table {self.name}"

    @property
    def compared(self) -> list[Comparison]:
        """The comparisons with published figures."""
        return [each for each in self.comparisons if each.printed]


def collect(paper: Paper, rows: Sequence[dict[str, str]], data_dir: Path, tolerance: float) -> list[Section]:
    """Return every table and figure of a paper that there are runs for."""
    sections = [_section(paper, exhibit, rows, data_dir, tolerance) for exhibit in paper.exhibits]
    return [section for section in sections if section.comparisons]


def _section(
    paper: Paper, exhibit: Exhibit, rows: Sequence[dict[str, str]], data_dir: Path, tolerance: float
) -> Section:
    cells = published_cells(data_dir, paper.name, exhibit.name)
    blocks = [paper.block(table) for table in exhibit.blocks]
    datasets = [cell.dataset for cell in cells] + [name for block in blocks for name in block.needs()]
    methods = [cell.method for cell in cells] + [name for block in blocks for name in block.methods()]
    comparisons = []
    for reading in exhibit.readings:
        runs = group_runs(exhibit.rows(rows, reading.metric), reading.k_rule)
        runs = sort_places(runs, datasets, methods)
        printed = match(cells, reading) if reading.published_metric else {}
        if runs:
            found = compare(runs, printed, reading.metric, tolerance)
            ranks = {c.method: c.mean for c in cells if c.metric == f"rank_by_{reading.published_metric}"}
            what = exhibit.name, exhibit.title, reading.metric, reading.k_rule
            comparisons.append(Comparison(*what, found, printed, exhibit.runs, ranks, tuple(datasets)))
    doubts = tuple(f"{cell.method} on {cell.dataset}, {cell.k_rule} k" for cell in cells if cell.doubt)
    return Section(exhibit.name, exhibit.title, exhibit.note, tuple(comparisons), exhibit.lost, doubts)


def missing_sets(section: Section) -> dict[str, str]:
    """Return the published data sets without runs, with the reason."""
    published = _names((each.printed for each in section.compared), 0)
    ours = set(_names((each.cells for each in section.comparisons), 0))
    return {name: section.lost.get(name, "not run") for name in published if name not in ours}


def missing_methods(section: Section) -> list[str]:
    """Return the published methods without runs."""
    published = _names((each.printed for each in section.compared), 1)
    ours = set(_names((each.cells for each in section.comparisons), 1))
    return [name for name in published if name not in ours]


def _names(tables: Iterable[Mapping[tuple[str, str, str], object]], part: int) -> list[str]:
    return list(dict.fromkeys(place[part] for table in tables for place in table))
