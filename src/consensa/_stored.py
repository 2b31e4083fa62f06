"""Things that know what they can be built from again, as a file holds it."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from typing import Any

__all__ = ["Stored", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    from importlib.metadata import version

    from consensa import __version__

    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"consensa": __version__, "python": platform.python_version(), **packages}


class Stored(ABC):
    """Something that a saved model keeps as plain values and arrays."""

    @abstractmethod
    def state(self) -> dict[str, Any] | None:
        """Return what it can be built from again; None where it cannot be kept."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: dict[str, Any]) -> Any:
        """Build it again from :meth:`state`."""
