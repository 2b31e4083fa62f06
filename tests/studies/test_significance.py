"""The study of the test: every kind of data, a run that goes on where it was, and the table."""

from __future__ import annotations

import numpy as np
import pytest

from studies import significance as study
from studies.__main__ import main
from studies.significance import KINDS, run_costs, run_significance


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_finite_and_of_the_size_asked_for(kind):
    X = KINDS[kind](np.random.default_rng(0), 30, 4)
    assert len(X) == 30
    assert X.shape[1] >= 4
    assert np.isfinite(X).all()


def test_a_run_goes_on_where_it_was(tmp_path, capsys):
    file = tmp_path / "significance.csv"
    (first,) = run_significance(file, kinds=["round"], draws=1, n_objects=30, n_features=2)
    command = ["significance", "--kinds", "round", "--draws", "2", "--objects", "30", "--features", "2"]
    assert main([*command, "--output", str(file)]) == 0
    assert "| round | 2 |" in capsys.readouterr().out
    kept, second = run_significance(file, kinds=["round"], draws=2, n_objects=30, n_features=2)
    assert kept == first
    assert second["draw"] == "1"


def test_kinds_have_their_turns(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "_BLOCK", 1)
    rows = run_significance(tmp_path / "s.csv", kinds=["round", "band"], draws=2, n_objects=20, n_features=2)
    assert [(row["kind"], row["draw"]) for row in rows] == [
        ("round", "0"),
        ("band", "0"),
        ("round", "1"),
        ("band", "1"),
    ]


def test_costs_are_measured_once(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "_COSTS", ((60, 2, 2),))
    first = run_costs(tmp_path / "cost.csv")
    assert first[0]["n_objects"] == "60"
    assert float(first[0]["peak_mib"]) > 10
    assert run_costs(tmp_path / "cost.csv") == first
