"""The one place where kernels run in parallel: serial ``nogil`` kernels over chunks, in threads."""

from __future__ import annotations

import functools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["library_threads", "n_threads", "row_ranges", "run_parallel", "thread_map"]

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def library_threads(limit: int | None, user_api: str | None = None) -> Iterator[None]:
    """Limit the threads of BLAS and OpenMP (or of one ``user_api``) inside a ``with`` block; None is no limit.

    OpenMP has a limit for every thread, BLAS one for the whole process. Of blocks that overlap in several threads the
    first therefore sets the limit of BLAS and the last takes it back: each by itself would bring back what it found,
    which may be the limit of another.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with library_threads(1):
    ...     {library["num_threads"] for library in threadpool_info()}
    {1}
    """
    if limit is None:
        yield
        return
    libraries = _loaded_libraries(len(sys.modules))
    with ExitStack() as stack:
        if user_api in (None, "openmp"):
            stack.enter_context(libraries.select(user_api="openmp").limit(limits=limit))  # of what is selected only
        if user_api in (None, "blas"):
            stack.enter_context(_BLAS_LIMITS.setdefault(limit, _SharedLimit(limit)))
        yield


class _SharedLimit:
    """A limit on the threads of BLAS that holds while any thread is inside."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._n_inside = 0
        self._before: list[tuple[Any, int]] = []  # libraries, and how many threads they had

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                libraries = _loaded_libraries(len(sys.modules)).select(user_api="blas").lib_controllers
                self._before = [(library, library.num_threads) for library in libraries]
                for library, _ in self._before:
                    _set_threads(library, self._limit)
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                for library, number in self._before:
                    _set_threads(library, number)


def _set_threads(library: Any, number: int) -> None:
    """Set the threads of a library. Threadpoolctl 3.8 lets only the thread that set them first do so again."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(number)


_BLAS_LIMITS: dict[int, _SharedLimit] = {}


@functools.lru_cache(maxsize=1)
def _loaded_libraries(n_modules: int) -> ThreadpoolController:  # noqa: ARG001
    """Look for the libraries again only after an import: a look takes longer than a small k-means."""
    return ThreadpoolController()


def n_threads() -> int:
    """Return how many threads kernels use: ``CONSENSA_NUM_THREADS``, else what joblib allows here."""
    wanted = os.environ.get("CONSENSA_NUM_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    from joblib import cpu_count, effective_n_jobs

    return max(1, min(cpu_count(), effective_n_jobs(-1)))


def row_ranges(n_rows: int, size: int) -> list[tuple[int, int]]:
    """Cut ``range(n_rows)`` into consecutive pieces of ``size`` rows.

    Examples
    --------
    >>> row_ranges(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def run_parallel(n_jobs: int | None, tasks: Iterable[Any], *, ordered: bool = True, **options: Any) -> Iterable[Any]:
    """Run delayed calls of joblib and yield their results as they come, in the order of the tasks if it matters.

    A backend that cannot do so (joblib's "multiprocessing") returns them all at the end.
    """
    from joblib import Parallel

    try:
        running = Parallel(n_jobs=n_jobs, return_as="generator" if ordered else "generator_unordered", **options)
    except ValueError as error:
        if "does not support return_as" not in str(error):
            raise
        running = Parallel(n_jobs=n_jobs, **options)
    results: Iterable[Any] = running(tasks)
    return results


def thread_map(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Apply a function to every item in threads; results stand in the order of the items."""
    workers = min(n_threads(), len(items))
    if workers <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))
