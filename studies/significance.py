"""How often does the test find clusters where there are none, and where there are some? On simulated data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from bench.data import count
from bench.store import ResultFile, versions
from consensa import significance
from consensa._text import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["KINDS", "add_significance", "run_significance", "significance_report"]

_COLUMNS = ("kind", "draw", "n_objects", "n_features", "alpha", "n_clusters", "p_value", "n_null", "versions")
_TOO_FEW_GENES = 20
_JUDGED = 2026  # draws that had no part in the making of the test
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


def run_significance(
    output: Path, *, kinds: list[str], draws: int, n_objects: int, n_features: int, alpha: float = 0.05
) -> list[dict[str, str]]:
    """Test simulated data; those that are in the file already are kept."""
    results = ResultFile(output, _COLUMNS)
    cell = (str(n_objects), str(n_features), str(alpha))
    done = {(row["kind"], row["draw"], row["n_objects"], row["n_features"], row["alpha"]) for row in results.rows()}
    for kind in kinds:
        for draw in range(draws):
            if (kind, str(draw), *cell) in done:
                continue
            X = KINDS[kind](np.random.default_rng([_JUDGED, list(KINDS).index(kind), draw]), n_objects, n_features)
            found = significance(X, alpha=alpha, random_state=draw)
            root = found.splits[0]
            told = (found.n_clusters, f"{root.p_value:.4f}", root.n_null, versions())
            results.append([dict(zip(_COLUMNS, (kind, draw, *cell, *told), strict=True))])
    return [row for row in results.rows() if (row["n_objects"], row["n_features"], row["alpha"]) == cell]


def significance_report(rows: list[dict[str, str]]) -> str:
    """Share of the data with any split, with its standard error, by kind.

    Examples
    --------
    >>> rows = [{"kind": "round", "n_clusters": k} for k in "1112"]
    >>> print(significance_report(rows))
    | kind | data sets | with a split | standard error | mean k |
    |---|---:|---:|---:|---:|
    | round | 4 | 0.250 | 0.217 | 1.25 |
    """
    table = [["kind", "data sets", "with a split", "standard error", "mean k"]]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        found = np.array([int(row["n_clusters"]) for row in rows if row["kind"] == kind])
        share = float(np.mean(found > 1))
        error = np.sqrt(share * (1 - share) / found.size)
        table.append([kind, str(found.size), f"{share:.3f}", f"{error:.3f}", f"{found.mean():.2f}"])
    return markdown_table(table)


def add_significance(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m studies significance``."""
    parser.set_defaults(command=_significance)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--draws", type=count, default=300, help="data sets of every kind (default 300)")
    parser.add_argument("--objects", type=count, default=100)
    parser.add_argument("--features", type=count, default=5)
    parser.add_argument("--output", type=Path, default=Path("results", "significance.csv"))


def _significance(options: argparse.Namespace) -> None:
    rows = run_significance(
        options.output,
        kinds=options.kinds,
        draws=options.draws,
        n_objects=options.objects,
        n_features=options.features,
    )
    print(significance_report(rows))
    print(f"\nEvery data set: {options.output}")
