"""``python -m bench speed-page``: run what is missing, then write the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench import ROOT
from bench.data import count
from bench.speed.candidates import CANDIDATES
from bench.speed.page import write_page
from bench.speed.run import SIZES, run_page

if TYPE_CHECKING:
    import argparse

__all__ = ["add_speed_page"]

_EVIDENCE = Path(ROOT, "docs", "evidence")


def add_speed_page(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_speed_page)
    parser.add_argument("--methods", nargs="+", choices=CANDIDATES, default=list(CANDIDATES), metavar="NAME")
    parser.add_argument("--sizes", nargs="*", type=count, default=SIZES, help="none: only write the page again")
    parser.add_argument("--limit", type=float, default=20.0, help="predicted processor seconds of a size (default 20)")
    parser.add_argument("--output", type=Path, default=_EVIDENCE / "speed.csv", help="result file, gone on with")
    parser.add_argument("--page", type=Path, default=_EVIDENCE / "speed.md")


def _speed_page(options: argparse.Namespace) -> None:
    rows = run_page(options.output, names=options.methods, sizes=options.sizes, limit=options.limit)
    write_page(rows, options.page)
    print(f"Every run: {options.output}\nThe page: {options.page}")
