"""Weighted k-means: its loss, its kernels, its independence of threads and order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from consensa.partition import _kernels_kmeans as kernels
from consensa.partition import weighted_kmeans


def loss_of(points, weights, labels):
    total = 0.0
    for j in np.unique(labels):
        inside = labels == j
        center = np.average(points[inside], axis=0, weights=weights[inside])
        total += float(weights[inside] @ ((points[inside] - center) ** 2).sum(axis=1))
    return total


def best_loss(points, weights, n_clusters):
    """The optimum, over all assignments."""
    assignments = itertools.product(range(n_clusters), repeat=len(points))
    return min(loss_of(points, weights, np.array(labels)) for labels in assignments)


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_close_to_the_optimum_of_a_small_problem(seed, n_clusters):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(7, 2)), rng.integers(1, 5, size=7).astype(float)
    labels = weighted_kmeans(points, weights, n_clusters, n_init=30, random_state=rng)
    assert loss_of(points, weights, labels) <= 1.05 * best_loss(points, weights, n_clusters)


@pytest.mark.parametrize("seed", range(4))
def test_not_worse_than_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 5)) + 3 * rng.integers(3, size=(200, 1))
    weights = rng.integers(1, 9, size=200).astype(float)
    ours = loss_of(points, weights, weighted_kmeans(points, weights, 6, n_init=20, random_state=0))
    with threadpool_limits(1):
        theirs = KMeans(6, n_init=20, random_state=0).fit(points, sample_weight=weights).inertia_
    assert ours <= theirs * 1.02


def test_bounds_never_change_the_iteration():
    """Hamerly's bounds skip work only: the same labels as the plain iteration from the same centres."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        n, d, k = int(rng.integers(5, 120)), int(rng.integers(1, 6)), int(rng.integers(1, 8))
        points, weights = rng.normal(size=(n, d)), rng.integers(1, 5, size=n).astype(float)
        start = points[rng.choice(n, size=min(k, n), replace=False)]
        labels = np.empty(n, np.int64)
        loss = kernels.lloyd(points, weights, start.copy(), 100, labels)
        centers = start.copy()
        for _ in range(100):
            expected = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
            centers = np.array([np.average(points[expected == j], axis=0, weights=weights[expected == j])
                                if np.any(expected == j) else centers[j] for j in range(len(centers))])  # fmt: skip
        assert labels.tolist() == expected.tolist()
        assert loss == pytest.approx(loss_of(points, weights, labels))


def test_an_empty_cluster_restarts_where_the_loss_is_largest():
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    labels = np.empty(4, np.int64)
    loss = kernels.lloyd(points, np.ones(4), np.array([[5.5], [100.0]]), 100, labels)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert loss == pytest.approx(1.0)


def test_two_empty_clusters_restart_apart():
    points = np.array([[0.0], [1.0], [10.0], [11.0], [50.0]])
    labels = np.empty(5, np.int64)
    kernels.lloyd(points, np.ones(5), np.array([[14.4], [900.0], [901.0]]), 100, labels)
    assert np.unique(labels).size == 3


@pytest.mark.parametrize("n_threads", ["1", "4"])
def test_threads_do_not_matter(monkeypatch, n_threads):
    points, weights = np.random.default_rng(0).normal(size=(300, 3)), np.ones(300)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "2")
    expected = weighted_kmeans(points, weights, 5, random_state=1)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
    assert weighted_kmeans(points, weights, 5, random_state=1).tolist() == expected.tolist()


def test_order_of_points_and_rotation_do_not_matter():
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=(200, 3)), rng.integers(1, 9, size=200).astype(float)
    expected = weighted_kmeans(points, weights, 5, random_state=1)
    order = rng.permutation(200)
    turned = points[order] @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert weighted_kmeans(turned, weights[order], 5, random_state=1).tolist() == expected[order].tolist()


def test_a_weight_counts_like_repeated_points():
    rng = np.random.default_rng(3)
    points, weights = rng.normal(size=(60, 2)), rng.integers(1, 5, size=60)
    weighted = weighted_kmeans(points, weights.astype(float), 4, n_init=40, random_state=0)
    repeated = weighted_kmeans(np.repeat(points, weights, axis=0), np.ones(weights.sum()), 4, n_init=40, random_state=0)
    whole = loss_of(points, weights.astype(float), weighted)
    assert loss_of(np.repeat(points, weights, axis=0), np.ones(weights.sum()), repeated) == pytest.approx(whole)


def test_many_points_are_represented_by_a_sample(monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=2000)
    points = 10 * truth[:, None] + rng.normal(size=(2000, 2))
    monkeypatch.setattr("consensa.ensemble.sampling.SAMPLE_ABOVE", 300)
    hashes = rng.integers(2**63, size=2000).astype(np.uint64)
    for given in (hashes, None):
        labels = weighted_kmeans(points, np.ones(2000), 3, random_state=0, hashes=given)
        assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 3


def test_fewer_distinct_points_than_clusters_warn():
    points = np.repeat([[0.0], [1.0]], 3, axis=0)
    with pytest.warns(match="k-means found only 2 distinct groups of points where 3 clusters were asked for"):
        labels = weighted_kmeans(points, np.ones(6), 3, random_state=0)
    assert labels[0] == labels[2] != labels[3] == labels[5]
