"""Relations of microclusters against the same relations of all objects."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import twins
from consensa import Ensemble, _budget
from consensa.ensemble.pairs import DegreeSums
from consensa.relate import Bipartite, Dense, Factored, cluster_graph, co_association
from consensa.weigh import entropy_weights
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


@given(ensembles(missing=True), st.sampled_from([None, 0.2, 0.4, 1.0]))
def test_co_association(labels, theta):
    ensemble = Ensemble(labels)
    weights = None if theta is None else entropy_weights(ensemble, theta)
    S = co_association(ensemble, weights).to_dense().similarity
    expected = twins.co_association(labels, None if theta is None else twins.eci(labels, theta))
    np.testing.assert_allclose(S[np.ix_(ensemble.row_map, ensemble.row_map)], expected, atol=1e-12)


@given(ensembles(missing=True))
def test_an_object_is_as_similar_to_itself_as_can_be(labels):
    S = co_association(Ensemble(labels)).to_dense().similarity
    np.testing.assert_allclose(np.diag(S), 1.0, atol=1e-12)
    assert np.all(S[~np.eye(len(S), dtype=bool)] < 1 - 1e-6)


@given(ensembles())
def test_a_column_given_twice_counts_twice(labels):
    twice = Ensemble(np.column_stack([labels, labels[:, 0]]))
    once = Ensemble(labels)
    weights = np.where(once.owner == 0, 2.0, 1.0)
    S = co_association(once, weights).to_dense().similarity * once.n_partitions / (once.n_partitions + 1)
    np.testing.assert_allclose(co_association(twice).to_dense().similarity, S, atol=1e-12)


def test_a_factor_is_formed_in_pieces_and_whole():
    labels = np.random.default_rng(0).integers(9, size=(1500, 4))
    factor = co_association(Ensemble(labels)).factor
    assert factor.shape[0] > 1024
    np.testing.assert_allclose(Factored(factor).to_dense().similarity, (factor @ factor.T).toarray(), atol=1e-12)


@given(ensembles(missing=True))
def test_affinity_of_clusters(labels):
    ensemble = Ensemble(labels)
    weights = entropy_weights(ensemble, 0.4)
    members, _ = twins.clusters_of(labels)
    B = members.T * weights / weights.max()
    expected = B.T @ (B / B.sum(axis=1, keepdims=True))
    graph = cluster_graph(ensemble, weights)
    np.testing.assert_allclose(sp.csr_array(graph.affinity(ensemble.sizes)).toarray(), expected, atol=1e-12)
    plain = Bipartite(graph.matrix).affinity(ensemble.sizes)
    np.testing.assert_allclose(sp.csr_array(plain).toarray(), expected, atol=1e-12)
    dense = Bipartite(graph.matrix.toarray()).affinity(ensemble.sizes)
    np.testing.assert_allclose(dense, expected, atol=1e-12)


@given(st.permutations(range(20)))
def test_affinity_is_the_same_to_the_last_bit_for_any_order_of_rows(order):
    labels = np.random.default_rng(0).integers(4, size=(20, 5))
    weights = entropy_weights(Ensemble(labels), 0.4)

    def affinity(rows):
        ensemble = Ensemble(rows)
        return sp.csr_array(cluster_graph(ensemble, weights).affinity(ensemble.sizes)).toarray()

    assert affinity(labels[list(order)]).tolist() == affinity(labels).tolist()


def test_weights_of_very_different_size_stay_within_the_fixed_point():
    ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]])
    graph = cluster_graph(ensemble, np.array([1.0, 1e-300, 1e-30, 1e-300, 1e-200]))
    W = sp.csr_array(graph.affinity(ensemble.sizes)).toarray()
    np.testing.assert_allclose(W.sum(axis=1), graph.matrix.toarray().T @ ensemble.sizes, rtol=1e-9)


@given(st.lists(st.floats(2.0**-40, 2.0**10), min_size=1, max_size=8), st.integers(1, 2**30))
def test_fixed_point_sums(weights, size):
    """Every row in a cluster of its own: the diagonal is size / weight."""
    weights = np.array(weights)
    n = weights.size
    bits = min(52, 60 - max(0, int(np.ceil(-np.log2(weights.min())))))
    total = DegreeSums(np.array([0, n]), weights, bits)
    total.add(np.arange(n, dtype=np.int32)[:, None], np.full(n, size))
    np.testing.assert_allclose(total.finish().diagonal(), size / weights, atol=size * 2.0 ** (-bits - 1), rtol=1e-15)


def test_all_weights_zero_is_an_error():
    with pytest.raises(ValueError, match=r"all cluster weights are 0.*Give at least one positive weight"):
        cluster_graph(Ensemble([[0, 1]]), np.zeros(2))


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf], [[1.0, 1.0]]])
@pytest.mark.parametrize("relate", [co_association, cluster_graph])
def test_weights_that_do_not_fit(relate, weights):
    with pytest.raises(ValueError, match=r"one finite weight of at least 0 is needed for each of the 2 base clusters"):
        relate(Ensemble([[0, 1]]), np.array(weights))


def test_a_similarity_matrix_is_square():
    with pytest.raises(ValueError, match=r"a similarity matrix must be square; got an array of shape \(2, 3\)"):
        Dense(np.zeros((2, 3)))


def test_the_matrix_is_refused_beyond_the_budget(monkeypatch):
    monkeypatch.setattr(_budget, "DENSE_BUDGET", 1000)
    relation = co_association(Ensemble(np.arange(20).reshape(-1, 1)))
    message = (
        r"The 20 x 20 similarity matrix would need 3\.1 KiB of memory; the budget for a dense matrix is 1000\.0 B "
        r"\(environment variable CONSENSA_DENSE_BUDGET_GB\)\. Average linkage \(EAC, LWEA\) and the graph methods "
        r"\(LWGP\) do without it\."
    )
    with pytest.raises(ValueError, match=message):
        relation.to_dense()
