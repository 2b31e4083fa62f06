"""Is the confidence of an object worth anything? Accuracy by confidence on pools with known classes."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.data import count, find_data_dir, find_pools, load_pool
from bench.store import ResultFile, versions
from consensa.evaluate import align_labels
from consensa.methods import METHODS

if TYPE_CHECKING:
    import argparse

__all__ = [
    "KEPT",
    "accuracy_curve",
    "add_confidence",
    "compare_halves",
    "confidence_figure",
    "confidence_report",
    "has_majority_class",
    "run_confidence",
]

KEPT = tuple(round(0.1 * step, 1) for step in range(1, 11))
HALF = 0.5
_COLUMNS = ("pool", "method", "members", "draw", "n_objects", "n_classes", "kept", "accuracy", "majority", "versions")


def run_confidence(
    data_dir: Path, output: Path, *, methods: list[str], members: list[int], draws: int, pools: list[str] | None = None
) -> list[dict[str, str]]:
    """Combine random members of every pool and score the objects by confidence; cells that are there are kept."""
    found = {f"{kind}_{name}": path for kind in ("LWEC", "PTGP") for name, path in find_pools(data_dir, kind).items()}
    absent = sorted(set(pools or []) - set(found))
    if absent:
        msg = f"there is no pool {absent[0]!r}; there are {', '.join(found)}."
        raise ValueError(msg)
    results = ResultFile(output, _COLUMNS)
    done = {(row["pool"], row["method"], row["members"], row["draw"]) for row in results.rows()}
    for pool in pools or found:
        labels, classes = load_pool(found[pool])
        for method, m, draw in product(methods, members, range(draws)):
            if (pool, method, str(m), str(draw)) in done:
                continue
            cell = {"pool": pool, "method": method, "members": m, "draw": draw, "versions": versions()}
            results.append([cell | row for row in _score(labels, classes, method, m, draw)])
        print(pool)
    return results.rows()


def _score(labels: np.ndarray, classes: np.ndarray, method: str, n_members: int, draw: int) -> list[dict[str, Any]]:
    drawn = np.random.default_rng([draw, n_members]).choice(labels.shape[1], n_members, replace=False)
    n_classes = int(np.unique(classes).size)
    estimator = METHODS[method].load()(n_clusters=n_classes)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=draw)
    model = estimator.fit(labels[:, drawn])
    codes = np.unique(classes, return_inverse=True)[1]
    right = align_labels(model.labels_, codes) == codes
    curves = (accuracy_curve(model.confidence_, hits) for hits in (right, has_majority_class(model.labels_, codes)))
    return [
        {
            "n_objects": right.size,
            "n_classes": n_classes,
            "kept": kept,
            "accuracy": f"{one:.4f}",
            "majority": f"{two:.4f}",
        }
        for kept, one, two in zip(KEPT, *curves, strict=True)
    ]


def has_majority_class(labels: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Whether every object has the most frequent class of its cluster.

    Examples
    --------
    >>> import numpy as np
    >>> has_majority_class(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 1]))
    array([ True,  True, False,  True])
    """
    clusters = np.unique(labels, return_inverse=True)[1]
    counts = np.zeros((clusters.max() + 1, codes.max() + 1), np.int64)
    np.add.at(counts, (clusters, codes), 1)
    return np.asarray(counts.argmax(axis=1)[clusters] == codes)


def accuracy_curve(confidence: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Share of right objects among the surest 10 %, 20 %, ... of all; equal ones enter by their mean.

    Examples
    --------
    >>> import numpy as np
    >>> accuracy_curve(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 1, 0, 1]))[[4, 9]]
    array([1.  , 0.75])
    """
    values, place = np.unique(-confidence, return_inverse=True)
    count = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=values.size))])
    hits = np.concatenate([[0], np.cumsum(np.bincount(place, right, values.size))])
    wanted = np.array(KEPT) * right.size
    return np.asarray(np.interp(wanted, count, hits) / wanted)


def confidence_report(rows: list[dict[str, str]]) -> str:
    """Table in Markdown: accuracy of all objects, of the surer half and of the other, by pool and method; a count."""
    lines = [
        "| pool | objects | classes | method | all | surer half | other half | surest 10 % |",
        "|---|---:|---:|---|---:|---:|---:|---:|",
    ]
    keys = dict.fromkeys((row["pool"], row["n_objects"], row["n_classes"], row["method"]) for row in rows)
    every = []
    for pool, n_objects, n_classes, method in keys:
        of_cell = [row for row in rows if (row["pool"], row["method"]) == (pool, method)]
        everything, half, tenth = (_mean(of_cell, kept) for kept in (1.0, HALF, KEPT[0]))
        every.append((method, everything, half, 2 * everything - half, tenth))
        figures = " | ".join(f"{value:.3f}" for value in every[-1][1:])
        lines.append(f"| {pool} | {int(n_objects):,} | {n_classes} | {method.upper()} | {figures} |")
    for method in dict.fromkeys(row[0] for row in every):
        means = np.mean([row[1:] for row in every if row[0] == method], axis=0)
        figures = " | ".join(f"**{value:.3f}**" for value in means)
        lines.append(f"| **mean** | | | **{method.upper()}** | {figures} |")
    return "\n".join([*lines, "", compare_halves(rows), "", *_failures(rows)])


def _failures(rows: list[dict[str, str]]) -> list[str]:
    """Rows whose surer half or surest 10 % are right less often than all: matched one to one, then by majority."""
    lines = [
        "| pool | method | surer half | other half | surest 10 % | majority: surer half | other half | surest 10 % |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for pool, method in dict.fromkeys((row["pool"], row["method"]) for row in rows):
        of_cell = [row for row in rows if (row["pool"], row["method"]) == (pool, method)]
        figures = []
        for measure in ("accuracy", "majority"):
            everything, half, tenth = (_mean(of_cell, kept, measure) for kept in (1.0, HALF, KEPT[0]))
            figures.append((half, 2 * everything - half, tenth, min(half, tenth) < everything))
        if figures[0][-1]:
            cells = " | ".join(f"{value:.3f}" for figure in figures for value in figure[:-1])
            lines.append(f"| {pool} | {method.upper()} | {cells} |")
    return lines


def compare_halves(rows: list[dict[str, str]]) -> str:
    """Say in how many draws and rows of the table the surer half is right more often than the other, and by how much.

    Examples
    --------
    >>> cell = {"pool": "A", "method": "lwea", "members": "10", "draw": "0"}
    >>> print(compare_halves([cell | {"kept": "0.5", "accuracy": "0.8"}, cell | {"kept": "1.0", "accuracy": "0.7"}]))
    The surer half is right more often in 1 of 1 draws (100 %) and 1 of 1 rows; median difference of the rows: 0.20.
    """
    found = {
        (row["pool"], row["method"], row["members"], row["draw"], float(row["kept"])): float(row["accuracy"])
        for row in rows
    }
    draws: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (pool, method, members, draw, kept), half in found.items():
        if kept == HALF:
            draws[pool, method].append(2 * (half - found[pool, method, members, draw, 1.0]))
    every = np.concatenate(list(draws.values()))
    means = np.array([np.mean(differences) for differences in draws.values()])
    return (
        f"The surer half is right more often in {(every > 0).sum()} of {every.size} draws "
        f"({100 * (every > 0).mean():.0f} %) and {(means > 0).sum()} of {means.size} rows; "
        f"median difference of the rows: {np.median(means):.2f}."
    )


def confidence_figure(rows: list[dict[str, str]], target: Path) -> None:
    """Draw accuracy against the share of objects kept, one line per pool and the mean, one panel per method."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    methods = list(dict.fromkeys(row["method"] for row in rows))
    kept = 100 * np.array(KEPT)
    with mpl.rc_context({"svg.hashsalt": "consensa", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(3.6 * len(methods), 3.2), layout="constrained", facecolor="white")
        axes = figure.subplots(1, len(methods), sharey=True, squeeze=False)[0]
        for axis, method in zip(axes, methods, strict=True):
            curves = _curves([row for row in rows if row["method"] == method])
            axis.plot(kept, curves.T, color="#9aa5b1", linewidth=0.8)
            axis.plot(kept, curves.mean(axis=0), color="#0b5fa5", linewidth=2.2, marker="o", markersize=3)
            axis.set(title=method.upper(), xlabel="surest objects kept (%)", xlim=(5, 102), ylim=(0, 1.02))
            axis.grid(alpha=0.3)
        axes[0].set_ylabel("accuracy")
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(target, metadata={"Date": None} if target.suffix == ".svg" else None)


def _curves(rows: list[dict[str, str]]) -> np.ndarray:
    """Mean accuracy of every pool (rows) at every share kept (columns)."""
    pools = dict.fromkeys(row["pool"] for row in rows)
    of_pool = [[row for row in rows if row["pool"] == pool] for pool in pools]
    return np.array([[_mean(cell, kept) for kept in KEPT] for cell in of_pool])


def _mean(rows: list[dict[str, str]], kept: float, count: str = "accuracy") -> float:
    return float(np.mean([float(row[count]) for row in rows if float(row["kept"]) == kept]))


def add_confidence(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m studies confidence``."""
    parser.set_defaults(command=_confidence)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all of LWEC and PTGP)")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=["lwea", "lwgp"])
    parser.add_argument("--members", nargs="+", type=count, default=[10, 20], help="base clusterings per draw")
    parser.add_argument("--draws", type=count, default=3, help="draws per pool and number of members (default 3)")
    parser.add_argument("--figure", type=Path, help="draw accuracy against the share kept into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "confidence.csv"))


def _confidence(options: argparse.Namespace) -> None:
    rows = run_confidence(
        find_data_dir(options.data_dir),
        options.output,
        methods=options.methods,
        members=options.members,
        draws=options.draws,
        pools=options.pools,
    )
    print(confidence_report(rows))
    if options.figure is not None:
        confidence_figure(rows, options.figure)
    print(f"\nEvery curve: {options.output}")
