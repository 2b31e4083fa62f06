"""The comparison with other packages: made-up packages run, fail and are reported as they did."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from studies.__main__ import main
from studies.rivals import run as rivals
from studies.rivals.page import front_table, rivals_page
from studies.rivals.run import COLUMNS, Case, Limits, find_pythons, odd_inputs, run_batch


def row(part, case, package, method, *, n=1000, status="ok", nmi="", anmi="", cpu=1.0, repeatable=""):
    scores = {"nmi": nmi, "ari": nmi, "anmi": anmi, "cpu_seconds": cpu, "new_mib": 5.0, "repeatable": repeatable}
    given = {"part": part, "case": case, "package": package, "method": method, "n_objects": n, "status": status}
    fixed = {"n_clusters": 10, "limit": 20.0, "version": "1.2"}
    return {name: str({**given, **scores, **fixed}[name]) for name in COLUMNS}


ROWS = [
    row("input", "integers", "consensa", "cspa", nmi=1.0, repeatable=True),
    row("input", "strings", "consensa", "cspa", nmi=1.0, repeatable=True),
    row("input", "integers", "ensembleclustering", "cspa", nmi=1.0, repeatable=False),
    row("input", "strings", "ensembleclustering", "cspa", status="TypeError: no strings"),
    row("truth", "digits", "consensa", "cspa", nmi=0.7, anmi=0.6, repeatable=True),
    row("truth", "digits", "consensa", "mcla", nmi=0.5, anmi=0.4, repeatable=True),
    row("truth", "digits", "ensembleclustering", "cspa", nmi=0.8, anmi=0.5, cpu=30.0, repeatable=True),
    row("growth", "1,000 objects", "consensa", "cspa"),
    row("growth", "3,000 objects", "consensa", "cspa", n=3000),
    row("growth", "1,000 objects", "ensembleclustering", "cspa", cpu=40.0),
    row("truth", "digits, features", "ConsensusClusterPlus", "km", nmi=0.75, repeatable=True),
]


def cells(table, name):
    line = next(line for line in table.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_front_table_has_only_what_was_measured():
    table = front_table(ROWS)
    assert cells(table, "measured") == ["consensa", "ClusterEnsembles", "ConsensusClusterPlus"]
    assert cells(table, "combines given clusterings") == ["yes", "yes", "-"]
    assert cells(table, "input: strings") == ["1 of 1 methods", "0 of 1 methods", "-"]
    assert cells(table, "input: missing (NaN)") == ["-", "-", "-"]
    assert cells(table, "same seed, same labels") == ["4 of 4 runs", "1 of 2 runs", "1 of 1 runs"]
    assert cells(table, "best NMI, digits") == ["0.700 (cspa)", "0.800 (cspa)", "-"]
    assert cells(table, "processor time / ours, same method") == ["1", "30", "-"]
    assert cells(table, "largest n run") == ["3,000 (cspa)", "1,000 (cspa)", "-"]


def test_page_says_where_others_are_better():
    page = rivals_page(ROWS, 8 << 30)
    assert (
        "| digits | cspa | ClusterEnsembles cspa | 0.700 / **0.800** | 0.700 / **0.800** | **0.600** / 0.500 | 30 |"
        in page
    )
    assert "NMI: ours higher in 0, theirs in 1, equal in 0" in page
    assert "| ClusterEnsembles | cspa | 40; 5 MiB | - | 3,000: 18.0 times the limit |" in page
    assert "- ClusterEnsembles cspa, strings: `TypeError: no strings`" in page
    assert "8 GiB" in page


def test_odd_inputs_hold_the_same_groups():
    cases = {case.name: case for case in odd_inputs()}
    assert np.isnan(cases["missing (NaN)"].given).any()
    assert cases["strings"].given.dtype.kind == "U"
    for name in ("strings", "gaps and negative"):
        for column, plain in zip(cases[name].given.T, cases["integers"].given.T, strict=True):
            np.testing.assert_array_equal(np.unique(column, return_inverse=True)[1], plain)


def test_a_run_reports_scores_and_errors():
    case = next(odd_inputs())
    good, bad = run_batch(case, "consensa", ["kcc", "nope"], sys.executable, Limits(10.0))
    assert (good["status"], good["repeatable"]) == ("ok", True)
    assert good["ari"] > 0.8
    assert bad["status"].startswith("ValueError: method='nope' is not known")


def test_a_process_that_dies_is_reported():
    case = Case("growth", "few", np.zeros((4, 2), int), 2)
    assert run_batch(case, "consensa", ["lwea"], "/bin/false", Limits(1.0)) == [
        {"method": "lwea", "status": "failed without a word"}
    ]


def test_only_interpreters_that_have_a_package_are_used(tmp_path):
    (tmp_path / "python").write_text('#!/bin/sh\ncase "$2" in *openensembles*) exit 0;; esac\nexit 1\n')
    (tmp_path / "python").chmod(0o755)
    found = find_pythons([str(tmp_path / "python")], "Rscript")
    assert found == {
        "consensa": sys.executable,
        "openensembles": str(tmp_path / "python"),
        "ConsensusClusterPlus": "Rscript",
    }


@pytest.fixture
def batches(monkeypatch):
    """Two small cases and made-up runs; returns what was asked."""
    asked = []

    def run(case, package, methods, python, limits):
        asked.append((case.given.shape[0], package, tuple(methods)))
        return [
            {"method": method, "status": "ok", "cpu_seconds": case.given.shape[0] / 50, "new_mib": 1}
            for method in methods
        ]

    monkeypatch.setattr(rivals, "run_batch", run)
    cases = [Case("growth", f"{n} objects", np.zeros((n, 2), int), 2) for n in (100, 200, 800)]
    monkeypatch.setattr(rivals, "_cases", lambda data_dir, sizes: iter(cases))
    monkeypatch.setattr(rivals, "ON_LABELS", {"consensa": ("lwea", "eac"), "openensembles": ("linkage",)})
    return asked


def test_command_resumes_and_stops_growing(batches, tmp_path, monkeypatch):
    monkeypatch.delenv("CONSENSA_DATA", raising=False)
    page = tmp_path / "sub" / "rivals.md"
    options = ["--limit", "9", "--output", str(tmp_path / "rivals.csv"), "--page", str(page)]
    assert main(["rivals", *options]) == 0
    assert batches == [(100, "consensa", ("lwea", "eac")), (200, "consensa", ("lwea", "eac"))]  # 800 would take 16 s
    assert main(["rivals", *options]) == 0
    assert len(batches) == 2
    assert page.read_text(encoding="utf-8").startswith("# Beside other packages")
