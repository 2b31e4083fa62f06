"""Paper 004 again: Tables 2-10, the ensembles WSPA and WBPA of locally adaptive clusterings against their inputs.

Nothing is drawn from pools here: LAC clusters the features, and the ensembles combine what it finds.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from bench.data import read_published
from bench.store import ResultFile, versions
from consensa import consensus, wbpa, wspa
from consensa.evaluate import error_rate, nmi
from consensa.generate import LACPartitions
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["SETS", "SUMMARY", "report", "reproduce"]

COLUMNS = (
    "paper", "table", "dataset", "features", "method", "run", "seed", "k", "n_objects", "NMI", "error_percent",
    "seconds", "parameters", "versions",
)  # fmt: skip
SUMMARY = "2"
N_VALUES = 20  # of 1/h, from 1 to 20; the paper does not print its own
SCALINGS = ("standardised", "raw")
METRICS = ("NMI", "error_percent")
INPUTS = {"LAC-max": np.max, "LAC-min": np.min, "LAC-avg": np.mean}


@dataclass(frozen=True)
class DataSet:
    """A data set of the paper, and its table.

    Parameters
    ----------
    name, table : str
        As in ``published.csv``.
    file : str or None
        ``sets/<file>.npz``; None for made-up data.
    gaussians : tuple of (mean, standard deviation) pairs
        300 points each, for made-up data.
    compared : bool
        Whether our data are those of the paper, so that figures may be compared.
    """

    name: str
    table: str
    file: str | None = None
    gaussians: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()
    compared: bool = True

    def load(self, data_dir: Path, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return features and classes; the seed draws made-up data."""
        if self.file is None:
            rng = np.random.default_rng(seed)
            parts = [rng.normal(mean, deviation, (300, 2)) for mean, deviation in self.gaussians]
            return np.vstack(parts), np.repeat(np.arange(len(parts)), 300)
        with np.load(data_dir / "sets" / f"{self.file}.npz", allow_pickle=False) as file:
            return file["X"].astype(float), file["y"].ravel()


SETS = (
    DataSet("Two-Gaussian", "3", gaussians=(((0.5, 5), (1, 9)), ((12, 5), (6, 2)))),
    DataSet("Three-Gaussian", "4", gaussians=(((0, 0), (1, 8)), ((12, -6), (5, 1)), ((12, 6), (5, 1))), compared=False),
    DataSet("Iris", "5", "Iris"),
    DataSet("WDBC", "6", "WDBC424"),
    DataSet("Breast", "7", "Breast478"),
    DataSet("Letter(A,B)", "9", "LetterAB"),
    DataSet("SatImage", "10", "SatImage_1_7"),
)


def reproduce(
    tables: Sequence[str], data_dir: Path, output: Path, *, runs: int, seed: int = 0, jobs: int = 1
) -> list[dict[str, str]]:
    """Compute the runs that the result file lacks and return its rows for these tables.

    Parameters
    ----------
    tables : sequence of str
        Numbers of the tables, "3" to "10"; "2", the mean of the real sets, needs all of these.
    data_dir : Path
    output : Path
        Result file; its finished runs are kept.
    runs : int
        Runs per data set, each with its own seed.
    seed : int
    jobs : int
        Values of h computed at a time; the scores do not depend on it.
    """
    results = ResultFile(output, COLUMNS)
    _check_settings(results, seed)
    wanted = [each for each in SETS if each.table in tables or (SUMMARY in tables and each.file is not None)]
    done = {(row["dataset"], row["features"], int(row["run"])) for row in results.rows()}
    for run in range(runs):
        for each in wanted:
            for scaling in SCALINGS:
                if (each.name, scaling, run) not in done:
                    results.append(run_set(each, scaling, run, data_dir, seed, jobs))
    names = {each.name for each in wanted}
    return [row for row in results.rows() if row["dataset"] in names and int(row["run"]) < runs]


def run_set(each: DataSet, scaling: str, run: int, data_dir: Path, seed: int, jobs: int) -> list[dict[str, Any]]:
    """Cluster a data set by LAC, combine the clusterings, and score inputs and ensembles."""
    X, truth = each.load(data_dir, 1000 * seed + run)
    Z = StandardScaler().fit_transform(X) if scaling == "standardised" else X
    k = np.unique(truth).size
    shared = {
        "paper": "004", "table": each.table, "dataset": each.name, "features": scaling, "run": run, "seed": seed,
        "k": k, "n_objects": len(truth), "parameters": _settings(), "versions": versions(),
    }  # fmt: skip
    start = time.perf_counter()
    generator = LACPartitions(k, N_VALUES, random_state=1000 * seed + run, n_jobs=jobs)
    members = generator.fit_transform(Z)
    spent = time.perf_counter() - start
    scores = {metric: [_score(metric, member, truth) for member in members.T] for metric in METRICS}
    rows = [
        {**shared, "method": name, "seconds": f"{spent:.3f}"}
        | {metric: f"{summary(scores[metric]):.6f}" for metric in METRICS}
        for name, summary in INPUTS.items()
    ]
    for name, combine in _ensembles(generator, Z, members, k, 1000 * seed + run).items():
        start = time.perf_counter()
        labels = combine()
        spent = time.perf_counter() - start
        found = {metric: f"{_score(metric, labels, truth):.6f}" for metric in METRICS}
        rows.append({**shared, "method": name, "seconds": f"{spent:.3f}", **found})
    return rows


def report(tables: Sequence[str], rows: Sequence[Mapping[str, str]], data_dir: Path) -> str:
    """Write our means beside the published figures, table by table."""
    lines = [
        f"Paper 004: LAC with {N_VALUES} values of 1/h from 1 to 20 (the paper does not print its own), true k.",
        "Modis-4 (Table 8) is not available. NMI is divided by the root of the product of the entropies.",
    ]
    chosen = [each for each in SETS if any(row["dataset"] == each.name for row in rows)]
    for each in chosen:
        if each.table in tables:
            lines += ["", *_table(each, rows, data_dir)]
    if SUMMARY in tables:
        lines += ["", *_summary([each for each in chosen if each.file is not None], rows, data_dir)]
    return "\n".join(lines)


def _ensembles(
    generator: LACPartitions, Z: np.ndarray, members: np.ndarray, k: int, seed: int
) -> dict[str, Callable[[], np.ndarray]]:
    """The ensembles of the tables that consensa has, and its own for clusters of unequal size."""
    found: dict[str, Callable[[], np.ndarray]] = {
        "WSPA": lambda: wspa(generator.posteriors(Z), k, random_state=seed),
        "WBPA": lambda: wbpa(generator.posteriors(Z), k, random_state=seed),
        "WSPA/tcut": lambda: wspa(generator.posteriors(Z), k, "tcut", random_state=seed),
        "WBPA/tcut": lambda: wbpa(generator.posteriors(Z), k, "tcut", random_state=seed),
        "WSPA/average": lambda: wspa(generator.posteriors(Z), k, "average", random_state=seed),
        "WBPA/average": lambda: wbpa(generator.posteriors(Z), k, "average", random_state=seed),
    }
    if "cspa" in METHODS:
        found["CSPA"] = lambda: consensus(members, k, "cspa", seed)
    if "mcla" in METHODS:
        found["MCLA"] = lambda: consensus(members, k, "mcla", seed)
    return found


def _score(metric: str, labels: np.ndarray, truth: np.ndarray) -> float:
    return nmi(labels, truth) if metric == "NMI" else 100 * error_rate(truth, labels)


def _settings() -> str:
    return f"n_partitions={N_VALUES};inverse_h=1..20"


def _check_settings(results: ResultFile, seed: int) -> None:
    """Refuse a result file made with another seed or other parameters: means must not mix them."""
    for row in results.rows():
        for name, value in {"paper": "004", "seed": str(seed), "parameters": _settings()}.items():
            if row[name] != value:
                msg = (
                    f"{results.path} holds results with {name} {row[name]!r}, but now it is {value!r}. "
                    "Give another --output, or remove the file."
                )
                raise ValueError(msg)


def _means(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, str, str, str], float]:
    """Mean over the runs by (data set, features, method, metric)."""
    values: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        for metric in METRICS:
            values[row["dataset"], row["features"], row["method"], metric].append(float(row[metric]))
    return {key: float(np.mean(found)) for key, found in values.items()}


def _published(each: DataSet, data_dir: Path) -> dict[str, dict[str, float]]:
    """Published figures of a data set by metric and method."""
    return {
        metric: {
            method: cell.mean
            for (name, method, _), cell in read_published(data_dir, "004", each.table, metric).items()
            if name == each.name and each.compared
        }
        for metric in METRICS
    }


def _table(each: DataSet, rows: Sequence[Mapping[str, str]], data_dir: Path) -> Iterator[str]:
    own = [row for row in rows if row["dataset"] == each.name]
    n_runs = len({row["run"] for row in own})
    made_up = f"; made up: {', '.join(f'N({m}, {s})' for m, s in each.gaussians)}" if each.gaussians else ""
    other = "" if each.compared else ", our own and not compared: the paper only draws its data"
    yield f"Table {each.table}: {each.name}, {own[0]['n_objects']} objects, runs: {n_runs}{made_up}{other}"
    yield from _lines(_published(each, data_dir), _means(own), each.name)


def _summary(sets: Sequence[DataSet], rows: Sequence[Mapping[str, str]], data_dir: Path) -> Iterator[str]:
    """Table 2: the mean over the real sets that are present; the published one is taken over the same sets."""
    names = [each.name for each in sets]
    pooled: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for (name, scaling, method, metric), value in _means(rows).items():
        if name in names:
            pooled["mean", scaling, method, metric].append(value)
    figures = [_published(each, data_dir) for each in sets]
    theirs = {
        metric: {
            method: float(np.mean([each[metric][method] for each in figures]))
            for method in figures[0][metric]
            if all(method in each[metric] for each in figures)
        }
        for metric in METRICS
    }
    yield f"Table 2: mean of {', '.join(names)} (published figures: mean of the same sets)"
    yield from _lines(theirs, {key: float(np.mean(found)) for key, found in pooled.items()}, "mean")


def _lines(
    published: Mapping[str, Mapping[str, float]], ours: Mapping[tuple[str, str, str, str], float], name: str
) -> Iterator[str]:
    yield f"{'':<14}{'NMI':>28}{'error %':>31}"
    heading = "".join(f"{word:>11}" for word in ("published", "standard.", "raw"))
    yield f"{'':<14}{heading}   {heading}"
    for method in dict.fromkeys(key[2] for key in ours):
        cells = []
        for metric, digits in (("NMI", 3), ("error_percent", 2)):
            figures = [published.get(metric, {}).get(method), *(ours.get((name, s, method, metric)) for s in SCALINGS)]
            cells.append("".join(f"{'-':>11}" if f is None else f"{f:>11.{digits}f}" for f in figures))
        yield f"{method:<14}{cells[0]}   {cells[1]}"
