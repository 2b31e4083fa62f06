"""Speed against plain twins and from a cold start; every figure from a process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from bench import ROOT
from bench.data import draw, find_pools, load_pool
from bench.store import ResultFile, versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["COLUMNS", "against_twins", "fitted_exponent", "run_child", "save", "startup"]

COLUMNS = (
    "part", "case", "n_objects", "n_microclusters", "seconds", "cpu_seconds", "repeats",
    "start_mib", "peak_mib", "labels_mib", "versions",
)  # fmt: skip
_TWIN_REPEATS = {"lwea": 1, "lwgp": 3}
_FIRST_CALL = (
    "import numpy; from consensa import {0}; {0}(2).fit(numpy.arange(12000).reshape(3000, 4) % [9, 10, 11, 13])"
)
_HELP = "from consensa.cli import main; main()"


def against_twins(data_dir: Path, *, pool: str, repeats: int) -> list[dict[str, Any]]:
    """Measure LWEA and LWGP and their plain twins on one draw of ten members from a pool."""
    members, truth = load_pool(find_pools(data_dir, "LWEC")[pool])
    columns, _ = draw(pool, 0, 0, members.shape[1], 10)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "labels.npy")
        np.save(path, _compact(members[:, columns]))
        task = {"path": str(path), "n_clusters": int(np.unique(truth).size)}
        steps = [(method, action) for method in _TWIN_REPEATS for action in ("fit", "twin")]
        for method, action in tqdm(steps, desc="twins"):
            times = repeats if action == "fit" else _TWIN_REPEATS[method]
            figures = run_child({**task, "action": action, "method": method, "repeats": times})
            case = method.upper() if action == "fit" else f"{method.upper()} twin"
            rows.append({"part": "twins", "case": case, "n_objects": members.shape[0], **figures})
    return rows


def startup(*, repeats: int) -> list[dict[str, Any]]:
    """Measure imports, the help text, and the first call with nothing compiled yet."""
    code = {"import numpy": ["-c", "import numpy"], "import consensa": ["-c", "import consensa"]}
    code["consensa --help"] = ["-c", _HELP, "--help"]
    taken: dict[str, list[tuple[float, float]]] = {case: [] for case in code}
    for _ in tqdm(range(repeats), desc="imports"):
        for case, arguments in code.items():
            taken[case].append(_time_python(arguments))
    for name in tqdm(("LWEA", "LWGP"), desc="first calls"):
        with tempfile.TemporaryDirectory() as folder:
            once = _time_python(["-c", _FIRST_CALL.format(name)], NUMBA_CACHE_DIR=folder)
        taken[f"first {name}, nothing compiled"] = [once]
    return [
        {
            "part": "startup",
            "case": case,
            "seconds": statistics.median(seconds for seconds, _ in times),
            "cpu_seconds": statistics.median(cpu for _, cpu in times),
            "repeats": len(times),
        }
        for case, times in taken.items()
    ]


def save(rows: Iterable[dict[str, Any]], output: Path) -> None:
    """Add rows to the result file."""
    ResultFile(output, COLUMNS).append([{**row, "versions": versions()} for row in rows])


def fitted_exponent(n_objects: Sequence[float], seconds: Sequence[float]) -> float:
    """Return b of the least-squares fit seconds = a n^b."""
    return float(np.polyfit(np.log(n_objects), np.log(seconds), 1)[0])


def run_child(task: dict[str, Any], timeout: float | None = None) -> dict[str, Any]:
    """Run one measurement in a fresh process, for so many seconds at most, and return its figures."""
    command = [sys.executable, "-m", "bench.child", json.dumps(task)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1]
        msg = f"the measurement {task} failed: {reason}"
        raise RuntimeError(msg)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _time_python(arguments: list[str], **environment: str) -> tuple[float, float]:
    """Time a fresh Python: seconds on the clock and of the processors; NaN if it fails."""
    start, cpu_start = time.perf_counter(), _children_cpu()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=False
    )
    if done.returncode:
        return float("nan"), float("nan")
    return time.perf_counter() - start, _children_cpu() - cpu_start


def _children_cpu() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _compact(labels: np.ndarray) -> np.ndarray:
    """Number the labels of every column from 0 without gaps, which the twins need."""
    return np.stack([np.unique(column, return_inverse=True)[1] for column in labels.T], axis=1).astype(np.int32)
