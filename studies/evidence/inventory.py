"""Every numbered definition, equation, algorithm, table and figure of the five papers: where it is, how it agrees."""

from __future__ import annotations

from pathlib import Path

from bench.markdown import markdown_table

__all__ = ["INVENTORY", "inventory_table"]

TITLES = ("in the paper", "what", "here", "verdict")


def _read(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """Read the rows of every paper: ``# number`` begins one, a row has four cells with bars between."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("# "):
            rows = found.setdefault(line.removeprefix("# "), [])
        else:
            rows.append(tuple(line.split(" | ")))
    return found


INVENTORY = _read(Path(__file__).with_name("inventory.txt"))


def inventory_table(number: str) -> str:
    """Write what a paper has and where it is here."""
    return markdown_table(TITLES, INVENTORY[number], left=len(TITLES))
