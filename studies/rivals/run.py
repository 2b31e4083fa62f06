"""Other packages on the same data: agreement with the truth, time, memory, largest n, behaviour on odd input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from bench import ROOT
from bench.data import find_pools, load_pool, made_up_ensemble, made_up_features
from bench.speed.run import predicted_seconds
from bench.store import ResultFile
from consensa.evaluate import anmi, ari, nmi

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["COLUMNS", "PACKAGES", "SIZES", "Case", "Limits", "find_pythons", "run_rivals"]

COLUMNS = (
    "part", "case", "package", "method", "n_objects", "n_clusters", "nmi", "ari", "anmi", "cpu_seconds", "new_mib",
    "repeatable", "limit", "status", "version",
)  # fmt: skip
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
ON_LABELS = {
    "consensa": ("cspa", "hgpa", "mcla", "hbgf", "nmf", "eac", "em", "lwea", "lwgp"),
    "ensembleclustering": ("cspa", "hgpa", "mcla", "hbgf", "nmf"),
    "openensembles": ("linkage", "majority_vote"),
}
ON_FEATURES = {
    "consensa": ("subsample+eac",),
    "consensusclustering": ("consensus matrix",),
    "ConsensusClusterPlus": ("km",),
}
PACKAGES = tuple(dict.fromkeys((*ON_LABELS, *ON_FEATURES)))
_SMALL = 3  # clusters of the odd inputs
_SLACK = 60  # processor seconds for imports and warm-up
_LIMITS = 'ulimit -t "$0"; ulimit -v "$1"; shift; exec "$@"'
_HERE = Path(__file__).resolve().parent
_START = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"  # keeps this folder off sys.path
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "CONSENSA_NUM_THREADS")


@dataclass(frozen=True)
class Case:
    """Something to cluster: a label matrix or features, with the true classes if they are known."""

    part: str  # "truth", "growth" or "input"
    name: str
    given: np.ndarray
    n_clusters: int
    truth: np.ndarray | None = None
    on: str = "labels"


@dataclass(frozen=True)
class Limits:
    """Processor seconds and bytes of address space for one run."""

    seconds: float = 30.0
    memory: int = 8 << 30


def run_rivals(
    output: Path, data_dir: Path | None, pythons: Mapping[str, str], *, sizes: Sequence[int] = SIZES, limits: Limits
) -> list[dict[str, str]]:
    """Run what the result file does not hold yet; ``pythons`` has the interpreter of every package."""
    results = ResultFile(output, COLUMNS)
    for case in _cases(data_dir, sizes):
        methods = ON_LABELS if case.on == "labels" else ON_FEATURES
        wanted = [(package, method) for package in methods if package in pythons for method in methods[package]]
        wanted = [each for each in wanted if _goes_on(results.rows(), case, *each, limits.seconds)]
        for package, names in tqdm(_batches(wanted, case), desc=f"{case.part}: {case.name}", file=sys.stderr):
            found = run_batch(case, package, names, pythons[package], limits)
            size = {"n_objects": case.given.shape[0], "n_clusters": case.n_clusters, "limit": limits.seconds}
            results.append([{"part": case.part, "case": case.name, "package": package, **size, **row} for row in found])
    return results.rows()


def find_pythons(given: Sequence[str], rscript: str | None) -> dict[str, str]:
    """Return for every package the first interpreter that can import it."""
    found = {"consensa": sys.executable}
    for package in PACKAGES:
        for python in given:
            command = [python, "-c", f"import {package}"]
            if package not in found and subprocess.run(command, capture_output=True, check=False).returncode == 0:
                found[package] = python
    if rscript is not None:
        found["ConsensusClusterPlus"] = rscript
    return found


def _batches(wanted: Sequence[tuple[str, str]], case: Case) -> list[tuple[str, list[str]]]:
    """One process per method where it may have to be stopped; our imports are slow, and the odd inputs tiny."""
    batches: list[tuple[str, list[str]]] = []
    for package, method in wanted:
        if batches and batches[-1][0] == package and (package == "consensa" or case.part == "input"):
            batches[-1][1].append(method)
        else:
            batches.append((package, [method]))
    return batches


def run_batch(case: Case, package: str, methods: list[str], python: str, limits: Limits) -> list[dict[str, Any]]:
    """Run methods of a package in a process of its own and score their labels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        allowed = [str(round(3 * limits.seconds * len(methods) + _SLACK)), str(limits.memory >> 10)]
        environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
        if package != "consensa":
            environment.pop("PYTHONPATH", None)
        command = ["/bin/sh", "-c", _LIMITS, *allowed, *_command(case, package, methods, python, folder)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for place, row in enumerate(rows):
            row["status"] = row["status"].replace("\n", " ")[:160]
            if row["status"] == "ok":
                row.update(_scores(case, _read(folder, place)))
    return rows + [{"method": method, "status": _reason(done)} for method in methods[len(rows) :]]


def _read(folder: Path, place: int) -> np.ndarray:
    saved = folder / f"{place}.npy"
    return np.asarray(np.load(saved) if saved.exists() else np.loadtxt(folder / "labels.csv", dtype=int))


def _command(case: Case, package: str, methods: list[str], python: str, folder: Path) -> list[str]:
    if package == "ConsensusClusterPlus":
        features, labels = str(folder / "features.csv"), str(folder / "labels.csv")
        np.savetxt(features, case.given, delimiter=",")
        return [python, str(Path(_HERE, "consensus_cluster_plus.R")), features, str(case.n_clusters), "1", labels]
    np.savez(folder / "data.npz", given=case.given)
    task = {
        "package": package, "methods": methods, "data": str(folder / "data.npz"), "folder": str(folder), "seed": 1,
        "n_clusters": case.n_clusters, "again": case.part == "input",
    }  # fmt: skip
    (folder / "task.json").write_text(json.dumps(task))
    return [python, "-c", _START, str(Path(_HERE, "child.py")), str(folder / "task.json")]


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode < 0 or done.returncode > 128:
        return "stopped: too long, or killed"
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()] or ["failed without a word"]
    return lines[-1].strip()[:160]


def _scores(case: Case, found: np.ndarray) -> dict[str, float]:
    scores = {"anmi": anmi(found, case.given)} if case.part == "truth" and case.on == "labels" else {}
    if case.truth is not None:
        scores |= {"nmi": nmi(case.truth, found), "ari": ari(case.truth, found)}
    return {name: round(score, 4) for name, score in scores.items()}


def _goes_on(rows: Sequence[dict[str, str]], case: Case, package: str, method: str, limit: float) -> bool:
    same = ("part", "package", "method") if case.part == "growth" else ("part", "case", "package", "method")
    key = {"part": case.part, "case": case.name, "package": package, "method": method}
    own = [row for row in rows if all(row[name] == key[name] for name in same)]
    if case.part != "growth" or not own:
        return not own
    n_objects = case.given.shape[0]
    if any(row["status"] != "ok" or int(row["n_objects"]) >= n_objects for row in own):
        return False
    return predicted_seconds(own, n_objects) < limit


def _cases(data_dir: Path | None, sizes: Sequence[int]) -> Iterator[Case]:
    yield from odd_inputs()
    yield digits_ensemble()
    X, truth = _digits()
    yield Case("truth", "features of 500 digits", X[:500], 10, truth[:500], on="features")
    for n_objects in sizes:
        yield Case("growth", f"{n_objects:,} objects", made_up_ensemble(n_objects), 20)
        yield Case("growth", f"{n_objects:,} objects", made_up_features(n_objects), 10, on="features")
    if data_dir is not None:
        pools = find_pools(data_dir, "LWEC")
        for name in ("MF", "Semeion"):
            members, truth = load_pool(pools[name])
            columns = np.random.default_rng(0).choice(members.shape[1], 10, replace=False)
            yield Case("truth", name, members[:, columns], int(np.unique(truth).size), truth)


def odd_inputs() -> Iterator[Case]:
    """Ten noisy copies of three groups, with odd labels: the same clusterings in every case but ``missing``."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(_SMALL), 60)
    noise = rng.random((truth.size, 10)) < 0.1
    labels = np.where(noise, rng.integers(_SMALL, size=noise.shape), truth[:, None])
    yield Case("input", "integers", labels, _SMALL, truth)
    missing = np.where(rng.random(labels.shape) < 0.1, np.nan, labels)
    yield Case("input", "missing (NaN)", missing, _SMALL, truth)
    yield Case("input", "strings", np.array(["a", "b", "c"])[labels], _SMALL, truth)
    yield Case("input", "gaps and negative", np.array([-5, 7, 1000])[labels], _SMALL, truth)


def digits_ensemble() -> Case:
    """20 k-means clusterings of scikit-learn's digits, k from 10 to 30: anybody can make it."""
    from sklearn.cluster import KMeans

    X, truth = _digits()
    sizes = np.random.default_rng(0).integers(10, 31, size=20)
    members = [KMeans(int(k), n_init=1, random_state=seed).fit(X).labels_ for seed, k in enumerate(sizes)]
    return Case("truth", "digits", np.stack(members, axis=1), 10, truth)


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    return X, truth
