"""The one table of the choice of k: a run that goes on where it was, and what it says."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consensa.choose.rule import Weights
from studies.choose_k import judge as study
from studies.choose_k.fit import write_weights
from studies.choose_k.judge import DOUBLED, OURS, judge, judge_report
from studies.choose_k.rivals import rival_numbers
from studies.choose_k.simulate import simulate_mixture


@pytest.fixture
def small(monkeypatch):
    X, truth = make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)

    def sets(_, n_mixtures):
        return [("mixture", str(draw), X, truth) for draw in range(n_mixtures)]

    monkeypatch.setattr(study, "_all_sets", sets)
    monkeypatch.setattr(study, "find_choice_pools", lambda _: {})


def test_a_run_goes_on_and_the_table_says_what_came_out(small, tmp_path):
    file = tmp_path / "judge.csv"
    first = judge(tmp_path, file, 1)
    rows = judge(tmp_path, file, 2)
    assert rows[: len(first)] == first
    assert {row["rule"] for row in rows} >= {OURS, DOUBLED, "always 10", "gap statistic", "HDBSCAN's own"}
    assert [row["k"] for row in rows if row["rule"] == OURS] == ["3", "3"]
    text = judge_report(rows)
    assert "| this rule |  |  | 100 % (34 to 100), 1.00 |" in text
    assert "| always 10 |  |  | 0 % (0 to 66), 0." in text
    assert "- mixtures (2), within 20 %: 1.00, asked for 0.80." in text
    assert "doubled (1 sets): the same k on" in text


def test_rivals_see_three_blobs():
    from consensa import Ensemble
    from consensa.generate import KMeansPartitions

    X, _ = make_blobs(150, centers=[[0, 0], [20, 0], [0, 20]], random_state=0)
    found = rival_numbers(X, Ensemble(KMeansPartitions(20, random_state=0).fit_transform(X)))
    assert found.pop("always 10") == 10
    assert set(found.values()) == {3}


def test_mixtures_differ_and_are_the_same_again():
    X, truth = simulate_mixture(3)
    assert np.array_equal(X, simulate_mixture(3)[0])
    assert len(X) == len(truth) != len(simulate_mixture(4)[0])


def test_a_pool_of_members(tmp_path):
    members = np.repeat(np.random.default_rng(0).integers(3, size=(60, 1)), 8, axis=1)
    np.savez(tmp_path / "pool.npz", members=members, gt=members[:, 0])
    rows = study._of_pool("design", "pool", tmp_path / "pool.npz")
    assert {row["rule"]: row["k"] for row in rows}[OURS] == 3


def test_weights_are_written_where_the_old_ones_stand(tmp_path):
    path = tmp_path / "rule.py"
    names = ("K_WEIGHTS", "ONE_WEIGHTS", "TEMPERATURE", "PLACED_WEIGHTS", "PLACED_ONE_WEIGHTS", "PLACED_TEMPERATURE")
    path.write_text("".join(f"{name} = 1\n" for name in names) + "RULE = 4\n")
    from_labels = Weights(np.array([0.5, -1.25]), 1.5, np.array([2.0]))
    from_features = Weights(np.array([3.0]), 1.25, np.array([2.0]))
    write_weights(path, from_labels, from_features)
    assert path.read_text().splitlines() == [
        "K_WEIGHTS = np.array([0.500, -1.250])",
        "ONE_WEIGHTS = np.array([2.000])",
        "TEMPERATURE = 1.500",
        "PLACED_WEIGHTS = np.array([3.000])",
        "PLACED_ONE_WEIGHTS = np.array([2.000])",
        "PLACED_TEMPERATURE = 1.250",
        "RULE = 4",
    ]
    path.write_text("K_WEIGHTS = 1\n")
    with pytest.raises(ValueError, match="PLACED_WEIGHTS"):
        write_weights(path, from_labels, from_features)
