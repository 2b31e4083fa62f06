"""The page of one paper, as Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from studies.evidence.cells import LEVELS, METRICS, Metric, count_levels
from studies.evidence.collect import missing_methods, missing_sets
from studies.evidence.contests import FEWEST, contest_table, entrants, leader_table, rank_table
from studies.evidence.earlier import ENOUGH
from studies.evidence.inventory import inventory_table
from studies.evidence.markdown import column_names, legend, matrix, number
from studies.evidence.rows import count_text
from studies.evidence.worse import compared_table, worse_table
from studies.reproduce.declare import MEAN
from studies.reproduce.schema import setting_parts
from studies.statistics import LEVEL, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from studies.evidence.cells import Comparison
    from studies.evidence.collect import Section
    from studies.evidence.papers import Page

__all__ = ["detail_file", "page_text", "summary_rows", "summary_table"]

SUMMARY = (
    "table", "what", "score", "k", "data sets", "methods", "runs", "cells", *(LEVELS[name] for name in LEVELS if name),
    "mean difference",
)  # fmt: skip

_VERDICTS = (
    "What the paper numbers, where it is here, and whether it agrees with plain versions of the formulas (in the "
    "tests) or with the printed figures. *Below* is on this page."
)
_CLOCK = (
    "These are seconds on the clock of runs that shared the machine with others: not a measurement of speed, for which "
    "see [speed.md](speed.md)."
)
_FIRST_DRAWS = (
    "Of some first draws the versions were not kept (*earlier*). More than 500 figures of them, computed again, "
    "came out the same to the last digit kept."
)
_ORIGIN = (
    "This page is written by `python -m studies evidence` from the draws in `docs/evidence/draws/paper{}.csv`; "
    "[the overview](README.md) says how to make them again and how to add to them."
)


def page_text(
    page: Page, sections: Sequence[Section], versions: Sequence[str], figures: Sequence[tuple[str, str, str]]
) -> str:
    """Write the page of a paper.

    Parameters
    ----------
    page : Page
    sections : sequence of Section
    versions : sequence of str
        Every state of the software that made a run.
    figures : sequence of (file, title, note)
        What was drawn.
    """
    parts = [
        f"# Paper {page.number}",
        f"{page.title}. [doi:{page.doi}](https://doi.org/{page.doi})",
        "## Everything in the paper",
        _VERDICTS,
        inventory_table(page.number),
        _ORIGIN.format(page.number),
    ]
    if not any(section.comparisons for section in sections):
        return "\n\n".join([*parts, "There are no runs of this paper yet.", ""])
    parts += [
        "## In short",
        *_in_short(page, sections),
        "## Protocol",
        page.protocol,
        *_made_by(versions),
        *_not_kept(sections),
    ]
    parts += ["## What is missing", _missing(sections)]
    worse = worse_table(page, sections)
    if worse:
        parts += ["## Where our figures of the paper's own methods are worse", worse]
    compared = compared_table(page, sections)
    if compared:
        parts += ["## Where our figures of the methods that it compares with are worse", compared]
    for section in sections:
        if section.compared:
            parts += _section_text(page, section)
    if figures:
        parts += [
            "## Figures",
            "Filled marks are our means, shades their standard errors, open marks published figures.",
        ]
        parts += [
            "\n\n".join(filter(None, (f"### {title}", f"![{title}]({file})", note))) for file, title, note in figures
        ]
    others = [section for section in sections if section.comparisons and not section.compared]
    if others:
        parts.append(_behind(page, others))
    return "\n\n".join([*parts, ""])


def _in_short(page: Page, sections: Sequence[Section]) -> Iterator[str]:
    levels = count_levels(each for section in sections for each in section.compared)
    total = sum(levels.values())
    if total:
        yield (
            f"Of {total} comparisons with a published figure {levels['agrees']} agree "
            f"({levels['agrees'] / total:.0%}), in {levels['better']} ours is better "
            f"({levels['better'] / total:.0%}), in {levels['worse']} worse ({levels['worse'] / total:.0%}). "
            f"Better by far is no reproduction either.{_whose(page, sections)}"
        )
    yield summary_table([row for section in sections for row in summary_rows(section)])
    yield legend(page.tolerance)


def _whose(page: Page, sections: Sequence[Section]) -> str:
    """Say how many of the worse cells are of the paper's own methods."""
    worse = [
        place[1]
        for section in sections
        for each in section.compared
        for place, cell in each.cells.items()
        if cell.level == "worse"
    ]
    own = sum(page.is_own(method) for method in worse)
    if not worse:
        return ""
    return (
        f" Of the worse cells {own} concern the paper's own methods, graphs and examples, {len(worse) - own} the "
        "methods that it compares with; both are listed below with their reasons."
    )


def summary_table(rows: Sequence[Sequence[str]]) -> str:
    """Write the agreement of several tables as one."""
    return markdown_table(SUMMARY, rows, left=4)


def summary_rows(section: Section) -> list[list[str]]:
    """One row per comparison with published figures: what was compared and how it agrees."""
    rows = []
    for each in section.compared:
        levels = each.levels()
        rows.append([
            section.heading, section.title, ", ".join(filter(None, (each.metric, each.part.replace("=", " ")))),
            each.k_rule or "-",
            _share(each, 0, section.lost), _share(each, 1),
            count_text([cell.ours.runs for cell in each.cells.values()]),
            str(len(each.judged)), *(str(levels[name]) for name in levels),
            _mean_difference(each),
        ])  # fmt: skip
    return rows


def _mean_difference(comparison: Comparison) -> str:
    """Mean of ours less published over the cells that are judged; in percent where the tolerance is."""
    rule = METRICS.get(comparison.metric, Metric())
    pairs = [(cell.ours.mean, cell.printed.mean) for cell in comparison.judged if cell.printed is not None]
    if not pairs:
        return "-"
    if rule.relative:
        return f"{mean_of(100 * (ours - printed) / printed for ours, printed in pairs):+.0f} %"
    return number(mean_of(ours - printed for ours, printed in pairs), rule.digits, signed=True)


def _share(comparison: Comparison, part: int, lost: Iterable[str] = ()) -> str:
    published = {place[part] for place in comparison.printed}
    published |= set() if MEAN in published else set(lost)
    return f"{len(published & set(comparison.names(part)))} of {len(published)}"


def _made_by(versions: Sequence[str]) -> Iterator[str]:
    found: dict[str, dict[str, None]] = {}
    for text in versions:
        for name, value in setting_parts(text).items():
            found.setdefault(name, {})[value] = None
    parts = [f"{name} {', '.join(values)}" for name, values in found.items()]
    yield f"Made by: {'; '.join(parts)} (*source* is a hash of consensa's code)."
    if len(versions) > 1:
        yield "Caution: these runs were made by different states of the source or versions of the packages."
    if "earlier" in found.get("consensa", {}):
        yield _FIRST_DRAWS


def _not_kept(sections: Sequence[Section]) -> Iterator[str]:
    cells = [cell for section in sections for each in section.comparisons for cell in each.cells.values()]
    earlier = sum(cell.earlier for cell in cells)
    if earlier:
        yield (
            f"{earlier:,} of the {len(cells):,} cells, marked °, are means of earlier runs whose draws were not kept: "
            "true and best k need not be of the same draws there, and tests and ranks use the draws that are kept. All "
            f"others can be followed draw by draw in `docs/evidence/draws`; {ENOUGH} draws of a cell, or as many as it "
            "had, replace an earlier mean."
        )


def _missing(sections: Sequence[Section]) -> str:
    lines = []
    for section in sections:
        found = _gaps(section)
        if found:
            lines.append(f"- {section.heading}: {'. '.join(text[0].upper() + text[1:] for text in found)}.")
    return "\n".join(lines) or "Nothing: every published figure of these tables has a run."


def _gaps(section: Section) -> list[str]:
    """Say what of a section has no runs, and what is doubtful in the paper."""
    sets, methods = missing_sets(section), missing_methods(section)
    found = []
    if not section.comparisons:
        found.append("nothing was run")
    if sets:
        found.append("no runs on " + ", ".join(f"{name} ({reason})" for name, reason in sets.items()))
    if methods:
        found.append(f"no runs of {', '.join(methods)}")
    absent = [place for each in section.compared for place in each.printed if place not in each.cells]
    gaps = [place for place in absent if place[0] not in sets and place[1] not in methods]
    if gaps:
        by_method = Counter(place[1] for place in gaps)
        parts = ", ".join(f"{name} ({count})" for name, count in by_method.items())
        found.append(f"single published cells without a run: {parts}")
    if section.doubts:
        found.append(f"doubtful in the paper and not judged: {'; '.join(section.doubts)}")
    return found


def detail_file(page: Page, section: Section) -> str:
    """Return the name of the CSV file with every cell of a section."""
    return f"data/{page.number}_{section.name}.csv"


def _section_text(page: Page, section: Section) -> Iterator[str]:
    yield f"## {section.heading}: {section.title}"
    if section.note:
        yield section.note[0].upper() + section.note[1:].rstrip(".") + "."
    if any(each.metric == "seconds" for each in section.compared):
        yield _CLOCK
    for each in section.compared:
        yield f"### {each.heading}\n\n{_runs_text(each)}"
        yield matrix(each)
    file = detail_file(page, section)
    yield f"Every cell with its standard deviation and number of runs: [{file}]({file})."
    for metric, part in dict.fromkeys((each.metric, each.part) for each in section.compared):
        same = [each for each in section.compared if (each.metric, each.part) == (metric, part)]
        yield from _contests(page, section, same)


def _runs_text(comparison: Comparison) -> str:
    """Say how many runs the cells have, by method or setting where that differs."""
    counts: dict[str, list[str]] = {}
    for pair, label in column_names(comparison).items():
        runs = [cell.ours.runs for place, cell in comparison.cells.items() if place[1:] == pair]
        counts.setdefault(count_text(runs), []).append(label)
    if len(counts) == 1:
        said = next(iter(counts))
    else:
        said = "; ".join(f"{runs} of {', '.join(labels)}" for runs, labels in counts.items())
    return f"Runs per cell: {said} (published: {comparison.paper_runs})."


def _contests(page: Page, section: Section, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Wins, ties and losses, ranks and leaders, where methods are compared that are better or worse."""
    rule = METRICS.get(comparisons[0].metric, Metric())
    methods = list(dict.fromkeys(name for each in comparisons for name in each.names(1)))
    datasets = {name for each in comparisons for name in each.names(0)}
    if len(methods) < 2 or len(datasets) < 2 or not rule.judged or rule.better == 0:
        return
    labels: dict[tuple[str, str], str] = {}
    for each in comparisons:
        labels |= column_names(each)
    taking_part = entrants(comparisons, labels)
    said = ", ".join(filter(None, (comparisons[0].metric, comparisons[0].part.replace("=", " "))))
    own = [
        label
        for (method, setting), label in labels.items()
        if method in page.own and label in taking_part and setting not in page.not_contested
    ]
    contests = contest_table(taking_part, own, page.contests.get(section.name, {}))
    if contests:
        yield f"### Wins / ties / losses, {said}"
        yield _test_text(page, section)
        yield contests
    published = {name: each for name, each in taking_part.items() if each.theirs()}
    table, cells = rank_table(published, comparisons[0].printed_ranks)
    if table:
        yield f"### Average ranks, {said}\n\n{cells}"
        yield table
    if section.name in page.leaders:
        leading = leader_table(published, page.leaders[section.name])
        if leading:
            yield leading


def _test_text(page: Page, section: Section) -> str:
    text = (
        f"{page.tests} *Ours*: paired t-test (p < {LEVEL:g}) on the runs that both methods have, for every data set "
        f"and k rule by itself, counted where there are at least {FEWEST} such runs. *Better mean*: in how many cells "
        "the method has the better mean over the runs that both have, however many, without a test. "
    )
    if any(cell.printed and cell.printed.std is not None for each in section.compared for cell in each.cells.values()):
        text += (
            f"*Published figures*: unpaired t-test on the published means and standard deviations "
            f"({section.compared[0].paper_runs} runs) of the same cells. "
        )
    if section.name in page.contests:
        text += "*Printed*: the counts in the paper, over all its data sets. "
    return text + "With fewer runs, fewer differences are significant."


def _behind(page: Page, sections: Sequence[Section]) -> str:
    """List the data of the plots that have no table on the page."""
    lines = ["The data of the figures that the paper only draws:", ""]
    for section in sections:
        file = detail_file(page, section)
        runs = count_text([cell.ours.runs for each in section.comparisons for cell in each.cells.values()])
        note = f" {section.note[0].upper()}{section.note[1:].rstrip('.')}." if section.note else ""
        paper_runs = section.comparisons[0].paper_runs
        counts = f"Runs per cell: {runs} (published: {paper_runs})"
        lines.append(f"- {section.heading}, {section.title}: [{file}]({file}). {counts}.{note}")
    return "\n".join(lines)
