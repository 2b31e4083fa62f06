"""Base clusterings from features."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline

from consensa import LWGP
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.generate.base import nearest_centers
from consensa.generate.kmeans import draw_cluster_numbers

X, TRUTH = make_blobs(90, centers=3, cluster_std=0.7, random_state=0)


def n_clusters_of(labels):
    return [np.unique(column).size for column in labels.T]


def test_labels_are_compact_integers():
    labels = KMeansPartitions(12, random_state=0).fit_transform(X)
    assert labels.shape == (90, 12)
    assert labels.dtype == np.int32
    assert labels.min() == 0
    assert 2 <= min(n_clusters_of(labels)) < max(n_clusters_of(labels)) <= 9  # floor(sqrt(90))


def test_number_of_clusters_as_given():
    assert n_clusters_of(KMeansPartitions(6, k_range=(4, 4), random_state=0).fit_transform(X)) == [4] * 6
    assert n_clusters_of(KMeansPartitions(3, k_range=(1, 1), random_state=0).fit_transform(X)) == [1] * 3


@pytest.mark.parametrize(
    ("n_samples", "low", "high"), [(1, 1, 1), (2, 2, 2), (8, 2, 2), (9, 2, 3), (10_000, 2, 100), (10**6, 2, 100)]
)
def test_default_range_of_numbers(n_samples, low, high):
    drawn = draw_cluster_numbers(4000, None, n_samples, np.random.default_rng(0))
    assert (drawn.min(), drawn.max()) == (low, high)


def test_numbers_are_drawn_evenly_with_both_ends():
    drawn = draw_cluster_numbers(9000, (3, 5), 100, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(drawn)[3:] / 9000, 1 / 3, atol=0.02)


def test_number_of_jobs_does_not_matter():
    reference = KMeansPartitions(6, random_state=0).fit_transform(X)
    with parallel_config("threading"):
        found = KMeansPartitions(6, random_state=0, n_jobs=2).fit_transform(X)
    assert found.tolist() == reference.tolist()


def test_seeds():
    same = [KMeansPartitions(5, random_state=7).fit_transform(X).tolist() for _ in range(2)]
    other = KMeansPartitions(5, random_state=8).fit_transform(X).tolist()
    assert same[0] == same[1] != other


def test_members_differ():
    labels = KMeansPartitions(8, k_range=(5, 5), random_state=0).fit_transform(X)
    assert len({column.tobytes() for column in labels.T}) > 1


def test_new_data_get_the_nearest_centre():
    generator = KMeansPartitions(5, random_state=0)
    labels = generator.fit_transform(X)
    assert generator.transform(X).tolist() == labels.tolist()
    expected = ((X[:7, None] - generator.cluster_centers_[2]) ** 2).sum(axis=2).argmin(axis=1)
    assert generator.transform(X[:7])[:, 2].tolist() == expected.tolist()


def test_nearest_centres_in_pieces(monkeypatch):
    centers = X[[3, 50, 80]]
    whole = nearest_centers(X, centers)
    monkeypatch.setattr("consensa.generate.base.row_ranges", lambda n, size: [(0, 40), (40, n)])
    assert nearest_centers(X, centers).tolist() == whole.tolist()


def test_fewer_distinct_points_than_clusters():
    points = np.repeat([[0.0, 0.0], [1.0, 1.0]], 8, axis=0)
    labels = KMeansPartitions(4, k_range=(4, 4), random_state=0).fit_transform(points)
    assert max(n_clusters_of(labels)) <= 2


def test_names_of_the_columns():
    generator = KMeansPartitions(3, random_state=0).set_output(transform="pandas")
    frame = generator.fit_transform(X)
    assert list(frame.columns) == list(generator.get_feature_names_out()) == ["kmeans0", "kmeans1", "kmeans2"]


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_pipeline(output):
    pipeline = make_pipeline(KMeansPartitions(20, random_state=0), LWGP(3, random_state=0)).set_output(transform=output)
    assert ari(pipeline.fit_predict(X), TRUTH) > 0.9


def test_progress_only_on_request(capfd):
    KMeansPartitions(3, random_state=0).fit(X)
    assert capfd.readouterr() == ("", "")
    KMeansPartitions(3, random_state=0, verbose=True).fit(X)
    assert "3/3" in capfd.readouterr().err
