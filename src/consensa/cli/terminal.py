"""What people see: notes on standard error, results on standard output, progress only on a terminal."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["format_table", "print_json", "print_text", "say", "shows_progress"]


def say(message: str) -> None:
    """Write one line on standard error."""
    sys.stderr.write(f"consensa: {message}\n")
    sys.stderr.flush()


def print_text(text: str) -> None:
    """Write a result on standard output."""
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Write a result on standard output as JSON."""
    print_text(json.dumps(value, indent=2))


def shows_progress(*, quiet: bool) -> bool:
    """Whether a progress bar would reach a person."""
    return not quiet and sys.stderr.isatty()


def format_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Line up cells in columns, two blanks apart.

    Parameters
    ----------
    rows : sequence of rows of str
        The first is the header.
    right : sequence of int
        Columns to set flush right.

    Examples
    --------
    >>> print(format_table([["name", "k"], ["base", "12"], ["consensus", "3"]], right=[1]))
    name        k
    base       12
    consensus   3
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if j in right else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
