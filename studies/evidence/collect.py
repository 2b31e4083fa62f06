"""From result files and declarations to comparisons: what the page of a paper shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from studies.evidence.cells import Comparison, compare
from studies.evidence.earlier import divide
from studies.evidence.rows import group_runs, sort_places
from studies.reproduce.declare import heading_of
from studies.reproduce.published import match, published_cells
from studies.reproduce.theta import best_thetas, choose_theta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from studies.evidence.earlier import Earlier
    from studies.evidence.rows import Place, Run
    from studies.reproduce.declare import Exhibit, Paper, Reading, Row
    from studies.reproduce.published import PublishedCell
    from studies.statistics import Summary

__all__ = ["Section", "collect", "merge", "missing_methods", "missing_sets"]

SUMMARY_ROW = "average of"  # begins the name of what is no data set
CHOICES = {"agreement": "theta by agreement", "default": "theta=1"}


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
    n_published : int
        Published figures, with or without runs.
    """

    name: str
    title: str
    note: str = ""
    comparisons: tuple[Comparison, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    n_published: int = 0

    @property
    def heading(self) -> str:
        """Table V, Tables 3-10, Fig. 5 or Section 5.7."""
        return heading_of(self.name)

    @property
    def compared(self) -> list[Comparison]:
        """The comparisons in which runs stand beside published figures."""
        return [each for each in self.comparisons if any(cell.printed for cell in each.cells.values())]


def collect(
    paper: Paper, rows: Sequence[Row], data_dir: Path, tolerance: float, earlier: Earlier | None = None
) -> list[Section]:
    """Return every table and figure of a paper, also those without runs; ``earlier`` means stand where draws lack."""
    return [_section(paper, exhibit, rows, data_dir, tolerance, earlier or {}) for exhibit in paper.exhibits]


def _section(
    paper: Paper, exhibit: Exhibit, rows: Sequence[Row], data_dir: Path, tolerance: float, earlier: Earlier
) -> Section:
    cells = published_cells(data_dir, paper.name, exhibit.name)
    blocks = [paper.block(table) for table in exhibit.blocks]
    datasets = [cell.dataset for cell in cells] + [name for block in blocks for name in block.needs()]
    methods = [cell.method for cell in cells] + [name for block in blocks for name in block.methods()]
    comparisons = []
    for reading in exhibit.readings:
        means = {
            rule: known
            for (*table, metric, rule), known in earlier.items()
            if (*table, metric) == (paper.name, exhibit.name, _metric(exhibit, reading))
        }
        found = _comparison(exhibit, reading, cells, _shown(exhibit, rows, reading), tolerance, means)
        if found.cells:
            ordered = sort_places(found.cells, datasets, methods)
            comparisons.append(replace(found, cells=ordered, order=tuple(datasets)))
    doubts = tuple(f"{cell.method} on {cell.dataset}, {cell.k_rule} k" for cell in cells if cell.doubt)
    what = exhibit.name, exhibit.title, exhibit.note
    return Section(*what, tuple(comparisons), exhibit.lost, doubts, len(cells))


def _comparison(
    exhibit: Exhibit,
    reading: Reading,
    cells: list[PublishedCell],
    rows: Sequence[Row],
    tolerance: float,
    earlier: Mapping[str, Mapping[Place, Summary]],
) -> Comparison:
    rules = [each.k_rule for each in exhibit.readings if each.metric == reading.metric]
    drawn = {rule: group_runs(rows, rule) for rule in rules}
    runs = drawn[reading.k_rule]
    for rule in rules:
        runs = same_draws(runs, drawn[rule])
    kept = divide(drawn, earlier)
    means = {place: mean for place, mean in earlier.get(reading.k_rule, {}).items() if place in kept}
    if reading.only:
        runs = {place: found for place, found in runs.items() if place[2] in reading.settings.values()}
    printed = match(cells, reading) if reading.published_metric else {}
    printed = {
        place: cell
        for place, cell in printed.items()
        if not place[0].startswith(SUMMARY_ROW) and (not exhibit.methods or place[1] in exhibit.methods)
    }
    if exhibit.view is choose_theta:
        others = {(*place[:2], name): cell for place, cell in printed.items() for name in CHOICES.values()}
        printed |= {place: cell for place, cell in others.items() if place in runs or place in means}
    return Comparison(
        exhibit.name,
        _metric(exhibit, reading),
        reading.k_rule,
        compare(runs, printed, reading.metric, tolerance, exhibit.runs, means),
        printed,
        exhibit.runs,
        {cell.method: cell.mean for cell in cells if cell.metric == f"rank_by_{reading.published_metric}"},
        part=next(iter(reading.settings.values())) if reading.only else "",
    )


def same_draws(
    runs: Mapping[Place, Mapping[Run, float]], others: Mapping[Place, Mapping[Run, float]]
) -> dict[Place, dict[Run, float]]:
    """Keep the draws that the same cells have under another k rule as well, where they have any there.

    The best k of a draw is never worse than its true k, but the mean of other draws may be.
    """
    kept = {
        place: {run: value for run, value in found.items() if run in others.get(place, found)}
        for place, found in runs.items()
    }
    return {place: found for place, found in kept.items() if found}


def _metric(exhibit: Exhibit, reading: Reading) -> str:
    return "NMI/max" if exhibit.view is best_thetas else reading.metric


def _shown(exhibit: Exhibit, rows: Sequence[Row], reading: Reading) -> list[Row]:
    """Rows of an exhibit. Where it shows the best theta, the whole sweep; where it chooses by the truth, others too."""
    if exhibit.view is best_thetas:
        whole = replace(exhibit, view=None)
        return [row for row in whole.rows(rows, "NMI/max") if "theta" in row["setting"]]
    shown = exhibit.rows(rows, reading.metric)
    if exhibit.view is choose_theta:
        swept = [row for row in rows if row["table"] in exhibit.blocks and "theta" in row["setting"]]
        guided = {(row["dataset"], row["method"], row["run"]) for row in swept if row["metric"] == "ANMI"}
        swept = [row for row in swept if (row["dataset"], row["method"], row["run"]) in guided]
        for choice, name in CHOICES.items():
            shown += [{**row, "setting": name} for row in choose_theta(swept, reading.metric, choice)]
    return shown


def merge(sections: Sequence[Section], name: str, title: str) -> Section:
    """Make one section of several, of which each has one data set."""
    grouped: dict[tuple[str, str, str], list[Comparison]] = {}
    for each in (comparison for section in sections for comparison in section.comparisons):
        grouped.setdefault((each.part, each.metric, each.k_rule), []).append(each)
    comparisons = tuple(
        replace(
            group[0],
            table=name,
            cells={place: cell for each in group for place, cell in each.cells.items()},
            printed={place: figure for each in group for place, figure in each.printed.items()},
            order=tuple(dataset for each in group for dataset in each.order),
        )
        for group in grouped.values()
    )
    lost = {dataset: why for section in sections for dataset, why in section.lost.items()}
    doubts = tuple(doubt for section in sections for doubt in section.doubts)
    return Section(
        name, title, _shared_notes(sections), comparisons, lost, doubts, sum(s.n_published for s in sections)
    )


def _shared_notes(sections: Sequence[Section]) -> str:
    """Say what holds for all of the sections once, and the rest with the data sets it holds for."""
    noted = [section for section in sections if section.note]
    sentences: dict[str, list[str]] = {}
    for section in noted:
        for sentence in section.note.split(". "):
            sentences.setdefault(sentence, []).append(section.title.rpartition(", ")[0])
    return ". ".join(
        sentence if len(names) == len(noted) else f"{'; '.join(names)}: {sentence}"
        for sentence, names in sentences.items()
    )


def missing_sets(section: Section) -> dict[str, str]:
    """Return the published data sets without runs, with the reason."""
    published = _names((each.printed for each in section.comparisons), 0)
    ours = set(_names((each.cells for each in section.comparisons), 0))
    absent = [name for name in published if name not in ours]
    return {name: section.lost.get(name, "not run") for name in dict.fromkeys((*absent, *section.lost))}


def missing_methods(section: Section) -> list[str]:
    """Return the published methods without runs."""
    published = _names((each.printed for each in section.comparisons), 1)
    ours = set(_names((each.cells for each in section.comparisons), 1))
    return [name for name in published if name not in ours]


def _names(tables: Iterable[Mapping[tuple[str, str, str], object]], part: int) -> list[str]:
    return list(dict.fromkeys(place[part] for table in tables for place in table))
