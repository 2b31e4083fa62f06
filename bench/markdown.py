"""Tables for the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["markdown_table"]


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Write a table; the first columns are aligned to the left, the others to the right."""
    rule = ["---"] * left + ["---:"] * (len(heading) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in (heading, rule, *rows))
