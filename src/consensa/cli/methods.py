"""``consensa methods``: the registry, for people or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa.cli.terminal import format_table, print_json, print_text
from consensa.methods.registry import METHODS

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Print every method with its reference."""
    if arguments.json:
        fields = ("name", "estimator", "summary", "reference", "doi")
        print_json([{field: getattr(method, field) for field in fields} for method in METHODS.values()])
        return
    rows = [["name", "class", "what it does", "reference"]]
    rows += [[m.name, m.estimator, m.summary, f"{m.reference}. https://doi.org/{m.doi}"] for m in METHODS.values()]
    print_text(format_table(rows))
