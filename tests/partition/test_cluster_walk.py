"""Products with the graph of the clusters from the label rows, against its matrix."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import SAL, Ensemble
from consensa.partition import cluster_walk
from consensa.partition.cluster_walk import ClusterWalk, column_graph
from consensa.relate import cluster_graph


def ensemble_with_gaps(rng, n=300, n_members=8):
    labels = rng.integers(0, 9, (n, n_members))
    labels[rng.random(labels.shape) < 0.2] = -1
    return Ensemble(labels)


def graphs(ensemble, weights, monkeypatch):
    """The graph of the clusters walked, and as a matrix."""
    graph = cluster_graph(ensemble, weights)
    found = []
    for walked in (True, False):
        monkeypatch.setattr(cluster_walk, "_is_walked", lambda _, walked=walked: walked)
        found.append(column_graph(graph, ensemble.sizes))
    return found


@pytest.mark.parametrize("n_vectors", [1, 8, 11])
def test_products_are_those_of_the_matrix(n_vectors, monkeypatch):
    rng = np.random.default_rng(n_vectors)
    ensemble = ensemble_with_gaps(rng)
    weights = rng.random(ensemble.n_base_clusters)
    weights[:3] = 0.0
    walked, matrix = graphs(ensemble, weights, monkeypatch)
    assert isinstance(walked.normalised, ClusterWalk)
    np.testing.assert_allclose(walked.degrees, matrix.degrees, rtol=1e-12)
    np.testing.assert_array_equal(walked.components, matrix.components)
    X = 100 * rng.standard_normal((ensemble.n_base_clusters, n_vectors))
    np.testing.assert_allclose(walked.normalised @ X, matrix.normalised @ X, atol=1e-12)


def test_components_are_those_of_the_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    piece = rng.integers(0, 6, 200)
    labels = [piece * 10 + rng.integers(0, 10, 200) for _ in range(3)]
    walked, matrix = graphs(Ensemble(labels), None, monkeypatch)
    assert walked.components.max() == 5
    np.testing.assert_array_equal(walked.components, matrix.components)


def test_the_order_of_rows_changes_no_bit_of_a_product(monkeypatch):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 12, (9000, 6))
    monkeypatch.setattr(cluster_walk, "_is_walked", lambda _: True)
    order = rng.permutation(9000)
    X = rng.standard_normal((72, 8))
    found = []
    for rows, threads in ((np.arange(9000), "1"), (order, "3")):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", threads)
        ensemble = Ensemble(labels[rows])
        found.append(column_graph(cluster_graph(ensemble), ensemble.sizes).normalised @ X)
    np.testing.assert_array_equal(*found)


def test_a_cut_is_the_same_with_and_without_a_matrix(monkeypatch):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 5, 700)
    noise = rng.integers(0, 40, (700, 40))
    labels = np.where(rng.random((700, 40)) < 0.7, truth[:, None], noise)
    assert cluster_walk._is_walked(cluster_graph(Ensemble(labels)))
    walked = SAL(5).fit_predict(labels)
    monkeypatch.setattr(cluster_walk, "_is_walked", lambda _: False)
    np.testing.assert_array_equal(walked, SAL(5).fit_predict(labels))
