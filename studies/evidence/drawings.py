"""Which figure shows what: from comparisons to the curves, dots and counts of a plot."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bench.plots import Curve, Frame, draw_counts, draw_dots, draw_panels
from studies.evidence.rows import count_text, is_number
from studies.reproduce.schema import setting_parts
from studies.statistics import common_cells, mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from studies.evidence.cells import Cell, Comparison

__all__ = ["Drawing", "best_counts", "draw", "mean_curve", "shared_means", "sweep"]

Sweep = dict[str, dict[str, dict[str, "Cell"]]]  # curve, data set, place on the x axis


@dataclass(frozen=True)
class Drawing:
    """A figure of a page.

    Parameters
    ----------
    name : str
        End of the file name.
    title : str
        With the table or figure of the paper.
    tables : tuple of str
        Exhibits whose runs are drawn.
    metric : str
    rules : tuple of str
        k rules whose runs are drawn.
    key : str
        The part of the settings that is varied; "" for dots that are the methods.
    kind : {"data sets", "methods", "dots", "counts"}
        Panels by data set; panels by method with the mean over the data sets; rows of dots; how often a value of
        ``key`` was the best of its draw.
    fixed : dict
        Parts that settings must have.
    absent : str or None
        What settings without ``key`` stand for: a place of this name, a level across the panel for "", nothing for
        None.
    x, y : str
        Labels; no ``y`` for the metric.
    log : str
    scaled : bool
        Whether the x axis has a scale, or its places stand side by side.
    across : int
        Panels in a row.
    names : dict of str
        Parts of settings by other names.
    note : str
        Said below the figure.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    metric: str
    rules: tuple[str, ...] = ("true",)
    key: str = ""
    kind: str = "data sets"
    fixed: Mapping[str, str] = field(default_factory=dict)
    absent: str | None = None
    x: str = ""
    y: str = ""
    log: str = ""
    scaled: bool = True
    across: int = 4
    names: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def draw(drawing: Drawing, comparisons: Sequence[Comparison], own: Sequence[str], target: Path) -> str:
    """Draw a figure, the paper's own methods on top, and say how many runs it shows; "" if there is nothing to draw."""
    chosen = [
        each
        for each in comparisons
        if each.table in drawing.tables and each.metric == drawing.metric and each.k_rule in drawing.rules
    ]
    found = sweep(chosen, drawing.key, drawing.fixed, drawing.absent)
    for part, other in drawing.names.items():
        found = {name.replace(part, other): cells for name, cells in found.items()}
    cells = [(place, cell) for sets in found.values() for points in sets.values() for place, cell in points.items()]
    if len({place for place, _ in cells}) < (2 if drawing.key else 1):
        return ""
    label = drawing.y or drawing.metric
    if drawing.kind == "dots" and drawing.key:
        n_sets, rows = _mean_dots(found)
        if n_sets < 2:
            return ""
        draw_dots(rows, f"{label}, mean of {n_sets} data sets", target)
    elif drawing.kind == "dots":
        draw_dots(_dots(found), label, target)
    elif drawing.kind == "counts":
        draw_counts(best_counts(found), drawing.x, "draws", target)
    else:
        places = _places(found, scaled=drawing.scaled)
        ticks = {} if drawing.scaled else {place: text for text, place in places.items() if text}
        frame = Frame(drawing.x or drawing.key, label, ticks, drawing.log, drawing.across)
        panels = {
            title: [replace(curve, strong=curve.name in own) for curve in curves]
            for title, curves in _panels(found, places, drawing.kind).items()
        }
        draw_panels(panels, frame, target)
    return f"Runs per mark: {count_text([cell.ours.runs for _, cell in cells])}."


def sweep(
    comparisons: Sequence[Comparison], key: str = "", fixed: Mapping[str, str] | None = None, absent: str | None = None
) -> Sweep:
    """Sort the cells into curves, data sets and places.

    A curve is a method; where its settings differ in more than ``key``, in those parts too.
    """
    wanted = fixed or {}
    found: dict[tuple[str, str], dict[str, dict[str, Cell]]] = defaultdict(lambda: defaultdict(dict))
    for each in comparisons:
        for (dataset, method, setting), cell in each.cells.items():
            parts = setting_parts(setting)
            place = parts.get(key, absent) if key else ""
            if place is None or any(parts.get(name) != value for name, value in wanted.items()):
                continue
            rest = ", ".join(f"{name}={value}" for name, value in parts.items() if name not in (key, *wanted))
            found[method, rest][dataset][place] = cell
    variants = Counter(method for method, _ in found)
    return {
        f"{method}, {rest or 'default'}" if variants[method] > 1 else method: dict(cells)
        for (method, rest), cells in found.items()
    }


def _places(found: Sweep, *, scaled: bool) -> dict[str, float]:
    """Where the values stand on the x axis: as numbers, or side by side with what is no number at the end."""
    texts = {text for cells in found.values() for points in cells.values() for text in points if text}
    ordered = sorted(texts, key=lambda text: (not is_number(text), float(text) if is_number(text) else 0.0, text))
    return {"": 0.0} | {text: float(text) if scaled else float(place) for place, text in enumerate(ordered)}


def _panels(found: Sweep, places: Mapping[str, float], kind: str) -> dict[str, list[Curve]]:
    n_sets, means = shared_means(found, places)
    title = f"mean of {n_sets} data sets"
    panels: dict[str, list[Curve]] = defaultdict(list)
    if kind == "methods":
        for name, curve in means.items():
            method, _, rest = name.partition(", ")
            panels[f"{method}, {title}"].append(replace(curve, name=rest or method))
        return dict(panels)
    for name, cells in found.items():
        for dataset, points in cells.items():
            panels[dataset].append(_curve(name, points, places))
    levels = any(curve.flat for curves in panels.values() for curve in curves)
    return dict(panels) if levels or n_sets < 2 else {**panels, title: list(means.values())}


def _curve(name: str, points: Mapping[str, Cell], places: Mapping[str, float]) -> Curve:
    return Curve(
        name,
        {places[text]: (cell.ours.mean, cell.ours.error) for text, cell in points.items()},
        {places[text]: cell.printed.mean for text, cell in points.items() if cell.printed},
        flat="" in points,
    )


def shared_means(found: Sweep, places: Mapping[str, float]) -> tuple[int, dict[str, Curve]]:
    """Return the mean curves over the data sets that all of them have in full, and the number of these.

    Curves with less than half of the data sets are left out, so that they do not cost the others theirs.
    """
    texts = {name: {text for points in cells.values() for text in points} for name, cells in found.items()}
    full = {
        name: {dataset: 1.0 for dataset, points in cells.items() if set(points) == texts[name]}
        for name, cells in found.items()
    }
    names, datasets = common_cells([full])
    if not datasets:
        return 0, {}
    return len(datasets), {name: mean_curve(name, [found[name][each] for each in datasets], places) for name in names}


def mean_curve(name: str, datasets: Sequence[Mapping[str, Cell]], places: Mapping[str, float]) -> Curve:
    """Mean over data sets that have the same places, with the standard error of that mean."""
    ours, printed = {}, {}
    for text in datasets[0]:
        column = [points[text] for points in datasets]
        error = float(np.sqrt(np.sum([cell.ours.error**2 for cell in column])) / len(column))
        ours[places[text]] = (mean_of(cell.ours.mean for cell in column), error)
        theirs = [cell.printed.mean for cell in column if cell.printed]
        if len(theirs) == len(column):
            printed[places[text]] = mean_of(theirs)
    return Curve(name, ours, printed)


def _dots(found: Sweep) -> dict[str, dict[str, tuple[float, float]]]:
    """Rows of dots: data sets with the mean and standard deviation of every method."""
    rows: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for name, cells in found.items():
        for dataset, points in cells.items():
            cell = next(iter(points.values()))
            rows[dataset][name] = (cell.ours.mean, cell.ours.sd)
    return dict(rows)


def _mean_dots(found: Sweep) -> tuple[int, dict[str, dict[str, tuple[float, float]]]]:
    """Rows of dots: places with the mean and standard error of every method over the data sets."""
    places = {
        text: float(i) for i, text in enumerate(sorted({t for c in found.values() for p in c.values() for t in p}))
    }
    n_sets, means = shared_means(found, places)
    rows = {
        text: {name: curve.points[place] for name, curve in means.items() if place in curve.points}
        for text, place in places.items()
    }
    return n_sets, rows


def best_counts(found: Sweep) -> dict[str, dict[str, int]]:
    """Count for every curve in how many draws a place was the first best."""
    counts = {}
    for name, cells in found.items():
        texts = sorted({text for points in cells.values() for text in points}, key=float)
        best: Counter[str] = Counter()
        for points in cells.values():
            runs = set.intersection(*(set(cell.runs) for cell in points.values()))
            here = [text for text in texts if text in points]
            for run in sorted(runs):
                scores = {text: points[text].runs[run] for text in here}
                best[max(scores, key=scores.__getitem__)] += 1
        counts[name] = {text: best[text] for text in texts}
    return counts
