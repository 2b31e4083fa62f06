"""Methods against each other: wins, ties and losses by tests, average ranks, and who is among the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from studies.evidence.cells import METRICS, Metric
from studies.evidence.markdown import number
from studies.statistics import (
    Summary,
    average_ranks,
    common_cells,
    leaders,
    mean_of,
    paired_contest,
    summary_contest,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from studies.evidence.cells import Cell, Comparison
    from studies.evidence.papers import Leaders

__all__ = ["FEWEST", "Entrant", "contest_counts", "contest_table", "entrants", "leader_table", "rank_table"]

Counts = tuple[int, int, int]
Figures = dict[str, dict[str, float]]
KINDS = ("ours", "better mean", "published figures", "printed")
FEWEST = 3  # runs that both methods have; with fewer a test says nothing


@dataclass(frozen=True)
class Entrant:
    """A method with one setting, over all data sets and k rules of a table in one metric.

    Parameters
    ----------
    method : str
    cells : dict of Cell by "data set, k rule"
    better : {1, -1}
        Whether more or less is better.
    paper_runs : int
        Runs behind a published figure.
    """

    method: str
    cells: Mapping[str, Cell]
    better: int
    paper_runs: int

    def ours(self) -> dict[str, float]:
        """Our means, turned so that more is better."""
        return {name: self.better * cell.ours.mean for name, cell in self.cells.items()}

    def theirs(self) -> dict[str, float]:
        """Published means that are not doubtful, turned so that more is better."""
        return {
            name: self.better * cell.printed.mean
            for name, cell in self.cells.items()
            if cell.printed is not None and not cell.printed.doubt
        }


def entrants(comparisons: Sequence[Comparison], labels: Mapping[tuple[str, str], str]) -> dict[str, Entrant]:
    """Collect the cells of every method over the k rules of a table.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of one table in one metric.
    labels : dict of str by (method, setting)
        What takes part, and under which name.
    """
    better = METRICS.get(comparisons[0].metric, Metric()).better
    found = {}
    for pair, label in labels.items():
        cells = {
            f"{place[0]}, {each.k_rule}": cell
            for each in comparisons
            for place, cell in each.cells.items()
            if place[1:] == pair
        }
        if cells:
            found[label] = Entrant(pair[0], cells, better, comparisons[0].paper_runs)
    return found


def contest_counts(ours: Entrant, other: Entrant) -> Counts:
    """Count wins, ties and losses by the paired t-test, over the cells in which both have at least three runs."""
    return _counts(
        ours.better * paired_contest(ours.cells[name].runs, other.cells[name].runs) for name in _contested(ours, other)
    )


def printed_counts(ours: Entrant, other: Entrant) -> Counts | None:
    """Count the same on the same cells by the unpaired t-test on published means and deviations; None without these."""
    verdicts = []
    for name in _contested(ours, other):
        summaries = [_printed_summary(each.cells[name], each.paper_runs) for each in (ours, other)]
        if summaries[0] is not None and summaries[1] is not None:
            verdicts.append(ours.better * summary_contest(summaries[0], summaries[1]))
    return _counts(verdicts) if verdicts else None


def _contested(ours: Entrant, other: Entrant) -> list[str]:
    return [
        name
        for name, cell in ours.cells.items()
        if name in other.cells and len(cell.runs.keys() & other.cells[name].runs.keys()) >= FEWEST
    ]


def _printed_summary(cell: Cell, runs: int) -> Summary | None:
    if cell.printed is None or cell.printed.doubt or cell.printed.std is None or runs < 2:
        return None
    return Summary(cell.printed.mean, cell.printed.std, runs)


def _counts(verdicts: Iterable[int]) -> Counts:
    found = list(verdicts)
    return found.count(1), found.count(0), found.count(-1)


def contest_table(
    entrants: Mapping[str, Entrant], own: Sequence[str], printed: Mapping[str, Mapping[str, Counts]]
) -> str:
    """Write wins / ties / losses of the paper's own methods against all others.

    Parameters
    ----------
    entrants : dict of Entrant by name
    own : sequence of str
        The paper's own methods among them.
    printed : dict of dict of counts
        As the paper prints them, over all its data sets.
    """
    rows: dict[str, dict[tuple[str, str], str]] = {name: {} for name in entrants}
    for mine in own:
        for other in entrants:
            if other == mine:
                continue
            texts = {
                "ours": _counts_text(contest_counts(entrants[mine], entrants[other])),
                "better mean": better_means(entrants[mine], entrants[other]),
                "published figures": _counts_text(printed_counts(entrants[mine], entrants[other])),
                "printed": _counts_text(printed.get(entrants[mine].method, {}).get(entrants[other].method)),
            }
            rows[other] |= {(mine, kind): text for kind, text in texts.items() if text}
    used = {column for cells in rows.values() for column in cells}
    order = [(mine, kind) for mine in own for kind in KINDS if (mine, kind) in used]
    body = [[f"against {name}", *(cells.get(column, "") for column in order)] for name, cells in rows.items() if cells]
    return markdown_table(["", *(f"{mine}: {kind}" for mine, kind in order)], body) if body else ""


def _counts_text(counts: Counts | None) -> str:
    return "{}/{}/{}".format(*counts) if counts is not None and any(counts) else ""


def better_means(ours: Entrant, other: Entrant) -> str:
    """Write on how many cells the first has the better mean over the runs that both have, however many these are."""
    means = {name: _shared_mean(name, (ours, other)) for name in ours.cells if name in other.cells}
    verdicts = [pair[0] > pair[1] for pair in means.values() if pair]
    return f"{sum(verdicts)} of {len(verdicts)}" if verdicts else ""


def _shared_mean(name: str, entrants: Sequence[Entrant]) -> list[float]:
    """Return the means of a cell over the runs that all have, turned so that more is better; none without such runs."""
    runs = set.intersection(*(set(each.cells[name].runs) for each in entrants))
    return (
        [each.better * mean_of(each.cells[name].runs[run] for run in sorted(runs)) for each in entrants] if runs else []
    )


def _ranked(entrants: Mapping[str, Entrant]) -> tuple[list[str], list[str], Figures, Figures]:
    """Return methods and cells that can be ranked, our means over the runs that all have, and the published figures."""
    theirs = {name: each.theirs() for name, each in entrants.items()}
    methods, cells = common_cells([{name: each.ours() for name, each in entrants.items()}, theirs])
    ours: Figures = {method: {} for method in methods}
    for cell in cells:
        means = _shared_mean(cell, [entrants[method] for method in methods])
        for method, mean in zip(methods, means, strict=False):
            ours[method][cell] = mean
    ranked = [cell for cell in cells if all(cell in ours[method] for method in methods)]
    return methods, ranked, ours, theirs


def rank_table(entrants: Mapping[str, Entrant], overall: Mapping[str, float]) -> tuple[str, str]:
    """Write average ranks, ours and those of the published figures on the same cells; and a sentence about the cells.

    Parameters
    ----------
    entrants : dict of Entrant by name
    overall : dict of float by method
        Average ranks that the paper prints for all its data sets.
    """
    methods, cells, ours, theirs = _ranked(entrants)
    if len(methods) < 2 or not cells:
        return "", ""
    ranks = average_ranks(ours, methods, cells), average_ranks(theirs, methods, cells)
    better = next(iter(entrants.values())).better
    rows = []
    for method in sorted(methods, key=lambda name: ranks[0][name]):
        means = [better * mean_of(figures[method][cell] for cell in cells) for figures in (ours, theirs)]
        row = [method, f"{ranks[0][method]:.2f}", f"{ranks[1][method]:.2f}", *map(number, means)]
        stated = overall.get(entrants[method].method)
        rows.append(row + ([] if not overall else [""] if stated is None else [f"{stated:.2f}"]))
    heading = ["method", "our rank", "published rank", "our mean", "published mean"]
    left_out = [name for name in entrants if name not in methods]
    said = (
        f"Average ranks over the {len(cells)} cells (data set and k rule) that all {len(methods)} methods have; our "
        "means are over the runs that all of them have."
    )
    if left_out:
        said += f" Left out, with fewer cells: {', '.join(left_out)}."
    return markdown_table(heading + (["printed rank, all its data sets"] if overall else []), rows), said


def leader_table(entrants: Mapping[str, Entrant], printed: Leaders) -> str:
    """Write how often each method is among the first: ours, published on the same cells, in the text of the paper."""
    methods, cells, ours, theirs = _ranked(entrants)
    if len(methods) < 2 or not cells:
        return ""
    counts = [leaders(figures, methods, cells, printed.places) for figures in (ours, theirs)]
    rows = [
        [name, *(str(count[name]) for count in counts), str(printed.printed.get(entrants[name].method, ""))]
        for name in sorted(methods, key=lambda name: -counts[0][name])
    ]
    heading = [
        f"among the best {printed.places}",
        f"ours, of {len(cells)}",
        f"published figures, of the same {len(cells)}",
        f"text of the paper, of {printed.cells}",
    ]
    return markdown_table(heading, rows)
