"""``consensa methods``: the registry, for people or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._text import format_table
from consensa.cli.terminal import print_json, print_text
from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]

_FIELDS = ("name", "estimator", "input", "balanced", "missing", "memory", "summary", "reference", "doi")


def execute(arguments: Namespace) -> None:
    """Print every method with what it takes, what it forces, what it can handle, and its reference."""
    methods = [*METHODS.values(), *FEATURE_METHODS.values()]
    if arguments.json:
        print_json([{field: getattr(method, field) for field in _FIELDS} for method in methods])
        return
    rows = [["name", "class", "input", "equal sizes", "missing labels", "what it does", "reference"]]
    for m in methods:
        missing = "-" if m.input == "features" else _yes(m.missing)
        reference = f"{m.reference}. https://doi.org/{m.doi}"
        rows.append([m.name, m.estimator, m.input, _yes(m.balanced), missing, m.summary, reference])
    print_text(format_table(rows))


def _yes(answer: bool) -> str:  # noqa: FBT001 - a value to print, not a switch
    return "yes" if answer else "no"
