"""Parts of pages that commands write, between two marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["END", "begin", "write_section"]

END = "<!-- to here -->\n"


def begin(command: str) -> str:
    """Return the mark where what a command writes begins.

    Examples
    --------
    >>> begin("judge-k")
    '<!-- python -m studies judge-k writes from here -->\\n'
    """
    return f"<!-- python -m studies {command} writes from here -->\n"


def write_section(page: Path, command: str, text: str) -> None:
    """Replace what stands between the mark of the command and the end after it."""
    before, rest = page.read_text(encoding="utf-8").split(begin(command))
    after = rest.split(END, 1)[1]
    page.write_text(f"{before}{begin(command)}\n{text}\n\n{END}{after}", encoding="utf-8")
