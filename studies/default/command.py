"""``python -m studies default``: run the points, write the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import find_data_dir
from bench.store import ResultFile
from studies.default.page import default_page
from studies.default.points import POINTS
from studies.default.run import COLUMNS, WITHOUT_DATA, run_points

if TYPE_CHECKING:
    import argparse

__all__ = ["add_default"]

TEXT = Path(__file__).with_name("page.md")


def add_default(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_default)
    parser.add_argument(
        "--part", choices=["choosing", "reporting", "everyday", "kinds"], help="run this (default: nothing)"
    )
    parser.add_argument("--runs", type=int, default=3, help="draws per pool (default 3)")
    parser.add_argument("--members", nargs="+", type=int, default=[10], help="base clusterings per draw (default 10)")
    parser.add_argument("--noise", type=float, default=0.0, help="share of labels replaced by others (default 0)")
    parser.add_argument("--points", nargs="+", choices=list(POINTS), metavar="POINT", help="only these")
    parser.add_argument("--pools", nargs="+", help="only these pools, such as LWEC_MF, or everyday data sets")
    parser.add_argument("--jobs", type=int, default=2, help="draws computed at a time (default 2)")
    parser.add_argument("--output", type=Path, default=Path("results", "default.csv"))
    parser.add_argument("--page", type=Path, help="write the page, for example docs/evidence/default.md")


def _default(options: argparse.Namespace) -> None:
    if options.part is not None:
        run_points(
            None if options.part in WITHOUT_DATA else find_data_dir(options.data_dir),
            options.output,
            part=options.part,
            runs=options.runs,
            members=options.members,
            noise=options.noise,
            points=options.points or tuple(POINTS),
            pools=options.pools,
            jobs=options.jobs,
        )
    if options.page is not None:
        rows = ResultFile(options.output, COLUMNS).rows()
        options.page.write_text(default_page(rows, TEXT.read_text(encoding="utf-8")), encoding="utf-8")
