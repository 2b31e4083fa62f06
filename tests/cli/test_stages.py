"""Stages of a run: which are told, and the estimate of what is left."""

import pytest

from consensa.cli import main
from consensa.cli import stages as told
from consensa.cli.stages import Stages


def test_a_stage_is_told_with_what_is_left(capsys, monkeypatch):
    clock = iter([0.0, 0.0, 12.0, 14.0])
    monkeypatch.setattr(told.time, "monotonic", lambda: next(clock))
    stages = Stages(["base clusterings", "consensus", "labels"], quiet=False)
    for name in ("base clusterings", "consensus", "labels"):
        stages(name)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["consensa: consensus (stage 2 of 3; 12 s so far, about 3 s left)."]  # labels come too soon after


@pytest.mark.parametrize("table", ["x,y\n" + "1,2\n5,6\n" * 10, "x,plan\n" + "1,free\n5,team\n" * 10])
def test_all_stages_of_a_run_are_told_on_a_terminal(tmp_path, capsys, monkeypatch, table):
    (tmp_path / "table.csv").write_text(table)
    monkeypatch.setattr(told, "shows_progress", lambda **_: True)
    data, report = str(tmp_path / "table.csv"), str(tmp_path / "report.html")
    assert main(["run", data, "-k", "2", "-m", "5", "-o", str(tmp_path / "labels.csv"), "--report", report]) == 0
    told_of = [line for line in capsys.readouterr().err.splitlines() if "(stage " in line]
    names = ["base clusterings", "rows into base clusterings", "consensus", "labels", "report"]
    expected = names if "plan" in table else [name for name in names if not name.startswith("rows")]
    assert [line.split("consensa: ")[1].split(" (stage")[0] for line in told_of] == expected
    assert all("about" in line for line in told_of[1:])
