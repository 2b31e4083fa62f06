"""Stratified subspaces and the methods on them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

import consensa
from consensa import CSPA, HGPA, MCLA, SSCSPA, SSHGPA, SSMCLA
from consensa.evaluate import ari
from consensa.generate import StratifiedPartitions
from consensa.generate.kmeans import kmeans_member
from consensa.methods import FEATURE_METHODS

PAIRS = [(SSCSPA, CSPA), (SSHGPA, HGPA), (SSMCLA, MCLA)]


@pytest.fixture(scope="module")
def blobs():
    """Four groups of equal size in 12 features, each given five times with noise."""
    X, truth = make_blobs([40] * 4, n_features=12, cluster_std=2.0, random_state=3)
    rng = np.random.default_rng(0)
    return np.hstack([X + rng.normal(scale=0.3, size=X.shape) for _ in range(5)]), truth


def test_every_subspace_takes_its_share_of_every_group(blobs):
    X, _ = blobs
    model = StratifiedPartitions(4, 6, feature_fraction=0.4, n_strata=6, random_state=0).fit(X)
    assert model.strata_.shape == (60,)
    groups = np.bincount(model.strata_)
    assert groups.size == 6
    for features in model.features_:
        assert features.size == 24
        drawn = np.bincount(model.strata_[features], minlength=6)
        assert np.all(drawn >= 1)
        assert np.all(np.abs(drawn - 0.4 * groups) <= 2)


def test_members_are_k_means_in_their_subspaces(blobs):
    X, _ = blobs
    model = StratifiedPartitions(4, 3, random_state=0)
    labels = model.fit_transform(X)
    assert labels.shape == (160, 3)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(model.transform(X), labels)
    for features, centers in zip(model.features_, model.cluster_centers_, strict=True):
        assert centers.shape == (4, features.size)
    found, centers, _ = kmeans_member(X[:, model.features_[0]], 4, 7, "random", 100)
    assert found.dtype == np.int32
    assert centers.shape == (4, 30)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_labels_do_not_depend_on_the_number_of_jobs(blobs, n_jobs):
    X, _ = blobs
    reference = StratifiedPartitions(4, 6, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(StratifiedPartitions(4, 6, random_state=0, n_jobs=n_jobs).fit_transform(X), reference)


def test_few_and_constant_features():
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[:, 1] = 5.0
    assert StratifiedPartitions(2, 4, n_strata=10, random_state=0).fit_transform(X).shape == (20, 4)
    assert StratifiedPartitions(2, 4, random_state=0).fit_transform(X[:, :1]).shape == (20, 4)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"feature_fraction": 0}, r"feature_fraction=0 is not allowed: it must be a number in \(0, 1\]"),
        ({"feature_fraction": 1.5}, r"feature_fraction=1\.5 is not allowed"),
        ({"n_strata": 0}, "n_strata=0 is not allowed"),
        ({"n_partitions": 0}, "n_partitions=0 is not allowed"),
        ({"max_iter": 0}, "max_iter=0 is not allowed"),
        ({"n_clusters": 21}, "n_clusters=21 is more than the 20 samples"),
        ({"random_state": "x"}, "random_state='x' cannot seed"),
    ],
)
def test_parameters_of_the_generator(parameters, message):
    with pytest.raises(ValueError, match=message):
        StratifiedPartitions(**{"n_clusters": 2, **parameters}).fit(np.random.default_rng(0).normal(size=(20, 3)))


@pytest.mark.parametrize(("whole", "method"), PAIRS)
def test_generator_and_method_by_hand(blobs, whole, method):
    X, truth = blobs
    model = whole(4, n_partitions=8, random_state=0).fit(X)
    assert model.partitions_.shape == (160, 8)
    assert ari(model.labels_, truth) > 0.9
    seed = model.consensus_.random_state
    assert model.labels_.tolist() == method(4, n_init=10, random_state=seed).fit(model.partitions_).labels_.tolist()
    assert model.confidence_.shape == (160,)
    assert whole(4, n_partitions=8, random_state=0).fit(X).labels_.tolist() == model.labels_.tolist()


@pytest.mark.parametrize(("whole", "method"), PAIRS)
def test_several_numbers_of_clusters(blobs, whole, method):
    X, _ = blobs
    model = whole([2, 4], n_partitions=6, partitioner=method._free, random_state=0).fit(X)
    assert sorted(model.labels_) == [2, 4]


def test_base_clusterings_have_numbers_of_clusters_from_a_range(blobs):
    X, _ = blobs
    numbers = StratifiedPartitions(n_partitions=30, k_range=(3, 5), random_state=0).fit(X).cluster_numbers()
    assert set(numbers) == {3, 4, 5}
    usual = StratifiedPartitions(n_partitions=40, random_state=0).fit(X).cluster_numbers()
    assert (min(usual), max(usual)) == (2, 12)
    model = SSCSPA(4, n_partitions=6, k_range=(5, 6), partitioner="spectral", random_state=0).fit(X)
    assert set(model.generator_.cluster_numbers()) == {5, 6}
    with pytest.raises(ValueError, match=r"n_clusters=3 and k_range=\(2, 4\) exclude each other; give one of them"):
        StratifiedPartitions(3, k_range=(2, 4)).fit(X)


@pytest.mark.parametrize(("whole", "package"), [(SSCSPA, "pymetis"), (SSHGPA, "mtkahypar"), (SSMCLA, "pymetis")])
def test_errors_come_before_the_long_part(blobs, whole, package, monkeypatch):
    def generate(*_):
        pytest.fail("clusterings were generated before the partitioner was looked up")

    monkeypatch.setattr(StratifiedPartitions, "fit_transform", generate)
    monkeypatch.setitem(sys.modules, package, None)
    balanced = "hypergraph" if package == "mtkahypar" else "metis"
    with pytest.raises(ImportError, match=f"pip install {package}"):
        whole(4, partitioner=balanced).fit(blobs[0])
    with pytest.raises(ValueError, match="partitioner='nope' is not known"):
        whole(4, partitioner="nope").fit(blobs[0])


def test_high_dimensional_data():
    X, y = load_digits(return_X_y=True)
    found = SSMCLA(10, n_partitions=20, random_state=0).fit_predict(X[:600])
    assert ari(found, y[:600]) > 0.5


def test_registry():
    for name in ("sscspa", "sshgpa", "ssmcla"):
        method = FEATURE_METHODS[name]
        assert method.balanced
        assert method.input == "features"
        assert getattr(consensa, method.estimator) is method.load()
