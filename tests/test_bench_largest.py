"""The benchmark of the largest ensembles: grows, stops, resumes."""

from __future__ import annotations

import csv
import subprocess

import pytest


@pytest.fixture
def measured(monkeypatch):
    """Replace the measurements by made-up figures: EAC slows down, PTA fails, LWEA hangs; returns what was asked."""
    from bench import largest

    asked = []

    def run_child(task, timeout=None):
        if task["action"] == "make":
            measured.n = task["n_objects"]
            return {}
        asked.append((task["method"], measured.n))
        if task["method"] == "pta":
            raise RuntimeError("the measurement {} failed: it would need 9 GiB of memory")
        if task["method"] == "lwea" and measured.n > 100:
            raise subprocess.TimeoutExpired("python", timeout)
        return {"n_microclusters": measured.n // 2, "cpu_seconds": measured.n / 100, "peak_mib": 50.0, "repeats": 1}

    monkeypatch.setattr(largest, "run_child", run_child)
    measured.n = 0
    return asked


def test_sizes_grow_until_it_takes_too_long(measured, tmp_path):
    from bench.largest import largest, report

    output = tmp_path / "largest.csv"
    rows = largest(output, methods=["eac", "lwea", "pta"], sizes=(100, 200, 400, 800), limit=3.0)
    assert measured == [("eac", 100), ("lwea", 100), ("pta", 100), ("eac", 200), ("lwea", 200), ("eac", 400)]
    status = {(row["method"], row["n_objects"]): row["status"] for row in rows}
    assert status["pta", "100"] == "it would need 9 GiB of memory"
    assert status["lwea", "200"] == "stopped after 60 s"
    lines = {line.split()[0]: line for line in report(rows).splitlines()}
    assert lines["eac"].split()[1:4] == ["400", "200", "4.0"]
    assert lines["lwea"].endswith("stopped after 60 s")
    assert "pta" not in lines


def test_what_was_measured_is_not_measured_again(measured, tmp_path):
    from bench.largest import largest

    output = tmp_path / "largest.csv"
    largest(output, methods=["eac", "pta"], sizes=(100,), limit=9.0)
    largest(output, methods=["eac", "pta"], sizes=(100, 200), limit=9.0)
    assert measured == [("eac", 100), ("pta", 100), ("eac", 200)]
    with output.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 3


def test_command(measured, tmp_path, capsys):
    from bench.__main__ import main

    output = tmp_path / "largest.csv"
    assert main(["largest", "--methods", "eac", "--sizes", "100", "--output", str(output)]) == 0
    assert "eac" in capsys.readouterr().out
    page = tmp_path / "methods.md"
    assert main(["methods-table", "--largest", str(output), "--output", str(page)]) == 0
    assert "100 (50 microclusters, 1 s)" in page.read_text(encoding="utf-8")
    assert main(["largest", "--methods", "nope", "--output", str(output)]) == 2
