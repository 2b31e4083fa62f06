"""Paper 003 beside ours, as text."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from bench.paper003 import OTHERS, SWEPT
from consensa.methods import get_method

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.data import Published

__all__ = ["paper_report", "sweep_report"]

TOLERANCE = 0.03
CHOICES = ("by truth", "one by truth", "agreement", "default")


def paper_report(
    rows: Sequence[Mapping[str, str]], score: str, published: Mapping[tuple[str, str, str], Published]
) -> str:
    """Compare with a published table, for every way to choose theta.

    Parameters
    ----------
    rows : rows of a result file
    score : str
        Column of the rows.
    published : dict of Published by (data set, method, k rule)

    Returns
    -------
    str
        *by truth*: the best theta of every draw. *one by truth*: the best theta of every data set. *agreement*: the
        theta whose labels agree most with the base clusterings. *default*: the default of the method.
    """
    lines = [f"{score}, M=20, true k; theta chosen"]
    for method in SWEPT:
        lines += ["", *_swept_block(method, rows, score, published)]
    for method in OTHERS:
        values = _by_dataset([row for row in rows if row["method"] == method], score)
        if values:
            lines += ["", *_block(method, {name: {"ours": np.array(v)} for name, v in values.items()}, published)]
    return "\n".join(lines)


def sweep_report(rows: Sequence[Mapping[str, str]], score: str) -> str:
    """Mean score by theta over all data sets, and in how many draws each theta was the best (the paper's Fig. 6)."""
    lines = [f"{score} by theta, mean over data sets; and in how many draws this theta was the first best"]
    for method in SWEPT:
        mine = [row for row in rows if row["method"] == method]
        means = defaultdict(list)
        for (_, theta), values in _grouped(mine, ("dataset", "theta"), score).items():
            means[theta].append(np.mean(values))
        draws = _draws(mine, score)
        best = Counter(max(sorted(scores, key=float), key=scores.__getitem__) for scores in draws.values())
        lines += ["", f"{method:<12}{'mean':>8}{'best':>6}"]
        lines += [f"{theta:<12}{np.mean(means[theta]):>8.3f}{best[theta]:>6}" for theta in sorted(means, key=float)]
    return "\n".join(lines)


def _swept_block(
    method: str, rows: Sequence[Mapping[str, str]], score: str, published: Mapping[tuple[str, str, str], Published]
) -> Iterator[str]:
    mine = [row for row in rows if row["method"] == method]
    default = str(float(get_method(method).load()().theta))
    table: dict[str, dict[str, np.ndarray]] = {}
    scores, agreements = _draws(mine, score), _draws(mine, "ANMI")
    for dataset in dict.fromkeys(row["dataset"] for row in mine):
        draws = [(scores[key], agreements[key]) for key in scores if key[0] == dataset]
        thetas = sorted(draws[0][0], key=float)
        means = {theta: np.mean([truth[theta] for truth, _ in draws]) for theta in thetas}
        one = max(thetas, key=means.__getitem__)
        table[dataset] = {
            "by truth": np.array([max(truth.values()) for truth, _ in draws]),
            "one by truth": np.array([truth[one] for truth, _ in draws]),
            "agreement": np.array([truth[max(thetas, key=free.__getitem__)] for truth, free in draws]),
            "default": np.array([truth[default] for truth, _ in draws]),
        }
    yield from _block(method, table, published)
    for choice in CHOICES[2:]:
        for best in CHOICES[:2]:
            lost = np.mean([values[best].mean() - values[choice].mean() for values in table.values()])
            yield f"the choice '{choice}' loses {lost:.4f} on average against '{best}'"


def _block(
    method: str, table: Mapping[str, Mapping[str, np.ndarray]], published: Mapping[tuple[str, str, str], Published]
) -> Iterator[str]:
    choices = list(next(iter(table.values())))
    yield f"{method:<14}{'published':>10}" + "".join(f"{choice:>14}" for choice in choices) + f"{'SE':>8}{'runs':>6}"
    known = {name: published[name, method, "true"].mean for name in table if (name, method, "true") in published}
    for name, values in table.items():
        first = values[choices[0]]
        error = first.std(ddof=1) / np.sqrt(first.size) if first.size > 1 else np.nan
        left = f"{known[name]:>10.3f}" if name in known else f"{'-':>10}"
        cells = "".join(f"{values[choice].mean():>14.3f}" for choice in choices)
        yield f"{name:<14}{left}{cells}{error:>8.3f}{first.size:>6}"
    if known:
        for choice in choices:
            gaps = np.array([table[name][choice].mean() - known[name] for name in known])
            yield (
                f"{choice}: within {TOLERANCE} or above on {np.sum(gaps >= -TOLERANCE)} of {gaps.size} data sets; "
                f"mean difference {gaps.mean():+.3f}, mean size {np.abs(gaps).mean():.3f}"
            )


def _draws(rows: Sequence[Mapping[str, str]], column: str) -> dict[tuple[str, str], dict[str, float]]:
    """Values by theta for every (data set, run)."""
    out: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        out[row["dataset"], row["run"]][row["theta"]] = float(row[column])
    return out


def _by_dataset(rows: Sequence[Mapping[str, str]], column: str) -> dict[str, list[float]]:
    return {key[0]: values for key, values in _grouped(rows, ("dataset",), column).items()}


def _grouped(rows: Sequence[Mapping[str, str]], by: tuple[str, ...], column: str) -> dict[tuple[str, ...], list[float]]:
    out: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        out[tuple(row[name] for name in by)].append(float(row[column]))
    return out
