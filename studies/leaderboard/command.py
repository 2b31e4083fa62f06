"""``python -m studies leaderboard``: fit what the result file lacks, write the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import count, find_data_dir
from bench.store import ResultFile
from consensa.methods import METHODS
from studies.leaderboard.page import write_leaderboard
from studies.leaderboard.run import COLUMNS, Setting, run_leaderboard

if TYPE_CHECKING:
    import argparse

__all__ = ["add_leaderboard"]


def add_leaderboard(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_leaderboard)
    parser.add_argument("--runs", type=count, default=3, help="draws of every pool (default 3)")
    parser.add_argument("--members", nargs="+", type=count, default=[10, 30, 100], help="base clusterings per draw")
    parser.add_argument("--seconds", type=float, default=20.0, help="longest time of a fit (default 20)")
    parser.add_argument("--objects", type=count, help="leave out pools with more objects (default: none)")
    parser.add_argument("--changed", type=count, help="largest pool to look at order and doubling (default: all)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), metavar="METHOD", help="only these")
    parser.add_argument("--output", type=Path, default=Path("results", "leaderboard.csv"))
    parser.add_argument("--page", type=Path, help="write the page, for example docs/evidence/leaderboard.md")
    parser.add_argument("--only-page", action="store_true", help="write the page of what is there, fit nothing")


def _leaderboard(options: argparse.Namespace) -> None:
    if not options.only_page:
        methods = tuple(options.methods or METHODS)
        setting = Setting(
            options.runs, tuple(options.members), options.seconds, options.objects, options.changed, methods
        )
        run_leaderboard(find_data_dir(options.data_dir), options.output, setting)
    if options.page is not None:
        write_leaderboard(ResultFile(options.output, COLUMNS).rows(), options.page)
