"""Run the fuzzer: ``python -m tools.fuzz --minutes 5``; exit code 1 if anything was found."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tools.fuzz.shrink import keep, kind_in_a_process, shrunk
from tools.fuzz.tally import Tally, commit, earlier, first_of, total, write
from tools.fuzz.worker import ALL, PAUSE, kind_of, name_of

_SHARES = {"labels": 0.42, "features": 0.26, "clear": 0.08, "relations": 0.08, "scores": 0.03, "files": 0.13}
_SECONDS = 20  # a case that takes longer, in processor time, hangs
_OF_LIBHDF5 = ("h5ad",)  # it dies of some damaged attributes, or never comes to an end (SECURITY.md)
_TURN = 10.0  # seconds of an area before another has its turn, so that a run that is stopped has cases of all
_SAME_KIND = 2  # findings of a kind that are kept
_WORKER = [sys.executable, "-m", "tools.fuzz.worker"]
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CONSENSA_NUM_THREADS": "1"}


class Area:
    """The cases of one area, run by a process that waits between its turns and is started again when it dies."""

    def __init__(self, tally: Tally, folder: Path, most_cases: int) -> None:
        self.tally = tally
        self.seconds = 0.0
        self._folder = folder
        self._most_cases = most_cases
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    @property
    def is_done(self) -> bool:
        """Whether there are as many cases as were asked for."""
        return self.tally.n_cases >= self._most_cases

    def turn(self, seconds: float) -> None:
        """Run cases for so long, and what is begun to its end."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds and not self.is_done:
            if self._process is None:
                self._start()
            self._run(seconds - (time.monotonic() - begin))
        self.seconds += time.monotonic() - begin

    def end(self) -> None:
        """End the process, and those that it started, which would keep its pipe open; close the pipes."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError), self._process:  # which waits for it
                self._pump.join()
            self._process = None

    def _start(self) -> None:
        command = [*_WORKER, self.tally.area, str(self.tally.next)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, **_ONE_THREAD},
        )
        self._lines = queue.Queue()
        self._pump = threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True)
        self._pump.start()

    def _run(self, seconds: float) -> None:
        """Ask the process for some seconds of cases and take what it says until it is through or dead."""
        process = self._process
        assert process is not None and process.stdin is not None  # noqa: S101, PT018 - by _start
        with contextlib.suppress(OSError):  # it died, as its end of the lines tells
            process.stdin.write(f"{max(0.1, seconds)} {self._most_cases - self.tally.n_cases}\n")
            process.stdin.flush()
        before = _processor_seconds(process.pid)  # at the last line
        while True:
            try:
                line = self._lines.get(timeout=_SECONDS)
            except queue.Empty:
                if process.poll() is None:
                    if _processor_seconds(process.pid) - before < _SECONDS:
                        continue  # others had the processor
                    self.end()
                    self._found(("hang", f"more than {_SECONDS} s"))
                    return
                line = None
            if line is None:
                ended = process.wait()
                self.end()
                self._found((f"died by signal {-ended}", "the process died"))
                return
            if line == PAUSE:
                return
            self._take(line)
            if self._lines.empty():
                before = _processor_seconds(process.pid)

    def _take(self, line: str) -> None:
        tally = self.tally
        if not line.startswith("{"):
            tally.kinds["printed"] += 1
            return
        told = json.loads(line)
        if "begins" in told:
            tally.next = int(told["begins"])
            return
        tally.n_cases += 1
        tally.n_answered += bool(told["answered"])
        tally.names[told["name"]] += 1
        if told["found"] is not None:
            self._found((told["found"][0], told["found"][1]))
        tally.next = int(told["ends"]) + 1

    def _found(self, finding: tuple[str, str]) -> None:
        """Keep a finding, as small as it gets, and go on with the next case."""
        tally = self.tally
        number, kind, area = tally.next, finding[0], tally.area
        case = ALL[area][0](number)
        tally.next = number + 1
        if kind.startswith(("died", "hang")) and name_of(case) in _OF_LIBHDF5:
            tally.n_known += 1
            return
        signature = f"{kind} ({name_of(case)})"
        tally.kinds[signature] += 1
        if tally.kinds[signature] <= _SAME_KIND:
            if kind != "hang" and tally.kinds[signature] == 1 and kind_in_a_process(area, case) == kind:
                case = shrunk(area, case, kind)
            where = keep(self._folder, area, number, case, finding)
            print(f"FOUND {area} {number}: {signature}: {where}", flush=True)


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


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="most cases of an area")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, from which the others count")
    parser.add_argument("--area", choices=sorted(ALL), help="only this one")
    parser.add_argument("--case", type=int, help="show this one case of the area, in this process")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--tally", type=Path, help="file of counts, from which a later run goes on with new cases")
    return parser.parse_args()


def main() -> int:
    """Read the arguments, run the areas turn by turn, tell what was found."""
    arguments = _arguments()
    if arguments.case is not None:
        return _show(arguments.area or "labels", arguments.case)
    runs, of_commit = earlier(arguments.tally), commit()
    shares = {arguments.area: 1.0} if arguments.area else _SHARES
    areas = [
        Area(Tally(name, first_of(name, runs, arguments.first)), arguments.out, arguments.cases) for name in shares
    ]
    tallies = [area.tally for area in areas]
    end = time.monotonic() + 60 * arguments.minutes
    try:
        while time.monotonic() < end and not all(area.is_done for area in areas):
            area = min((a for a in areas if not a.is_done), key=lambda each: each.seconds / shares[each.tally.area])
            area.turn(min(_TURN, end - time.monotonic()))
            if arguments.tally is not None:
                write(arguments.tally, runs, tallies, of_commit)
    except KeyboardInterrupt:
        pass  # what was counted is told
    finally:
        for area in areas:
            area.end()
    print("\n".join(line for tally in tallies for line in tally.lines()))
    if arguments.tally is not None:
        print(total(earlier(arguments.tally)))
    return int(any(tally.kinds for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
