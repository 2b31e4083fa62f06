"""The page of the leaderboard: tables by number of base clusterings, pictures of ranks, and what was run."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from bench.markdown import markdown_table
from consensa.evaluate import rank_methods
from consensa.methods import METHODS
from studies.default.run import CHOOSING
from studies.leaderboard.fits import CHANGES
from studies.leaderboard.run import data_set, missing_cells

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from consensa.evaluate import MethodRanking

__all__ = ["bootstrap_ranks", "leaderboard_page", "ranking_of", "whole_draws", "write_leaderboard"]

_RESAMPLES = 2000
_SCORES = ("NMI", "ARI")
_EQUAL = 1 - 1e-9  # ARI of two clusterings that are the same
INTRODUCTION = """# Leaderboard

Every method on label matrices, on draws from the published pools of base clusterings, with the parameters that the
class has by default. `python -m studies leaderboard --data-dir DIR --page docs/evidence/leaderboard.md` computes what
the result file lacks and writes this page.

- The rows of every pool are shuffled, so that no method can profit from files that are sorted by class.
- k is the number of classes, the same for all. Nothing else is known of the truth before the labels are scored.
- Pools of the same data set count as one: scores are means over draws and pools, ranks are over data sets.
- Intervals of mean ranks are 95 % percentile intervals of {resamples} bootstrap samples of the data sets. In the
  pictures, bars join methods of which no two differ by Wilcoxon's test with Holm's correction.
- *seconds* are those of the processor, one thread, mean over the pools; *MiB* is by how much the memory of the process
  grew at most, the largest of the pools (a process fits several methods, so small figures say little).
- *rows*, *columns*, *rows twice*, *columns twice*: does the same ensemble written in another order, or given twice,
  have the same answer (first draw of the pools named below)? "same", or the lowest ARI with the first answer
  and on how many pools it is below 1.
- NMI is divided by the geometric mean of the entropies.

Some of our own choices have seen some of these data, and their figures flatter them there. The first search for `sal`
used {seen}; what later changes to it have looked at is not counted here. `cehm` was changed for what it did on every
second pool of the alphabetical list, and the defaults of `eccms` and `sdgca`, which are the authors' values, were taken
up after a look at the same. The columns *unseen* are means over the data sets that the first search for `sal` has not
seen.
"""


def ranking_of(rows: Sequence[dict[str, str]], score: str) -> MethodRanking | None:
    """Rank the methods that have a score on every data set; None where fewer than two of each are left."""
    values = _values(rows, score)
    sets = sorted({name for found in values.values() for name in found})
    whole = sorted(method for method, found in values.items() if len(found) == len(sets))
    if min(len(whole), len(sets)) < 2:
        return None
    return rank_methods([[values[method][name] for method in whole] for name in sets], whole, sets)


def _values(rows: Sequence[dict[str, str]], score: str) -> dict[str, dict[str, float]]:
    """Mean score by method and data set, over draws, then over pools; only where no draw is missing."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    absent = {(row["method"], data_set(row["pool"])) for row in rows if row["status"]}
    for row in rows:
        cell = row["method"], data_set(row["pool"])
        if cell not in absent:
            found[cell][row["pool"]].append(float(row[score]))
    values: dict[str, dict[str, float]] = {row["method"]: {} for row in rows}
    for (method, name), pools in found.items():
        values[method][name] = float(np.mean([np.mean(scores) for scores in pools.values()]))
    return values


def bootstrap_ranks(ranks: np.ndarray, n_resamples: int = _RESAMPLES, seed: int = 0) -> np.ndarray:
    """95 % percentile intervals of the mean ranks (n_datasets x n_methods) over the data sets, shape (2, n_methods).

    Examples
    --------
    >>> import numpy as np
    >>> bootstrap_ranks(np.array([[1.0, 2.0], [1.0, 2.0]]))
    array([[1., 2.],
           [1., 2.]])
    """
    draws = np.random.default_rng(seed).integers(len(ranks), size=(n_resamples, len(ranks)))
    return np.asarray(np.percentile(ranks[draws].mean(axis=1), [2.5, 97.5], axis=0))


def leaderboard_page(rows: Sequence[dict[str, str]], pictures: dict[tuple[int, str], str]) -> str:
    """Write the page of the rows of a result file; pictures are files by number of base clusterings and score."""
    shown = whole_draws(rows)
    parts = [INTRODUCTION.format(resamples=f"{_RESAMPLES:,}", seen=", ".join(sorted(set(CHOOSING.values()))))]
    parts.append(_what_was_run(shown, len(rows) - len(shown)))
    for n_members in sorted({int(row["n_members"]) for row in shown}):
        part = [row for row in shown if int(row["n_members"]) == n_members]
        parts.append(f"## {n_members} base clusterings\n\n{_table(part)}")
        parts += [f"![Mean ranks by {s}]({pictures[n_members, s]})" for s in _SCORES if (n_members, s) in pictures]
        parts += [f"{score}: {_verdict(part, score)}" for score in _SCORES]
        parts.append(_left_out(part))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _what_was_run(rows: Sequence[dict[str, str]], n_unused: int) -> str:
    lines = []
    for n_members in sorted({int(row["n_members"]) for row in rows}):
        part = [row for row in rows if int(row["n_members"]) == n_members]
        sizes = {row["pool"]: int(row["n_objects"]) for row in part}
        runs = Counter(pool for pool, _ in {(row["pool"], row["run"]) for row in part})
        pools = ", ".join(f"{pool} ({sizes[pool]:,})" for pool in sorted(sizes, key=sizes.__getitem__))
        drawn = "1 draw" if max(runs.values()) == 1 else f"{min(runs.values())} to {max(runs.values())} draws"
        changed = {row["pool"] for row in part if row[CHANGES[0]]}
        lines.append(
            f"- M = {n_members}: {len({row['method'] for row in part})} methods, {drawn} of each of {len(sizes)} pools "
            f"of {len(set(map(data_set, sizes)))} data sets: {pools}. "
            f"Order and doubling: {', '.join(sorted(changed)) or 'no pool'}."
        )
    sources = Counter(row["versions"].split("source=")[-1].split(";")[0] for row in rows)
    lines.append(f"- Computed by {len(sources)} state(s) of the source: " + _count_list(sources) + ".")
    if n_unused:
        lines.append(f"- Not used: {n_unused} fits of draws that have not been given to all methods yet.")
    return "## What was run\n\n" + "\n".join(lines)


def whole_draws(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Keep the draws that every method in the file has been given, so that all are judged on the same."""
    known = [row for row in rows if row["method"] in METHODS]
    methods = {row["method"] for row in known}
    given: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in known:
        given[row["pool"], row["n_members"], row["run"]].add(row["method"])
    return [row for row in known if given[row["pool"], row["n_members"], row["run"]] == methods]


def _count_list(counts: Counter[str]) -> str:
    return ", ".join(f"`{name}` ({number} fits)" for name, number in counts.most_common())


def _table(rows: Sequence[dict[str, str]]) -> str:
    """One line for every method, best mean rank by NMI first; those without all data sets come last, without a rank."""
    values = {score: _values(rows, score) for score in _SCORES}
    ranks: dict[str, dict[str, tuple[float, str]]] = {score: {} for score in _SCORES}
    for score in _SCORES:
        ranking = ranking_of(rows, score)
        if ranking is not None:
            low, high = bootstrap_ranks(ranking.ranks)
            for j, method in enumerate(ranking.methods):
                text = f"{ranking.mean_ranks[j]:.1f} [{low[j]:.1f}, {high[j]:.1f}]"
                ranks[score][method] = float(ranking.mean_ranks[j]), text
    ordered = sorted(values["NMI"], key=lambda method: (ranks["NMI"].get(method, (np.inf,))[0], method))
    scores = [f"{score}{part}" for part in ("", " unseen") for score in _SCORES]
    heading = ["method", "rank by NMI", "rank by ARI", *scores, "seconds", "MiB", *CHANGES]
    lines = []
    for method in ordered:
        own = [row for row in rows if row["method"] == method]
        means = [""] * len(scores)  # a mean over fewer data sets would be another one
        if method in ranks["NMI"]:
            means = [_mean(values[score][method], unseen=unseen) for unseen in (False, True) for score in _SCORES]
        places = [ranks[score].get(method, (0.0, ""))[1] for score in _SCORES]
        costs = [_figure(own, "seconds", np.mean, "{:.2f}"), _figure(own, "MiB", np.max, "{:.0f}")]
        lines.append([f"`{method}`", *places, *means, *costs, *(_answers(own, change) for change in CHANGES)])
    return markdown_table(heading, lines)


def _verdict(rows: Sequence[dict[str, str]], score: str) -> str:
    """Say what the tests found, and whether they could have found anything."""
    ranking = ranking_of(rows, score)
    if ranking is None:
        return "too few data sets or methods to rank."
    n, k = ranking.ranks.shape
    least = min(1.0, 2.0 ** (1 - n) * k * (k - 1) / 2)  # all differences of one sign, times the number of pairs
    text = ranking.verdict()
    if least > ranking.alpha:
        text += (
            f" With {n} data sets the smallest corrected p is {least:.2g}, so no two methods could be told apart: the "
        )
        text += "bar of the picture says nothing, and the intervals are all there is (Nemenyi's critical difference: "
        return f"{text}{ranking.critical_difference:.1f} ranks)."
    n_pairs = int((np.triu(ranking.pairwise <= ranking.alpha, 1)).sum())
    return f"{text} Pairs that differ: {n_pairs} of {k * (k - 1) // 2}."


def _mean(scores: dict[str, float], *, unseen: bool) -> str:
    kept = [value for name, value in scores.items() if not (unseen and name in set(CHOOSING.values()))]
    return f"{np.mean(kept):.3f}" if kept else ""


def _figure(rows: Sequence[dict[str, str]], name: str, summary: object, form: str) -> str:
    found = [float(row[name]) for row in rows if row[name]]
    return form.format(summary(found)) if found else ""  # type: ignore[operator]


def _answers(rows: Sequence[dict[str, str]], change: str) -> str:
    found = [float(row[change]) for row in rows if row[change]]
    other = [value for value in found if value < _EQUAL]
    if not found:
        return ""
    return f"{min(other):.2f} ({len(other)} of {len(found)})" if other else "same"


def _left_out(rows: Sequence[dict[str, str]]) -> str:
    """Say which methods have no rank, and why."""
    lines = []
    for method, reasons in sorted(missing_cells(rows).items()):
        said = "; ".join(f"{reason} ({', '.join(sorted(set(pools)))})" for reason, pools in reasons.items())
        lines.append(f"- `{method}`: {said}.")
    return "Without a rank, since they have no score on some data sets:\n\n" + "\n".join(lines) if lines else ""


def write_leaderboard(rows: Sequence[dict[str, str]], page: Path) -> None:
    """Write the page and its pictures, which lie beside it."""
    pictures, shown = {}, whole_draws(rows)
    for n_members in sorted({int(row["n_members"]) for row in shown}):
        part = [row for row in shown if int(row["n_members"]) == n_members]
        for score in _SCORES:
            ranking = ranking_of(part, score)
            if ranking is not None:
                name = f"{page.stem}_{n_members}_{score.lower()}.svg"
                _draw(ranking, f"{score}, {n_members} base clusterings", page.with_name(name))
                pictures[n_members, score] = name
    page.write_text(leaderboard_page(rows, pictures), encoding="utf-8")


def _draw(ranking: MethodRanking, title: str, target: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from consensa.report import plot_critical_difference

    with mpl.rc_context({"svg.hashsalt": "consensa", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(9, 1.6 + 0.2 * len(ranking.methods)), layout="constrained", facecolor="white")
        axes = plot_critical_difference(ranking, figure.subplots())
        axes.set_title(f"{title}: mean ranks of {len(ranking.methods)} methods on {len(ranking.datasets)} data sets")
        figure.savefig(target, metadata={"Date": None})
