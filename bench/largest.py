"""The largest made-up ensemble that every method was run on, within a time and the memory budget."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from bench import child
from bench.speed import run_child
from bench.store import ResultFile, versions
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["COLUMNS", "SIZES", "largest", "report"]

SIZES = (2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
_PATIENCE = 20  # times the limit on the clock, warm-up included, until a fit is stopped
COLUMNS = ("method", "n_objects", "n_microclusters", "n_clusters", "cpu_seconds", "peak_mib", "status", "versions")


def largest(
    output: Path,
    *,
    methods: Sequence[str],
    sizes: Sequence[int] = SIZES,
    limit: float = 60.0,
    n_clusters: int = 20,
    in_process: bool = False,
) -> list[dict[str, str]]:
    """Run every method on growing ensembles until one takes too long or fails; returns all rows of the file.

    Parameters
    ----------
    output : Path
        Result file; methods that it holds already go on behind the largest size they finished.
    methods : sequence of str
    sizes : sequence of int
    limit : float
        Processor seconds after which a fit counts as too long; the next size is then not tried.
    n_clusters : int
    in_process : bool
        Measure here, which is quicker, instead of in a process of its own, which can be stopped and may fail.
    """
    measure = _here if in_process else run_child
    results = ResultFile(output, COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "labels.npy"))
        for n_objects in sizes:
            wanted = [name for name in methods if _goes_on(results, name, n_objects, limit)]
            if wanted:
                measure({"action": "make", "path": path, "n_objects": n_objects, "seed": 0})
            for name in tqdm(wanted, desc=f"{n_objects:,} objects", file=sys.stderr):
                row = _fit(measure, path, name, n_clusters, limit)
                results.append([{"method": name, "n_objects": n_objects, "n_clusters": n_clusters, **row}])
    return results.rows()


def report(rows: Sequence[dict[str, str]]) -> str:
    """Say for every method the largest number of objects it was run on, and why it went no further."""
    lines = [f"{'method':<12}{'objects':>10}{'microclusters':>15}{'cpu s':>9}{'MiB':>7}  then"]
    for name in METHODS:
        own = [row for row in rows if row["method"] == name]
        done = [row for row in own if row["status"] == "ok"]
        if done:
            best = max(done, key=lambda row: int(row["n_objects"]))
            after = [row["status"] for row in own if int(row["n_objects"]) > int(best["n_objects"])]
            figures = (
                f"{int(best['n_objects']):>10,}{int(best['n_microclusters']):>15,}{float(best['cpu_seconds']):>9.1f}"
            )
            lines.append(f"{name:<12}{figures}{float(best['peak_mib']):>7.0f}  {after[0] if after else '-'}")
    return "\n".join(lines)


def _goes_on(results: ResultFile, name: str, n_objects: int, limit: float) -> bool:
    own = [row for row in results.rows() if row["method"] == name]
    if any(row["status"] != "ok" for row in own) or any(int(row["n_objects"]) >= n_objects for row in own):
        return False
    return all(float(row["cpu_seconds"]) < limit for row in own)


def _here(task: dict[str, Any], timeout: float | None = None) -> dict[str, Any]:  # noqa: ARG001 - as run_child
    return child.main(task)


def _fit(measure: Callable[..., dict[str, Any]], path: str, name: str, n_clusters: int, limit: float) -> dict[str, Any]:
    task = {"action": "fit", "path": path, "method": name, "n_clusters": n_clusters, "repeats": 1}
    try:
        figures = measure(task, timeout=_PATIENCE * limit)
    except (RuntimeError, ValueError) as error:
        return {"status": str(error).split("failed: ")[-1][:200], "versions": versions()}
    except subprocess.TimeoutExpired:
        return {"status": f"stopped after {_PATIENCE * limit:.0f} s", "versions": versions()}
    kept = {key: figures[key] for key in ("n_microclusters", "cpu_seconds", "peak_mib")}
    return {**kept, "status": "ok", "versions": versions()}
