"""The default from features to labels: measured turn by turn, and a section of the speed page."""

from __future__ import annotations

from bench.__main__ import main
from bench.speed.default_path import COLUMNS, default_section

PAGE = "# Speed\n\nWords.\n\n## On label matrices\n\nA table.\n"


def rows():
    times = {("KMeans", ""): 0.5, ("generating", "10"): 1.0, ("20 clusters", "10"): 2.0, ("auto", "10"): 2.5}
    given = {"n_objects": "1000", "n_features": "10", "rounds": "3", "load": "0.5", "versions": "v"}
    return [
        {**given, "what": what, "n_partitions": m, "cpu_seconds": str(seconds)} for (what, m), seconds in times.items()
    ]


def test_section_shows_multiples_of_k_means():
    assert set(rows()[0]) == set(COLUMNS)
    assert "| 1,000 x 10 | 10 | 0.500 | 2.0 | 4.0 | 5.0 | 1.25 |" in default_section(rows())


def test_the_command_measures_and_writes_its_section_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "1")  # the command sets it: taken back after the test
    output, page = tmp_path / "default.csv", tmp_path / "speed.md"
    page.write_text(PAGE, encoding="utf-8")
    request = ["speed-default", "--members", "4", "--rounds", "1", "--output", str(output), "--page", str(page)]
    assert main([*request, "--sizes", "200"]) == 0
    first = page.read_text(encoding="utf-8")
    assert main([*request, "--sizes"]) == 0
    assert page.read_text(encoding="utf-8") == first
    assert first.count("## The default") == 1
    assert first.index("| 200 x 10 | 4 |") < first.index("A table.")
    assert str(output) in capsys.readouterr().out
