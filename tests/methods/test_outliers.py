"""Objects that no cluster can claim: who is marked, who is not, and that every way to the labels agrees."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs

import consensa
from consensa import LWEA, EnsembleClustering, consensus
from consensa.cli import main
from consensa.evaluate import outlier_limit, outlier_scores
from consensa.scale import as_chunks

SHAPES = Path(os.environ.get("CONSENSA_DATA", "nowhere"), "data", "shapes")


def noisy_blobs(n_noise=40):
    X, y = make_blobs(600, 10, centers=4, random_state=5)
    noise = np.random.default_rng(1).uniform(X.min(axis=0), X.max(axis=0), (n_noise, 10))
    return np.vstack([X, noise]), np.append(y, np.full(n_noise, -1))


@pytest.fixture(scope="module")
def fitted():
    X, truth = noisy_blobs()
    return X, truth, EnsembleClustering(4, n_partitions=40, outliers="mark", random_state=0).fit(X)


def scores_by_hand(labels, partitions):
    """The definition, object by object; columns of the partitions are base clusterings without gaps."""
    found = np.empty(labels.size)
    for i in range(labels.size):
        ratios = []
        for members in [labels == c for c in np.unique(labels)] + [np.ones(labels.size, bool)]:
            group = members.copy()
            group[i] = True
            alone = [1 / np.count_nonzero(group & (column == column[i])) for column in partitions.T]
            random = [np.unique(column[members]).size / np.count_nonzero(members) for column in partitions.T]
            ratios.append(np.mean(alone) / np.mean(random))
        found[i] = min(ratios)
    return found


def test_scores_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    partitions, labels = rng.integers(5, size=(40, 6)), rng.integers(3, size=40)
    np.testing.assert_allclose(outlier_scores(labels, partitions), scores_by_hand(labels, partitions))


def test_noise_is_marked_and_members_are_not(fitted):
    _, truth, model = fitted
    marked = model.labels_ < 0
    assert marked[truth < 0].mean() > 0.8
    assert marked[truth >= 0].mean() <= 0.005
    assert model.n_clusters_ == model.labels_.max() + 1 == 4
    assert (np.diff(np.bincount(model.labels_[~marked])) <= 0).all()
    assert (model.confidence_[marked] == 0).all()
    limit = outlier_limit(model.outlier_scores_)
    np.testing.assert_array_equal(marked, model.outlier_scores_ > limit)


@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_at_most_two_percent_of_data_without_noise(load):
    X, y = load(return_X_y=True)
    model = EnsembleClustering(np.unique(y).size, n_partitions=40, outliers="mark", random_state=0).fit(X)
    assert (model.labels_ < 0).mean() <= 0.02


def test_a_small_cluster_is_not_noise():
    X, y = make_blobs([400, 300, 12], 5, cluster_std=0.5, random_state=3)
    model = EnsembleClustering(3, n_partitions=40, outliers="mark", random_state=0).fit(X)
    assert (model.labels_[y == 2] >= 0).all()


def test_assign_is_as_before(fitted):
    X, _, model = fitted
    assigned = EnsembleClustering(4, n_partitions=40, random_state=0).fit(X)
    assert (assigned.labels_ >= 0).all()
    np.testing.assert_allclose(assigned.outlier_scores_, model.outlier_scores_)


def test_predict_load_and_cut_mark_the_same(fitted, tmp_path):
    X, _, model = fitted
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    far = np.random.default_rng(2).uniform(X.min(axis=0), X.max(axis=0), (50, 10))
    assert (model.predict(far) < 0).mean() > 0.5
    model.save(tmp_path / "model.npz")
    again = consensa.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.cut(4), model.labels_)
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    assert (again.cut(3) < 0).any()


def test_chunks_mark_the_same(fitted):
    _, _, model = fitted
    partitions = model.partitions_
    whole = LWEA(4).fit(partitions, outliers="mark")
    parts = LWEA(4).fit(as_chunks(partitions, chunk_rows=100), outliers="mark")
    np.testing.assert_array_equal(np.asarray(parts.labels_), whole.labels_)
    np.testing.assert_array_equal(consensus(partitions, 4, "lwea", outliers="mark"), whole.labels_)
    several = LWEA([3, 4]).fit(partitions, outliers="mark")
    assert set(several.outlier_scores_) == {3, 4}


@pytest.mark.parametrize("place", [0, 7, 40])
def test_columns_without_labels_count_for_nothing(fitted, place):
    _, _, model = fitted
    empty = np.insert(model.partitions_, place, -1, axis=1)
    plain = LWEA(4).fit(model.partitions_)
    np.testing.assert_array_equal(LWEA(4).fit(empty).outlier_scores_, plain.outlier_scores_)
    np.testing.assert_array_equal(outlier_scores(plain.labels_, empty), plain.outlier_scores_)


def test_missing_labels_and_unknown_words(fitted):
    _, _, model = fitted
    partitions = model.partitions_.copy()
    partitions[np.random.default_rng(0).random(partitions.shape) < 0.2] = -1
    labels = consensus(partitions, 4, "lwea", outliers="mark")
    assert 20 <= np.count_nonzero(labels < 0) <= 45
    with pytest.raises(ValueError, match="outliers='drop' is not known; choose one of 'assign', 'mark'"):
        consensus(partitions, 4, outliers="drop")
    with pytest.raises(ValueError, match="outliers='drop' is not known; choose one of 'assign', 'mark'"):
        EnsembleClustering(2, outliers="drop").fit([[0.0], [1.0]])


def test_command_line(tmp_path):
    X, truth = noisy_blobs()
    np.savetxt(tmp_path / "data.csv", X, delimiter=",")
    command = ["run", str(tmp_path / "data.csv"), "-k", "4", "-m", "40", "--no-header", "--outliers", "mark"]
    assert main([*command, "-o", str(tmp_path / "labels.csv"), "--quiet"]) == 0
    labels = np.loadtxt(tmp_path / "labels.csv", delimiter=",", skiprows=1, usecols=1)
    assert (labels[truth < 0] == -1).mean() > 0.8
    large = ["-o", str(tmp_path / "large.csv"), "--memory", "3GB", "--quiet"]
    assert main([*command, *large]) == 0
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "large.csv", delimiter=",", skiprows=1, usecols=1), labels)


@pytest.mark.skipif(not SHAPES.exists(), reason="the data are not there")
def test_shapes_with_noise_and_without():
    for path in sorted(SHAPES.glob("*.npz")):
        X, y = (np.load(path)[name] for name in "Xy")
        if len(X) > 1100:
            continue
        k = np.unique(y[y > 0]).size
        marked = EnsembleClustering(k, n_partitions=40, outliers="mark", random_state=0).fit(X).labels_ < 0
        assert marked[y > 0].mean() <= 0.02, path.stem
        if path.stem == "graves_ring_noisy":
            assert marked[y == 0].mean() > 0.15
