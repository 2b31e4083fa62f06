"""``python -m bench speed-default``: the default from features to labels, beside KMeans with ten starts."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from bench import ROOT
from bench.data import count
from bench.markdown import markdown_table
from bench.speed.check_child import N_CLUSTERS, gaussians
from bench.store import ResultFile, versions

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

__all__ = [
    "CALLS",
    "COLUMNS",
    "add_speed_default",
    "default_section",
    "fit_kmeans",
    "measure_default",
    "n_features",
    "time_by_turns",
]

COLUMNS = ("n_objects", "n_features", "n_partitions", "what", "cpu_seconds", "rounds", "load", "versions")
SIZES = (1_000, 10_000, 100_000)
MEMBERS = (10, 30, 100)
_EVIDENCE = Path(ROOT, "docs", "evidence")
_WARM_UP_ROWS = 600
_FEATURES, _FEW_FEATURES, _UP_TO = 20, 10, 1_000  # fewer for the small data
_TEXT = """\
## The default, from features to labels

`EnsembleClustering(n_clusters=20)` and `n_clusters="auto"` with M base clusterings (default: 100), in multiples of
the processor time of scikit-learn's `KMeans(20, n_init=10)` on the same data, all on one thread, after a warm-up, turn
by turn in one process; medians of the rounds. 20 Gaussians that overlap, in 20 dimensions (10 for 1,000 objects). Of
Gaussians far apart, which k-means finds in two or three iterations, the multiples are two to three times as large.
*generating* is the part of the base clusterings. Written by `python -m bench speed-default`; every figure is a row of
[speed_default.csv](speed_default.csv).
"""


def measure_default(n: int, members: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """Time everything on n objects, turn by turn; returns a row for each."""
    X = gaussians(n)[:, : n_features(n)]
    cases = {("KMeans", ""): fit_kmeans, **{(what, m): call(m) for m in members for what, call in CALLS.items()}}
    taken = time_by_turns(cases, X, rounds)
    shared = {"n_objects": n, "n_features": X.shape[1], "rounds": rounds}
    load = round(os.getloadavg()[0], 1)
    return [
        {
            **shared,
            "what": what,
            "n_partitions": m,
            "cpu_seconds": round(statistics.median(seconds), 4),
            "load": load,
            "versions": versions(),
        }
        for (what, m), seconds in taken.items()
    ]


def time_by_turns(
    cases: Mapping[Any, Callable[[np.ndarray], object]], X: np.ndarray, rounds: int
) -> dict[Any, list[float]]:
    """Return the processor seconds of every case on the same data, each after a warm-up, on one thread."""
    taken: dict[Any, list[float]] = {case: [] for case in cases}
    with threadpool_limits(1):
        for call in cases.values():
            call(X[:_WARM_UP_ROWS])
        for _ in tqdm(range(rounds), desc=f"{len(X):,} objects"):
            for case, call in cases.items():
                start = time.process_time()
                call(X)
                taken[case].append(time.process_time() - start)
    return taken


def n_features(n: int) -> int:
    """How many features data of n objects have."""
    return _FEW_FEATURES if n <= _UP_TO else _FEATURES


def default_section(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the section of the speed page, as Markdown."""
    lines = []
    for n in sorted({int(row["n_objects"]) for row in rows}):
        own = [row for row in rows if int(row["n_objects"]) == n]
        seconds = {(row["what"], row["n_partitions"]): float(row["cpu_seconds"]) for row in own}
        unit = seconds["KMeans", ""]
        for m in sorted({row["n_partitions"] for row in own if row["n_partitions"]}, key=int):
            made, fit, auto = (seconds[what, m] for what in CALLS)
            times = [f"{each / unit:.1f}" for each in (made, fit, auto)]
            lines.append([f"{n:,} x {own[0]['n_features']}", m, f"{unit:.3f}", *times, f"{auto / fit:.2f}"])
    head = ["objects", "M", "KMeans, s", "generating", "20 clusters", '"auto"', '"auto" / 20 clusters']
    load = statistics.median(float(row["load"]) for row in rows)
    return f"{_TEXT}\n{markdown_table(head, lines)}\n\nMedian load of the machine meanwhile: {load:.1f}."


def add_speed_default(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_speed_default)
    parser.add_argument("--sizes", nargs="*", type=count, default=SIZES, help="none: only write the page again")
    parser.add_argument("--members", nargs="+", type=count, default=MEMBERS)
    parser.add_argument("--rounds", type=count, default=3)
    parser.add_argument("--output", type=Path, default=_EVIDENCE / "speed_default.csv")
    parser.add_argument("--page", type=Path, default=_EVIDENCE / "speed.md")


def _speed_default(options: argparse.Namespace) -> None:
    from bench.speed.page import replace_section

    os.environ["CONSENSA_NUM_THREADS"] = "1"
    results = ResultFile(options.output, COLUMNS)
    for n in options.sizes:
        fresh = measure_default(n, options.members, options.rounds)
        if results.path.is_file():
            results.keep([row for row in results.rows() if int(row["n_objects"]) != n])
        results.append(fresh)
    section = default_section(results.rows())
    replace_section(options.page, section)
    print(f"{section}\n\nEvery figure: {options.output}\nThe page: {options.page}")


def fit_kmeans(X: np.ndarray) -> object:
    """Fit scikit-learn's KMeans with ten starts."""
    from sklearn.cluster import KMeans

    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(X)


def _generating(m: int) -> Callable[[np.ndarray], object]:
    from consensa.generate import MultiscalePartitions

    return lambda X: MultiscalePartitions(m, random_state=0).fit_transform(X)


def _fit(m: int, n_clusters: int | str = N_CLUSTERS) -> Callable[[np.ndarray], object]:
    from consensa import EnsembleClustering

    return lambda X: EnsembleClustering(n_clusters, n_partitions=m, random_state=0).fit(X)


def _auto(m: int) -> Callable[[np.ndarray], object]:
    return _fit(m, "auto")


CALLS: dict[str, Callable[[int], Callable[[np.ndarray], object]]] = {
    "generating": _generating,
    "20 clusters": _fit,
    "auto": _auto,
}
