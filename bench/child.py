"""One measurement in a process of its own: ``python -m bench.child '<task as JSON>'`` prints the figures as JSON."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["forget_peak", "main", "measure", "peak_mib"]

WARM_UP_ROWS = 4000  # enough microclusters for the paths that big ensembles take


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Do a task: ``fit`` a method or its ``twin`` to a saved ensemble, or fit from disk."""
    actions: dict[str, Callable[..., dict[str, Any]]] = {"fit": fit, "twin": twin, "scale": scale}
    return actions[task.pop("action")](**task)


def fit(path: str, method: str, n_clusters: int, repeats: int) -> dict[str, Any]:
    """Time a method of consensa after a warm-up on the first rows."""
    from consensa.methods.consensus import make_method

    labels = np.load(path)
    model = make_method(method, n_clusters, 0, {})
    model.fit(labels[:WARM_UP_ROWS])
    figures = measure(lambda: model.fit(labels), repeats)
    return {**figures, "labels_mib": labels.nbytes / 2**20, "n_microclusters": model.ensemble_.n_microclusters}


def twin(path: str, method: str, n_clusters: int, repeats: int) -> dict[str, Any]:
    """Time the plain twin of a method, with as many starts of k-means as consensa's default."""
    from bench.speed.twins import TWINS
    from consensa.methods import get_method

    labels = np.load(path)
    defaults = get_method(method).load()().get_params()
    options = {"n_init": defaults["n_init"]} if "n_init" in defaults else {}
    figures = measure(lambda: TWINS[method](labels, n_clusters, **options), repeats)
    return {**figures, "labels_mib": labels.nbytes / 2**20}


def scale(**task: Any) -> dict[str, Any]:
    """Time a fit from disk."""
    from bench.scale.child import fit_from_disk

    return fit_from_disk(**task)


def measure(call: Callable[[], object], repeats: int) -> dict[str, Any]:
    """Median time of several calls, and the resident memory of this process before and, at most, during them."""
    forget_peak()
    before = peak_mib()
    taken, used = [], []
    for _ in range(repeats):
        start, cpu_start = time.perf_counter(), time.process_time()
        call()
        taken.append(time.perf_counter() - start)
        used.append(time.process_time() - cpu_start)
    return {
        "seconds": statistics.median(taken),
        "cpu_seconds": statistics.median(used),
        "repeats": repeats,
        "start_mib": before,
        "peak_mib": peak_mib(),
    }


def forget_peak() -> None:
    """Start the kernel's record of the peak again (Linux); elsewhere the peak of the whole process counts."""
    record = Path("/proc/self/clear_refs")
    if record.exists():
        record.write_text("5")


def peak_mib() -> float:
    # getrusage counts what the parent held at the fork, the record in /proc does not
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    unit = 2**20 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
