"""Compute a published table again: draws from the pools, every method, every k rule, resumable."""

from __future__ import annotations

import sys
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from bench.data import load_pool
from bench.store import ResultFile, versions
from bench.tables import SCORES, Table
from consensa import Ensemble
from consensa.methods import get_method

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["COLUMNS", "draw", "reproduce"]

COLUMNS = (
    "paper", "table", "dataset", "method", "k_rule", "run", "seed", "k", "metric", "score",
    "n_objects", "n_microclusters", "seconds", "members", "parameters", "versions",
)  # fmt: skip
_NOT_SETTINGS = ("n_clusters", "missing", "random_state")


@dataclass(frozen=True)
class Cell:
    """What is still to be computed on one draw from one pool: pairs of method (as printed) and k rule."""

    dataset: str
    path: Path
    run: int
    wanted: tuple[tuple[str, str], ...]


def reproduce(
    table: Table,
    pools: Mapping[str, Path],
    output: Path,
    *,
    runs: int,
    best_k_runs: int,
    seed: int = 0,
    jobs: int = 1,
) -> list[dict[str, str]]:
    """Compute the cells that the result file lacks and return all rows that belong to the table.

    Parameters
    ----------
    table : Table
    pools : dict of Path by data set
    output : Path
        Result file; its finished cells are kept.
    runs, best_k_runs : int
        Number of draws per data set for true-k and best-k.
    seed : int
        Together with data set and run it decides the draw and the seed of the method.
    jobs : int
        Cells computed at a time; the scores do not depend on it.
    """
    results = ResultFile(output, COLUMNS)
    _check_settings(results, table, seed)
    cells = _open_cells(results, table, pools, runs, best_k_runs)
    finished = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(
        delayed(run_cell)(table, cell, seed) for cell in cells
    )
    patience = 0.1 if sys.stderr.isatty() else 30.0
    for rows in tqdm(
        finished, total=len(cells), desc=f"{table.paper} {table.table}", unit="cell", mininterval=patience
    ):
        results.append(rows)
    limit = {"best": best_k_runs}
    return [
        row for row in results.rows() if row["dataset"] in pools and int(row["run"]) < limit.get(row["k_rule"], runs)
    ]


def draw(dataset: str, run: int, seed: int, pool_size: int, n_members: int) -> tuple[np.ndarray, int]:
    """Draw the members of a run and a seed for its methods."""
    rng = np.random.default_rng([seed, zlib.crc32(dataset.encode()), run])
    return rng.permutation(pool_size)[:n_members], int(rng.integers(2**31 - 1))


def run_cell(table: Table, cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Compute the wanted scores of one draw from one pool."""
    members, truth = load_pool(cell.path)
    columns, method_seed = draw(cell.dataset, cell.run, seed, members.shape[1], table.protocol.n_members)
    ensemble = Ensemble(members[:, columns], missing=None)
    shared = {
        "paper": table.paper, "table": table.table, "dataset": cell.dataset, "run": cell.run, "seed": seed,
        "metric": table.protocol.score, "n_objects": ensemble.n_objects, "n_microclusters": ensemble.n_microclusters,
        "members": " ".join(map(str, columns)), "versions": versions(),
    }  # fmt: skip
    rules = defaultdict(list)
    for printed, rule in cell.wanted:
        rules[printed].append(rule)
    return [
        {**shared, "method": printed, "parameters": _settings(table, printed), **row}
        for printed in rules
        for row in _score_method(table, printed, rules[printed], ensemble, truth, method_seed)
    ]


def _score_method(
    table: Table, printed: str, rules: list[str], ensemble: Ensemble, truth: np.ndarray, seed: int
) -> list[dict[str, Any]]:
    """Fit a method once and score its cuts: one row per k rule, timed with the fit."""
    protocol = table.protocol
    true_k = np.unique(truth).size
    most = min(ensemble.n_microclusters, ensemble.n_base_clusters)
    candidates = {"true": [true_k], "best": [k for k in protocol.best_k if k <= most]}
    start = time.perf_counter()
    model = _model(table, printed, seed).set_params(n_clusters=true_k).fit(ensemble)
    fitted = time.perf_counter() - start
    rows = []
    for rule in rules:
        start = time.perf_counter()
        cuts = model.cut(candidates[rule])
        seconds = fitted + time.perf_counter() - start
        scores = {k: SCORES[protocol.score](labels, truth) for k, labels in cuts.items()}
        k = max(scores, key=lambda k: scores[k])
        rows.append({"k_rule": rule, "k": k, "score": f"{scores[k]:.6f}", "seconds": f"{seconds:.4f}"})
    return rows


def _model(table: Table, printed: str, seed: int | None = None) -> Any:
    """Make the estimator; parameters of the protocol that it does not have are left out."""
    model = get_method(table.registered()[printed]).load()()
    given = {**table.protocol.parameters_of(printed), "random_state": seed, "missing": None}
    return model.set_params(**{name: value for name, value in given.items() if name in model.get_params()})


def _settings(table: Table, printed: str) -> str:
    parameters = {k: v for k, v in _model(table, printed).get_params().items() if k not in _NOT_SETTINGS}
    return ";".join(f"{name}={value}" for name, value in {"M": table.protocol.n_members, **parameters}.items())


def _check_settings(results: ResultFile, table: Table, seed: int) -> None:
    """Refuse a result file made with another seed, other parameters or another release: means must not mix them."""
    release = versions().split(";", maxsplit=1)[0]
    settings = {printed: _settings(table, printed) for printed in table.registered()}
    for row in results.rows():
        expected = {
            "paper": table.paper,
            "table": table.table,
            "seed": str(seed),
            "metric": table.protocol.score,
            "parameters": settings.get(row["method"], row["parameters"]),
        }
        found = {name: row[name] for name in expected} | {"release": row["versions"].split(";", maxsplit=1)[0]}
        for name, value in (expected | {"release": release}).items():
            if found[name] != value:
                msg = (
                    f"{results.path} holds results with {name} {found[name]!r}, but now it is {value!r}. "
                    "Give another --output, or remove the file."
                )
                raise ValueError(msg)


def _open_cells(
    results: ResultFile, table: Table, pools: Mapping[str, Path], runs: int, best_k_runs: int
) -> list[Cell]:
    """Return the cells with something to do, run by run, so that all data sets advance together."""
    done = {(row["dataset"], int(row["run"]), row["method"], row["k_rule"]) for row in results.rows()}
    limit = {"true": runs, "best": best_k_runs}
    cells = []
    for run in range(max(runs, best_k_runs)):
        for dataset, path in pools.items():
            wanted = tuple(
                (printed, rule)
                for printed in table.registered()
                for rule in table.protocol.k_rules
                if run < limit[rule] and (dataset, run, printed, rule) not in done
            )
            if wanted:
                cells.append(Cell(dataset, path, run, wanted))
    return cells
