"""Paper 001 (PTA, PTGP): Tables 5 and 6 (graphs), 7 and 8 (sweeps of K and T), 9 (comparison), from the pools.

``python -m bench.paper001 --table 9 --data-dir DATA`` runs what the result file lacks and prints published beside ours.
``--make-pool SET`` first makes a pool of the data set SET, half k-means and half RPCL, where none was published.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from bench.data import find_data_dir, find_pools, load_pool
from bench.reproduce import draw
from bench.store import ResultFile, versions
from consensa import EAC, PTA, PTGP, Ensemble
from consensa.evaluate import nmi
from consensa.generate import MixedPartitions
from consensa.relate import elite_neighbors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["main", "make_pool", "report", "run_table"]

COLUMNS = ("table", "dataset", "method", "setting", "k_rule", "run", "seed", "value", "seconds", "versions")
M, TOLERANCE = 10, 0.025
BEST_K = (*range(2, 21), *range(25, 51, 5))
LINKAGES = {"AL": "average", "CL": "complete", "SL": "single"}
METHODS: dict[str, tuple[type, dict[str, Any]]] = {
    **{f"PTA-{short}": (PTA, {"linkage": name}) for short, name in LINKAGES.items()},
    "PTGP": (PTGP, {}),
    **{f"EAC-{short}": (EAC, {"linkage": name}) for short, name in LINKAGES.items()},
}
SWEEP = (1, 2, 4, 8, 16, 32, 64)
SETTINGS = {f"K={k};T=10;M=10": {"n_neighbors": k, "n_steps": 10} for k in (*SWEEP, "ALL")} | {
    f"K=10;T={t};M=10": {"n_neighbors": 10, "n_steps": t} for t in (*SWEEP, 128)
}


def run_table(
    table: str, data_dir: Path, output: Path, *, methods: Sequence[str], runs: int, best: bool, seed: int, jobs: int
) -> list[dict[str, str]]:
    """Compute the runs that the result file lacks and return all rows of the table."""
    results = ResultFile(output, COLUMNS)
    done = {(r["dataset"], r["method"], r["setting"], r["k_rule"], int(r["run"])) for r in results.rows()}
    if any(row["seed"] != str(seed) for row in results.rows()):
        msg = f"{output} holds results of another seed; give another --output."
        raise ValueError(msg)
    cells = [
        (path, name, run, tuple(job for job in _jobs(table, methods, best=best) if (name, *job, run) not in done))
        for run in range(runs)
        for name, path in find_pools(data_dir, "PTGP").items()
    ]
    cells = [cell for cell in cells if cell[-1]]
    finished = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(
        delayed(_run)(table, *cell, seed) for cell in cells
    )
    for rows in tqdm(finished, total=len(cells), desc=f"001 {table}", unit="run", mininterval=30):
        results.append(rows)
    return [row for row in results.rows() if row["table"] == table and int(row["run"]) < runs]


def _jobs(table: str, methods: Sequence[str], *, best: bool) -> Iterator[tuple[str, str, str]]:
    """Method, setting and k rule of every column of a table."""
    if table in ("5", "6"):
        yield from (("graph", f"K={k};M=10", "") for k in (*SWEEP, "ALL"))
    elif table in ("7", "8"):
        yield from (({"7": "PTA-AL", "8": "PTGP"}[table], setting, "best") for setting in SETTINGS)
    else:
        yield from ((method, "M=10", rule) for method in methods for rule in (("true", "best") if best else ("true",)))


def _run(
    table: str, path: Path, name: str, run: int, wanted: Sequence[tuple[str, str, str]], seed: int
) -> list[dict[str, Any]]:
    """All wanted figures of one draw; methods with the same setting are fitted once."""
    members, truth = load_pool(path)
    columns, method_seed = draw(name, run, seed, members.shape[1], M)
    ensemble = Ensemble(members[:, columns], missing=None)
    rules = defaultdict(list)
    for method, setting, rule in wanted:
        rules[method, setting].append(rule)
    rows = []
    for (method, setting), asked in rules.items():
        shared = {"table": table, "dataset": name, "method": method, "setting": setting, "run": run, "seed": seed}
        start = time.perf_counter()
        values = (
            _graph(ensemble, setting)
            if method == "graph"
            else _scores(_model(method, setting, method_seed), ensemble, truth, asked)
        )
        seconds = f"{time.perf_counter() - start:.4f}"
        rows += [
            {**shared, "k_rule": rule, "value": f"{value:.6f}", "seconds": seconds, "versions": versions()}
            for rule, value in values.items()
        ]
    return rows


def _model(method: str, setting: str, seed: int) -> Any:
    estimator, parameters = METHODS[method]
    given = {name: "all" if value == "ALL" else value for name, value in SETTINGS.get(setting, {}).items()}
    model = estimator(**parameters, **given)
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def _graph(ensemble: Ensemble, setting: str) -> dict[str, float]:
    """Number of links; the number of microclusters with K=ALL too."""
    k = setting.removeprefix("K=").split(";")[0]
    graph = elite_neighbors(ensemble, "all" if k == "ALL" else int(k))
    return {"": graph.nnz / 2} | ({"n_microclusters": graph.shape[0]} if k == "ALL" else {})


def _scores(model: Any, ensemble: Ensemble, truth: np.ndarray, rules: Sequence[str]) -> dict[str, float]:
    true_k = np.unique(truth).size
    most = min(ensemble.n_microclusters, ensemble.n_base_clusters)
    candidates = {"true": [true_k], "best": sorted({true_k, *(k for k in BEST_K if k <= most)})}
    cuts = model.set_params(n_clusters=true_k).fit(ensemble).cut
    return {rule: max(nmi(cuts(k), truth, average="max") for k in candidates[rule]) for rule in rules}


def report(table: str, rows: Sequence[dict[str, str]], data_dir: Path) -> str:
    """Write published and own means side by side."""
    published = _published(table, data_dir)
    values: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        values[row["method"], row["setting"], row["k_rule"], row["dataset"]].append(float(row["value"]))
    links = {key[-1]: np.mean(v) for key, v in values.items() if key[1] == "K=ALL;M=10" and key[2] == ""}
    lines, near, total = [], 0, 0
    for (method, setting, rule, dataset), found in values.items():
        ours = float(np.mean(found))
        if table == "6":
            ours *= 100 / links[dataset]
        theirs = published.get((dataset, method, rule, setting))
        error = np.std(found, ddof=1) / len(found) ** 0.5 if len(found) > 1 else np.nan
        lines.append(
            f"{method:<8}{setting:<16}{rule:<6}{dataset:<12}{'-' if theirs is None else theirs:>10}{ours:>12.3f}"
            f"{'' if theirs is None else f'{ours - theirs:+.3f}':>9}{error:>9.3f}{len(found):>5}"
        )
        total += theirs is not None
        near += theirs is not None and ours >= theirs - TOLERANCE
    heading = f"Paper 001, Table {table}: method, setting, k rule, data set, published, ours, difference, SE, runs"
    ending = [f"within {TOLERANCE} of the published figure, or above it: {near} of {total}"] if table in "789" else []
    return "\n".join([heading, *lines, *ending])


def _published(table: str, data_dir: Path) -> dict[tuple[str, str, str, str], float]:
    """Published means by data set (as the pools are named), method, k rule and setting."""
    found = {}
    with (data_dir / "published.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["paper"] == "001" and row["table"] == table and row["mean"]:
                method = {"MSG": "graph", "K-ENG": "graph", "PTA": "PTA-AL"}.get(row["method"], row["method"])
                rule = "n_microclusters" if row["metric"] == "n_microclusters" else row["k_rule"]
                rule = rule or ("best" if table in "78" else "")
                setting = "K=ALL;M=10" if table == "5" else row["param"]
                found[row["dataset"].replace("-", "_"), method, rule, setting] = float(row["mean"])
    return found


def make_pool(data_dir: Path, name: str, n_members: int, seed: int, jobs: int, folder: Path) -> Path:
    """Make a pool of a data set as the paper does and save it as ``pools/PTGP_<name>.npz`` in a folder of our own."""
    with np.load(data_dir / "sets" / f"{name}.npz", allow_pickle=False) as data:
        X, truth = data["X"].astype(float), data["y"]
    generator = MixedPartitions(n_members, random_state=seed, n_jobs=jobs, verbose=True)
    members = generator.fit_transform(X)
    path = folder / "pools" / f"PTGP_{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, members=members + 1, gt=truth)
    found = members.max(axis=0) + 1
    scores = [nmi(column, truth, average="max") for column in members.T]
    print(
        f"{name}: k {found.min()} to {found.max()}, median {np.median(found):.0f}; NMI/max mean {np.mean(scores):.3f}"
    )
    return path


def main(arguments: list[str] | None = None) -> None:
    """Run one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.paper001", description=__doc__)
    parser.add_argument("--table", choices=["5", "6", "7", "8", "9"])
    parser.add_argument("--data-dir", help="folder with pools/ (default: environment variable CONSENSA_DATA)")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--no-best-k", action="store_true", help="true k only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--make-pool", metavar="SET", help="make a pool of this data set in the folder of --output")
    parser.add_argument("--members", type=int, default=200, help="size of that pool (default 200)")
    parser.add_argument("--output", type=Path, help="result file (default: results/paper001_table<T>.csv)")
    options = parser.parse_args(arguments)
    data_dir = find_data_dir(options.data_dir)
    output = options.output or Path("results", f"paper001_table{options.table}.csv")
    if options.make_pool:
        make_pool(data_dir, options.make_pool, options.members, options.seed, options.jobs, output.parent)
    if options.table:
        settings = {"methods": options.methods, "runs": options.runs, "best": not options.no_best_k}
        rows = run_table(options.table, data_dir, output, **settings, seed=options.seed, jobs=options.jobs)
        print(report(options.table, rows, data_dir))


if __name__ == "__main__":
    main()
