"""The default pool and linkage members: against plain twins, in chunks, saved, and on data of awkward sizes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import make_moons

from consensa import EnsembleClustering, load
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions, LinkagePartitions, MultiscalePartitions
from consensa.generate.base import nearest_centers
from consensa.generate.linkage import genie_labels
from consensa.scale import generate_labels


def naive_genie(points, threshold, n_clusters):
    """Genie by its definition: of all pairs of clusters, or those with a smallest one, the nearest two points."""
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    groups = [[i] for i in range(len(points))]
    while len(groups) > n_clusters:
        sizes = np.array([len(group) for group in groups])
        gini = np.abs(sizes[:, None] - sizes).sum() / 2 / (len(groups) - 1) / sizes.sum()
        nearest = np.array([[gaps[np.ix_(a, b)].min() for b in groups] for a in groups])
        np.fill_diagonal(nearest, np.inf)
        if gini > threshold:
            nearest[sizes > sizes.min()] = np.inf
        a, b = np.unravel_index(np.argmin(nearest), nearest.shape)
        groups[min(a, b)] += groups.pop(max(a, b))
    labels = np.empty(len(points), int)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5])
def test_linkage_follows_the_definition_of_genie(seed, threshold):
    points = np.random.default_rng(seed).normal(size=(50, 3))
    numbers = np.array([1, 2, 3, 7, 49, 50])
    found = genie_labels(points, numbers, threshold)
    for k, labels in zip(numbers, found.T, strict=True):
        assert np.unique(labels).size == k
        assert ari(labels, naive_genie(points, threshold, k)) == 1


def test_a_threshold_of_1_is_single_linkage():
    points = np.random.default_rng(0).normal(size=(80, 2))
    tree = linkage(points, "single")
    for k in (2, 5, 20):
        assert ari(genie_labels(points, np.array([k]), 1.0)[:, 0], fcluster(tree, k, "maxclust")) == 1


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_nearest_centre_is_that_of_double_precision(scale, shift, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(5000, 7)) * scale + shift).astype(dtype)
    centers = X[rng.choice(5000, 300, replace=False)].astype(float)
    centers[17] = centers[203]  # ties go to the smaller number
    squared = sum((X[:, None, f].astype(float) - centers[:, f]) ** 2 for f in range(7))
    assert nearest_centers(X, centers).tolist() == squared.argmin(axis=1).tolist()


@pytest.mark.parametrize("kind", [MultiscalePartitions, LinkagePartitions, KMeansPartitions])
def test_chunks_and_jobs_change_nothing(kind, tmp_path):
    X = np.random.default_rng(0).normal(size=(3000, 3))
    generator = kind(9, sample_size=1200, random_state=0)
    labels = generator.fit_transform(X)
    assert kind(9, sample_size=1200, random_state=0, n_jobs=2).fit_transform(X).tolist() == labels.tolist()
    out = generate_labels(X, kind(9, sample_size=1200, random_state=0), tmp_path / "labels.npy", chunk_rows=170)
    assert np.load(out).tolist() == labels.tolist()
    assert generator.transform(X).tolist() == labels.tolist()
    again = kind(9, sample_size=1200, random_state=0).restore(generator.model_arrays())
    assert again.transform(X).tolist() == labels.tolist()
    assert again.cluster_numbers() == generator.cluster_numbers()
    assert generator.n_drawn_clusters(1200) == sum(generator.cluster_numbers())


@pytest.mark.parametrize("n_samples", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("n_partitions", [1, 2, 3, 4, 7])
def test_few_objects_and_few_members(n_samples, n_partitions):
    X = np.arange(2.0 * n_samples).reshape(n_samples, 2)
    pool = MultiscalePartitions(n_partitions, random_state=0)
    assert pool.fit_transform(X).shape == (n_samples, n_partitions)
    assert len(set(pool.get_feature_names_out())) == n_partitions


def test_equal_objects_get_equal_labels():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 15, axis=0)
    labels = MultiscalePartitions(12, random_state=0).fit_transform(X)
    assert (labels.reshape(20, 15, 12) == labels.reshape(20, 15, 12)[:, :1]).all()


def test_members_of_large_data_look_at_different_rows():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    sampled = KMeansPartitions(3, (5, 5), init="k-means++", random_state=0).fit(X).cluster_centers_
    whole = KMeansPartitions(3, (5, 5), init="k-means++", rows_per_cluster=None, random_state=0).fit(X).cluster_centers_
    assert not np.allclose(sampled[0], whole[0])
    assert not np.allclose(sampled[0], sampled[1])


def test_shapes_that_k_means_cuts_up_are_found(tmp_path):
    X, y = make_moons(400, noise=0.05, random_state=0)
    model = EnsembleClustering(2, random_state=0).fit(X)
    assert ari(model.labels_, y) == 1
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert again.predict(X).tolist() == model.labels_.tolist()


@pytest.mark.parametrize("given", [(0.0, 0.5), (0.5, 0.1), (0.1, 2), 0.3, "x"])
def test_wrong_thresholds_are_refused(given):
    with pytest.raises(ValueError, match=r"gini_range=.* is not allowed"):
        LinkagePartitions(2, gini_range=given).fit(np.eye(4))
