"""How often does the test find clusters where there are none, and where there are some? On simulated data."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from bench.child import measure
from bench.data import count
from bench.store import ResultFile, versions
from consensa import significance
from consensa._text import markdown_table
from studies.sections import write_section

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from consensa.choose.significance import Significance

__all__ = [
    "KINDS",
    "add_significance",
    "costs_report",
    "run_costs",
    "run_significance",
    "significance_report",
]

_COLUMNS = (
    *("kind", "draw", "n_objects", "n_features", "alpha", "n_clusters", "p_value", "n_null", "cpu_seconds", "versions"),
)
_COST_COLUMNS = ("n_objects", "n_features", "clusters", "n_clusters", "n_null", "cpu_seconds", "peak_mib", "versions")
_TOO_FEW_GENES = 20
_JUDGED = 20261118  # draws that had no part in the making of the test
_DRAWS, _FEWER_DRAWS = 300, 100  # of the kinds whose level is asked for, and of others
_BLOCK = 25  # draws of a kind before the next kind has its turn
_COSTS = ((5_000, 20, 6), (170_000, 30, 8))  # objects, features, clusters
_PAGE = Path("docs", "choice_of_k.md")
_ARI, _BISECTIONS = 0.8, 8


def _round(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.normal(size=(n, d))


def _correlated(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    turned = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.exp(np.linspace(1.2, -1.2, d))
    return rng.normal(size=(n, d)) @ turned.T


def _heavy(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(5, size=(n, 1)) / 5)


def _heavy_features(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_t(5, size=(n, d))


def _counts(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Counts of genes with library sizes, divided by these, logarithms."""
    library = np.exp(0.4 * rng.normal(size=(n, 1)))
    drawn = rng.poisson(3 * library * np.exp(rng.normal(size=max(d, _TOO_FEW_GENES))))
    total = np.maximum(drawn.sum(axis=1, keepdims=True), 1)
    return np.log1p(drawn / total * np.median(total))


def _uniform(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.uniform(-1, 1, size=(n, d))


def _band(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """A curve with noise."""
    along = rng.uniform(-1, 1, n)
    return 0.2 * rng.normal(size=(n, d)) + np.column_stack([np.cos(2 * along * j + j) for j in range(1, d + 1)])


def _clusters(rng: np.random.Generator, n: int, d: int, k: int) -> np.ndarray:
    """Gaussians so far apart that k-means with the true k has an adjusted Rand index of 0.8."""
    truth = np.arange(n) % k
    noise, centers = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    low, high = 0.1, 40.0
    for _ in range(_BISECTIONS):
        middle = np.sqrt(low * high)
        X = noise + middle * centers[truth]
        found = adjusted_rand_score(truth, KMeans(k, n_init=5, random_state=0).fit_predict(X))
        low, high = (low, middle) if found >= _ARI else (middle, high)
    return noise + high * centers[truth]


KINDS: dict[str, Callable[[np.random.Generator, int, int], np.ndarray]] = {
    "round": _round,
    "correlated": _correlated,
    "heavy": _heavy,
    "heavy-features": _heavy_features,
    "counts": _counts,
    "uniform": _uniform,
    "band": _band,
    "2 clusters": partial(_clusters, k=2),
    "3 clusters": partial(_clusters, k=3),
    "5 clusters": partial(_clusters, k=5),
}
_LEVELS = ("round", "correlated", "heavy", "counts")
_ASKED = dict.fromkeys(_LEVELS, "0.03 to 0.07") | {f"{k} clusters": "at least 0.9" for k in (2, 3, 5)}


def run_significance(
    output: Path, *, kinds: list[str], draws: int | None, n_objects: int, n_features: int, alpha: float = 0.05
) -> list[dict[str, str]]:
    """Test simulated data, some of every kind in turn; those that are in the file already are kept."""
    results = ResultFile(output, _COLUMNS)
    cell = (str(n_objects), str(n_features), str(alpha))
    done = {(row["kind"], row["draw"], row["n_objects"], row["n_features"], row["alpha"]) for row in results.rows()}
    wanted = {kind: draws or (_DRAWS if kind in _LEVELS else _FEWER_DRAWS) for kind in kinds}
    turns = [(draw // _BLOCK, place, draw) for place, kind in enumerate(kinds) for draw in range(wanted[kind])]
    for _, place, draw in sorted(turns):
        kind = kinds[place]
        if (kind, str(draw), *cell) in done:
            continue
        X = KINDS[kind](np.random.default_rng([_JUDGED, list(KINDS).index(kind), draw]), n_objects, n_features)
        start = time.process_time()
        found = significance(X, alpha=alpha, random_state=draw)
        seconds, root = time.process_time() - start, found.splits[0]
        n_null = sum(split.n_null for split in found.splits)
        told = (found.n_clusters, f"{root.p_value:.4f}", n_null, f"{seconds:.2f}", versions())
        results.append([dict(zip(_COLUMNS, (kind, draw, *cell, *told), strict=True))])
    return [row for row in results.rows() if (row["n_objects"], row["n_features"], row["alpha"]) == cell]


def significance_report(rows: list[dict[str, str]]) -> str:
    """Share of the data with any split, with its standard error, by kind, and what is asked for.

    Examples
    --------
    >>> rows = [{"kind": "round", "n_clusters": k, "n_null": 9, "cpu_seconds": 1} for k in "1112"]
    >>> print(significance_report(rows))
    | kind | data sets | with a split | standard error | asked for | k right | mean k | nulls | seconds |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    | round | 4 | 0.250 | 0.217 | 0.03 to 0.07 | 0.75 | 1.25 | 9 | 1.0 |
    """
    table = [["kind", "data sets", "with a split", "standard error", "asked for", "k right", "mean k"]]
    table[0] += ["nulls", "seconds"]
    for kind in (kind for kind in KINDS if any(row["kind"] == kind for row in rows)):
        own = [row for row in rows if row["kind"] == kind]
        found, n_null, seconds = (np.array([float(r[c]) for r in own]) for c in ("n_clusters", "n_null", "cpu_seconds"))
        truth = int(kind.split()[0]) if kind.endswith("clusters") else 1
        share = float(np.mean(found > 1))
        error = np.sqrt(share * (1 - share) / found.size)
        line = [kind, str(found.size), f"{share:.3f}", f"{error:.3f}", _ASKED.get(kind, "")]
        line += [
            f"{np.mean(found == truth):.2f}",
            f"{found.mean():.2f}",
            f"{n_null.mean():.0f}",
            f"{seconds.mean():.1f}",
        ]
        table.append(line)
    return markdown_table(table)


def run_costs(output: Path) -> list[dict[str, str]]:
    """Test large data once, and note processor time and memory; what is in the file already is kept."""
    results = ResultFile(output, _COST_COLUMNS)
    done = {(row["n_objects"], row["n_features"]) for row in results.rows()}
    for n_objects, n_features, k in _COSTS:
        if (str(n_objects), str(n_features)) in done:
            continue
        rng = np.random.default_rng([_JUDGED, n_objects])
        centers = 2 * rng.normal(size=(k, n_features))
        X = centers[np.arange(n_objects) % k] + rng.normal(size=(n_objects, n_features))
        found: list[Significance] = []
        used = measure(lambda X=X, found=found: found.append(significance(X, random_state=0)), 1)
        told = (found[0].n_clusters, sum(split.n_null for split in found[0].splits))
        row = (n_objects, n_features, k, *told, f"{used['cpu_seconds']:.0f}", f"{used['peak_mib']:.0f}", versions())
        results.append([dict(zip(_COST_COLUMNS, row, strict=True))])
    return results.rows()


def costs_report(rows: list[dict[str, str]]) -> str:
    """Processor time and memory of large data.

    Examples
    --------
    >>> row = ("5000", "20", "6", "6", "120", "40", "350", "")
    >>> print(costs_report([dict(zip(_COST_COLUMNS, row))]))
    | objects | features | clusters | found | nulls | processor seconds | memory, MiB |
    |---:|---:|---:|---:|---:|---:|---:|
    | 5,000 | 20 | 6 | 6 | 120 | 40 | 350 |
    """
    table = [["objects", "features", "clusters", "found", "nulls", "processor seconds", "memory, MiB"]]
    table += [[f"{int(row[name]):,}" for name in _COST_COLUMNS[:-1]] for row in rows]
    return markdown_table(table).replace("|---|", "|---:|", 1)


def add_significance(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m studies significance``."""
    parser.set_defaults(command=_significance)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--draws", type=count, help="data sets of every kind (default 300 where a level is asked, 100)")
    parser.add_argument("--objects", type=count, default=100)
    parser.add_argument("--features", type=count, default=5)
    parser.add_argument("--cost", action="store_true", help="test large data as well, for time and memory")
    parser.add_argument("--output", type=Path, default=Path("docs", "evidence", "significance.csv"))
    parser.add_argument("--write", action="store_true", help=f"write the tables into {_PAGE}")


def _significance(options: argparse.Namespace) -> None:
    rows = run_significance(
        options.output,
        kinds=options.kinds,
        draws=options.draws,
        n_objects=options.objects,
        n_features=options.features,
    )
    text = significance_report(rows)
    if options.cost:
        text += "\n\n" + costs_report(run_costs(options.output.with_name(f"{options.output.stem}_cost.csv")))
    if options.write:
        write_section(_PAGE, "significance", text)
    print(f"{text}\n\nEvery data set: {options.output}")
