"""The guard against slower code: what it reports, and one case in both trees."""

from __future__ import annotations

import pytest

from bench.__main__ import main
from bench.speed.check import check_report


def test_ratios_that_moved_are_named():
    runs = {
        "lwgp, 10,000 x 100": {"before": [4.0, 4.2, 4.1], "now": [1.0, 1.1, 0.9]},
        "sal, 10,000 x 10": {"before": [1.0, 1.0, 1.0], "now": [1.3, 1.2, 1.4]},
        "lwea, 10,000 x 10": {"before": [1.0, 2.0, 1.1], "now": [1.5, 1.4, 1.6]},
    }
    report = check_report(runs, ["sal, 10,000 x 10"])
    assert "| lwgp, 10,000 x 100 | 4.10 | 1.00 | 0.24 | same |" in report
    assert "lwgp, 10,000 x 100: faster, 0.24 of the time before" in report
    assert "sal, 10,000 x 10: slower, 1.30 of the time before" in report
    assert "lwea, 10,000 x 10:" not in report, "its runs lie among each other"
    assert "| 1.30 | other |" in report


def test_the_default_beside_kmeans():
    runs = {
        f"{what}, X of 1,000": {"before": [before], "now": [1.0]}
        for what, before in (("kmeans", 1.0), ("default", 8.0))
    }
    report = check_report(runs, [])
    assert "default, X of 1,000: 8.0 times k-means with ten starts before" in report
    assert "default, X of 1,000: 1.0 times k-means with ten starts now" in report


def test_a_commit_that_does_not_exist(capsys):
    assert main(["check", "--commit", "no-such-commit"]) == 2
    assert "give --commit, a commit of this repository" in capsys.readouterr().err


@pytest.mark.slow
def test_one_case_in_both_trees(capsys):
    assert main(["check", "--commit", "HEAD", "--rounds", "1", "--cases", "lwgp, 10,000 x 10"]) == 0
    assert "| same |" in capsys.readouterr().out
