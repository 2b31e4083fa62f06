"""``python -m studies single``: fit what the result file lacks, write the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import count, find_data_dir
from bench.store import ResultFile
from studies.single.page import single_page, summary_table
from studies.single.run import ALGORITHMS, COLUMNS, run_single

if TYPE_CHECKING:
    import argparse

__all__ = ["add_single"]


def add_single(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_single)
    parser.add_argument("--runs", type=count, default=3, help="seeds (default 3)")
    parser.add_argument("--algorithms", nargs="+", choices=list(ALGORITHMS), metavar="NAME", help="only these")
    parser.add_argument("--output", type=Path, default=Path("results", "single.csv"))
    parser.add_argument("--page", type=Path, help="write the page, for example docs/evidence/single.md")


def _single(options: argparse.Namespace) -> None:
    run_single(find_data_dir(options.data_dir), options.output, options.runs, tuple(options.algorithms or ALGORITHMS))
    rows = ResultFile(options.output, COLUMNS).rows()
    print(summary_table(rows))
    if options.page is not None:
        options.page.write_text(single_page(rows), encoding="utf-8")
