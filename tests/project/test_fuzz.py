"""The fuzzer itself: what dies, hangs or breaks is found and kept, and no case is run twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.fuzz import __main__ as fuzz
from tools.fuzz.tally import Tally, earlier, first_of, total, write

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.slow

# Speaks as the worker does; case 12 dies, case 14 takes for ever, case 16 breaks.
WORKER = """
import json, os, signal, sys, time
number = int(sys.argv[2])
for line in sys.stdin:
    for _ in range(int(line.split()[1])):
        print(json.dumps({"begins": number}), flush=True)
        if number == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == 14:
            pass
        found = ["broken", "as it must"] if number == 16 else None
        print(json.dumps({"ends": number, "found": found, "answered": True, "name": "scores"}), flush=True)
        number += 1
    print("pause", flush=True)
"""


def test_deaths_hangs_and_what_breaks_are_found_and_the_cases_go_on(tmp_path, monkeypatch):
    (tmp_path / "worker.py").write_text(WORKER)
    monkeypatch.setattr(fuzz, "_WORKER", [sys.executable, str(tmp_path / "worker.py")])
    monkeypatch.setattr(fuzz, "_SECONDS", 1)
    area = fuzz.Area(Tally("scores", 10), tmp_path / "found", 8)
    area.turn(60)
    area.end()
    found = {"died by signal 9 (scores)": 1, "hang (scores)": 1, "broken (scores)": 1}
    assert area.is_done
    assert (area.tally.n_cases, area.tally.next, dict(area.tally.kinds)) == (8, 20, found)
    kept = {path.name: (path / "finding.txt").read_text().splitlines()[0] for path in (tmp_path / "found").iterdir()}
    assert kept == {"scores-12": "died by signal 9", "scores-14": "hang", "scores-16": "broken"}


def test_a_later_run_goes_on_with_new_cases(tmp_path):
    command = [sys.executable, "-m", "tools.fuzz", "--area", "scores", "--cases", "3", "--minutes", "1"]
    words = ["--tally", str(tmp_path / "tally.json"), "--first", "5", "--out", str(tmp_path / "found")]
    said = [subprocess.run([*command, *words], cwd=ROOT, check=True, capture_output=True, text=True) for _ in range(2)]
    runs = json.loads((tmp_path / "tally.json").read_text())
    assert [(run["first"], run["next"], run["n_cases"]) for run in runs] == [(5, 8, 3), (8, 11, 3)]
    assert "scores: 3 cases from 8 (3 answered" in said[1].stdout
    assert "6 cases in all" in said[1].stdout


def test_the_counts_of_several_commits(tmp_path):
    labels, files = Tally("labels", 0), Tally("files", 0)
    labels.n_cases, labels.next, files.n_cases, files.next = 4, 5, 2, 2
    write(tmp_path / "t.json", [], [labels, files], "abc")
    former = earlier(tmp_path / "t.json")
    write(tmp_path / "t.json", former, [labels], "abd+")
    assert first_of("labels", former, 3) == 5
    assert first_of("scores", former, 3) == 3
    assert total(earlier(tmp_path / "t.json")).splitlines() == [
        "10 cases in all",
        "  abc: 6 (labels 4, files 2)",
        "  abd+: 4 (labels 4)",
    ]
    assert not (tmp_path / "t.json.tmp").exists()
