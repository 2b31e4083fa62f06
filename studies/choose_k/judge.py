"""``python -m studies judge-k``: every target for the choice of k in one table, beside other rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from tqdm import tqdm

from bench.data import count, find_data_dir, load_pool
from bench.store import ResultFile, versions
from consensa import SAL, Ensemble, EnsembleClustering
from consensa._text import markdown_table
from consensa.generate import MultiscalePartitions
from consensa.generate.kmeans import default_k_range
from studies.choose_k.report import is_hit
from studies.choose_k.rivals import rival_numbers
from studies.choose_k.run import find_choice_pools, group_of
from studies.choose_k.simulate import simulate_mixture
from studies.sections import write_section
from studies.single.run import data_sets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["add_judge_k", "judge", "judge_report"]

COLUMNS = ("group", "data", "n_classes", "rule", "k", "ARI", "true_ARI", "probability", "versions")
OURS, DOUBLED = "this rule", "with the upper end doubled"
_GIVEN = "with the range given"
_PAGE = Path("docs", "choice_of_k.md")
_MOST_OBJECTS = 1000
_N_MIXTURES = 200
_DOUBLED_EVERY = 5  # mixtures that are clustered with other ranges, too
_POOL_OBJECTS, _POOL_MEMBERS = 2000, 20
_GROUPS = {"shape": "shapes", "table": "real sets", "mixture": "mixtures"}
_TARGETS = {"shape": (0.93, 0.65), "table": (0.95, None), "mixture": (None, 0.8)}

Set = tuple[str, str, np.ndarray, np.ndarray]


def add_judge_k(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_judge_k)
    parser.add_argument("--mixtures", type=count, default=_N_MIXTURES, help="simulated mixtures (default 200)")
    parser.add_argument("--output", type=Path, default=Path("results", "judge_k.csv"))
    parser.add_argument("--write", action="store_true", help=f"write the table into {_PAGE}")


def _judge_k(options: argparse.Namespace) -> None:
    text = judge_report(judge(find_data_dir(options.data_dir), options.output, options.mixtures))
    if options.write:
        write_section(_PAGE, "judge-k", text)
    print(f"{text}\n\nEvery choice: {options.output}")


def judge(data_dir: Path, output: Path, n_mixtures: int = _N_MIXTURES) -> list[dict[str, str]]:
    """Append what is missing to ``output``, a data set at a time, and return all rows."""
    store = ResultFile(output, COLUMNS)
    done = {(row["group"], row["data"]) for row in store.rows()}
    for (pool, data), path in tqdm(find_choice_pools(data_dir).items(), desc="pools"):
        if (group_of(pool, data), pool) not in done:
            store.append(_of_pool(group_of(pool, data), pool, path))
    for group, name, X, truth in tqdm(_all_sets(data_dir, n_mixtures), desc="judge-k"):
        if (group, name) not in done:
            store.append(_of_features(group, name, X, truth))
    return store.rows()


def _all_sets(data_dir: Path, n_mixtures: int) -> Iterator[Set]:
    """Shapes and real sets, of each at most 1,000 objects, and mixtures on which no rule was fitted."""
    for kind, name, X, y in data_sets(data_dir):
        rows = np.sort(np.random.default_rng(0).permutation(len(X))[:_MOST_OBJECTS])
        yield kind, name, X[rows], y[rows]
    for draw in range(n_mixtures):
        yield "mixture", str(draw), *simulate_mixture(draw)


def _of_features(group: str, name: str, X: np.ndarray, truth: np.ndarray) -> list[dict[str, Any]]:
    model = EnsembleClustering("auto", random_state=0).fit(X)
    choice = model.choice_
    numbers = {OURS: choice.n_clusters, **{f"{curve} alone": k for curve, k in choice.votes.items()}}
    numbers |= rival_numbers(X, model.ensemble_)
    if group != "mixture" or int(name) % _DOUBLED_EVERY == 0:
        low, high = default_k_range(len(X))
        for rule, factor in ((_GIVEN, 1), (DOUBLED, 2)):
            generator = MultiscalePartitions(100, (low, min(factor * high, len(X) // 2)))
            numbers[rule] = EnsembleClustering("auto", generator=generator, random_state=0).fit(X).choice_.n_clusters
    counted = truth > 0 if group == "shape" else np.ones(len(truth), bool)  # 0 is the noise of a shape
    n_classes = np.unique(truth[counted]).size
    limit = min(model.cut_.n_clusters_max, model.ensemble_.n_microclusters)

    def ari(k: int) -> float:
        return float(adjusted_rand_score(truth[counted], model.cut(min(k, limit))[counted]))

    told = {"group": group, "data": name, "n_classes": n_classes, "true_ARI": f"{ari(n_classes):.4f}"}
    told |= {"probability": f"{choice.probability:.4f}", "versions": versions()}
    return [{**told, "rule": rule, "k": k, "ARI": f"{ari(k):.4f}"} for rule, k in numbers.items()]


def _of_pool(group: str, pool: str, path: Path) -> list[dict[str, Any]]:
    members, truth = load_pool(path)
    rng = np.random.default_rng([0, members.shape[0]])
    objects = np.sort(rng.choice(members.shape[0], min(_POOL_OBJECTS, members.shape[0]), replace=False))
    columns = rng.choice(members.shape[1], min(_POOL_MEMBERS, members.shape[1]), replace=False)
    choice = SAL("auto").fit(Ensemble(members[objects][:, columns], missing=None)).choice_
    told = {"group": group, "data": pool, "n_classes": np.unique(truth).size, "ARI": "", "true_ARI": ""}
    told |= {"probability": f"{choice.probability:.4f}", "versions": versions()}
    numbers = {OURS: choice.n_clusters, **{f"{curve} alone": k for curve, k in choice.votes.items()}, "always 10": 10}
    return [{**told, "rule": rule, "k": k} for rule, k in numbers.items()]


def judge_report(rows: list[dict[str, str]]) -> str:
    """Write the table of all rules, and what the targets ask for.

    Examples
    --------
    >>> row = {"group": "table", "data": "a", "n_classes": "3", "rule": OURS, "k": "3", "ARI": "0.8", "true_ARI": "0.8"}
    >>> print(judge_report([row]).splitlines()[2])
    | this rule |  | 100 % (21 to 100), 1.00 |  |  |  |
    """
    groups = [*_GROUPS, "design", "held out"]
    rules = [rule for rule in dict.fromkeys(row["rule"] for row in rows) if rule not in (_GIVEN, DOUBLED)]
    names = [*_GROUPS.values(), "pools, one half", "pools, the other"]
    table = [["rule", *names]]
    for rule in rules:
        own = [row for row in rows if row["rule"] == rule]
        table.append([rule, *(_cell([row for row in own if row["group"] == group]) for group in groups)])
    return "\n".join([markdown_table(table), "", *_targets(rows)])


def _cell(rows: list[dict[str, str]]) -> str:
    """Share within 20 % with its interval, and the ARI at the chosen k as a part of that at the true k."""
    if not rows:
        return ""
    hits = [is_hit(int(row["k"]), int(row["n_classes"])) for row in rows]
    low, high = _interval(sum(hits), len(hits))
    text = f"{100 * np.mean(hits):.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    return text if not rows[0]["ARI"] else f"{text}, {_part(rows):.2f}"


def _part(rows: list[dict[str, str]]) -> float:
    return float(np.mean([float(row["ARI"]) for row in rows]) / np.mean([float(row["true_ARI"]) for row in rows]))


def _interval(hits: int, n: int) -> tuple[float, float]:
    """Wilson's interval of 95 %."""
    z = 1.96
    middle, spread = (hits + z**2 / 2) / (n + z**2), z / (n + z**2) * np.sqrt(hits * (n - hits) / n + z**2 / 4)
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


def _targets(rows: list[dict[str, str]]) -> list[str]:
    lines = []
    for group, (part, hits) in _TARGETS.items():
        mine = [row for row in rows if (row["group"], row["rule"]) == (group, OURS)]
        if not mine:
            continue
        share = np.mean([is_hit(int(row["k"]), int(row["n_classes"])) for row in mine])
        for what, found, asked in (("ARI of that at the true k", _part(mine), part), ("within 20 %", share, hits)):
            if asked is not None:
                lines.append(f"- {_GROUPS[group]} ({len(mine)}), {what}: {found:.2f}, asked for {asked:.2f}.")
    given, doubled = (
        {(row["group"], row["data"]): int(row["k"]) for row in rows if row["rule"] == rule}
        for rule in (_GIVEN, DOUBLED)
    )
    both = [(k, doubled[key]) for key, k in given.items() if key in doubled]
    if both:
        same, near = np.mean([a == b for a, b in both]), np.mean([is_hit(b, a) for a, b in both])
        what = f"- Upper end of the range of the members doubled ({len(both)} sets)"
        lines.append(f"{what}: the same k on {same:.2f}, within 20 % on {near:.2f}, asked for 0.80.")
    return lines
