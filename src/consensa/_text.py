"""Tables in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["format_table"]


def format_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Line up cells in columns, two blanks apart, those in ``right`` flush right; the first row is the header.

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
