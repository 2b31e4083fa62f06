"""Ranks and tests of methods over data sets, and the tables made of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from consensa.evaluate import rank_methods
from consensa.evaluate.ranking import holm


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    return rng.random((20, 1)) / 3 + np.array([0.5, 0.49, 0.4, 0.2]) + rng.normal(0, 0.03, (20, 4))


def test_friedman_and_pairs_are_those_of_scipy(scores):
    found = rank_methods(scores, ["a", "b", "c", "d"])
    expected = stats.friedmanchisquare(*scores.T)
    np.testing.assert_allclose(found.friedman, (expected.statistic, expected.pvalue))
    raw = [stats.wilcoxon(scores[:, i] - scores[:, j]).pvalue for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(found.pairwise[np.triu_indices(4, 1)], holm(np.array(raw)))
    np.testing.assert_allclose(found.pairwise, found.pairwise.T)


def test_groups_join_what_no_test_tells_apart(scores):
    found = rank_methods(scores)
    assert found.groups == [(0, 1)]
    assert [len(group) for group in rank_methods(scores[:4]).groups] == [4]  # four sets can show nothing


def test_null_scores_rarely_differ():
    """Of 60 null studies of four methods, at most a few have any pair below the level."""
    rng = np.random.default_rng(1)
    hits = sum(rank_methods(rng.normal(size=(15, 4))).pairwise.min() <= 0.05 for _ in range(60))
    assert hits <= 7


def test_draws_of_a_data_set_are_averaged_first():
    lines = [[0.9, 0.5], [0.7, 0.7], [0.6, 0.4]]
    found = rank_methods(lines, ["a", "b"], ["wine", "wine", "iris"])
    assert found.datasets == ("wine", "iris")
    np.testing.assert_allclose(found.scores, [[0.8, 0.6], [0.6, 0.4]])
    assert found.score_rows()[1] == ["wine", "0.800 ± 0.141", "0.600 ± 0.141"]
    assert found.score_rows()[2] == ["iris", "0.600", "0.400"]


def test_sets_without_a_score_are_named():
    found = rank_methods([[0.9, 0.5], [0.7, np.nan], [0.6, 0.4]], ["a", "b"], ["x", "y", "z"])
    assert found.left_out == ("y",)
    assert "has no score there: y." in found.verdict()
    with pytest.raises(ValueError, match="1 data sets on which all of them have a score"):
        rank_methods([[0.9, 0.5], [np.nan, 0.1]])
    with pytest.raises(ValueError, match="and 3 of methods; give one for each"):
        rank_methods([[0.9, 0.5]], ["a", "b", "c"])


def test_tables(scores):
    found = rank_methods(scores, ["sal", "a_b", "c", "d"])
    frame = found.to_frame()
    assert frame["method"].tolist()[0] == "sal"
    assert frame["wins"].sum() == 20
    assert found.pairwise_frame().shape == (6, 5)
    assert found.to_markdown().splitlines()[1] == "|---|---:|---:|---:|---:|"
    assert r"a\_b & " in found.to_latex()
    assert found.to_latex(scores=True).count(r"\midrule") == 2
    assert "sal" in found._repr_html_()


def test_methods_that_never_differ():
    found = rank_methods(np.ones((5, 3)))
    assert found.friedman == (0.0, 1.0)
    assert found.pairwise.min() == 1.0
