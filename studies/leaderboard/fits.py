"""Fits in another process: labels, time and memory, or the answers to the same ensemble written otherwise."""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
import time
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from threadpoolctl import threadpool_limits

from bench.child import forget_peak, peak_mib
from consensa.evaluate import ari
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["CHANGES", "Worker", "answers_to_changes", "fit_labels", "measured_fit"]

WARM_UP_ROWS = 200  # so that loading compiled code is not measured
CHANGES = ("rows", "columns", "rows twice", "columns twice")


class Worker:
    """A process that fits one method after the other, each within so many seconds of the processor.

    One that takes longer is ended by the kernel, and the next call starts a new process. Use it in a ``with``.
    """

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._pipe.close()  # which ends the loop of the process
            self._process.join()
            self._process = None

    def call(self, seconds: float, function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        """Call a function of labels, the name of a method, and more.

        Returns
        -------
        dict
            What the function returns, or ``status``: why it does not.

        Raises
        ------
        RuntimeError
            If the process ended in a way that is no answer of a method, so that nobody takes it for one.
        """
        if self._process is None:
            self._start()
        self._pipe.send((seconds, function, arguments))
        try:
            found: dict[str, Any] = self._pipe.recv()
        except EOFError:
            process, self._process = self._process, None
            process.join()
            if process.exitcode == -signal.SIGXCPU:
                return {"status": f"over {seconds:g} s"}
            msg = f"{function.__name__} of {arguments[1]} ended with exit code {process.exitcode}, not with an answer."
            raise RuntimeError(msg) from None
        return found

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True)
        self._process.start()
        other.close()


def _serve(pipe: Connection) -> None:
    """Answer calls until nobody calls any more; with one thread, since threads that wait use the processor too."""
    warnings.simplefilter("ignore")
    os.environ["CONSENSA_NUM_THREADS"] = "1"
    threadpool_limits(1)
    warm: set[str] = set()
    while True:
        try:
            seconds, function, arguments = pipe.recv()
        except EOFError:
            return
        labels, method = arguments[:2]
        try:
            if method not in warm:
                fit_labels(labels[:WARM_UP_ROWS], method, 2, 0)
                warm.add(method)
            _allow(seconds)
            pipe.send(function(*arguments))
        except ValueError as error:  # what a method cannot do it says in one sentence
            pipe.send({"status": f"error: {error}"})
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _allow(seconds: float) -> None:
    limit = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def fit_labels(labels: np.ndarray, method: str, n_clusters: int, seed: int) -> np.ndarray:
    """Labels by a method with its default parameters."""
    model = METHODS[method].load()(n_clusters=n_clusters, missing=None)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return np.asarray(model.fit(labels).labels_)


def measured_fit(labels: np.ndarray, method: str, n_clusters: int, seed: int) -> dict[str, Any]:
    """Labels, seconds of the processor, and by how much the resident memory grew at most (MiB)."""
    forget_peak()
    before, start = peak_mib(), time.process_time()
    found = fit_labels(labels, method, n_clusters, seed)
    return {"labels": found, "seconds": time.process_time() - start, "MiB": peak_mib() - before}


def answers_to_changes(labels: np.ndarray, method: str, n_clusters: int, seed: int) -> dict[str, Any]:
    """ARI of the clustering with that of the same ensemble in another order, and with everything given twice."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(labels.shape[0]), rng.permutation(labels.shape[1])
    reference = fit_labels(labels, method, n_clusters, seed)
    changed = {
        "rows": (labels[rows], reference[rows]),
        "columns": (labels[:, columns], reference),
        "rows twice": (np.vstack([labels, labels]), np.tile(reference, 2)),
        "columns twice": (np.hstack([labels, labels]), reference),
    }
    return {what: ari(fit_labels(each, method, n_clusters, seed), same) for what, (each, same) in changed.items()}
