"""Runs of the speed page: every candidate on growing data, each in a process of its own, on one thread."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from bench.child import measure
from bench.data import made_up_ensemble, made_up_features
from bench.speed.candidates import CANDIDATES
from bench.store import ResultFile, versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from bench.speed.candidates import Candidate

__all__ = ["COLUMNS", "SIZES", "predicted_seconds", "run_page"]

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
COLUMNS = (
    "method", "data", "n_objects", "n_microclusters", "cpu_seconds", "seconds", "repeats", "start_mib", "peak_mib",
    "limit", "load", "status", "versions",
)  # fmt: skip
WARM_UP_ROWS = 1_700  # so many microclusters take the paths that big ensembles take
_STOP = 3  # times the limit, until a fit is stopped
_PATIENCE = 60  # times the limit on the clock, until a process counts as hanging
_SHORT = 0.5  # processor seconds below which the median of several calls is taken
_ADDRESSES = 12 << 30  # bytes of address space for one process


def run_page(
    output: Path, *, names: Sequence[str], sizes: Sequence[int] = SIZES, limit: float = 20.0
) -> list[dict[str, str]]:
    """Run the candidates size by size, one after another; returns all rows of the file.

    Parameters
    ----------
    output : Path
        Result file. What it holds already is not run again.
    names : sequence of str
    sizes : sequence of int
    limit : float
        Processor seconds; a size is only tried if the growth so far predicts less.
    """
    results = ResultFile(output, COLUMNS)
    for n_objects in sizes:
        wanted = [CANDIDATES[name] for name in names if _goes_on(results, name, n_objects, limit)]
        for data in ("labels", "features"):
            own = [candidate for candidate in wanted if candidate.data == data]
            if own:
                with threadpool_limits(1):  # a pool of OpenMP threads would not survive the fork
                    made = made_up_ensemble(n_objects) if data == "labels" else made_up_features(n_objects)
                for candidate in tqdm(own, desc=f"{data}, {n_objects:,} objects", file=sys.stderr):
                    figures = in_own_process(candidate, made, limit)
                    row = {"method": candidate.name, "data": data, "n_objects": n_objects, "limit": limit, **figures}
                    results.append([{**row, "load": round(os.getloadavg()[0], 1), "versions": versions()}])
    return results.rows()


def predicted_seconds(rows: Sequence[Mapping[str, str]], n_objects: int) -> float:
    """Extend the growth between the two largest sizes, at least linear and at most cubic; one size alone: squared."""
    points = sorted((int(row["n_objects"]), float(row["cpu_seconds"])) for row in rows)[-2:]
    n, seconds = points[-1]
    power = 2.0
    if len(points) == 2 and points[0][1] > 0:
        power = np.log(seconds / points[0][1]) / np.log(n / points[0][0])
    return float(seconds * (n_objects / n) ** np.clip(power, 1.0, 3.0))


def _goes_on(results: ResultFile, name: str, n_objects: int, limit: float) -> bool:
    own = [row for row in results.rows() if row["method"] == name]
    if not own:
        return True
    if any(row["status"] != "ok" or int(row["n_objects"]) >= n_objects for row in own):
        return False
    return predicted_seconds(own, n_objects) < limit


def in_own_process(candidate: Candidate, data: np.ndarray, limit: float) -> dict[str, Any]:
    """Measure one candidate in a fork of this process; what goes wrong there is said in ``status``."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(there, candidate, data, limit))
    child.start()
    there.close()
    try:
        answer = here.recv() if here.poll(max(600.0, _PATIENCE * limit)) else {"status": "stopped: it seemed to hang"}
    except EOFError:
        answer = {"status": f"stopped after {_STOP * limit:g} processor seconds"}
    child.kill()
    child.join()
    return dict(answer)


def _send(there: Connection, candidate: Candidate, data: np.ndarray, limit: float) -> None:
    os.environ["CONSENSA_NUM_THREADS"] = "1"
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with threadpool_limits(1):
            answer = _measured(candidate, data, limit)
    except (MemoryError, ValueError, RuntimeError, ArithmeticError) as error:
        answer = {"status": f"{type(error).__name__}: {error}"[:200].replace("\n", " ")}
    there.send(answer)


def _measured(candidate: Candidate, data: np.ndarray, limit: float) -> dict[str, Any]:
    _allow(_STOP * limit)
    candidate.run(data[:WARM_UP_ROWS])
    _allow(_STOP * limit)
    found: list[Any] = []

    def call() -> None:
        found[:] = [candidate.run(data)]

    figures = measure(call, 1)
    if figures["cpu_seconds"] < _SHORT:
        figures = measure(call, 3)
    ensemble = getattr(found[0], "ensemble_", None)
    n_microclusters = "" if ensemble is None or candidate.data != "labels" else ensemble.n_microclusters
    return {**figures, "n_microclusters": n_microclusters, "status": "ok"}


def _allow(seconds: float) -> None:
    """Let the kernel end this process after so many more processor seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
