"""Figures as SVG: small panels of curves, rows of dots, columns of counts. The same input gives the same file."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["Curve", "Frame", "draw_axes", "draw_counts", "draw_dots", "draw_panels"]

# Okabe & Ito: told apart by colour-blind readers; shapes say the same
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333", "#8A6FB3", "#9A9A00", "#7F7F7F")
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")
MOST_SHADED = 6  # curves in a panel; above that the shades only hide each other
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "consensa",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    name : str
        In the legend; the same name has the same colour in all panels.
    points : dict of (value, standard error) by place on the x axis
    printed : dict of float by place
        Published values, drawn as open marks.
    flat : bool
        A level across the panel, for what does not depend on x.
    strong : bool
        Drawn thicker and on top.
    """

    name: str
    points: Mapping[float, tuple[float, float]]
    printed: Mapping[float, float] = field(default_factory=dict)
    flat: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Frame:
    """Axes of a figure.

    Parameters
    ----------
    x, y : str
        Labels, with units.
    ticks : dict of str by place
        Names of places, where the x axis has no scale.
    log : str
        Axes with a logarithmic scale: "", "x" or "xy".
    across : int
        Panels in a row.
    """

    x: str
    y: str
    ticks: Mapping[float, str] = field(default_factory=dict)
    log: str = ""
    across: int = 4


def draw_panels(panels: Mapping[str, Sequence[Curve]], frame: Frame, target: Path) -> None:
    """Draw one panel per data set; filled marks are ours, open ones are published.

    Standard errors are shaded where no more than six curves share the panels.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    across = min(frame.across, len(panels))
    down = -(-len(panels) // across)
    names = list(dict.fromkeys(curve.name for curves in panels.values() for curve in curves))
    width, height = (max(2.5 * across, 5.0), 2.0) if across > 1 else (6.0, 3.2)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height * down + 0.6), layout="constrained", facecolor="white")
        axes = figure.subplots(down, across, squeeze=False, sharex=True).ravel()
        for place, (axis, (title, curves)) in enumerate(zip(axes, panels.items(), strict=False)):
            for curve in curves:
                _draw_curve(axis, curve, names.index(curve.name), shaded=len(names) <= MOST_SHADED)
            axis.set_title(title)
            _scale(axis, frame, [x for curve in curves for x in curve.points])
            axis.tick_params(labelbottom=place + across >= len(panels))
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        figure.supxlabel(frame.x, fontsize=9)
        figure.supylabel(frame.y, fontsize=9)
        _legend(figure, names, any(curve.printed for curves in panels.values() for curve in curves))
        _save(figure, target)


def _look(place: int) -> dict[str, Any]:
    """Colour, mark and line of a curve; the second ten have broken lines and other marks for the same colours."""
    again = place // len(COLOURS)
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": SHAPES[(place + 3 * again) % len(SHAPES)],
        "linestyle": (0, (4, 2)) if again else "-",
    }


def _draw_curve(axis: Any, curve: Curve, place: int, *, shaded: bool) -> None:
    look = _look(place)
    line: dict[str, Any] = {
        "markersize": 3.2,
        "linewidth": 1.9 if curve.strong else 1.0,
        "zorder": 3 if curve.strong else 2,
    }
    x = sorted(curve.points)
    y, errors = np.array([curve.points[each] for each in x], float).reshape(-1, 2).T
    if curve.flat:
        axis.axhline(y.mean(), color=look["color"], linewidth=1.5, linestyle=(4 * place, (4, 4)))  # levels may coincide
    else:
        axis.plot(x, y, **line, **look)
    if shaded and not curve.flat and not np.isnan(errors).all():
        lower, upper = y - np.nan_to_num(errors), y + np.nan_to_num(errors)
        axis.fill_between(x, lower, upper, color=look["color"], alpha=0.18, linewidth=0)
    if curve.printed:
        open_mark: dict[str, Any] = {
            "linestyle": "none",
            "markerfacecolor": "none",
            "markersize": 6.5,
            "markeredgewidth": 0.9,
        }
        axis.plot(list(curve.printed), list(curve.printed.values()), **(look | open_mark))


def _scale(axis: Any, frame: Frame, x: Sequence[float]) -> None:
    ticks = dict(frame.ticks)
    if "x" in frame.log:
        axis.set_xscale("log")
        ticks = {place: f"{place:,g}" for place in sorted(set(x))}
        axis.minorticks_off()
    if "y" in frame.log:
        axis.set_yscale("log")
    if ticks:
        axis.set_xticks(list(ticks), list(ticks.values()), rotation=0 if len(ticks) < 6 else 60)
    axis.tick_params(labelsize=7.5)
    axis.grid(alpha=0.25, linewidth=0.6)


def _legend(figure: Any, names: Sequence[str], published: bool) -> None:  # noqa: FBT001
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], markersize=4, label=name, **_look(place)) for place, name in enumerate(names)]
    if published:
        open_mark: dict[str, Any] = {
            "linestyle": "none",
            "markerfacecolor": "none",
            "markersize": 6.5,
            "label": "published",
        }
        handles.append(Line2D([], [], marker="o", color="#333333", **open_mark))
    letters = max(len(name) for name in names)
    fitting = int(figure.get_size_inches()[0] / (0.55 + 0.07 * letters))
    figure.legend(handles=handles, loc="outside upper center", ncols=max(1, min(len(handles), fitting)), fontsize=8.5)


def draw_dots(rows: Mapping[str, Mapping[str, tuple[float, float]]], label: str, target: Path) -> None:
    """Draw a row of dots per data set, one dot per series, with its spread to both sides."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for dots in rows.values() for name in dots))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.32 * len(rows) + 1.2), layout="constrained", facecolor="white")
        axis = figure.subplots()
        for height, dots in enumerate(rows.values()):
            for name, (value, spread) in dots.items():
                place = names.index(name)
                shift = height + 0.7 / len(names) * (place - (len(names) - 1) / 2)
                bar = None if np.isnan(spread) else spread
                axis.errorbar(value, shift, xerr=bar, markersize=4, elinewidth=1, **_look(place))
        axis.set_yticks(range(len(rows)), list(rows))
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_xlabel(label)
        axis.grid(axis="x", alpha=0.25, linewidth=0.6)
        _legend(figure, names, published=False)
        _save(figure, target)


def draw_counts(counts: Mapping[str, Mapping[str, int]], x: str, y: str, target: Path) -> None:
    """Draw columns of counts, one panel per series."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.6 * len(counts), 2.6), layout="constrained", facecolor="white")
        axes = figure.subplots(1, len(counts), squeeze=False, sharey=True)[0]
        for place, (axis, (title, found)) in enumerate(zip(axes, counts.items(), strict=True)):
            axis.bar(list(found), list(found.values()), color=COLOURS[place])
            axis.set(title=title, xlabel=x)
            axis.tick_params(axis="x", rotation=70, labelsize=7.5)
        axes[0].set_ylabel(y)
        _save(figure, target)


def draw_axes(paint: Callable[[Any], None], shape: tuple[int, int], size: tuple[float, float], target: Path) -> None:
    """Draw whatever a function paints on a grid of axes, shape (rows, columns)."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        paint(figure.subplots(*shape, squeeze=False))
        _save(figure, target)


def _save(figure: Any, target: Path) -> None:
    """Save as SVG without a date, with two digits after the point, which is finer than a screen and half the size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    bare = re.sub(r"\s*<!--.*?-->", "", text.getvalue(), flags=re.DOTALL)
    target.write_text(re.sub(r"<[^>]+>", _shorten, bare), encoding="utf-8")


def _shorten(tag: re.Match[str]) -> str:
    """Shorten the coordinates of a tag; the text between tags stays as it is."""
    return re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match.group()):.2f}", tag.group())
