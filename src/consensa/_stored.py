"""Things that know what they can be built from again, as a file holds it."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from typing import Any

__all__ = ["Stored", "check_fits", "numbers_below", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    from importlib.metadata import version

    from consensa import __version__

    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"consensa": __version__, "python": platform.python_version(), **packages}


def check_fits(holds: Any, what: str) -> None:
    """Refuse a part of a saved model that does not fit the others: a kernel would read beyond its arrays.

    Examples
    --------
    >>> check_fits(False, "the merges of its tree")
    Traceback (most recent call last):
    ...
    ValueError: the merges of its tree do not fit the rest.
    """
    if not holds:
        msg = f"{what} do not fit the rest."
        raise ValueError(msg)


def numbers_below(numbers: Any, n: int) -> bool:
    """Whether an array holds whole numbers from 0 to n - 1 only.

    Examples
    --------
    >>> import numpy as np
    >>> numbers_below(np.array([0, 2]), 3), numbers_below(np.array([-1, 2]), 3), numbers_below(np.array([0.5]), 3)
    (True, False, False)
    """
    if numbers.dtype.kind not in "iu":
        return False
    return numbers.size == 0 or bool(numbers.min() >= 0 and numbers.max() < n)


class Stored(ABC):
    """Something that a saved model keeps as plain values and arrays."""

    @abstractmethod
    def state(self) -> dict[str, Any] | None:
        """Return what it can be built from again; None where it cannot be kept."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: dict[str, Any]) -> Any:
        """Build it again from :meth:`state`."""
