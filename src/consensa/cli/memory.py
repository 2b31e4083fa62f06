"""What a budget of memory promises: how many rows a chunk may have, or what the least possible is."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MemoryPlan", "resident_bytes"]

_RESERVE = 160 * 1024**2  # compiled kernels, and what allocators keep
_FEWEST_ROWS = 1_000
_MOST_ROWS = 1 << 19


def resident_bytes() -> int:
    """Return the memory that this process has now (or, where that is not known, had at most).

    Examples
    --------
    >>> resident_bytes() > 2**20
    True
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a file of the user
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


@dataclass(frozen=True)
class MemoryPlan:
    """A number of bytes that the process may not exceed.

    Parameters
    ----------
    budget : int
        Bytes.
    base : int
        What the process needs before it has read anything.

    Examples
    --------
    >>> MemoryPlan(2 * 10**9, base=3 * 10**8).chunk_rows(per_row=1000, fixed=10**8, what="10 rows")
    524288
    >>> MemoryPlan(10**8, base=3 * 10**8).chunk_rows(per_row=1000, fixed=0, what="10 rows")
    Traceback (most recent call last):
    ...
    ValueError: --memory of 100 MB is too little for 10 rows: at least 469 MB are needed...
    """

    budget: int
    base: int

    @classmethod
    def of(cls, budget: int) -> MemoryPlan:
        """Plan with what the process holds now, once everything is imported that will be needed."""
        from consensa.generate import chunked  # noqa: F401
        from consensa.io import large  # noqa: F401
        from consensa.methods import ensemble_clustering  # noqa: F401

        return cls(budget, resident_bytes())

    def chunk_rows(self, per_row: int, fixed: int, what: str, fewer: Callable[[], int] | None = None) -> int:
        """Return how many rows may be in memory at a time.

        Parameters
        ----------
        per_row : int
            Bytes that a row in memory needs.
        fixed : int
            Bytes that are needed whatever the number of rows.
        what : str
            The data, for the message.
        fewer : callable, default=None
            Returns how many base clusterings would fit, for the message; 0 if none.
        """
        if not self.fits(per_row, fixed):
            least = self.base + _RESERVE + fixed + _FEWEST_ROWS * per_row
            n_fit = None if fewer is None else fewer()
            advice = ", or fewer base clusterings" if n_fit is None else f", or -m {n_fit}" if n_fit else ""
            msg = (
                f"--memory of {-(-self.budget // 10**6)} MB is too little for {what}: at least {-(-least // 10**6)} MB "
                f"are needed. Give more{advice}."
            )
            raise ValueError(msg)
        return int(min(_MOST_ROWS, (self.budget - self.base - _RESERVE - fixed) // per_row))

    def fits(self, per_row: int, fixed: int) -> bool:
        """Whether the budget is enough.

        Parameters
        ----------
        per_row, fixed : int
            As for :meth:`chunk_rows`.
        """
        return self.budget - self.base - _RESERVE - fixed >= _FEWEST_ROWS * per_row
