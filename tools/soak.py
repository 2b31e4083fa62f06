"""Fits, reports and saves in threads and processes for a long time: memory, threads and files end where they began.

Run ``python -m tools.soak --minutes 60`` (``make soak``), on Linux, where the system says what a process holds.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import gc
import multiprocessing
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib.externals.loky import get_reusable_executor

import consensa
from consensa.io import read_labels, write_labels

__all__ = ["Held", "held", "main", "one_round", "soak"]

_METHODS = ("SAL", "LWEA", "LWGP", "EAC", "KCC", "SPCE", "DREC", "MCLA")
_WARM = 0.25  # share of the time, at least three rounds, after which everything is loaded and compiled
_MORE_MEMORY = 48 << 20  # bytes that may come on top: allocators do not give everything back
_THREADS = 3


class Held(NamedTuple):
    """What a process holds: bytes of memory, threads, open files."""

    memory: int
    threads: int
    files: int


def held() -> Held:
    """Return what this process holds now."""
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    files = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return Held(1024 * int(status["VmRSS"].split()[0]), int(status["Threads"]), files)


def one_round(number: int) -> None:
    """Fit every kind of model, show it, save it and read it again, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda name: _on_labels(name, number), _METHODS))
    rng = np.random.default_rng(number)
    X = rng.normal(size=(200, 4)) + 4 * rng.integers(0, 3, (200, 1))
    for jobs in (1, 2):
        model = consensa.EnsembleClustering(3, n_partitions=6, n_jobs=jobs, random_state=number).fit(X)
        model.predict(X[:20])
        with tempfile.TemporaryDirectory() as folder:
            model.report(Path(folder, "report.html"))
            model.save(Path(folder, "model.npz"))
            consensa.load(Path(folder, "model.npz")).cut(2)


def _on_labels(name: str, number: int) -> None:
    labels = np.random.default_rng(number).integers(0, 5, (150, 8))
    model = getattr(consensa, name)(3)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(labels)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "model.npz"))
        consensa.load(Path(folder, "model.npz")).predict(labels[:9])
        write_labels(Path(folder, "labels.csv"), {"label": model.labels_})
        read_labels(Path(folder, "labels.csv"))
    consensa.LWGP(3, random_state=0).fit(consensa.scale.as_chunks(labels, 40))


def _rounds_elsewhere(first: int) -> Held:
    """Some rounds in a process of its own; what it held at the end."""
    warnings.simplefilter("ignore")
    one_round(first)
    return held()


def _end_workers() -> None:
    """End joblib's workers, for which a process would wait at its end until they have been idle for five minutes."""
    get_reusable_executor().shutdown(wait=True)


def soak(seconds: float) -> tuple[Held, Held, int]:
    """Run rounds for so long; return what was held when all was warm and at the end, and the number of rounds."""
    begin, n_rounds, warm = time.monotonic(), 0, None
    context = multiprocessing.get_context("spawn")  # a fork would copy joblib's pool without its threads
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        while warm is None or time.monotonic() - begin < seconds:
            one_round(n_rounds)
            pool.submit(_rounds_elsewhere, n_rounds).result()
            n_rounds += 1
            if n_rounds % 10 == 0:
                print(f"{time.monotonic() - begin:6.0f} s, {n_rounds} rounds: {held()}", flush=True)
            if warm is None and n_rounds >= 3 and time.monotonic() - begin > _WARM * seconds:
                warm = held()
        end = held()
        pool.submit(_end_workers).result()
    return warm, end, n_rounds


def main() -> int:
    """Soak, tell what was held, exit with 1 if more is held in the end."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    warnings.simplefilter("ignore")
    warm, end, n_rounds = soak(60 * parser.parse_args().minutes)
    print(f"{n_rounds} rounds; warm {warm}; at the end {end}")
    leaks = end.threads > warm.threads or end.files > warm.files or end.memory > warm.memory + _MORE_MEMORY
    return int(leaks)


if __name__ == "__main__":
    sys.exit(main())
