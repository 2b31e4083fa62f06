"""The one place where kernels run in parallel: serial ``nogil`` kernels over chunks, in threads."""

from __future__ import annotations

import functools
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

__all__ = ["library_threads", "n_threads", "row_ranges", "thread_map"]

T = TypeVar("T")
R = TypeVar("R")


def library_threads(limit: int | None, user_api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of BLAS and OpenMP (or of one ``user_api``) inside a ``with`` block; None is no limit.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with library_threads(1):
    ...     {library["num_threads"] for library in threadpool_info()}
    {1}
    """
    limited: AbstractContextManager[object] = _loaded_libraries(len(sys.modules)).limit(limits=limit, user_api=user_api)
    return limited


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


def thread_map(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Apply a function to every item in threads; results stand in the order of the items."""
    workers = min(n_threads(), len(items))
    if workers <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))
