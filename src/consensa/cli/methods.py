"""``consensa methods``: the registries of methods and generators, for people or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._text import format_table
from consensa.cli.terminal import print_json, print_text
from consensa.generate.registry import GENERATORS
from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    from argparse import Namespace

    from consensa.methods.registry import Method

__all__ = ["execute"]

_FIELDS = ("name", "estimator", "input", "balanced", "missing", "memory", "summary", "reference", "doi")
_GENERATOR_FIELDS = ("name", "estimator", "sized_by", "transform", "sampled", "needs", "summary", "reference", "doi")


def execute(arguments: Namespace) -> None:
    """Print every method, or every generator, with what it can handle and its reference."""
    methods = [*METHODS.values(), *FEATURE_METHODS.values()]
    found, fields = (GENERATORS.values(), _GENERATOR_FIELDS) if arguments.generators else (methods, _FIELDS)
    if arguments.json:
        print_json([{field: getattr(each, field) for field in fields} for each in found])
    else:
        print_text(_generators() if arguments.generators else _methods(methods))


def _methods(methods: list[Method]) -> str:
    rows = [["name", "class", "input", "equal sizes", "missing labels", "what it does", "reference"]]
    for m in methods:
        missing = "-" if m.input == "features" else _yes(m.missing)
        reference = f"{m.reference}. https://doi.org/{m.doi}"
        rows.append([m.name, m.estimator, m.input, _yes(m.balanced), missing, m.summary, reference])
    return format_table(rows)


def _generators() -> str:
    rows = [["name", "class", "clusters", "new data", "--memory", "what it does", "reference"]]
    for g in GENERATORS.values():
        name = "-" if g.needs else g.name
        reference = f"{g.reference}. https://doi.org/{g.doi}"
        k = " or ".join(g.sized_by) or "-"
        rows.append([name, g.estimator, k, _yes(g.transform), _yes(g.sampled), g.summary, reference])
    return format_table(rows)


def _yes(answer: bool) -> str:  # noqa: FBT001 - a value to print, not a switch
    return "yes" if answer else "no"
