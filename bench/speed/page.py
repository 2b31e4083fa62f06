"""docs/evidence/speed.md: growth, ratios and memory of every method, from the rows of a run."""

from __future__ import annotations

import os
import platform
import statistics
from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from bench.plots import Curve, Frame, draw_panels
from bench.speed.candidates import CANDIDATES
from bench.speed.default_path import COLUMNS as DEFAULT_COLUMNS
from bench.speed.default_path import default_section
from bench.speed.processes import fitted_exponent
from bench.speed.run import SIZES, predicted_seconds
from bench.store import ResultFile
from bench.targets.goals import COLUMNS as TARGET_COLUMNS
from bench.targets.goals import targets_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Row = Mapping[str, str]

__all__ = ["brief", "common_ratio", "growth", "replace_section", "speed_page", "write_page"]

BASELINES = {"labels": ("one-hot k-means", "scipy EAC"), "features": ("KMeans", "AgglomerativeClustering")}
GROUPS = {
    "linkage": ("eac", "weac", "lwea", "sal", "mdec", "pta", "ecpcs"),
    "cuts": ("lwgp", "hbgf", "gpmgla", "ptgp", "drec"),
    "counts": ("kcc", "ecc", "qmi", "sec", "em", "nmf"),
    "votes": ("voting", "median", "cspa", "hgpa", "mcla", "supra"),
    "links": ("cts", "srs", "asrs", "srw"),
    "learned": ("dlwecdl", "elwecdl", "ecmc", "spce", "trce", "ceshl"),
}
TITLES = {
    "linkage": "Linkage of objects",
    "cuts": "Cuts of graphs",
    "counts": "k-means and models of the labels",
    "votes": "Votes, medians, balanced parts",
    "links": "Similarity through clusters",
    "learned": "Learned similarity",
    "other": "Other methods",
    "features": "Methods on features",
}
_FAIR = 0.05  # processor seconds below which a ratio says little

_TEXT = """\
# Speed

How time and memory of every method grow with the number of objects, side by side with what one would write or pick
otherwise. Written by `python -m bench speed-page`; every run is a row of [speed.csv](speed.csv).

- *Data*: 20 Gaussians in 8 dimensions; on label matrices 10 made-up clusterings of 2 to 200 clusters of them; 20
  clusters asked for, default parameters.
- *Beside them*: `one-hot k-means` is scikit-learn's KMeans on one-hot labels, `scipy EAC` the dense co-association and
  scipy's average linkage; on the features scikit-learn's `KMeans` and `AgglomerativeClustering`. k-means has 10 starts,
  as consensa's methods have.
- *Time* is processor time on one thread, in a process of its own, after a warm-up on at most 1,700 objects, so without
  compilation. Size by size all candidates ran one after another, so a busy machine slows all alike.
- *Memory* is the peak of the resident memory during the call beyond that before it, per object.
- *Growth* is b of time = a n^b, fitted to the upper half of the sizes.
- A size was tried only if the growth so far predicted at most {limit:g} processor seconds{more}. So
  *largest n* is what was run here, no bound of the method.
- *Ratios* compare processor times at the largest n that both ran (in brackets); below 1 the method is faster. Single
  runs: read them as rough. "-" where one of both took less than {fair:g} s at every common size.
- Machine: {machine}. {load}

"""


def write_page(rows: Sequence[Row], page: Path) -> None:
    """Write the page and, beside it, its drawings."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(speed_page(rows), encoding="utf-8")
    measured = ResultFile(page.with_name("speed_default.csv"), DEFAULT_COLUMNS).rows()
    if measured:
        replace_section(page, default_section(measured))
    measured = ResultFile(page.with_name("speed_targets.csv"), TARGET_COLUMNS).rows()
    if measured:
        replace_section(page, targets_section(measured))
    finished = _finished(rows)
    for group, names in _groups(finished).items():
        data = "features" if group == "features" else "labels"
        shown = [name for name in (*names, *BASELINES[data]) if name in finished]
        unit = min(finished.get(BASELINES[data][0], finished[shown[0]]))[1]
        curves = [
            Curve(
                name,
                {n: (seconds / unit, float("nan")) for n, seconds, _ in finished[name]},
                strong=name in BASELINES[data],
            )
            for name in shown
        ]
        frame = Frame("objects", f"processor time, {BASELINES[data][0]} at 1,000 = 1", log="xy", across=1)
        draw_panels({TITLES[group]: curves}, frame, page.with_name(f"{page.stem}_{group}.svg"))


def speed_page(rows: Sequence[Row]) -> str:
    """Return the page as Markdown."""
    finished = _finished(rows)
    limits = _limits(rows)
    limit = statistics.median(limits.values())
    later = ", ".join(f"{name} {own:g}" for name, own in limits.items() if own > limit)
    more = f"\n  (with a larger limit, and later: {later})" if later else ""
    text = _TEXT.format(limit=limit, more=more, fair=_FAIR, machine=_machine(), load=_load(rows))
    parts = [text.rstrip()]
    for data, title in (("labels", "On label matrices"), ("features", "On features")):
        names = [name for name, each in CANDIDATES.items() if each.data == data and name in finished]
        if names:
            parts += [f"## {title}", _summary(finished, data), _table(rows, finished, names, data)]
            drawn = [group for group in _groups(finished) if (group == "features") == (data == "features")]
            parts += [f"![{TITLES[group]}](speed_{group}.svg)" for group in drawn]
    return "\n\n".join([*parts, _not_run(rows, finished)]) + "\n"


def replace_section(page: Path, section: str) -> None:
    """Put a section where its earlier form is, else before that on label matrices."""
    text, heading = page.read_text(encoding="utf-8"), section.partition("\n")[0]
    start = text.find(f"{heading}\n")
    end = text.index("## On label matrices") if start < 0 else text.index("\n## ", start) + 1
    page.write_text(f"{text[: end if start < 0 else start]}{section}\n\n{text[end:]}", encoding="utf-8")


def growth(points: Sequence[tuple[float, float]]) -> float | None:
    """Exponent of the growth on the upper half of the sizes, of which two are needed at least.

    Examples
    --------
    >>> round(growth([(10, 5.0), (100, 5.0), (1000, 50.0), (10000, 500.0)]), 3)
    1.0
    """
    upper = sorted(points)[len(points) // 2 :] if len(points) > 3 else sorted(points)[-2:]
    return fitted_exponent(*zip(*upper, strict=True)) if len(upper) > 1 else None


def common_ratio(own: Mapping[int, float], other: Mapping[int, float]) -> tuple[float, int] | None:
    """Ratio of the times at the largest common size, and that size; None if a time there is too short to tell.

    Examples
    --------
    >>> common_ratio({100: 1.0, 1000: 4.0}, {100: 1.0, 1000: 8.0, 10000: 80.0})
    (0.5, 1000)
    """
    common = sorted(set(own) & set(other))
    if not common or min(own[common[-1]], other[common[-1]]) < _FAIR:
        return None
    return own[common[-1]] / other[common[-1]], common[-1]


def _finished(rows: Sequence[Row]) -> dict[str, list[tuple[int, float, float]]]:
    """(n, processor seconds, bytes per object) of the finished runs, by candidate."""
    found: dict[str, list[tuple[int, float, float]]] = {}
    for row in sorted(rows, key=lambda row: int(row["n_objects"])):
        if row["status"] == "ok":
            n = int(row["n_objects"])
            extra = max(0.0, float(row["peak_mib"]) - float(row["start_mib"])) * 2**20 / n
            found.setdefault(row["method"], []).append((n, float(row["cpu_seconds"]), extra))
    return found


def _groups(finished: Mapping[str, object]) -> dict[str, list[str]]:
    placed = {name for names in GROUPS.values() for name in names}
    groups = {
        **GROUPS,
        "other": [
            name for name, each in CANDIDATES.items() if each.own and each.data == "labels" and name not in placed
        ],
        "features": [name for name, each in CANDIDATES.items() if each.own and each.data == "features"],
    }
    kept = {group: [name for name in names if name in finished] for group, names in groups.items()}
    return {group: names for group, names in kept.items() if names}


def _ratios(
    finished: Mapping[str, list[tuple[int, float, float]]], name: str, data: str
) -> list[tuple[float, int] | None]:
    times = {each: {n: seconds for n, seconds, _ in points} for each, points in finished.items()}
    return [common_ratio(times[name], times.get(other, {})) for other in BASELINES[data]]


def _table(
    rows: Sequence[Row], finished: Mapping[str, list[tuple[int, float, float]]], names: Sequence[str], data: str
) -> str:
    lines = []
    for name in names:
        n, _, extra = finished[name][-1]
        power = growth([(size, seconds) for size, seconds, _ in finished[name]])
        ratios = [
            "1" if name == other else _ratio(found)
            for other, found in zip(BASELINES[data], _ratios(finished, name, data), strict=True)
        ]
        shown = f"`{name}`" if CANDIDATES[name].own else f"**{name}**"
        lines.append(
            [shown, f"{n:,}", "-" if power is None else f"{power:.2f}", *ratios, f"{extra:,.0f}", _stop(rows, name)]
        )
    heading = ["", "largest n", "growth", *(f"time / {other}" for other in BASELINES[data]), "bytes per object", "then"]
    return markdown_table(heading, lines)


def _ratio(found: tuple[float, int] | None) -> str:
    return "-" if found is None else f"{brief(found[0])} ({found[1]:,})"


def brief(ratio: float) -> str:
    """Two digits are what a single run can tell."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _stop(rows: Sequence[Row], name: str) -> str:
    """Why no larger size was run."""
    own = sorted((row for row in rows if row["method"] == name), key=lambda row: int(row["n_objects"]))
    if own[-1]["status"] != "ok":
        return f"{int(own[-1]['n_objects']):,}: {own[-1]['status'].partition(';')[0]}"  # the figure, not the advice
    larger = [n for n in SIZES if n > int(own[-1]["n_objects"])]
    if not larger:
        return "-"
    limits = _limits(rows)
    times = predicted_seconds(own, larger[0]) / max(limits[name], statistics.median(limits.values()))
    return f"{larger[0]:,}: {times:.1f} times the limit" if times >= 1 else f"{larger[0]:,}: no time left"


def _limits(rows: Sequence[Row]) -> dict[str, float]:
    """The largest limit that every candidate was run with."""
    found: dict[str, float] = {}
    for row in rows:
        found[row["method"]] = max(float(row["limit"]), found.get(row["method"], 0.0))
    return found


def _summary(finished: Mapping[str, list[tuple[int, float, float]]], data: str) -> str:
    lines = []
    own = [name for name in finished if CANDIDATES[name].own and CANDIDATES[name].data == data]
    for place, other in enumerate(BASELINES[data]):
        found = {name: ratio for name in own if (ratio := _ratios(finished, name, data)[place])}
        if found:
            faster = sum(ratio < 1 for ratio, _ in found.values())
            low, high = min(found, key=lambda name: found[name][0]), max(found, key=lambda name: found[name][0])
            lines.append(
                f"- Against {other}, at the largest common size: {faster} of {len(found)} methods take less processor "
                f"time; from {brief(found[low][0])} times its time (`{low}`, {found[low][1]:,} objects) "
                f"to {brief(found[high][0])} times (`{high}`, {found[high][1]:,} objects)."
            )
    largest = max(finished[name][-1][0] for name in own) if own else 0
    there = ", ".join(f"`{name}`" for name in own if finished[name][-1][0] == largest)
    return "\n".join([*lines, f"- Largest n run: {largest:,}, by {there}."])


def _not_run(rows: Sequence[Row], finished: Mapping[str, object]) -> str:
    failed = {row["method"]: row["status"] for row in rows if row["method"] not in finished}
    absent = [name for name in CANDIDATES if name not in finished and name not in failed]
    lines = [f"- `{name}` finished no size: {status}." for name, status in failed.items()]
    if absent:
        lines.append(f"- Not run: {', '.join(f'`{name}`' for name in absent)}.")
    sizes = {int(row["n_objects"]) for row in rows}
    lines.append(
        f"- Sizes up to {max(sizes):,} were run. More threads, other ensembles and other parameters were not measured "
        "here; see [scale](../scale.md) for ensembles on disk."
    )
    return "## What was not run\n\n" + "\n".join(lines)


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores"


def _load(rows: Sequence[Row]) -> str:
    load = statistics.median(float(row["load"]) for row in rows)
    cores = os.cpu_count() or 1
    if load < cores:
        return "Hardly any other work ran on it."
    return (
        f"Other work ran on it at the same time (median load {load:.0f} on {cores} cores), which makes processor time "
        "vary as well."
    )
