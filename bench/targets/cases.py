"""What is measured to see whether the targets are met: every case gives a few rows, in one run of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import ROOT
from bench.data import draw, find_data_dir, find_pools, load_pool, made_up_ensemble
from bench.scale.data import write_labels
from bench.speed.check import check
from bench.speed.check_child import N_CLUSTERS, gaussians
from bench.speed.default_path import CALLS, fit_kmeans, n_features, time_by_turns
from bench.speed.processes import run_child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["CASES", "ONCE", "Settings"]

Row = dict[str, Any]
_MEMBERS = 100  # base clusterings, the default
_DISK_SIZES = (1_000_000, 10_000_000)
_LARGEST_K = 60
_OLD_AND_NEW = (
    *(f"{what}, 100,000 x 100" for what in ("overlap", "lwgp", "sal")),
    *(f"{what}, 11,000 x 10" for what in ("pta", "ptgp")),
    *(f"{what}, 10,000 x 10" for what in ("lwea", "lwgp", "sal")),
)
_MADE_UP = {"lwea": 500_000, "pta": 36_000, "ptgp": 36_000}  # objects, for 200,000 and 30,000 microclusters
_FIRST_FIT = """\
import json, sys, time
import numpy as np
from sklearn.datasets import load_iris
from consensa.methods.ensemble_clustering import EnsembleClustering
imported = time.process_time()
fit = lambda X: EnsembleClustering(3, random_state=0).fit(X)
fit(np.load(sys.argv[1]))
first = time.process_time()
fit(load_iris().data)
print(json.dumps([imported, first - imported, time.process_time() - first]))
"""
_RUN = "import sys; from consensa.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Settings:
    """Where data lie, and what the present tree is compared with."""

    folder: Path
    commit: str
    data_dir: str | None = None


def _default(_: Settings, n: int, *, apart: bool) -> list[Row]:
    """KMeans, the default and its choice of k, turn by turn in this process."""
    from sklearn.datasets import make_blobs

    X = gaussians(n)[:, : n_features(n)]
    if apart:
        X = make_blobs(n, n_features(n), centers=N_CLUSTERS, random_state=0)[0]
    calls = {"KMeans": fit_kmeans, **{what: CALLS[what](_MEMBERS) for what in ("20 clusters", "auto")}}
    return [{"what": what, "cpu_seconds": seconds[0]} for what, seconds in time_by_turns(calls, X, 1).items()]


def _against_before(settings: Settings, case: str) -> list[Row]:
    """One case in the present tree and in an earlier commit; the first turn of a fresh tree still compiles."""
    runs, _ = check(settings.commit, [case], 2)
    return [{"what": tree, "cpu_seconds": seconds[-1]} for tree, seconds in runs[case].items()]


def _from_disk(settings: Settings, method: str) -> list[Row]:
    """Fit label matrices on disk, the second ten times as long as the first."""
    rows = []
    for n in _DISK_SIZES:
        path = settings.folder / f"m{_MEMBERS}_{n}.npy"
        write_labels(path, n, n_members=_MEMBERS, largest_k=_LARGEST_K)
        figures = run_child({"action": "scale", "path": str(path), "method": method, "backend": "files",
                             "kill_worker": False})  # fmt: skip
        rows.append({"what": f"{n}", **figures})
    return rows


def _pool(settings: Settings, method: str) -> list[Row]:
    """Fit ten members of the pool LR."""
    members, truth = load_pool(find_pools(find_data_dir(settings.data_dir), "LWEC")["LR"])
    columns, _ = draw("LR", 0, 0, members.shape[1], 10)
    return _fitted(settings, method, members[:, columns], np.unique(truth).size, repeats=5)


def _made_up(settings: Settings, method: str) -> list[Row]:
    """Fit made-up clusterings, fine enough for many microclusters."""
    return _fitted(settings, method, made_up_ensemble(_MADE_UP[method]), N_CLUSTERS, repeats=1)


def _fitted(settings: Settings, method: str, labels: np.ndarray, n_clusters: int, repeats: int) -> list[Row]:
    path = settings.folder / f"{method}.npy"
    np.save(path, labels)
    task = {"action": "fit", "path": str(path), "method": method, "n_clusters": n_clusters, "repeats": repeats}
    try:
        return [{"what": "", **run_child(task)}]
    finally:
        path.unlink()


def _run(settings: Settings, n: int) -> list[Row]:
    """``consensa run`` from a file of features to a file of labels."""
    path, output = settings.folder / f"features_{n}.npy", settings.folder / "labels.npy"
    if not path.exists():
        np.save(path, gaussians(n))
    start = time.perf_counter()
    asked = ["run", str(path), "-k", str(N_CLUSTERS), "-o", str(output), "--seed", "0", "--force"]
    child = subprocess.Popen([sys.executable, "-c", _RUN, *asked], cwd=ROOT)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        msg = f"consensa run failed on {path}."
        raise RuntimeError(msg)
    figures = {"seconds": time.perf_counter() - start, "peak_mib": used.ru_maxrss / 1024}
    return [{"what": "", "cpu_seconds": used.ru_utime + used.ru_stime, **figures}]


def _first_fit(settings: Settings) -> list[Row]:
    """The default in a new process: with an empty cache of kernels, then with the one that this left."""
    from tempfile import TemporaryDirectory

    path = settings.folder / "first.npy"
    np.save(path, gaussians(1_000)[:, : n_features(1_000)])
    rows = []
    with TemporaryDirectory() as cache:
        for what in ("empty cache", "warm cache"):
            done = subprocess.run(
                [sys.executable, "-c", _FIRST_FIT, str(path)],
                cwd=ROOT, env={**os.environ, "NUMBA_CACHE_DIR": cache}, capture_output=True, text=True, check=True,
            )  # fmt: skip
            imports, first, iris = json.loads(done.stdout)
            taken = {what: first, f"imports, {what}": imports, f"iris, {what}": iris}
            rows += [{"what": name, "cpu_seconds": seconds} for name, seconds in taken.items()]
    return rows


CASES: dict[str, Callable[[Settings], list[Row]]] = {
    **{f"default, {n:,}": partial(_default, n=n, apart=False) for n in (1_000, 10_000, 100_000)},
    **{f"default, {n:,} apart": partial(_default, n=n, apart=True) for n in (1_000, 10_000, 100_000)},
    **{f"before and now, {case}": partial(_against_before, case=case) for case in _OLD_AND_NEW},
    **{f"LR, {method}": partial(_pool, method=method) for method in ("lwea", "lwgp")},
    "first fit": _first_fit,
    **{f"made up, {method}": partial(_made_up, method=method) for method in _MADE_UP},
    "run, 1,000,000": partial(_run, n=1_000_000),
    **{f"disk, {method}": partial(_from_disk, method=method) for method in ("lwgp", "sal")},
}
ONCE = tuple(case for case in CASES if case.startswith(("made up", "run", "disk")) or "100,000" in case)
