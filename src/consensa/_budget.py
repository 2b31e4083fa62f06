"""How much memory one dense matrix may take, and the error when it would take more."""

from __future__ import annotations

import os

from consensa._messages import Message

__all__ = ["DENSE_BUDGET", "BudgetError", "check_dense_budget", "format_bytes"]

# A fixed, documented number: the way a method takes never depends on the memory that happens to be free.
DENSE_BUDGET = int(float(os.environ.get("CONSENSA_DENSE_BUDGET_GB", "4")) * 1024**3)


class BudgetError(ValueError):
    """A dense matrix would need more memory than the budget allows."""


def format_bytes(n_bytes: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> format_bytes(3 * 1024**3)
    '3.0 GiB'
    """
    for unit in ("B", "KiB", "MiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} GiB"


def check_dense_budget(n_bytes: int, what: str, instead: str) -> None:
    """Refuse a dense matrix beyond the budget, before anything is allocated.

    Parameters
    ----------
    n_bytes : int
        What would be needed at the peak.
    what : str
        The matrix, for the message.
    instead : str
        What does without it, for the message; a :class:`~consensa._messages.Message` where it names parameters.
    """
    if n_bytes > DENSE_BUDGET:
        text = (
            "{what} would need {needed} of memory; the budget for a dense matrix is {budget} (environment variable "
            "CONSENSA_DENSE_BUDGET_GB). {instead}"
        )
        needed, budget = format_bytes(n_bytes), format_bytes(DENSE_BUDGET)
        raise BudgetError(Message(text, what=what, needed=needed, budget=budget, instead=instead))
