"""Published figures beside ours, as text."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bench.statistics import MEAN_TOLERANCE, TOLERANCE, agreement, mean_of, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.data import Published
    from bench.tables import Table

__all__ = ["comparison", "ranking"]


def comparison(
    table: Table, rows: Sequence[Mapping[str, str]], published: Mapping[tuple[str, str, str], Published]
) -> str:
    """Compare the means of the runs with the published ones, method by method and k rule by k rule.

    Parameters
    ----------
    table : Table
    rows : rows of a result file
    published : dict of Published by (data set, method, k rule)

    Returns
    -------
    str
        Published, ours, difference and the standard error of our mean for every data set; a ``?`` marks a published
        figure that is probably a slip.
    """
    scores = _scores(rows)
    datasets = sorted({dataset for dataset, _, _ in scores}, key=str.lower)
    lines = [*_heading(table, rows, datasets, published)]
    for rule in table.protocol.k_rules:
        for method in table.registered():
            ours = {name: scores[name, method, rule] for name in datasets if scores.get((name, method, rule))}
            theirs = {name: published[name, method, rule] for name in ours if (name, method, rule) in published}
            if ours:
                lines += ["", *_block(f"{method}, {rule} k", ours, theirs)]
    return "\n".join(lines)


def ranking(
    table: Table, rows: Sequence[Mapping[str, str]], published: Mapping[tuple[str, str, str], Published]
) -> str:
    """Rank the methods by their mean over the data sets, with the difference from the published means.

    The differences leave out published figures that are probably slips. The ranks go by our mean over all data sets,
    and by the mean of the published figures on the same data sets.
    """
    scores = _scores(rows)
    lines = []
    for rule in table.protocol.k_rules:
        ours: dict[str, dict[str, float]] = defaultdict(dict)
        for (dataset, method, k_rule), values in scores.items():
            if k_rule == rule and method in table.registered():
                ours[method][dataset] = mean_of(values)
        if ours:
            theirs = {
                method: {name: published[name, method, rule] for name in cells if (name, method, rule) in published}
                for method, cells in ours.items()
            }
            lines += ["", *_ranked(f"mean, {rule} k", ours, theirs)]
    return "\n".join(lines[1:])


def _ranked(
    title: str, ours: Mapping[str, Mapping[str, float]], theirs: Mapping[str, Mapping[str, Published]]
) -> Iterator[str]:
    yield f"{title:<16}{'rank':>5}{'ours':>8}{'sets':>6}{'published':>11}{'their rank':>12}{'diff':>9}{'cells':>7}"
    sure = {
        method: {name: cell.mean for name, cell in cells.items() if not cell.doubt} for method, cells in theirs.items()
    }
    mean = {method: mean_of(cells.values()) for method, cells in ours.items()}
    stated = {method: mean_of(cells.values()) for method, cells in sure.items() if cells}
    by_theirs = sorted(stated, key=lambda method: -stated[method])
    short = []
    for rank, method in enumerate(sorted(mean, key=lambda method: -mean[method]), start=1):
        line = f"{method:<16}{rank:>5}{mean[method]:>8.3f}{len(ours[method]):>6}"
        if method in stated:
            difference = mean_of(ours[method][name] - value for name, value in sure[method].items())
            place = by_theirs.index(method) + 1
            line += f"{stated[method]:>11.3f}{place:>12}{difference:>+9.3f}{len(sure[method]):>7}"
            if difference < -MEAN_TOLERANCE:
                short.append(method)
        yield line
    yield f"more than {MEAN_TOLERANCE} below the published mean: {', '.join(short) or 'none'}"


def _scores(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, str, str], list[float]]:
    scores: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        scores[row["dataset"], row["method"], row["k_rule"]].append(float(row["score"]))
    return scores


def _heading(
    table: Table,
    rows: Sequence[Mapping[str, str]],
    datasets: list[str],
    published: Mapping[tuple[str, str, str], Published],
) -> Iterator[str]:
    protocol = table.protocol
    given = "".join(f", {name}={value}" for name, value in protocol.parameters.items())
    preset = "our defaults" if protocol.preset == "default" else "weaker settings as published"
    runs = ", ".join(
        f"{1 + max(int(row['run']) for row in rows if row['k_rule'] == rule)} with {rule} k"
        for rule in protocol.k_rules
        if any(row["k_rule"] == rule for row in rows)
    )
    setting = f"{protocol.score}, M={protocol.n_members}{given}, {preset}"
    yield f"Paper {table.paper}, Table {table.table}: {setting}; runs: {runs}."
    absent = sorted({dataset for dataset, _, _ in published} - set(datasets))
    if absent:
        yield f"No pool for: {', '.join(absent)}."
    left_out = [name for name in table.methods if name not in table.registered()]
    if left_out:
        yield f"Methods of the table that consensa does not have: {', '.join(left_out)}."
    if len({row["versions"] for row in rows}) > 1:
        yield "Caution: these runs were made by different states of the source or versions of the packages."


def _block(title: str, ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Published]) -> Iterator[str]:
    yield f"{title:<16}{'published':>10}{'ours':>9}{'diff':>9}{'SE':>8}{'runs':>6}"
    found = {name: summarise(values) for name, values in ours.items()}
    differences = {}
    for name, cell in found.items():
        left, difference = f"{'-':>10}", f"{'-':>9}"
        if name in theirs:
            differences[name] = cell.mean - theirs[name].mean
            left = f"{theirs[name].mean:>9.3f}{'?' if theirs[name].doubt else ' '}"
            difference = f"{differences[name]:>+9.3f}"
        yield f"{name:<16}{left}{cell.mean:>9.3f}{difference}{cell.error:>8.3f}{cell.runs:>6}"
    if differences:
        means = mean_of(theirs[name].mean for name in differences), mean_of(found[name].mean for name in differences)
        yield f"{'mean':<16}{means[0]:>9.3f} {means[1]:>9.3f}{mean_of(differences.values()):>+9.3f}"
        near = sum(agreement(value) in ("near", "above") for value in differences.values())
        yield f"within {TOLERANCE} of the published figure, or above it: {near} of {len(differences)} data sets"
