"""How well Gaussians describe the features, against scikit-learn's mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from consensa import EnsembleClustering, choose_k
from consensa.choose.gaussians import description_lengths, misfits, principal_axes
from consensa.generate import KMeansPartitions


def twin(points, labels):
    """The criterion written out: a step of expectation maximisation from the clusters, then BIC."""
    shares = (labels[:, None] == np.unique(labels)).astype(float)
    for _ in range(2):
        sizes = shares.sum(axis=0)
        means = np.stack([np.average(points, axis=0, weights=column) for column in shares.T])
        spread = sum(share[:, None] * (points - mean) ** 2 for share, mean in zip(shares.T, means, strict=True))
        covariance = np.diag(spread.sum(axis=0) / len(points))
        density = [
            s / len(points) * multivariate_normal(m, covariance).pdf(points) for s, m in zip(sizes, means, strict=True)
        ]
        density = np.stack(density, axis=1)
        shares = density / density.sum(axis=1, keepdims=True)
    n_parameters = means.size + len(sizes) - 1 + points.shape[1]
    counted = min(len(points), 500)
    return -2 * np.log(density.sum(axis=1)).mean() + n_parameters * np.log(counted) / counted


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(600, centers=4, n_features=12, cluster_std=2.0, random_state=0)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_equals_the_definition(blobs, k):
    labels = np.random.default_rng(k).integers(k, size=600)
    assert description_lengths(blobs[0], [labels])[0] == pytest.approx(twin(principal_axes(blobs[0]), labels), rel=1e-9)


def test_on_a_line_it_is_one_step_of_scikit_learn():
    X, labels = make_blobs(200, centers=[[0.0], [5.0], [9.0]], random_state=1)
    points = principal_axes(X)
    means = np.stack([points[labels == c].mean(axis=0) for c in range(3)])
    within = np.mean((points - means[labels]) ** 2)
    model = GaussianMixture(
        3, covariance_type="tied", weights_init=np.bincount(labels) / 200, means_init=means,
        precisions_init=np.array([[1 / within]]), max_iter=1, reg_covar=0,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(points)
    assert description_lengths(X, [labels])[0] == pytest.approx(model.bic(points) / 200, rel=1e-9)


@pytest.mark.parametrize("shape", [(200, 15), (60, 150)])
def test_principal_axes_are_those_of_scikit_learn(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1)
    n_axes = min(10, shape[0] // 10)
    expected = PCA(n_axes).fit_transform(X)
    expected /= expected[:, 0].std()
    found = principal_axes(X)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)
    assert (found.max(axis=0) >= -found.min(axis=0)).all()  # the sign does not depend on the solver


def test_scale_place_and_rotation_do_not_matter(blobs):
    X, labels = blobs
    clusterings, k = [np.zeros(600, int), labels // 2, labels], np.array([1, 2, 4])
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12)))[0]
    expected = misfits(X, clusterings, k)
    assert expected.argmin() == 2
    for same in (1e150 * X, 1e-150 * X, (X + 3) @ turn):
        np.testing.assert_allclose(misfits(same, clusterings, k), expected, atol=1e-9)


def test_equal_objects_and_empty_clusters():
    labels = [np.zeros(4, int), np.array([0, 0, 2, 2])]
    np.testing.assert_array_equal(principal_axes(np.ones((4, 3))), np.zeros((4, 1)))
    assert np.isfinite(misfits(np.arange(4.0)[:, None], labels, np.array([1, 2]))).all()


def test_equal_objects_have_no_gaussians():
    """No variance at all: everything is described alike, and nothing is divided by zero."""
    found = misfits(np.ones((40, 3)), [np.zeros(40, int), np.arange(40) % 2], np.array([1, 2]))
    assert np.isfinite(found).all()
    assert found[0] == 0


def test_many_overlapping_gaussians_are_told_from_few():
    """Labels alone see six lumps; with the features all twelve Gaussians on a circle of neighbours are found."""
    angles = 2 * np.pi * np.arange(12) / 12
    centers = 8 * np.column_stack([np.cos(angles), np.sin(angles)])
    X, _ = make_blobs(600, centers=centers, cluster_std=0.9, random_state=2)
    labels = KMeansPartitions(60, random_state=0).fit_transform(X)
    choice = choose_k(labels, X=X, random_state=0)
    assert choice.votes["gaussians"] == 12
    assert abs(choice.n_clusters - 12) <= 2


def test_the_curve_is_there_with_features_only(blobs):
    model = EnsembleClustering("auto", n_partitions=20, random_state=0).fit(blobs[0])
    assert model.choice_.votes["gaussians"] == 4
    assert "gaussians" not in choose_k(model.partitions_, random_state=0).curves
