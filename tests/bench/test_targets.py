"""The targets: what counts as met, and a run that goes on where it was stopped."""

from __future__ import annotations

import pytest

from bench.__main__ import main
from bench.store import ResultFile
from bench.targets import cases
from bench.targets.goals import COLUMNS, GOALS, Figures, Goal, targets_section

PAGE = "# Speed\n\n## On label matrices\n\nA table.\n"


def row(case, what, seconds, **more):
    given = {"turn": "1", "load": "0.5", "versions": "v", "commit": ""}
    return {**dict.fromkeys(COLUMNS, ""), **given, "case": case, "what": what, "cpu_seconds": str(seconds), **more}


def test_medians_decide_whether_a_target_is_met():
    rows = [row("a", "now", seconds) for seconds in (1.0, 9.0, 2.0)] + [row("a", "before", 10.0)]
    figures = Figures(rows)
    assert Goal("w", lambda f: f.ratio("a", "before", "now"), 5, at_least=True).row(figures) == [
        "w",
        ">= 5",
        "5",
        "yes",
    ]
    assert Goal("w", lambda f: f("a", "now"), 1.9, " s").row(figures) == ["w", "<= 1.9 s", "2 s", "no"]
    assert Goal("w", lambda f: f("b"), 1).row(figures) == ["w", "<= 1", "-", "not measured"]


def test_section_counts_what_is_met():
    rows = [
        row("default, 1,000", what, seconds) for what, seconds in (("KMeans", 1), ("20 clusters", 10), ("auto", 20))
    ]
    section = targets_section([*rows, row("disk, sal", "10000000", 1.0, peak_mib="1000")])
    assert "| Default fit / KMeans with ten starts, 1,000 objects | <= 15 | 10 | yes |" in section
    assert '| `n_clusters="auto"` / fit, 1,000 objects | <= 1.3 | 2 | no |' in section
    assert "| SAL from disk, M = 100, 10,000,000 objects: peak memory | <= 2 GB | 1.05 GB | yes |" in section
    assert f"2 of {len(GOALS)} are met." in section


def test_every_goal_asks_for_a_case_that_is_measured():
    class Asked(Figures):
        def __call__(self, case, what="", column="cpu_seconds"):
            assert case in cases.CASES
            return 1.0

    assert all(goal.row(Asked([]))[2].startswith(("1", "0.0")) for goal in GOALS)


def test_a_stopped_run_goes_on(tmp_path, capsys, monkeypatch):
    runs = []

    def measured(settings):
        runs.append(settings.commit)
        return [{"what": "", "cpu_seconds": 3.0, "digest": "not kept"}]

    monkeypatch.setattr("bench.targets.command.CASES", {"LR, lwea": measured, "made up, pta": measured})
    monkeypatch.setattr("bench.targets.command._THREADS", ())
    output, page = tmp_path / "targets.csv", tmp_path / "speed.md"
    page.write_text(PAGE, encoding="utf-8")
    request = ["targets", "--dir", str(tmp_path), "--output", str(output), "--page", str(page), "--commit", "abc"]
    for rounds, n_runs in (("1", 2), ("2", 3), ("2", 3), ("0", 3)):  # long cases run once
        assert main([*request, "--cases", "LR, lwea", "made up, pta", "--rounds", rounds]) == 0
        assert len(runs) == len(ResultFile(output, COLUMNS).rows()) == n_runs
    assert set(runs) == {"abc"}
    text = page.read_text(encoding="utf-8")
    assert text.count("## Targets") == 1
    assert text.index("| LWEA, ten members of the pool LR | <= 0.2 s | 3 s | no |") < text.index("A table.")
    assert str(output) in capsys.readouterr().out


@pytest.mark.slow
def test_a_first_fit_is_measured_in_a_new_process(tmp_path):
    rows = cases.CASES["first fit"](cases.Settings(tmp_path, "abc"))
    assert [row["what"] for row in rows[::3]] == ["empty cache", "warm cache"]
    assert rows[0]["cpu_seconds"] > rows[3]["cpu_seconds"] > 0
