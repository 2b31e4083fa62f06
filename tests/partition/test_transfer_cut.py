"""The transfer cut against the full eigenproblem of objects and clusters, and graphs in several pieces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import twins
from consensa import LWGP, PTGP, Ensemble, MDECConsensus
from consensa.partition import transfer_cut
from consensa.partition.components import component_masses, join_masses
from consensa.relate import Bipartite, cluster_graph
from consensa.weigh import entropy_weights
from strategies import ensembles, noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


def cut_of(labels, weights=None, **options):
    ensemble = Ensemble(labels)
    return ensemble, transfer_cut(cluster_graph(ensemble, weights), ensemble.sizes, random_state=0, **options)


def length_one(points):
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@given(ensembles(missing=True), st.sampled_from([None, 0.4]))
def test_spectrum_of_the_full_graph(labels, theta):
    weights = twins.eci(labels, theta) if theta else np.ones(len(twins.clusters_of(labels)[0]))
    _, cut = cut_of(labels, weights)
    found = cut.eigenvalues(len(weights))
    full, _ = twins.full_bipartite(labels, weights)
    expected = np.concatenate([full[full > 1e-7] ** 2, np.zeros(len(weights))])[: len(weights)]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@given(ensembles(missing=True), st.integers(1, 8), st.booleans())
def test_embedding_of_the_full_graph(labels, n_clusters, exact_transfer):
    weights = twins.eci(labels, 0.4)
    values, vectors = twins.full_bipartite(labels, weights)
    assume(n_clusters < len(weights))
    assume(values[n_clusters - 1] > 1e-3)
    assume(values[n_clusters - 1] - values[n_clusters] > 1e-5)
    ensemble, cut = cut_of(labels, weights, exact_transfer=exact_transfer)
    found = cut.embedding(n_clusters)[ensemble.row_map]
    placed = vectors[:, :n_clusters] * (1 if exact_transfer else values[:n_clusters])
    expected = length_one(placed)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


@given(ensembles(missing=True))
def test_components_of_the_full_graph(labels):
    members, _ = twins.clusters_of(labels)
    reach = np.linalg.matrix_power((members.T @ members.astype(int) > 0).astype(float), len(labels)) > 0
    ensemble, cut = cut_of(labels)
    assert cut.n_components == len(np.unique(reach, axis=0))
    n_clusters = min(cut.n_components, ensemble.n_microclusters)
    found = cut.cut(n_clusters)[ensemble.row_map]
    assert (found[:, None] == found).tolist() == reach.tolist()


def blocks(sizes, rng):
    """Clusterings that agree on groups of the given sizes and split each of them at random: one component each."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    columns = [truth, *(truth * 2 + rng.integers(2, size=truth.size) for _ in range(3))]
    return np.stack(columns, axis=1), truth


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_more_components_than_clusters_whatever_the_order(seed, n_clusters):
    rng = np.random.default_rng(seed)
    labels, truth = blocks([25, 13, 9, 6, 3], rng)
    reference = LWGP(n_clusters, random_state=0).fit_predict(labels)
    assert np.unique(reference).size == n_clusters
    assert len(set(zip(truth.tolist(), reference.tolist(), strict=True))) == 5  # no component is torn
    for _ in range(5):
        rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
        found = LWGP(n_clusters, random_state=int(rng.integers(100))).fit_predict(labels[rows][:, columns])
        assert twins.same_partition(found, reference[rows])


def join_components(components, sizes, n_clusters):
    return join_masses(*component_masses(components, sizes), n_clusters)[components]


def test_the_lightest_components_are_joined_first():
    components = np.array([0, 1, 2, 3, 4])
    sizes = np.array([10, 4, 3, 2, 7])
    assert join_components(components, sizes, 4).tolist() == [0, 1, 2, 2, 3]
    assert join_components(components, sizes, 3).tolist() == [0, 1, 1, 1, 2]
    assert join_components(components, sizes, 2).tolist() == [0, 1, 1, 1, 1]  # 7 + 9 against 10
    assert join_components(components, sizes, 1).tolist() == [0] * 5


def test_components_of_equal_weight_are_joined_from_the_last_on():
    components, sizes = np.array([0, 1, 2, 3]), np.ones(4, int)
    assert join_components(components, sizes, 3).tolist() == [0, 1, 2, 2]
    assert join_components(components, sizes, 2).tolist() == [0, 0, 1, 1]


def test_fewer_components_than_clusters_are_told_apart():
    rng = np.random.default_rng(0)
    labels, truth = blocks([20, 20], rng)
    found = LWGP(4, random_state=0).fit_predict(labels)
    assert np.unique(found).size == 4
    assert len(set(zip(truth.tolist(), found.tolist(), strict=True))) == 4


def test_equal_eigenvalues_are_never_cut_through():
    """Three equal blocks joined by one big cluster: the second eigenvalue is double."""
    labels = np.array([[b, 0] for b in range(3) for _ in range(4)])
    _, cut = cut_of(labels)
    values = cut.eigenvalues(4)
    assert values[1] == pytest.approx(values[2], abs=1e-12)
    assert cut.embedding(2).shape == (3, 3)
    assert cut.embedding(3).shape == (3, 3)
    assert np.unique(cut.cut(2)).size == 2


def test_one_decomposition_serves_every_number_of_clusters():
    labels, _ = noisy_ensemble(np.random.default_rng(0), 150, 8, 5, (4, 12))
    together = LWGP(range(1, 40), random_state=0).fit(labels).labels_
    for k in (1, 2, 5, 17, 39):
        alone = LWGP(k, random_state=0).fit(labels).labels_
        assert alone.tolist() == together[k].tolist(), k


def test_large_and_small_eigenproblems_agree(monkeypatch):
    labels, _ = noisy_ensemble(np.random.default_rng(0), 600, 16, 6, (10, 20), noise=0.3)
    dense = cut_of(labels)[1]
    expected = dense.embedding(6)
    monkeypatch.setattr("consensa.partition.eigenpairs.DENSE_ROWS", 8)
    lanczos = cut_of(labels)[1]
    np.testing.assert_allclose(lanczos.eigenvalues(6), dense.eigenvalues(6), atol=1e-10)
    found = lanczos.embedding(6)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-7)


def test_sizes_count_objects():
    labels, _ = noisy_ensemble(np.random.default_rng(1), 40, 5, 3, (3, 6))
    ensemble = Ensemble(np.repeat(labels, 3, axis=0))
    graph = cluster_graph(ensemble, entropy_weights(ensemble))
    weighted = transfer_cut(graph, ensemble.sizes).eigenvalues(5)
    every_object = Bipartite(graph.matrix[ensemble.row_map])
    np.testing.assert_allclose(transfer_cut(every_object).eigenvalues(5), weighted, atol=1e-12)


def test_more_clusters_than_columns_is_an_error():
    message = r"n_clusters=4 is more than the 3 base clusters \(columns of the graph\)"
    with pytest.raises(ValueError, match=message):
        LWGP(4).fit(np.array([[0, 0], [0, 1], [0, -1], [-1, 0], [-1, 1]]))


@pytest.mark.parametrize("n_init", [0, -1, 2.5, "3", True])
def test_n_init_is_a_positive_integer(n_init):
    with pytest.raises(ValueError, match=r"n_init=.* is not allowed: n_init must be an integer of at least 1"):
        LWGP(2, n_init=n_init).fit([[0, 0, 1, 1], [0, 1, 1, 0]])


@pytest.mark.parametrize("model", [LWGP(), PTGP(), MDECConsensus(consensus="bg")], ids=str)
def test_methods_hand_the_transfer_on(model):
    labels, _ = noisy_ensemble(np.random.default_rng(0), n_objects=60, n_partitions=6, noise=0.3)
    usual, exact = (model.set_params(n_clusters=3, exact_transfer=given).fit(labels).cut_ for given in (False, True))
    model.set_params(exact_transfer=False)
    assert (usual.problem.exact_transfer, exact.problem.exact_transfer) == (False, True)
    assert np.abs(usual.embedding(3) @ usual.embedding(3).T - exact.embedding(3) @ exact.embedding(3).T).max() > 1e-3
