"""Tables and a figure of the choices of k: hits within 20 % of the number of classes, by group of data sets."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["choice_cost", "choice_figure", "choice_report", "hit_rates", "is_hit"]

GROUPS = ("design", "held out", "given")
ORDER = (
    ("lwea", "rule"), ("lwea", "lifetime"), ("lwea", "eigengap"), ("lwea", "agreement"), ("lwea", "stability"),
    ("lwea", "silhouette (ensemble)"), ("lwgp", "rule"), ("lwgp", "eigengap"), ("lwgp", "agreement"),
    ("lwgp", "stability"), ("k-means", "silhouette (features)"), ("-", "constant"),
)  # fmt: skip

Rates = dict[tuple[str, str], dict[str, tuple[float, float, int]]]


def is_hit(k: int, n_classes: int) -> bool:
    """Whether k lies within 20 % of the number of classes."""
    return abs(k - n_classes) <= 0.2 * n_classes


def hit_rates(rows: list[dict[str, str]]) -> Rates:
    """Return hit rate, mean factor by which k is off, and number of data sets, by (method, rule) and group.

    Draws are averaged within a pool, pools within a data set, so that every data set counts once.
    """
    found: dict[tuple[str, str, str], dict[str, dict[str, list[tuple[float, float]]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in rows:
        k, n_classes = int(row["k"]), int(row["n_classes"])
        value = (float(is_hit(k, n_classes)), abs(np.log(k / n_classes)))
        found[row["method"], row["rule"], row["group"]][row["data"]][row["pool"]].append(value)
    rates: Rates = defaultdict(dict)
    for (method, rule, group), sets in found.items():
        each = [np.mean([np.mean(values, axis=0) for values in pools.values()], axis=0) for pools in sets.values()]
        hit, off = np.mean(each, axis=0)
        rates[method, rule][group] = float(hit), float(np.exp(off)), len(each)
    return dict(rates)


def choice_report(rows: list[dict[str, str]]) -> str:
    """Write the hit rates and the choices per pool as Markdown."""
    rates = hit_rates(rows)
    lines = ["| method | rule | " + " | ".join(GROUPS) + " |", "|---|---|" + "---:|" * len(GROUPS)]
    lines += [
        f"| {method} | {rule} | " + " | ".join(_rate(rates[method, rule].get(group)) for group in GROUPS) + " |"
        for method, rule in ORDER
        if (method, rule) in rates
    ]
    return "\n".join([*lines, "", *_per_pool(rows), "", choice_cost(rows)])


def choice_cost(rows: list[dict[str, str]]) -> str:
    """Medians over pools and draws: seconds of one fit and of all curves, and how many fits the curves cost."""
    lines = []
    for method in ("lwea", "lwgp"):
        fit, curves = (
            {(row["pool"], row["run"]): float(row["seconds"]) for row in rows if (row["method"], row["rule"]) == key}
            for key in ((method, "fit"), (method, "rule"))
        )
        seconds = [np.median(list(taken.values())) for taken in (fit, curves)]
        ratio = np.median([curves[key] / fit[key] for key in fit])
        lines.append(
            f"{method}: one fit {seconds[0]:.2f} s, all curves {seconds[1]:.2f} s or {ratio:.0f} fits (medians)."
        )
    return "\n".join(lines)


def choice_figure(rows: list[dict[str, str]], path: Path) -> None:
    """Draw the chosen k against the number of classes, one dot per pool and draw."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
    for axis, method in zip(axes, ("lwea", "lwgp"), strict=True):
        for group, colour in (("design", "#888888"), ("held out", "#1f5fa8")):
            points = [
                (int(row["n_classes"]), int(row["k"]))
                for row in rows
                if (row["method"], row["rule"], row["group"]) == (method, "rule", group)
            ]
            x, y = np.array(points).T if points else (np.empty(0), np.empty(0))
            shift = np.exp(np.random.default_rng(0).uniform(-0.03, 0.03, x.size))
            axis.scatter(x * shift, y, s=14, alpha=0.7, color=colour, label=group, linewidths=0)
        line = np.array([3, 40])
        axis.fill_between(line, 0.8 * line, 1.2 * line, color="#1f5fa8", alpha=0.12, linewidth=0)
        axis.set(xscale="log", yscale="log", xlabel="number of classes", title=method.upper())
        for side in (axis.xaxis, axis.yaxis):
            side.set_major_locator(mpl.ticker.FixedLocator([2, 4, 7, 10, 20, 40]))
            side.set_major_formatter(mpl.ticker.ScalarFormatter())
            side.set_minor_locator(mpl.ticker.NullLocator())
    axes[0].set_ylabel("chosen k")
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def _rate(found: tuple[float, float, int] | None) -> str:
    return "-" if found is None else f"{100 * found[0]:.0f} % (x {found[1]:.1f})"


def _per_pool(rows: list[dict[str, str]]) -> list[str]:
    shown = [key for key in ORDER if key[1] in ("rule", "agreement", "lifetime", "eigengap", "stability")]
    votes: dict[tuple[str, str, str], dict[tuple[str, str], list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        votes[row["group"], row["pool"], row["n_classes"]][row["method"], row["rule"]].append(int(row["k"]))
    head = "| group | pool | classes | " + " | ".join(f"{method} {rule}" for method, rule in shown) + " |"
    lines = [head, "|---|---|---:|" + "---:|" * len(shown)]
    for (group, pool, n_classes), found in sorted(votes.items()):
        cells = (", ".join(map(str, found.get(key, ["-"]))) for key in shown)
        lines.append(f"| {group} | {pool} | {n_classes} | " + " | ".join(cells) + " |")
    return lines
