"""Which ratios moved: the present tree against an earlier commit, interleaved in one run."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import count
from bench.markdown import markdown_table
from bench.speed.check_child import CASES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["add_check", "check", "check_report"]

ROOT = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("check_child.py")
MOVED = 1.15  # a ratio beyond this, and no run of one tree between those of the other, is no accident
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CONSENSA_NUM_THREADS": "1"}

Runs = dict[str, dict[str, list[float]]]


def check(commit: str, cases: list[str], rounds: int) -> tuple[Runs, list[str]]:
    """Run the cases in both trees, turn by turn; return processor seconds by case and tree, and other answers."""
    runs: Runs = {case: {"before": [], "now": []} for case in cases}
    digests: dict[str, set[str]] = {case: set() for case in cases}
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before")
        _git("worktree", "add", "--detach", str(before), commit)
        try:
            for turn in range(rounds):
                for case in cases:
                    for tree, place in (("before", before), ("now", ROOT)):
                        print(f"round {turn + 1} of {rounds}: {case}, {tree}", end="", file=sys.stderr, flush=True)
                        found = _run(case, place / "src")
                        print(f": {found['seconds']:.2f} s, {found['digest']}", file=sys.stderr, flush=True)
                        runs[case][tree].append(found["seconds"])
                        digests[case].add(found["digest"])
        finally:
            _git("worktree", "remove", "--force", str(before))
    return runs, [case for case in cases if len(digests[case]) > 1]


def check_report(runs: Runs, changed: list[str]) -> str:
    """Return the table of medians and ratios, and which of them moved."""
    rows, moved = [], []
    for case, trees in runs.items():
        before, now = (statistics.median(trees[tree]) for tree in ("before", "now"))
        ratio = now / before
        apart = min(trees["now"]) > max(trees["before"]) or max(trees["now"]) < min(trees["before"])
        if apart and not 1 / MOVED < ratio < MOVED:
            moved.append(f"{case}: {'slower' if ratio > 1 else 'faster'}, {ratio:.2f} of the time before")
        rows.append([case, f"{before:.2f}", f"{now:.2f}", f"{ratio:.2f}", "other" if case in changed else "same"])
    for tree in ("before", "now"):
        for case in runs:
            plain = case.replace("default", "kmeans")
            if case.startswith("default") and plain in runs:
                times = statistics.median(runs[case][tree]) / statistics.median(runs[plain][tree])
                moved.append(f"{case}: {times:.1f} times k-means with ten starts {tree}")
    head = ["case", "before, s", "now, s", "ratio", "answer"]
    return markdown_table(head, rows) + "\n\n" + ("\n".join(moved) or "No ratio moved.")


def add_check(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_check)
    parser.add_argument("--commit", help="what to compare with (default: the last tag)")
    parser.add_argument("--rounds", type=count, default=3)
    parser.add_argument("--cases", nargs="+", choices=list(CASES), metavar="CASE", default=list(CASES))


def _check(options: Namespace) -> None:
    commit = options.commit or _git("describe", "--tags", "--abbrev=0").strip()
    print(f"\nCompared with {commit}\n\n{check_report(*check(commit, options.cases, options.rounds))}")


def _run(case: str, source: Path) -> dict[str, float | str]:
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, str(CHILD), case], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        msg = f"{case} failed with {source}: {done.stderr.strip().splitlines()[-1:]}"
        raise ValueError(msg)
    found: dict[str, float | str] = json.loads(done.stdout)
    return found


def _git(*arguments: str) -> str:
    command = [shutil.which("git") or "git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        msg = f"git {arguments[0]} failed: {done.stderr.strip()}; give --commit, a commit of this repository."
        raise ValueError(msg)
    return done.stdout
