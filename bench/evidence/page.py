"""The page of one paper, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.evidence.cells import LEVELS, METRICS, Metric, count_levels
from bench.evidence.collect import missing_methods, missing_sets
from bench.evidence.contests import contest_runs, contest_table, entrants, leader_table, rank_table
from bench.evidence.markdown import column_names, legend, markdown_table, matrix, number
from bench.evidence.rows import count_text
from bench.statistics import LEVEL, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.evidence.cells import Comparison
    from bench.evidence.collect import Section
    from bench.evidence.papers import Page

__all__ = ["detail_file", "page_text", "summary_rows", "summary_table"]

SUMMARY = (
    "table", "what", "score", "k", "data sets", "methods", "runs", "cells", *(LEVELS[name] for name in LEVELS if name),
    "mean difference",
)  # fmt: skip

_ORIGIN = (
    "This page is written by `python -m bench evidence` from the runs in `results/paper{}.csv`; "
    "[the overview](README.md) says how to make them again."
)


def page_text(
    page: Page, sections: Sequence[Section], versions: Sequence[str], figures: Sequence[tuple[str, str]]
) -> str:
    """Write the page of a paper.

    Parameters
    ----------
    page : Page
    sections : sequence of Section
    versions : sequence of str
        Every state of the software that made a run.
    figures : sequence of (file, title)
        What was drawn.
    """
    parts = [
        f"# Paper {page.number}",
        f"{page.title}. [doi:{page.doi}](https://doi.org/{page.doi})",
        _ORIGIN.format(page.number),
    ]
    if not sections:
        return "\n\n".join([*parts, "There are no runs of this paper yet.", ""])
    parts += ["## In short", *_in_short(page, sections), "## Protocol", page.protocol, *_made_by(versions)]
    parts += ["## What is missing", _missing(sections)]
    for section in sections:
        if section.compared:
            parts += _section_text(page, section)
    if figures:
        parts += [
            "## Figures",
            "Filled marks are our means, bars their standard errors, open marks published figures.",
        ]
        parts += [f"### {title}\n\n![{title}]({file})" for file, title in figures]
    others = [section for section in sections if not section.compared]
    if others:
        parts.append(_behind(page, others))
    return "\n\n".join([*parts, ""])


def _in_short(page: Page, sections: Sequence[Section]) -> Iterator[str]:
    levels = count_levels(each for section in sections for each in section.compared)
    total = sum(levels.values())
    if total:
        good = levels["near"] + levels["above"]
        yield (
            f"Of {total} published figures with runs of ours beside them, {good} ({good / total:.0%}) are reached "
            f"within the tolerance or exceeded, {levels['below']} are missed by little, {levels['far']} by more."
        )
    yield summary_table([row for section in sections for row in summary_rows(section)])
    yield legend(page.tolerance)


def summary_table(rows: Sequence[Sequence[str]]) -> str:
    """Write the agreement of several tables as one."""
    return markdown_table(SUMMARY, rows, left=4)


def summary_rows(section: Section) -> list[list[str]]:
    """One row per comparison with published figures: what was compared and how it agrees."""
    rows = []
    for each in section.compared:
        levels = each.levels()
        digits = METRICS.get(each.metric, Metric()).digits
        differences = [cell.difference for cell in each.judged if cell.difference is not None]
        rows.append([
            section.heading, section.title, each.metric, each.k_rule or "-",
            _share(each, 0), _share(each, 1), count_text([cell.ours.runs for cell in each.cells.values()]),
            str(len(differences)), *(str(levels[name]) for name in levels),
            number(mean_of(differences), digits, signed=True) if differences else "-",
        ])  # fmt: skip
    return rows


def _share(comparison: Comparison, part: int) -> str:
    published = {place[part] for place in comparison.printed}
    return f"{len(published & set(comparison.names(part)))} of {len(published)}"


def _made_by(versions: Sequence[str]) -> Iterator[str]:
    yield "Made by: " + "; ".join(f"`{text.replace(';', ', ')}`" for text in versions) + "."
    if len(versions) > 1:
        yield "Caution: these runs were made by different states of the source or versions of the packages."


def _missing(sections: Sequence[Section]) -> str:
    lines = []
    for section in sections:
        found = []
        sets, methods = missing_sets(section), missing_methods(section)
        if sets:
            found.append("no runs on " + ", ".join(f"{name} ({reason})" for name, reason in sets.items()))
        if methods:
            found.append(f"no runs of {', '.join(methods)}")
        gaps = sum(len(set(each.printed) - set(each.cells)) for each in section.compared)
        gaps -= sum(
            place[0] in sets or place[1] in methods
            for each in section.compared
            for place in set(each.printed) - set(each.cells)
        )
        if gaps:
            found.append(f"{gaps} further published cells without a run")
        if section.doubts:
            found.append(f"doubtful in the paper and not judged: {'; '.join(section.doubts)}")
        if found:
            lines.append(f"- {section.heading}: {'. '.join(text[0].upper() + text[1:] for text in found)}.")
    return "\n".join(lines) or "Nothing: every published figure of these tables has a run."


def detail_file(page: Page, section: Section) -> str:
    """Return the name of the CSV file with every cell of a section."""
    return f"data/{page.number}_{section.name}.csv"


def _section_text(page: Page, section: Section) -> Iterator[str]:
    yield f"## {section.heading}: {section.title}"
    if section.note:
        yield section.note[0].upper() + section.note[1:].rstrip(".") + "."
    for each in section.compared:
        runs = count_text([cell.ours.runs for cell in each.cells.values()])
        rule = f", {each.k_rule} k" if each.k_rule else ""
        yield f"### {each.metric}{rule}\n\nRuns per cell: {runs} (published: {each.paper_runs})."
        yield matrix(each)
    file = detail_file(page, section)
    yield f"Every cell with its standard deviation and number of runs: [{file}]({file})."
    for metric in dict.fromkeys(each.metric for each in section.compared):
        yield from _contests(page, section, [each for each in section.compared if each.metric == metric])


def _contests(page: Page, section: Section, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Wins, ties and losses, ranks and leaders, where methods are compared that are better or worse."""
    rule = METRICS.get(comparisons[0].metric, Metric())
    methods = list(dict.fromkeys(name for each in comparisons for name in each.names(1)))
    if len(methods) < 2 or not rule.judged or rule.better == 0:
        return
    labels: dict[tuple[str, str], str] = {}
    for each in comparisons:
        labels |= column_names(each)
    taking_part = entrants(comparisons, labels)
    own = [label for (method, _), label in labels.items() if method in page.own and label in taking_part]
    if own:
        yield f"### Wins / ties / losses, {comparisons[0].metric}"
        yield _test_text(page, section, contest_runs(taking_part))
        yield contest_table(taking_part, own, page.contests.get(section.name, {}))
    table, said = rank_table(taking_part, comparisons[0].printed_ranks)
    if table:
        yield f"### Average ranks, {comparisons[0].metric}\n\n{said}"
        yield table
    if section.name in page.leaders:
        leading = leader_table(taking_part, page.leaders[section.name])
        if leading:
            yield leading


def _test_text(page: Page, section: Section, runs: str) -> str:
    text = (
        f"{page.tests} *Ours*: paired t-test (p < {LEVEL:g}) on the runs that both methods have, for every data set "
        f"and k rule by itself, counted over these; {runs} runs. "
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
    lines = [
        f"- {section.heading}, {section.title}: [{detail_file(page, section)}]({detail_file(page, section)}); runs per "
        f"cell: {count_text([cell.ours.runs for each in section.comparisons for cell in each.cells.values()])}"
        f"{f' (published: {section.comparisons[0].paper_runs})' if section.comparisons[0].paper_runs > 1 else ''}"
        f"{f'; {section.note}' if section.note else ''}."
        for section in sections
    ]
    return "\n".join(["The figures behind the plots that have no published table:", "", *lines])
