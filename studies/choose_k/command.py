"""``python -m studies choose-k``: run the choices, print the tables, draw the figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import count, find_data_dir
from studies.choose_k.report import choice_figure, choice_report
from studies.choose_k.run import run_choices

if TYPE_CHECKING:
    import argparse

__all__ = ["add_choose_k"]


def add_choose_k(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_choose_k)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all that are there)")
    parser.add_argument("--runs", type=count, default=5, help="draws per pool (default 5)")
    parser.add_argument("--k-max", type=int, default=40, help="largest candidate; 0 for the default of choose_k")
    parser.add_argument("--figure", type=Path, help="draw chosen k against classes into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "choose_k.csv"))


def _choose_k(options: argparse.Namespace) -> None:
    rows = run_choices(
        find_data_dir(options.data_dir), options.output, pools=options.pools, runs=options.runs, k_max=options.k_max
    )
    print(choice_report(rows))
    if options.figure is not None:
        choice_figure(rows, options.figure)
    print(f"\nEvery choice: {options.output}")
