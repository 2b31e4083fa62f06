"""The one door to numba: every kernel is compiled through :func:`njit`.

Compiled kernels are kept on disk between sessions. Set ``CONSENSA_NUMBA_CACHE=0`` to switch that off
(numba keeps them beside the package, or in ``NUMBA_CACHE_DIR`` when the package is read-only).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["njit"]

P = ParamSpec("P")
R = TypeVar("R")


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel without the GIL, cached on disk where a place for it can be found."""
    if os.environ.get("CONSENSA_NUMBA_CACHE", "1") != "0":
        try:
            return cast("Callable[P, R]", numba.njit(nogil=True, cache=True)(function))
        except RuntimeError:  # neither the package nor the user's cache folder can be written
            pass
    return cast("Callable[P, R]", numba.njit(nogil=True)(function))
