"""TOME: its parts from their definitions, what it finds, and odd input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

import twins
from consensa import TOME
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.partition import path_similarity
from consensa.relate import Dense, refined_co_association


def refined_twin(X, partitions):
    n, n_partitions = partitions.shape
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    S = np.zeros((n, n))
    for labels in partitions.T:
        width = {}
        for c in set(labels.tolist()) - {-1}:
            pairs = list(itertools.combinations(np.flatnonzero(labels == c), 2))
            width[c] = np.mean([D[pair] for pair in pairs]) if pairs else 0.0
        smallest = min((w for w in width.values() if w > 0), default=0.0)
        for i, j in itertools.product(range(n), repeat=2):
            if labels[i] == labels[j] >= 0:
                w = width[labels[i]]
                S[i, j] += smallest / w * np.exp(-(D[i, j] ** 2) / (2 * w**2)) if w > 0 else 1.0
    return S / n_partitions


def path_twin(S):
    """Floyd and Warshall with the weakest link of a path."""
    P = S.copy()
    for k in range(len(S)):
        P = np.maximum(P, np.minimum(P[:, [k]], P[k]))
    P[P == 0] = P[P > 0].min()
    np.fill_diagonal(P, 1.0)
    return P


@pytest.mark.parametrize("seed", range(3))
def test_refined_co_association(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    X[1] = X[0]
    partitions = rng.integers(-1, 5, (25, 6))
    partitions[:2, 0], partitions[2:, 0] = 7, 0  # a cluster of two equal objects
    partitions[:, 1] = np.arange(25)
    np.testing.assert_allclose(
        refined_co_association(X, partitions).similarity, refined_twin(X, partitions), atol=1e-12
    )


@pytest.mark.parametrize("seed", range(3))
def test_path_similarity(seed):
    rng = np.random.default_rng(seed)
    S = rng.random((30, 30)) * (rng.random((30, 30)) < 0.06)
    S = np.maximum(S, S.T)
    np.fill_diagonal(S, 1.0)
    expected = S.copy()
    np.fill_diagonal(expected, 0.0)
    found = path_similarity(Dense(S)).similarity
    np.testing.assert_allclose(found, path_twin(expected), atol=1e-9)


def test_path_similarity_without_links():
    np.testing.assert_array_equal(path_similarity(Dense(np.eye(3))).similarity, np.eye(3))
    np.testing.assert_array_equal(path_similarity(Dense(np.array([[0.3]]))).similarity, [[1.0]])


def test_shapes_that_are_not_round():
    X, truth = make_moons(300, noise=0.05, random_state=1)
    assert ari(TOME(2, random_state=0).fit_predict(X), truth) == 1.0


def test_several_numbers_of_clusters_and_a_generator_of_ones_own():
    X, truth = make_blobs(150, centers=4, cluster_std=0.4, random_state=0)
    generator = KMeansPartitions(12, k_range=(4, 8))
    model = TOME([2, 4], generator=generator, random_state=0).fit(X)
    assert model.partitions_.shape == (150, 12)
    assert model.n_clusters_ == [2, 4]
    assert ari(model.labels_[4], truth) > 0.9
    assert set(model.confidence_) == {2, 4}
    single = TOME(4, generator=generator, random_state=0, n_jobs=2).fit(X)
    assert single.labels_.tolist() == model.labels_[4].tolist() == model.cut(4).tolist()
    assert single.n_clusters_ == 4
    assert single.confidence_.tolist() == model.confidence_[4].tolist()
    assert np.unique(single.cut(7)).size == 7
    assert twins.same_partition(single.cut(1), np.zeros(150, int))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TOME(31), "n_clusters=31 is more than the 30 samples"),
        (TOME(0), "n_clusters=0 is not allowed"),
        (TOME(2, n_init=0), "n_init=0 is not allowed"),
        (TOME(2, n_partitions=0), "n_partitions=0 is not allowed"),
        (TOME(2, random_state="x"), "random_state='x' cannot seed"),
    ],
)
def test_wrong_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(np.random.default_rng(0).normal(size=(30, 2)))


def test_matrices_beyond_the_budget(monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**18)
    with pytest.raises(ValueError, match=r"300 x 300 co-association of the objects would need .*EnsembleClustering"):
        TOME(2, n_partitions=3, random_state=0).fit(np.random.default_rng(0).normal(size=(300, 2)))


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([TOME(n_clusters=3, n_partitions=8)])
def test_scikit_learn_check(estimator, check):
    check(estimator)
