"""Base clusterings by any clusterer, on all objects or on random parts of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consensa import EnsembleClustering
from consensa.evaluate import ari
from consensa.generate import EstimatorPartitions, SubsamplePartitions


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=3, centers=4, random_state=0)


class Fails(ClusterMixin, BaseEstimator):
    def __init__(self, how="raise"):
        self.how = how

    def fit(self, X, y=None):
        if self.how == "raise":
            raise RuntimeError("no luck today")
        self.labels_ = np.zeros((len(X), 2)) if self.how == "matrix" else np.full(len(X), 0.5)
        return self


def test_a_grid_gives_every_setting_once(blobs):
    generator = EstimatorPartitions(KMeans(n_init=1), {"n_clusters": [2, 3], "init": ["random", "k-means++"]})
    labels = generator.fit_transform(blobs[0])
    assert labels.shape == (120, 4)
    assert labels.dtype == np.int32
    assert sorted((member.init, member.n_clusters) for member in generator.members_) == [
        ("k-means++", 2), ("k-means++", 3), ("random", 2), ("random", 3),
    ]  # fmt: skip
    assert [labels[:, m].max() + 1 for m in range(4)] == [member.n_clusters for member in generator.members_]
    assert generator.get_feature_names_out().tolist() == ["kmeans0", "kmeans1", "kmeans2", "kmeans3"]


def test_settings_are_repeated_with_new_seeds(blobs):
    generator = EstimatorPartitions(KMeans(8, n_init=1, init="random"), n_partitions=5, random_state=0)
    labels = generator.fit_transform(blobs[0])
    assert labels.shape == (120, 5)
    assert len({member.random_state for member in generator.members_}) == 5
    assert len({tuple(column) for column in labels.T.tolist()}) > 1


def test_members_are_what_the_clusterers_say(blobs):
    X = blobs[0]
    clusterers = [AgglomerativeClustering(4), KMeans(4, random_state=5), DBSCAN(eps=1.0), GaussianMixture(4)]
    generator = EstimatorPartitions(clusterers, random_state=0)
    labels = generator.fit_transform(X)
    for m in range(3):
        np.testing.assert_array_equal(labels[:, m], clusterers[m].fit_predict(X))
    assert labels[:, 2].min() == -1
    assert ari(labels[:, 3], blobs[1]) > 0.9


def test_noise_is_a_missing_label(blobs):
    clusterers = [HDBSCAN(min_cluster_size=size, copy=True) for size in (5, 10)]
    generator = EstimatorPartitions([*clusterers, *[KMeans(4)] * 6])
    model = EnsembleClustering(4, generator=generator, random_state=0).fit(blobs[0])
    assert (model.partitions_ < 0).any(axis=0).tolist()[1:] == [True] + [False] * 6
    assert model.labels_.min() == 0
    assert ari(model.labels_, blobs[1]) > 0.9


def test_seeds_reach_the_parts_of_a_pipeline(blobs):
    generator = EstimatorPartitions(make_pipeline(StandardScaler(), KMeans(3)), n_partitions=3, random_state=0)
    again = EstimatorPartitions(make_pipeline(StandardScaler(), KMeans(3)), n_partitions=3, random_state=0)
    np.testing.assert_array_equal(generator.fit_transform(blobs[0]), again.fit_transform(blobs[0]))
    assert len({member[-1].random_state for member in generator.members_}) == 3


@pytest.mark.parametrize(
    "generator",
    [
        EstimatorPartitions(KMeans(n_init=1), {"n_clusters": [2, 3, 5]}, 6, random_state=3),
        SubsamplePartitions(n_partitions=6, random_state=3),
    ],
    ids=["estimators", "subsample"],
)
def test_labels_do_not_depend_on_the_number_of_jobs(blobs, generator, tmp_path):
    expected = generator.set_params(n_jobs=1).fit_transform(blobs[0])
    np.testing.assert_array_equal(generator.set_params(n_jobs=2).fit_transform(blobs[0]), expected)
    np.testing.assert_array_equal(generator.set_params(directory=tmp_path).fit_transform(blobs[0]), expected)
    (tmp_path / "member_00002.npy").unlink()
    np.testing.assert_array_equal(generator.fit_transform(blobs[0]), expected)
    with pytest.raises(ValueError, match="holds members made from other data, parameters or another seed"):
        generator.fit(blobs[0][:100])
    with pytest.raises(ValueError, match="directory needs a random_state"):
        generator.set_params(random_state=None).fit(blobs[0])
    generator.set_params(directory=None, random_state=3)


def test_errors_name_the_member(blobs):
    with pytest.raises(ValueError, match=r"member 1, Fails\(\), failed: no luck today"):
        EstimatorPartitions([KMeans(2), Fails()]).fit(blobs[0])
    with pytest.raises(ValueError, match=r"member 0, Fails\(how='matrix'\), returned an array of shape \(120, 2\)"):
        EstimatorPartitions(Fails("matrix")).fit(blobs[0])
    with pytest.raises(ValueError, match="dtype float64; one whole number for each of the 120 rows"):
        EstimatorPartitions(Fails("floats")).fit(blobs[0])
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense' for estimator KMeans"):
        EstimatorPartitions(KMeans(), {"nonsense": [1]}).fit(blobs[0])


@pytest.mark.parametrize("estimators", [None, 3, KMeans, [KMeans(), "kmeans"]], ids=str)
def test_what_is_no_clusterer_is_refused(blobs, estimators):
    with pytest.raises(ValueError, match="is not a clusterer: give an estimator with the methods of scikit-learn"):
        EstimatorPartitions(estimators).fit(blobs[0])


def test_nothing_to_do_is_refused(blobs):
    with pytest.raises(ValueError, match=r"estimators=\[\] is not allowed: give at least one clusterer"):
        EstimatorPartitions([]).fit(blobs[0])
    with pytest.raises(ValueError, match="n_partitions=0 is not allowed"):
        EstimatorPartitions(KMeans(), n_partitions=0).fit(blobs[0])


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.8, 1])
def test_parts_have_their_size_and_differ(blobs, fraction):
    labels = SubsamplePartitions(n_partitions=8, fraction=fraction, n_clusters=1, random_state=0).fit_transform(
        blobs[0]
    )
    assert (labels >= 0).sum(axis=0).tolist() == [max(1, round(fraction * 120))] * 8
    assert (labels >= -1).all()
    if fraction < 1:
        assert len({tuple(column) for column in labels.T.tolist()}) > 1


def test_members_are_clusterings_of_their_part(blobs):
    X = blobs[0]
    labels = SubsamplePartitions(AgglomerativeClustering(4), 5, random_state=0).fit_transform(X)
    for column in labels.T:
        part = np.flatnonzero(column >= 0)
        np.testing.assert_array_equal(column[part], AgglomerativeClustering(4).fit_predict(X[part]))


def test_numbers_of_clusters(blobs):
    X = blobs[0]
    fixed = SubsamplePartitions(n_partitions=4, n_clusters=5, random_state=0).fit_transform(X)
    assert fixed.max(axis=0).tolist() == [4] * 4
    drawn = SubsamplePartitions(n_partitions=30, k_range=(2, 4), random_state=0).fit_transform(X)
    assert set(drawn.max(axis=0).tolist()) == {1, 2, 3}
    mixture = SubsamplePartitions(GaussianMixture(), 3, n_clusters=4, random_state=0).fit(X)
    assert [member.n_components for member in mixture.members_] == [4, 4, 4]
    own = SubsamplePartitions(KMeans(3, n_init=1), 3, random_state=0).fit_transform(X)
    assert own.max(axis=0).tolist() == [2] * 3
    with pytest.raises(ValueError, match=r"n_clusters=3 and k_range=\(2, 4\) exclude each other"):
        SubsamplePartitions(n_clusters=3, k_range=(2, 4)).fit(X)


@pytest.mark.parametrize("fraction", [0, -1, 1.5, "half", True, np.nan], ids=str)
def test_fractions_that_are_refused(blobs, fraction):
    with pytest.raises(ValueError, match=r"fraction=.* is not allowed: it must be a number in \(0, 1\]"):
        SubsamplePartitions(fraction=fraction).fit(blobs[0])


def test_consensus_of_subsamples(blobs):
    model = EnsembleClustering(4, generator=SubsamplePartitions(n_partitions=30, n_clusters=4), random_state=0)
    assert ari(model.fit_predict(blobs[0]), blobs[1]) > 0.9
    with pytest.raises(ValueError, match="SubsamplePartitions cannot label new data"):
        model.predict(blobs[0])
