"""One fit from disk, in this process or on a dask cluster of two workers, with the time of every stage."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.child import forget_peak, peak_mib
from bench.scale.run import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fit_from_disk"]

N_CLUSTERS = 20
WARM_UP_ROWS = 4000
DASK_CHUNK_ROWS = 1 << 19


class Stages:
    """Seconds of every stage, from the reports of its progress."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.listeners: list[Callable[[str, int, int | None], None]] = []
        self._since = time.perf_counter()

    def __call__(self, stage: str, n_done: int, n_rows: int | None) -> None:
        now = time.perf_counter()
        if n_done:
            self.seconds[stage] += now - self._since
        self._since = now
        for listener in self.listeners:
            listener(stage, n_done, n_rows)


def fit_from_disk(path: str, method: str, backend: str, kill_worker: bool) -> dict[str, Any]:  # noqa: FBT001
    """Time a method on a label matrix on disk: ``files``, ``dask`` or, for comparison, ``memory``."""
    from consensa.methods import get_method

    seeded = {"random_state": 0} if method == "lwgp" else {}
    model = get_method(method).load()(N_CLUSTERS, **seeded)
    stages = Stages()
    with _cluster(stages, kill_worker=kill_worker) if backend == "dask" else nullcontext() as cluster:
        _warm_up(model, path)
        forget_peak()
        start, cpu_start = time.perf_counter(), time.process_time()
        model.fit(_source(path, backend, stages))
        labels = model.labels_
        if backend == "dask":
            assigned = time.perf_counter()
            labels = labels.compute()
            stages.seconds["assign"] += time.perf_counter() - assigned
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        killed = cluster is not None and cluster.killed  # before the last label was there
        peaks = [peak_mib(), *([] if cluster is None else cluster.client.run(peak_mib).values())]
    ensemble = model.ensemble_
    return {
        "killed": killed,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "rows_per_second": labels.size / seconds,
        "peak_mib": max(peaks),
        "n_microclusters": ensemble.n_microclusters,
        "n_partitions": ensemble.n_partitions,
        "is_sample": ensemble.leads is not None,
        "digest": hashlib.sha256(labels.tobytes()).hexdigest()[:16],
        **{f"{stage}_seconds": taken for stage, taken in stages.seconds.items()},
        "solve_seconds": seconds - sum(stages.seconds.values()),
    }


def _warm_up(model: Any, path: str) -> None:
    from consensa.ensemble import sampling
    from consensa.scale import as_chunks

    rows = np.array(np.load(path, mmap_mode="r")[:WARM_UP_ROWS])
    limit = sampling.SAMPLE_ABOVE
    for above in (limit, 200):  # both ways, so that nothing is compiled while the clock runs
        sampling.SAMPLE_ABOVE = above
        model.fit(as_chunks(rows))
    sampling.SAMPLE_ABOVE = limit


def _source(path: str, backend: str, stages: Stages) -> Any:
    from consensa.scale import as_chunks

    if backend == "files":
        return as_chunks(path, progress=stages)
    if backend == "memory":
        return np.load(path)
    return as_chunks(_dask_array(path), progress=stages)


def _dask_array(path: str) -> Any:
    import dask.array as da
    from dask.delayed import delayed

    matrix = np.load(path, mmap_mode="r")
    n_rows, n_columns = matrix.shape
    pieces = []
    for start in range(0, n_rows, DASK_CHUNK_ROWS):
        stop = min(start + DASK_CHUNK_ROWS, n_rows)
        read = delayed(_read_rows)(path, matrix.offset, start, stop, n_columns)
        pieces.append(da.from_delayed(read, (stop - start, n_columns), matrix.dtype))
    return da.concatenate(pieces)


def _read_rows(path: str, offset: int, start: int, stop: int, n_columns: int) -> np.ndarray:
    with Path(path).open("rb") as file:
        file.seek(offset + start * n_columns)
        return np.fromfile(file, np.uint8, (stop - start) * n_columns).reshape(-1, n_columns)


class _cluster:  # noqa: N801 - used like a function
    """Two worker processes; with ``kill_worker``, one of them is killed once the sums over rows are under way."""

    def __init__(self, stages: Stages, *, kill_worker: bool) -> None:
        from distributed import Client, LocalCluster

        self._cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        self.client = Client(self._cluster)
        self.killed = False
        if kill_worker:
            stages.listeners.append(self._kill_soon)

    def __enter__(self) -> _cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self._cluster.close()

    def _kill_soon(self, stage: str, n_done: int, n_rows: int | None) -> None:
        if stage == "counts" and n_done == 0:
            pid = next(iter(self.client.run(os.getpid).values()))
            threading.Timer(min(2.0, (n_rows or 0) / 2e7), self._kill, (pid,)).start()

    def _kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self.killed = True
