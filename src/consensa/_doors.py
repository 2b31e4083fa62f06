"""Doors for names that live in another room than the one they were first imported from."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["door"]


def door(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a module that finds these names in the modules that hold them now.

    Examples
    --------
    >>> door("here", {"sqrt": "math"})("sqrt")(9)
    3.0
    """

    def find(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        msg = f"module {module!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return find
