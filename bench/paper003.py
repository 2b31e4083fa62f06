"""Paper 003 again: Tables 3 (NMI) and 4 (ARI), and the sweep of theta of its Fig. 6.

The paper chooses theta by the true classes. So every theta is run and scored once, and the report says what the choice
by the truth, the choice by agreement with the base clusterings, and the default value give.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed
from tqdm import tqdm

from bench.data import load_pool
from bench.reproduce import draw
from bench.store import ResultFile, versions
from bench.tables import SCORES
from consensa import Ensemble
from consensa.evaluate import anmi
from consensa.methods import METHODS, get_method
from consensa.methods.dlwecdl import THETA_GRID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["COLUMNS", "POOLS", "find_paper_pools", "run_paper"]

COLUMNS = (
    "dataset", "method", "theta", "run", "seed", "k", *SCORES, "ANMI",
    "n_objects", "n_microclusters", "seconds", "members", "versions",
)  # fmt: skip
POOLS = {
    "Wine": "DREC_wine", "Segment": "DREC_segment", "VS": "LWEC_VS", "IS": "PTGP_IS", "SPF": "LWEC_SPF",
    "MF": "LWEC_MF", "Semeion": "LWEC_Semeion", "MnistData_05": "DREC_MnistData_05", "Binalpha": "DREC_binalpha",
    "Caltech20": "LWEC_Caltech20", "MnistData_10": "DREC_MnistData_10", "FCT": "LWEC_FCT", "ODR": "LWEC_ODR",
    "LS": "LWEC_LS", "ISOLET": "LWEC_ISOLET", "MNIST": "LWEC_MNIST",
    "Caltech101": "DREC_caltech101_silhouettes_28",
}  # fmt: skip
N_MEMBERS = 20
SWEPT = ("DLWECDL", "ELWECDL")
OTHERS = {"DREC": ("drec", {}), "LWEA": ("lwea", {}), "LWGP": ("lwgp", {}), "PTA-CL": ("pta", {"linkage": "complete"})}


@dataclass(frozen=True)
class Job:
    """One draw from one pool, and what is still to be computed on it: pairs of method and theta."""

    dataset: str
    path: Path
    run: int
    wanted: tuple[tuple[str, str], ...]


def find_paper_pools(data_dir: Path, names: Sequence[str] | None = None) -> dict[str, Path]:
    """Return the pools of the paper that are present, small ones first; all or the named data sets."""
    unknown = [name for name in names or () if name not in POOLS]
    if unknown:
        msg = f"the paper has no data set {unknown[0]!r} with a pool; choose from {', '.join(POOLS)}."
        raise ValueError(msg)
    paths = {name: data_dir / "pools" / f"{POOLS[name]}.npz" for name in names or POOLS}
    found = {name: path for name, path in paths.items() if path.is_file()}
    if not found:
        msg = f"{data_dir / 'pools'} holds none of the pools {', '.join(POOLS[name] for name in paths)}."
        raise ValueError(msg)
    return found


def run_paper(pools: dict[str, Path], output: Path, *, runs: int, seed: int = 0, jobs: int = 1) -> list[dict[str, str]]:
    """Compute what the result file lacks and return its rows for these data sets and runs.

    Parameters
    ----------
    pools : dict of Path by data set
    output : Path
        Result file; its finished cells are kept.
    runs : int
        Number of draws per data set.
    seed : int
        Together with data set and run it decides the draw and the seed of the method.
    jobs : int
        Draws computed at a time; the scores do not depend on it.
    """
    results = ResultFile(output, COLUMNS)
    open_jobs = list(_open_jobs(results, pools, runs, seed))
    finished = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(
        delayed(run_job)(job, seed) for job in open_jobs
    )
    for rows in tqdm(finished, total=len(open_jobs), desc="paper 003", unit="draw"):
        results.append(rows)
    return [row for row in results.rows() if row["dataset"] in pools and int(row["run"]) < runs]


def run_job(job: Job, seed: int) -> list[dict[str, Any]]:
    """Fit and score all wanted methods on one draw."""
    members, truth = load_pool(job.path)
    columns, method_seed = draw(job.dataset, job.run, seed, members.shape[1], N_MEMBERS)
    ensemble = Ensemble(members[:, columns], missing=None)
    shared = {
        "dataset": job.dataset, "run": job.run, "seed": seed, "k": len(set(truth.tolist())),
        "n_objects": ensemble.n_objects, "n_microclusters": ensemble.n_microclusters,
        "members": " ".join(map(str, columns)), "versions": versions(),
    }  # fmt: skip
    rows = []
    for method, theta in job.wanted:
        model = _model(method, theta, shared["k"], method_seed)
        start = time.perf_counter()
        labels = model.fit(ensemble).labels_
        seconds = time.perf_counter() - start
        scores = {name: score(labels, truth) for name, score in SCORES.items()} | {"ANMI": anmi(labels, ensemble)}
        written = {name: f"{value:.6f}" for name, value in scores.items()}
        rows.append({**shared, "method": method, "theta": theta, "seconds": f"{seconds:.4f}", **written})
    return rows


def _model(method: str, theta: str, k: int, seed: int) -> Any:
    name, given = (method.lower(), {"theta": float(theta)}) if method in SWEPT else OTHERS[method]
    model = get_method(name).load()(n_clusters=k, missing=None, **given)
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def _open_jobs(results: ResultFile, pools: dict[str, Path], runs: int, seed: int) -> Iterator[Job]:
    """All draws with something to do, run by run, so that all data sets advance together."""
    done = defaultdict(set)
    for row in results.rows():
        if row["seed"] != str(seed):
            msg = f"{results.path} holds results with seed {row['seed']}; give another --output, or remove the file."
            raise ValueError(msg)
        done[row["dataset"], int(row["run"])].add((row["method"], row["theta"]))
    everything = [(method, str(theta)) for method in SWEPT for theta in THETA_GRID]
    everything += [(method, "") for method, (name, _) in OTHERS.items() if name in METHODS]
    for run in range(runs):
        for dataset, path in pools.items():
            wanted = tuple(pair for pair in everything if pair not in done[dataset, run])
            if wanted:
                yield Job(dataset, path, run, wanted)
