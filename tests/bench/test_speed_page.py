"""The speed page: runs grow, stop and resume in processes of their own; the page says what the rows say."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bench.__main__ import main
from bench.speed import run as speed_run
from bench.speed.candidates import CANDIDATES, N_CLUSTERS, Candidate, one_hot_kmeans, scipy_eac
from bench.speed.page import GROUPS, common_ratio, growth, speed_page, write_page
from bench.speed.run import COLUMNS, in_own_process, predicted_seconds, run_page
from consensa import EAC
from consensa.evaluate import ari
from consensa.methods import FEATURE_METHODS, METHODS


def row(method, n, cpu, *, status="ok", data="labels", peak=101.0):
    given = {"method": method, "data": data, "n_objects": n, "cpu_seconds": cpu, "status": status, "peak_mib": peak}
    fixed = {"start_mib": 100.0, "limit": 5.0, "load": 0.5, "n_microclusters": n, "versions": "v"}
    return {name: str({**given, **fixed}.get(name, "")) for name in COLUMNS}


ROWS = [
    row("one-hot k-means", 1000, 0.1),
    row("one-hot k-means", 10_000, 2.0),
    row("scipy EAC", 1000, 0.2),
    row("lwea", 1000, 0.1),
    row("lwea", 3000, 0.3),
    row("lwea", 10_000, 1.0, peak=110.0),
    row("lwea", 30_000, 3.0),
    row("spce", 1000, 4.0),
    row("spce", 3000, "", status="stopped after 15 processor seconds"),
    row("KMeans", 1000, 0.1, data="features"),
    row("uspec", 1000, 0.3, data="features"),
]


def test_all_methods_are_candidates_and_drawn():
    assert {*METHODS, *FEATURE_METHODS} < set(CANDIDATES)
    assert {name for names in GROUPS.values() for name in names} <= set(METHODS)


def test_exponent_of_the_upper_half():
    points = [(n, 7.0 if n < 100 else n**1.5) for n in (10, 30, 100, 300, 1000)]
    assert growth(points) == pytest.approx(1.5)
    assert growth(points[:1]) is None


def test_next_size_is_predicted_from_the_growth():
    assert predicted_seconds([row("eac", 100, 1.0)], 1000) == pytest.approx(100.0)
    assert predicted_seconds([row("eac", 100, 1.0), row("eac", 200, 2.0)], 400) == pytest.approx(4.0)
    assert predicted_seconds([row("eac", 100, 2.0), row("eac", 200, 1.0)], 400) == pytest.approx(2.0)  # not falling
    assert predicted_seconds([row("eac", 100, 1.0), row("eac", 200, 99.0)], 400) == pytest.approx(99 * 8)  # cubic


def test_ratio_needs_a_common_size_and_times_that_can_be_told():
    assert common_ratio({100: 3.0}, {1000: 1.0}) is None
    assert common_ratio({100: 3.0}, {100: 0.001}) is None
    assert common_ratio({100: 3.0, 1000: 9.0}, {100: 1.0}) == (3.0, 100)


def test_page_says_what_was_run_and_what_was_not():
    page = speed_page(ROWS)
    lines = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    cells = [cell.strip() for cell in lines["`lwea`"].split("|")[2:-1]]
    assert cells[:4] == ["30,000", "1.00", "0.5 (10,000)", "0.5 (1,000)"]
    assert cells[5] == "100,000: 2.0 times the limit"
    assert lines["`spce`"].rstrip(" |").endswith("3,000: stopped after 15 processor seconds")
    assert "1 of 2 methods take less processor time" in page
    assert "Not run: `asrs`" in page
    assert "| `uspec` | 1,000 | - | 3 (1,000) | - |" in page


def test_drawings_lie_beside_the_page(tmp_path):
    write_page(ROWS, tmp_path / "new" / "speed.md")
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"speed.md", "speed_linkage.svg", "speed_learned.svg", "speed_features.svg"}
    assert "speed_linkage.svg" in (tmp_path / "new" / "speed.md").read_text(encoding="utf-8")


@pytest.fixture
def asked(monkeypatch):
    """Replace the measurements by made-up times; EAC grows with n, PTA fails."""
    calls = []

    def measured(candidate, data, limit):
        calls.append((candidate.name, len(data)))
        if candidate.name == "pta":
            return {"status": "ValueError: too much"}
        return {"cpu_seconds": len(data) / 100, "start_mib": 1, "peak_mib": 2, "n_microclusters": 9, "status": "ok"}

    monkeypatch.setattr(speed_run, "in_own_process", measured)
    return calls


def test_sizes_grow_until_too_long_is_predicted(asked, tmp_path):
    output = tmp_path / "speed.csv"
    run_page(output, names=["eac", "pta", "uspec"], sizes=(100,), limit=5.0)
    run_page(output, names=["eac", "pta", "uspec"], sizes=(100, 200, 400, 800), limit=5.0)
    assert asked == [
        (name, n) for n in (100, 200, 400) for name in ("eac", "pta", "uspec") if name != "pta" or n == 100
    ]
    with output.open(newline="") as file:
        assert [row["status"] for row in csv.DictReader(file) if row["method"] == "pta"] == ["ValueError: too much"]


def test_command_writes_page_and_table_of_methods(asked, tmp_path):
    output, page, table = tmp_path / "speed.csv", tmp_path / "speed.md", tmp_path / "methods.md"
    names = ["--methods", "eac", "uspec", "--output", str(output), "--page", str(page)]
    assert main(["speed-page", "--sizes", "100", "200", *names]) == 0
    assert main(["methods-table", "--largest", str(output), "--output", str(table)]) == 0
    assert "200 (9 microclusters, 2 s)" in table.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").startswith("# Speed")


def test_a_process_of_its_own_measures_and_says_what_went_wrong():
    def fails(data):
        raise ValueError("no\nway")

    labels = np.arange(60).reshape(20, 3) % [2, 3, 4]
    figures = in_own_process(Candidate("sum", "labels", np.sum), labels, 5.0)
    assert figures["status"] == "ok"
    assert figures["peak_mib"] >= figures["start_mib"] > 1
    assert in_own_process(Candidate("bad", "labels", fails), labels, 5.0) == {"status": "ValueError: no way"}


def test_a_process_that_takes_too_long_is_stopped(monkeypatch):
    def endless(data):
        while len(data) > 10:
            pass

    monkeypatch.setattr(speed_run, "WARM_UP_ROWS", 5)
    answer = in_own_process(Candidate("endless", "labels", endless), np.zeros(20), 0.1)
    assert answer == {"status": "stopped after 0.3 processor seconds"}


def test_what_one_would_write_by_hand_is_right():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(N_CLUSTERS), 10)
    labels = np.where(rng.random((truth.size, 8)) < 0.1, rng.integers(N_CLUSTERS, size=(truth.size, 8)), truth[:, None])
    assert ari(scipy_eac(labels), EAC(N_CLUSTERS).fit_predict(labels)) == 1.0
    assert ari(one_hot_kmeans(labels), truth) > 0.9
