"""The page on the default method: what was searched, what won, and what it is worth on data that had no say."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from bench.markdown import markdown_table
from studies.default.differences import difference_table
from studies.default.points import GRID, METHODS, WINNER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["default_page", "target_lines"]

RIVALS = tuple(name for name in METHODS if name != WINNER)
GAIN, WORST = 0.02, 0.03

Means = dict[str, dict[str, tuple[float, float]]]


def default_page(rows: Sequence[Mapping[str, str]], text: str) -> str:
    """Fill the tables into the text of the page, at ``{{choosing}}``, ``{{reporting}}`` and so on."""
    parts = {
        "choosing": _block(rows, "choosing", 10, "0.0"),
        "choosing 30": _block(rows, "choosing", 30, "0.0"),
        "choosing 100": _block(rows, "choosing", 100, "0.0"),
        "noise": _block(rows, "choosing", 10, "0.2"),
        "everyday 20": _block(rows, "everyday", 20, "0.0"),
        "everyday 100": _block(rows, "everyday", 100, "0.0"),
        "kinds": kinds_table(_chosen(rows, "kinds", 20, "0.0")),
        "reporting": _block(rows, "reporting", 10, "0.0"),
        "reporting 100": _block(rows, "reporting", 100, "0.0"),
        "choosing differences": difference_table(_chosen(rows, "choosing", 10, "0.0"), WINNER, [*RIVALS, *GRID]),
        "reporting differences": difference_table(_chosen(rows, "reporting", 10, "0.0"), WINNER, RIVALS),
        "targets": "\n".join(target_lines(means_of(rows, "reporting", 10, "0.0"))) if "{{targets}}" in text else "",
        "versions": ", ".join(sorted({row["versions"].replace(";", ", ") for row in rows})),
    }
    for name, value in parts.items():
        text = text.replace("{{" + name + "}}", value)
    return text


def kinds_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Mean ARI by kind of members and point."""
    points = list(dict.fromkeys(row["point"] for row in rows))
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        found[row["dataset"], row["point"]].append(float(row["ARI"]))
    lines = [
        [kind, *(f"{np.mean(found[kind, point]):.3f}" for point in points)]
        for kind in dict.fromkeys(row["dataset"] for row in rows)
    ]
    return markdown_table(["kind of members", *points], lines) if lines else "Not run."


def means_of(rows: Sequence[Mapping[str, str]], part: str, n_members: int, noise: str) -> Means:
    """Mean NMI and ARI by point and data set; pools of the same data set count as one.

    Only runs that all points of a pool have count, so that all are compared on the same draws.
    """
    chosen = _chosen(rows, part, n_members, noise)
    shared = _shared_runs(chosen)
    pools: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in chosen:
        if row["run"] in shared[row["pool"]]:
            pools[row["point"], row["dataset"]][row["pool"]].append((float(row["NMI/sqrt"]), float(row["ARI"])))
    found: Means = defaultdict(dict)
    for (point, dataset), runs in pools.items():
        nmi, ari = np.mean([np.mean(values, axis=0) for values in runs.values()], axis=0)
        found[point][dataset] = (float(nmi), float(ari))
    return dict(found)


def _chosen(rows: Sequence[Mapping[str, str]], part: str, n_members: int, noise: str) -> list[Mapping[str, str]]:
    return [row for row in rows if (row["part"], row["n_members"], row["noise"]) == (part, str(n_members), noise)]


def _shared_runs(rows: Sequence[Mapping[str, str]]) -> dict[str, set[str]]:
    """Runs that every point has which has any, by pool."""
    runs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        runs[row["pool"]][row["point"]].add(row["run"])
    return {pool: set.intersection(*points.values()) for pool, points in runs.items()}


def target_lines(means: Means) -> Iterator[str]:
    """Say of every target on the reporting part whether it was met, and by how much not."""
    datasets = sorted(means[WINNER])
    complete = [name for name in RIVALS if set(means.get(name, {})) >= set(datasets)]
    overall = {name: np.mean([means[name][each] for each in datasets], axis=0) for name in (*complete, WINNER)}
    best = max(complete, key=lambda name: float(overall[name][0]))
    gain, ari = overall[WINNER] - overall[best]
    gaps = {each: means[WINNER][each][0] - means[best][each][0] for each in datasets}
    worst = min(gaps, key=lambda each: gaps[each])
    yield f"Over {len(datasets)} data sets the best single method by NMI is {best}, of {', '.join(complete)}."
    yield ""
    yield f"- NMI at least {GAIN} above it: {_verdict(gain >= GAIN)}, {gain:+.4f}."
    yield f"- ARI at least {GAIN} above it: {_verdict(ari >= GAIN)}, {ari:+.4f}."
    yield (
        f"- No data set more than {WORST} NMI below it: {_verdict(gaps[worst] >= -WORST)}, "
        f"the worst is {worst} with {gaps[worst]:+.4f}."
    )


def _verdict(met: bool) -> str:  # noqa: FBT001
    return "met" if met else "**not met**"


def _block(rows: Sequence[Mapping[str, str]], part: str, n_members: int, noise: str) -> str:
    means = means_of(rows, part, n_members, noise)
    if not means:
        return "Not run."
    datasets = sorted({each for cells in means.values() for each in cells}, key=str.lower)
    full = [name for name in (*METHODS, *GRID) if set(means.get(name, {})) >= set(datasets)]
    rest = [name for name in (*METHODS, *GRID) if name in means and name not in full]
    order = sorted(full, key=lambda name: -float(np.mean([means[name][each][0] for each in datasets]))) + rest
    table = markdown_table(
        ["point", "NMI", "ARI", *datasets],
        [[_bold(name), *_overall(means[name], datasets), *_cells(means[name], datasets)] for name in order],
    )
    return f"{table}\n\nNMI of each data set; runs: {_runs(rows, part, n_members, noise)}."


def _bold(name: str) -> str:
    return f"**{name}**" if name == WINNER else name


def _overall(cells: Mapping[str, tuple[float, float]], datasets: Sequence[str]) -> list[str]:
    if len(cells) < len(datasets):
        return ["", ""]
    return [f"{value:.4f}" for value in np.mean([cells[each] for each in datasets], axis=0)]


def _cells(cells: Mapping[str, tuple[float, float]], datasets: Sequence[str]) -> list[str]:
    return [f"{cells[each][0]:.3f}" if each in cells else "not run" for each in datasets]


def _runs(rows: Sequence[Mapping[str, str]], part: str, n_members: int, noise: str) -> str:
    """How many runs count, by pool."""
    by_number: dict[int, list[str]] = defaultdict(list)
    for pool, runs in _shared_runs(_chosen(rows, part, n_members, noise)).items():
        by_number[len(runs)].append(pool.replace("_", " "))
    return "; ".join(f"{number} ({', '.join(sorted(names, key=str.lower))})" for number, names in by_number.items())
