"""METIS: integer weights, merged vertices, balance, seeds, and the error when it is missing."""

import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

from consensa import ConsensaWarning
from consensa.evaluate import ari
from consensa.partition import metis
from consensa.partition.metis import _bipartite_graph, _pair_graph, integer_weights
from consensa.relate import Bipartite, Dense, Factored

pymetis = pytest.importorskip("pymetis")


def blocks(sizes, seed=0, inside=0.9, between=0.8):
    """A similarity matrix of blocks, all of it close to 1."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    S = np.where(truth[:, None] == truth, inside, between) + rng.random((truth.size, truth.size)) * 0.02
    return (S + S.T) / 2, truth


@pytest.mark.parametrize("k", [2, 3, 10])
def test_finds_balanced_blocks(k):
    S, truth = blocks([12] * k)
    assert ari(metis(Dense(S), random_state=0).cut(k), truth) == 1


def test_one_cut_object_serves_every_k():
    S, truth = blocks([12] * 4)
    cut = metis(Dense(S), random_state=0)
    assert ari(cut.cut(4), truth) == 1
    assert np.bincount(cut.cut(2)).max() <= 26
    assert cut.cut(1).tolist() == [0] * 48


def test_contrast_of_similarities_close_to_one():
    S, truth = blocks([20, 20, 20])
    S = 1 - 1e-6 + S * 1e-6
    assert ari(metis(Dense(S), random_state=0).cut(3), truth) == 1


def test_parts_are_balanced_unless_allowed_otherwise():
    S, truth = blocks([40, 20], between=0.1)
    assert np.bincount(metis(Dense(S), random_state=0).cut(2)).max() <= 33
    assert ari(metis(Dense(S), imbalance=0.4, random_state=0).cut(2), truth) > 0.9


def test_vertex_weights_decide_the_balance():
    S, truth = blocks([40, 20], between=0.1)
    weights = np.where(truth == 0, 1, 2)
    assert ari(metis(Dense(S), vertex_weights=weights, random_state=0).cut(2), truth) == 1


def test_merged_rows_are_the_same_graph():
    rng = np.random.default_rng(0)
    S = rng.random((5, 5)) + 0.5
    S = S + S.T
    np.fill_diagonal(S, 3.0)
    sizes = np.array([1, 3, 2, 1, 4])
    owner = np.repeat(np.arange(5), sizes)
    whole = _pair_graph(Dense(S[np.ix_(owner, owner)]), np.ones(owner.size, np.int64)).toarray()
    member = np.eye(5)[owner]
    summed = member.T @ whole @ member
    np.fill_diagonal(summed, 0)
    np.testing.assert_allclose(_pair_graph(Dense(S), sizes).toarray(), summed, rtol=1e-12, atol=1e-12)


def test_merged_rows_of_a_bipartite_graph():
    B = np.array([[0.9, 0.1], [0.2, 0.8], [0.0, 1.0]])
    graph = _bipartite_graph(Bipartite(B), np.array([2, 1, 3])).toarray()
    np.testing.assert_allclose(graph[:3, 3:], B * [[2], [1], [3]])
    np.testing.assert_array_equal(graph, graph.T)
    np.testing.assert_array_equal(graph[:3, :3], 0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_bipartite_graph_is_cut_on_both_sides(kind):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    B = np.tile(np.eye(3)[truth] * 0.5 + 0.1, 4) + rng.random((90, 12)) * 0.1
    assert ari(metis(Bipartite(kind(B)), random_state=0).cut(3), truth) == 1


def test_complete_bipartite_graph_keeps_its_contrast():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 100)
    B = np.tile(0.33 + 0.02 * np.eye(3)[truth], 10) + rng.random((300, 30)) * 0.01
    assert ari(metis(Bipartite(B), random_state=0).cut(3), truth) == 1
    graph = _bipartite_graph(Bipartite(B), np.ones(300, np.int64))
    np.testing.assert_allclose(graph.toarray()[:300, 300:], B - B.min(), atol=1e-15)


def test_factored_equals_dense():
    F = np.random.default_rng(0).random((40, 6))
    factored = metis(Factored(sp.csr_array(F)), random_state=3).cut(4)
    np.testing.assert_array_equal(factored, metis(Dense(F @ F.T), random_state=3).cut(4))


def test_same_seed_same_parts():
    S = np.random.default_rng(0).random((60, 60))
    first = metis(Dense(S + S.T), random_state=7).cut(5)
    for _ in range(3):
        np.testing.assert_array_equal(metis(Dense(S + S.T), random_state=7).cut(5), first)
    others = [metis(Dense(S + S.T), n_init=1, random_state=seed).cut(5) for seed in range(5)]
    assert len({labels.tobytes() for labels in others}) > 1


def test_disconnected_graph():
    S, truth = blocks([10, 10, 10], between=0.0)
    S = np.where(truth[:, None] == truth, S, 0.0)
    assert ari(metis(Dense(S), random_state=0).cut(3), truth) == 1
    assert np.unique(metis(Dense(np.eye(6)), random_state=0).cut(2)).size == 2


def test_lost_parts_are_reported_and_made(monkeypatch):
    monkeypatch.setattr(pymetis, "part_graph", lambda *args, **kwargs: pymetis.GraphPartition(0, [2, 2, 2, 0, 0]))
    with pytest.warns(ConsensaWarning, match="left 1 of the 3 clusters without objects; the largest ones were split"):
        labels = metis(Dense(np.ones((5, 5)))).cut(3)
    np.testing.assert_array_equal(labels, [1, 1, 2, 0, 0])


def test_one_cluster_and_one_per_row():
    cut = metis(Dense(np.ones((4, 4))), random_state=0)
    np.testing.assert_array_equal(cut.cut(1), [0, 0, 0, 0])
    np.testing.assert_array_equal(cut.cut(4), [0, 1, 2, 3])


def test_integer_weights():
    weights = np.random.default_rng(0).random(1000) ** 8 + 1e-30
    for largest in (2**31 - 1, 2**63 - 1):
        found = integer_weights(weights, largest)
        assert found.min() == 1
        assert found.sum(dtype=object) <= largest // 4
        np.testing.assert_allclose(found, np.maximum(weights * found.sum() / weights.sum(), 1), atol=1, rtol=1e-4)
    huge = integer_weights(np.array([1e300, 1.0, 1e-300]), 2**31 - 1)
    assert huge.tolist()[1:] == [1, 1]
    assert huge.sum() < 2**29
    np.testing.assert_array_equal(integer_weights(np.zeros(3), 100), 1)


def test_integer_weights_that_cannot_fit():
    with pytest.raises(ValueError, match="at most 12 edges; this graph has 20"):
        integer_weights(np.ones(20), 100)


def test_current_interface_of_pymetis():
    """No deprecated call: warnings are errors here."""
    assert metis(Dense(np.ones((4, 4))), random_state=0).cut(2).size == 4


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(ImportError, match="pip install pymetis"):
        metis(Dense(np.ones((4, 4))))


def test_too_many_pairs_are_refused_at_once():
    factor = sp.csr_array(np.ones((200_000, 1)))
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"200000 rows for METIS would need .* GiB.*tcut"):
        metis(Factored(factor))
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sizes": np.ones(3, np.int64)}, r"sizes of shape \(3,\)"),
        ({"sizes": np.full(4, 0.5)}, "type float64"),
        ({"vertex_weights": np.array([1, 1, 1, -1])}, "vertex_weights"),
        ({"imbalance": 0}, "imbalance=0"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        metis(Dense(np.ones((4, 4))), **parameters)


def test_bad_matrix_and_k():
    with pytest.raises(ValueError, match="NaN"):
        metis(Dense(np.full((4, 4), np.nan)))
    with pytest.raises(ValueError, match="n_clusters=5 is more than the 4"):
        metis(Dense(np.ones((4, 4)))).cut(5)
