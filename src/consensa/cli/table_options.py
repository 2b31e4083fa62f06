"""Arguments about tables: what their columns are, how much they weigh, how numbers are scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.cli.values import at_least, column_types, column_weights, method_name, n_jobs
from consensa.generate.registry import GENERATORS
from consensa.methods.registry import DEFAULT_METHOD, METHODS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_directory_option", "add_evidence_options", "add_table_options", "add_test_options", "add_types_option"]

_TEXT = (
    "A table may hold numbers in any unit, categories, dates, yes and no, ids and gaps. What its columns are is found "
    "out and said on standard error."
)


def add_types_option(command: Any) -> None:
    """Add what columns are, where it is not to be found out."""
    command.add_argument(
        "--types",
        type=column_types,
        metavar="NAME=TYPE,...",
        help="what columns are: number, boolean, date (date:dmy, date:mdy), category, ordered (or low<medium<high), "
        "id, ignore; for example since=date,zip=category",
    )


def add_table_options(command: argparse.ArgumentParser) -> None:
    """Add what can be said about the columns of a table."""
    group = command.add_argument_group("columns of a table", _TEXT)
    add_types_option(group)
    group.add_argument(
        "--weights",
        type=column_weights,
        metavar="NAME=WEIGHT,...",
        help="how much columns weigh, 1 where nothing is said, 0 to leave one out; for example income=2,city=0.5",
    )
    group.add_argument(
        "--scale",
        choices=("auto", "standard", "none"),
        help="of tables that are all numbers: standard for deviation 1, none to take them as they are, auto for "
        "standard where their units differ (default: auto)",
    )


def add_evidence_options(command: argparse.ArgumentParser) -> None:
    """Add what is written beside the labels."""
    command.add_argument(
        "--memberships", action="store_true", help="write the membership in every cluster beside labels and confidence"
    )


def add_directory_option(command: argparse.ArgumentParser, what: str) -> None:
    """Add where a test keeps what is finished."""
    command.add_argument(
        "--directory", metavar="DIR", help=f"keep finished parts of {what} there; when stopped, it goes on where it was"
    )


def add_test_options(command: argparse.ArgumentParser) -> None:
    """Add how splits are tested."""
    command.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        help="probability that data without clusters get any split (default: %(default)s)",
    )
    command.add_argument(
        "--n-null",
        type=at_least(1),
        default=99,
        metavar="N",
        help="data sets without clusters for every split (default: %(default)s)",
    )
    names = ", ".join(METHODS)
    command.add_argument("--method", type=method_name, default=DEFAULT_METHOD, help=f"{names} (default: %(default)s)")
    command.add_argument(
        "--generator",
        choices=tuple(info.name for info in GENERATORS.values() if not info.needs),
        help="how base clusterings are made (default: k-means and linkage)",
    )
    command.add_argument("--jobs", type=n_jobs, default=1, metavar="N", help="data sets at a time, -1 for all cores")
