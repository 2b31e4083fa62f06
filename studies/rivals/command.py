"""``python -m studies rivals``: run what is missing, then write the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bench import ROOT
from bench.data import count, find_data_dir
from studies.rivals.page import rivals_page
from studies.rivals.run import SIZES, Limits, find_pythons, run_rivals

if TYPE_CHECKING:
    import argparse

__all__ = ["add_rivals"]

_EVIDENCE = Path(ROOT, "docs", "evidence")


def add_rivals(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_rivals)
    parser.add_argument("--python", nargs="*", default=[], metavar="PATH", help="interpreters that have other packages")
    parser.add_argument("--rscript", help="Rscript of an R that has ConsensusClusterPlus")
    parser.add_argument("--sizes", nargs="*", type=count, default=SIZES)
    parser.add_argument("--limit", type=float, default=20.0, help="predicted processor seconds of a size (default 20)")
    parser.add_argument("--output", type=Path, default=_EVIDENCE / "rivals.csv", help="result file, gone on with")
    parser.add_argument("--page", type=Path, default=_EVIDENCE / "rivals.md")


def _rivals(options: argparse.Namespace) -> None:
    named = options.data_dir or os.environ.get("CONSENSA_DATA")
    data_dir = find_data_dir(options.data_dir) if named else None
    limits = Limits(options.limit)
    pythons = find_pythons(options.python, options.rscript)
    rows = run_rivals(options.output, data_dir, pythons, sizes=options.sizes, limits=limits)
    options.page.parent.mkdir(parents=True, exist_ok=True)
    options.page.write_text(rivals_page(rows, limits.memory), encoding="utf-8")
    print(f"Every run: {options.output}\nThe page: {options.page}")
