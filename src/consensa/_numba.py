"""The one door to numba: every kernel is compiled through :func:`njit` or :func:`njit_part`.

Compiled kernels are kept on disk between sessions. Set ``CONSENSA_NUMBA_CACHE=0`` to switch that off
(numba keeps them beside the package, or in ``NUMBA_CACHE_DIR`` when the package is read-only).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numba
from numba.core.event import install_timer

from consensa._messages import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["compiling", "njit", "njit_part"]

P = ParamSpec("P")
R = TypeVar("R")


# Division by zero gives inf or nan as in numpy; the checks for Python's error would only slow compilation down.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Without the runtime for arrays (_nrt), which would count the references to every array at every call, in one atomic
# step each: a part with a tuple of ten arrays would spend more on them than on a short loop.
_PART_OPTIONS: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}


@cache
def _tell_no_cache() -> None:
    """Warn once that every process will compile again."""
    warn(
        "compiled code cannot be kept, as no folder for it can be written; every process compiles again, which takes "
        "some seconds. Set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
    )


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel without the GIL, cached on disk where a place for it can be found."""
    if os.environ.get("CONSENSA_NUMBA_CACHE", "1") != "0":
        try:
            return cast("Callable[P, R]", numba.njit(cache=True, **_OPTIONS)(function))
        except RuntimeError:  # neither the package nor the user's cache folder can be written
            _tell_no_cache()
    return cast("Callable[P, R]", numba.njit(**_OPTIONS)(function))


def njit_part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part of kernels that Python never calls: without the wrappers, which take much of the time.

    A part makes no arrays and returns none, and calls no function that makes some inside, as ``values.min()`` does;
    numba refuses to compile it otherwise. What it works with comes in, and stays alive, with its caller.
    """
    return cast("Callable[P, R]", numba.njit(**_PART_OPTIONS)(function))


@contextmanager
def compiling() -> Iterator[list[float]]:
    """Collect the seconds that are spent on compiling kernels or on reading compiled ones from disk.

    Examples
    --------
    >>> with compiling() as seconds:
    ...     pass
    >>> sum(seconds)
    0
    """
    seconds: list[float] = []
    with install_timer("numba:compiler_lock", seconds.append):
        yield seconds
