"""What was run and found, kept on disk: a run that is stopped loses nothing, the next one goes on with new cases."""

from __future__ import annotations

import collections
import json
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["Tally", "commit", "earlier", "first_of", "total", "write"]

_ROOT = Path(__file__).resolve().parent.parent.parent


class Tally:
    """Counts of one area on one commit; ``next`` is the number of the case that comes next."""

    def __init__(self, area: str, first: int) -> None:
        self.area = area
        self.first = self.next = first
        self.n_cases = 0
        self.n_answered = 0
        self.n_known = 0  # ends inside of libhdf5, which are told but are no findings
        self.names: collections.Counter[str] = collections.Counter()
        self.kinds: collections.Counter[str] = collections.Counter()

    def as_dict(self, of_commit: str) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {"commit": of_commit, **vars(self)}

    def lines(self) -> list[str]:
        """Say it in words."""
        answered = f"{self.n_answered} answered, the others refused in a sentence"
        found = f"{sum(self.kinds.values())} findings" + (f", {self.n_known} lost in libhdf5" if self.n_known else "")
        return [
            f"{self.area}: {self.n_cases} cases from {self.first} ({answered}), {found}",
            f"  {', '.join(f'{name} {count}' for name, count in self.names.most_common())}",
            *(f"  {count} x {kind}" for kind, count in self.kinds.most_common()),
        ]


def commit() -> str:
    """Return the commit of the project, with a plus if files differ from it; nothing where git does not know."""
    command = ["git", "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def earlier(file: Path | None) -> list[dict[str, Any]]:
    """Return what former runs wrote."""
    return json.loads(file.read_text()) if file is not None and file.exists() else []


def first_of(area: str, runs: list[dict[str, Any]], first: int) -> int:
    """Return the number from which on no former run has seen a case of the area."""
    return max([first, *(int(run["next"]) for run in runs if run["area"] == area)])


def write(file: Path, runs: list[dict[str, Any]], tallies: list[Tally], of_commit: str) -> None:
    """Write the former runs and this one, all or nothing."""
    now = [tally.as_dict(of_commit) for tally in tallies if tally.n_cases]
    beside = file.with_name(f"{file.name}.tmp")
    beside.write_text("[\n" + ",\n".join(map(json.dumps, runs + now)) + "\n]\n")
    beside.replace(file)


def total(runs: list[dict[str, Any]]) -> str:
    """Say how many cases there were of every area on every commit."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for run in runs:
        counts[run["commit"], run["area"]] += run["n_cases"]
    of_commits = {name for name, _ in counts}
    lines = [f"{sum(counts.values())} cases in all"]
    for each in sorted(of_commits):
        areas = {area: count for (name, area), count in counts.items() if name == each}
        told = ", ".join(f"{area} {count}" for area, count in areas.items())
        lines.append(f"  {each or 'unknown commit'}: {sum(areas.values())} ({told})")
    return "\n".join(lines)
