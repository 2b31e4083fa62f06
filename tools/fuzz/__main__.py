"""Run the fuzzer: ``python -m tools.fuzz --minutes 5``; exit code 1 if anything was found."""

from __future__ import annotations

import argparse
import collections
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tools.fuzz.shrink import keep, kind_in_a_process, shrunk
from tools.fuzz.worker import ALL, kind_of, name_of

_SHARES = {"labels": 0.4, "features": 0.25, "clear": 0.1, "relations": 0.05, "scores": 0.05, "files": 0.15}
_SECONDS = 20  # a case that takes longer, in processor time, hangs
_OF_LIBHDF5 = ("h5ad",)  # it dies of some damaged attributes, or never comes to an end (SECURITY.md)
_SAME_KIND = 2  # findings of a kind that are kept
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CONSENSA_NUM_THREADS": "1"}


class Area:
    """The cases of one area, run by a process that is started again when it dies."""

    def __init__(self, name: str, first: int, folder: Path, most_cases: int) -> None:
        self.name = name
        self.next = first
        self.n_cases = 0
        self.names: collections.Counter[str] = collections.Counter()
        self.n_answered = 0
        self.n_known = 0  # ends inside of libhdf5, which are told but are no findings
        self.kinds: collections.Counter[str] = collections.Counter()
        self._folder = folder
        self._most_cases = most_cases

    def run(self, seconds: float) -> None:
        """Run cases for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.n_cases < self._most_cases:
            self._run_process(end)

    def _run_process(self, end: float) -> None:
        command = [sys.executable, "-m", "tools.fuzz.worker", self.name, str(self.next)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **_ONE_THREAD}
        )
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True).start()
        try:
            before = 0.0  # processor time at the last line
            while time.monotonic() < end and self.n_cases < self._most_cases:
                try:
                    line = lines.get(timeout=_SECONDS)
                except queue.Empty:
                    if _processor_seconds(process.pid) - before < _SECONDS:
                        continue  # others had the processor
                    self._found(("hang", f"more than {_SECONDS} s"))
                    return
                if line is None:
                    self._found(("died by signal " + str(-process.wait()), "the process died"))
                    return
                self._take(line)
                if lines.empty():
                    before = _processor_seconds(process.pid)
        finally:
            process.kill()
            process.wait()

    def _take(self, line: str) -> None:
        if not line.startswith("{"):
            self.kinds["printed"] += 1
            return
        told = json.loads(line)
        if "begins" in told:
            self.next = int(told["begins"])
            return
        self.n_cases += 1
        self.n_answered += bool(told["answered"])
        self.names[told["name"]] += 1
        if told["found"] is not None:
            self._found((told["found"][0], told["found"][1]))
        self.next = int(told["ends"]) + 1

    def _found(self, finding: tuple[str, str]) -> None:
        """Keep a finding, as small as it gets, and go on with the next case."""
        number, kind = self.next, finding[0]
        case = ALL[self.name][0](number)
        self.next = number + 1
        if kind.startswith(("died", "hang")) and name_of(case) in _OF_LIBHDF5:
            self.n_known += 1
            return
        signature = f"{kind} ({name_of(case)})"
        self.kinds[signature] += 1
        if self.kinds[signature] <= _SAME_KIND:
            if kind != "hang" and self.kinds[signature] == 1 and kind_in_a_process(self.name, case) == kind:
                case = shrunk(self.name, case, kind)
            print(f"FOUND {self.name} {number}: {signature}: {keep(self._folder, self.name, number, case, finding)}")


def _pump(stream: Any, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _processor_seconds(number: int) -> float:
    """Seconds that a process has spent; where that is not known, the time that passed."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _show(area: str, number: int) -> int:
    found = kind_of(area, ALL[area][0](number))
    print("nothing" if found is None else "\n".join(found))
    return int(found is not None)


def main() -> int:
    """Read the arguments, run every area for its share of the time, tell what was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="most cases of an area")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, from which the others count")
    parser.add_argument("--area", choices=sorted(ALL), help="only this one")
    parser.add_argument("--case", type=int, help="show this one case of the area, in this process")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    arguments = parser.parse_args()
    if arguments.case is not None:
        return _show(arguments.area or "labels", arguments.case)
    shares = {arguments.area: 1.0} if arguments.area else _SHARES
    areas = [Area(name, arguments.first, arguments.out, arguments.cases) for name in shares]
    for area in areas:
        area.run(60 * arguments.minutes * shares[area.name])
        answered = f"{area.n_answered} answered, the others refused in a sentence"
        found = f"{sum(area.kinds.values())} findings" + (f", {area.n_known} lost in libhdf5" if area.n_known else "")
        print(f"{area.name}: {area.n_cases} cases from {arguments.first} ({answered}), {found}", flush=True)
        print(f"  {', '.join(f'{name} {count}' for name, count in area.names.most_common())}", flush=True)
        for kind, count in area.kinds.most_common():
            print(f"  {count} x {kind}", flush=True)
    return int(any(area.kinds for area in areas))


if __name__ == "__main__":
    sys.exit(main())
