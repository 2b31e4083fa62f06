"""``python -m bench targets``: measure what is missing, then write the section of the speed page."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench import ROOT
from bench.data import none_or_more
from bench.speed.page import replace_section
from bench.store import ResultFile, versions
from bench.targets.cases import CASES, ONCE, Settings
from bench.targets.goals import COLUMNS, targets_section

if TYPE_CHECKING:
    import argparse

__all__ = ["add_targets", "measure_targets"]

_EVIDENCE = Path(ROOT, "docs", "evidence")
_BEFORE = "1e7c009"  # the last commit before large numbers of base clusterings were looked at
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CONSENSA_NUM_THREADS")


def measure_targets(results: ResultFile, settings: Settings, cases: list[str], rounds: int) -> None:
    """Run every case as often as is missing; each run is kept at once."""
    for turn in range(1, rounds + 1):
        for case in cases:
            done = {row["turn"] for row in results.rows() if row["case"] == case}
            if str(turn) in done or (turn > 1 and case in ONCE):
                continue
            print(f"{case}, round {turn}", file=sys.stderr, flush=True)
            load = round(os.getloadavg()[0], 1)
            shared = {"case": case, "turn": turn, "load": load, "versions": versions()}
            shared["commit"] = settings.commit if case.startswith("before") else ""
            rows = [{**shared, **row} for row in CASES[case](settings)]
            results.append([{column: row.get(column, "") for column in COLUMNS} for row in rows])


def add_targets(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_targets)
    parser.add_argument("--cases", nargs="+", choices=list(CASES), metavar="CASE", default=list(CASES))
    parser.add_argument("--rounds", type=none_or_more, default=3, help="0: only write the page; long cases run once")
    parser.add_argument("--commit", default=_BEFORE, help="what to compare with (default %(default)s)")
    parser.add_argument("--dir", type=Path, default=Path("results", "targets"), help="folder for data")
    parser.add_argument("--output", type=Path, default=_EVIDENCE / "speed_targets.csv", help="gone on with")
    parser.add_argument("--page", type=Path, default=_EVIDENCE / "speed.md")


def _targets(options: argparse.Namespace) -> None:
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    options.dir.mkdir(parents=True, exist_ok=True)
    results = ResultFile(options.output, COLUMNS)
    settings = Settings(options.dir, options.commit, options.data_dir)
    measure_targets(results, settings, options.cases, options.rounds)
    section = targets_section(results.rows())
    replace_section(options.page, section)
    print(f"{section}\n\nEvery figure: {options.output}\nThe page: {options.page}")
