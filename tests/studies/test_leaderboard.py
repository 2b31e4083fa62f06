"""The leaderboard: fits within their time, resuming, whole draws, ranks and the page."""

from __future__ import annotations

import numpy as np
import pytest

from studies.leaderboard import fits
from studies.leaderboard.fits import CHANGES, Worker, answers_to_changes, measured_fit
from studies.leaderboard.page import bootstrap_ranks, leaderboard_page, ranking_of, whole_draws, write_leaderboard
from studies.leaderboard.run import Setting, run_leaderboard

LABELS = np.random.default_rng(0).integers(4, size=(60, 5))


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 20)
    (tmp_path / "pools").mkdir()
    for name in ("LWEC_One", "PTGP_One", "LWEC_Two"):
        members = np.where(rng.random((60, 6)) < 0.8, truth[:, None], rng.integers(1, 4, size=(60, 6)))
        np.savez(tmp_path / "pools" / f"{name}.npz", members=members, gt=truth)
    return tmp_path


def row(method, pool, nmi=0.5, status="", run=0, **others):
    figures = {"NMI": f"{nmi}", "ARI": f"{nmi}", "seconds": "0.1", "MiB": "1", **dict.fromkeys(CHANGES, "1.000000")}
    found = dict.fromkeys(figures, "") if status else figures
    names = {"pool": pool, "n_members": "10", "run": str(run), "method": method, "status": status}
    return {**names, **found, "k": "3", "n_objects": "60", "n_microclusters": "9", "versions": "source=abc;", **others}


def forever(labels, method):
    while True:
        labels = labels[::-1]


def broken(labels, method):
    raise TypeError(method)


def test_fits_are_those_of_the_methods():
    with Worker() as worker:
        found = worker.call(20, measured_fit, LABELS, "lwea", 3, 0)
        refused = worker.call(20, measured_fit, LABELS, "lwgp", 50, 0)
    assert found["labels"].tolist() == fits.fit_labels(LABELS, "lwea", 3, 0).tolist()
    assert found["seconds"] >= 0
    assert refused["status"].startswith("error: n_clusters")


def test_what_takes_too_long_is_ended_and_what_is_no_answer_is_not_taken_for_one():
    with Worker() as worker:
        assert worker.call(0.5, forever, LABELS, "eac") == {"status": "over 0.5 s"}
        with pytest.raises(RuntimeError, match="broken of eac ended with exit code 1, not with an answer"):
            worker.call(20, broken, LABELS, "eac")
        assert worker.call(20, measured_fit, LABELS, "eac", 3, 0)["labels"].size == 60


def test_answers_to_the_same_ensemble():
    found = answers_to_changes(LABELS, "lwea", 3, 0)
    assert tuple(found) == CHANGES
    assert all(0 <= value <= 1 for value in found.values())
    assert found["rows twice"] == found["columns twice"] == 1


def test_only_what_is_missing_is_run(data_dir):
    output = data_dir / "leaderboard.csv"
    setting = Setting(runs=1, members=(5,), methods=("eac", "lwea"))
    first = run_leaderboard(data_dir, output, setting)
    assert [(each["pool"], each["method"]) for each in first] == [
        (pool, method) for pool in ("LWEC_One", "LWEC_Two", "PTGP_One") for method in ("eac", "lwea")
    ]
    assert all(float(each["NMI"]) > 0.3 and each["rows"] for each in first)
    again = run_leaderboard(data_dir, output, Setting(runs=2, members=(5, 7), methods=("eac", "lwea")))
    assert again[:6] == first
    assert len(again) == 12  # no pool has 7 members
    assert not any(each["rows"] for each in again[6:])


def test_slow_methods_are_not_tried_on_larger_ensembles(data_dir, monkeypatch):
    calls = []

    def call(self, seconds, function, labels, method, *others):
        calls.append(method)
        return {"status": f"over {seconds:g} s"}

    monkeypatch.setattr(Worker, "call", call)
    rows = run_leaderboard(data_dir, data_dir / "slow.csv", Setting(runs=2, members=(5,), methods=("eac",)))
    assert calls == ["eac"]
    assert [each["status"] for each in rows] == ["over 20 s"] + 5 * ["over 20 s on a smaller one"]


def test_ranks_are_over_data_sets_and_need_all_of_them():
    rows = [row("eac", "LWEC_One", 0.4), row("eac", "PTGP_One", 0.8), row("eac", "LWEC_Two", 0.5)]
    rows += [row("lwea", "LWEC_One", 0.9), row("lwea", "PTGP_One", 0.5), row("lwea", "LWEC_Two", 0.4)]
    rows += [row("spce", "LWEC_One"), row("spce", "PTGP_One"), row("spce", "LWEC_Two", status="over 20 s")]
    ranking = ranking_of(rows, "NMI")
    assert ranking.methods == ("eac", "lwea")
    assert ranking.datasets == ("One", "Two")
    np.testing.assert_allclose(ranking.scores, [[0.6, 0.7], [0.5, 0.4]])
    page = leaderboard_page(rows, {})
    assert "`spce`: over 20 s (LWEC_Two)." in page
    assert "3 methods, 1 draw of each of 3 pools of 2 data sets" in page


def test_draws_that_not_all_methods_have_are_not_used():
    rows = [row("eac", "LWEC_One"), row("lwea", "LWEC_One"), row("eac", "LWEC_Two")]
    assert whole_draws(rows) == rows[:2]
    assert "Not used: 1 fits" in leaderboard_page(rows, {})


def test_intervals_of_ranks_hold_the_means():
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(1.0, 5.0), (9, 1)), axis=1)
    low, high = bootstrap_ranks(ranks)
    assert np.all((low <= ranks.mean(axis=0)) & (ranks.mean(axis=0) <= high))
    assert np.all(high > low)


def test_the_page_and_its_pictures(tmp_path):
    rows = [row(method, f"LWEC_{n}", 0.1 * n + (method == "lwea") / 9) for n in range(4) for method in ("eac", "lwea")]
    rows[0]["rows"] = "0.800000"
    write_leaderboard(rows, tmp_path / "board.md")
    page = (tmp_path / "board.md").read_text()
    assert "| `lwea` | 1.0 [1.0, 1.0] | 1.0 [1.0, 1.0] |" in page
    assert "0.80 (1 of 4)" in page
    assert "](board_10_nmi.svg)" in page
    pictures = [(tmp_path / f"board_10_{score}.svg").read_text() for score in ("nmi", "ari")]
    assert all("lwea" in picture for picture in pictures)
    write_leaderboard(rows, tmp_path / "board.md")
    assert [(tmp_path / f"board_10_{score}.svg").read_text() for score in ("nmi", "ari")] == pictures


def test_the_page_says_whether_methods_could_be_told_apart():
    few, many = (
        [row(method, f"LWEC_{n}", n + (method == "lwea")) for n in range(n_sets) for method in ("eac", "lwea")]
        for n_sets in (3, 9)
    )
    assert "With 3 data sets the smallest corrected p is 0.25, so no two methods could" in leaderboard_page(few, {})
    assert "Pairs that differ: 1 of 1." in leaderboard_page(many, {})
