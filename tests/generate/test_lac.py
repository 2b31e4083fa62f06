"""LAC and LACPartitions: against a plain twin, k-means, the paper's example, and awkward data."""

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from consensa import LAC, ConsensaWarning
from consensa.evaluate import ari, error_rate
from consensa.generate import LACPartitions
from consensa.generate import _kernels_lac as kernels
from consensa.generate import lac as lac_module
from consensa.generate.lac import _adapt, distance_posteriors, lac


@parametrize_with_checks([LAC(), LACPartitions()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def two_gaussians(seed=0, *, as_variances=False):
    """The illustrative example of the paper, whose printed spreads can be read in two ways."""
    rng = np.random.default_rng(seed)
    first, second = (np.sqrt(each) if as_variances else each for each in np.array([[1.0, 9.0], [6.0, 2.0]]))
    X = np.vstack([rng.normal((0.5, 5), first, (300, 2)), rng.normal((12, 5), second, (300, 2))])
    return StandardScaler().fit_transform(X), np.repeat([0, 1], 300)


def subspace_data(n=90, seed=0):
    """Three clusters of unequal size, each narrow along another two of six features."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    X = rng.normal(0, 1, (n, 6))
    for j in range(3):
        X[truth == j, 2 * j : 2 * j + 2] = rng.normal(2, 0.1, (np.sum(truth == j), 2))
    return X, truth


def plain_lac(X, h, centers, max_iter=100):
    """LAC as the paper writes it, until the assignments stay; fails on empty clusters."""

    def assign(c, w):
        return np.argmin([((X - c_j) ** 2) @ w_j for c_j, w_j in zip(c, w, strict=True)], axis=0)

    k, d = centers.shape
    weights = np.full((k, d), 1 / d)
    errors = []
    history = None
    for _ in range(max_iter):
        labels = assign(centers, weights)
        spread = np.array([((X[labels == j] - centers[j]) ** 2).mean(axis=0) for j in range(k)])
        weights = np.exp(-spread / h)
        weights /= weights.sum(axis=1, keepdims=True)
        again = assign(centers, weights)
        centers = np.array([X[again == j].mean(axis=0) for j in range(k)])
        spread = np.array([((X[again == j] - centers[j]) ** 2).mean(axis=0) for j in range(k)])
        errors.append(np.sum(weights * spread + h * weights * np.log(weights)))
        if history is not None and np.array_equal(labels, history[0]) and np.array_equal(again, history[1]):
            break
        history = labels, again
    return centers, weights, assign(centers, weights), np.array(errors)


@pytest.mark.parametrize(("h", "seed"), list(itertools.product([0.2, 0.5, 2.0], range(4))))
def test_equals_plain_twin(h, seed):
    X, _ = subspace_data(seed=seed)
    start = X[np.random.default_rng(seed).choice(len(X), 3, replace=False)]
    centers, weights, labels, errors = plain_lac(X, h, start.copy())
    _, ours = _adapt(X, h, start.copy(), 100)
    assert ari(ours.labels, labels) == 1
    match = [labels[np.flatnonzero(ours.labels == j)[0]] for j in range(3)]
    np.testing.assert_allclose(ours.centers, centers[match], atol=1e-12)
    np.testing.assert_allclose(ours.weights, weights[match], atol=1e-12)
    n_common = min(errors.size, ours.errors.size)
    np.testing.assert_allclose(ours.errors[:n_common], errors[:n_common], rtol=1e-10)


def weights_and_error(inverse_h, *, as_variances):
    """Weight of the first feature in the first cluster, of the second in the second, and the error."""
    X, truth = two_gaussians(as_variances=as_variances)
    model = LAC(2, 1 / inverse_h, random_state=0).fit(X)
    first = model.labels_[0]
    weights = model.feature_weights_
    return weights[first, 0], weights[1 - first, 1], error_rate(truth, model.labels_)


def test_example_of_the_paper_at_twelve_agrees_as_deviations():
    """Printed: 0.99, 0.9998 and 5.3 %."""
    own, other, error = weights_and_error(12, as_variances=False)
    assert own == pytest.approx(0.99, abs=0.02)
    assert other == pytest.approx(0.9998, abs=0.005)
    assert error == pytest.approx(0.053, abs=0.02)


def test_example_of_the_paper_at_seven_agrees_in_no_reading():
    """Printed: 0.81, 0.82 and no error. Deviations have the features right, variances the separation."""
    own, other, error = weights_and_error(7, as_variances=False)
    assert own > 0.95
    assert other > 0.9
    assert 0.02 < error < 0.06
    own, other, error = weights_and_error(7, as_variances=True)
    assert own > 0.95
    assert other < 0.5
    assert error < 0.01


@pytest.mark.parametrize("h", [np.inf, 1e15])
def test_large_h_is_kmeans(h):
    X, _ = subspace_data(300, seed=1)
    start = X[np.random.default_rng(0).choice(len(X), 4, replace=False)]
    _, ours = _adapt(X, h, start.copy(), 300)
    kmeans = KMeans(4, init=start, n_init=1, max_iter=300, tol=0).fit(X)
    assert ari(ours.labels, kmeans.labels_) == 1
    np.testing.assert_allclose(ours.weights, 1 / 6)


def test_large_h_finds_what_kmeans_finds():
    X = load_iris().data
    best = KMeans(3, n_init=20, random_state=0).fit(X)
    assert ari(LAC(3, np.inf, random_state=0).fit_predict(X), best.labels_) == 1


def test_small_h_is_one_feature_per_cluster():
    X, _ = subspace_data()
    model = LAC(3, 1e-300, random_state=0).fit(1e3 * X)
    assert np.all(np.isfinite(model.feature_weights_))
    np.testing.assert_allclose(model.feature_weights_.max(axis=1), 1)


def test_errors_are_equation_3_3():
    X, _ = subspace_data()
    h = 0.3
    model = LAC(3, h, random_state=0).fit(X)
    spread = np.array([X[model.labels_ == j].var(axis=0) for j in range(3)])
    w = model.feature_weights_
    assert model.errors_.shape == (model.n_iter_,)
    assert model.errors_[-1] == pytest.approx(np.sum(w * spread + h * w * np.log(w)), rel=1e-12)
    expected = np.exp(-spread / h)
    np.testing.assert_allclose(w, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)


def test_start_is_chosen_by_size_weighted_error():
    X = StandardScaler().fit_transform(load_iris().data)
    assert error_rate(load_iris().target, LAC(3, 1.0, random_state=0).fit_predict(X)) < 0.2


def test_size_weighted_error():
    rng = np.random.default_rng(0)
    spread, sizes = rng.random((3, 5)), np.array([7, 2, 1])
    for h in (0.1, 1.0, 30.0):
        w = np.exp(-spread / h)
        w /= w.sum(axis=1, keepdims=True)
        expected = sizes / 10 @ np.sum(w * spread + h * w * np.log(w), axis=1) + h * np.log(5)
        assert kernels.size_weighted_error(spread, sizes, h) == pytest.approx(expected)
    limit = kernels.size_weighted_error(spread, sizes, np.inf)
    assert kernels.size_weighted_error(spread, sizes, 1e12) == pytest.approx(limit, rel=1e-10)


def test_stops_when_assignments_repeat():
    X, _ = subspace_data(200, seed=3)
    for inverse in range(1, 21):
        assert LAC(5, 1 / inverse, max_iter=1000, random_state=0).fit(X).n_iter_ < 200


def test_empty_clusters_restart():
    X = np.vstack([np.random.default_rng(0).normal(c, 0.1, (20, 2)) for c in (0, 5, 10)])
    far = np.full((1, 2), 1e6)
    _, clusters = _adapt(X, 1.0, np.vstack([X[:1], far, far + 1]), 100)
    assert np.bincount(clusters.labels, minlength=3).min() > 0
    assert np.all(np.isfinite(clusters.centers))


def test_duplicates():
    X = np.repeat([[0.0, 1.0], [3.0, 4.0]], 10, axis=0)
    assert np.bincount(LAC(2, random_state=0).fit_predict(X)).tolist() == [10, 10]
    with pytest.warns(ConsensaWarning, match="found only 2 clusters"):
        model = LAC(3, random_state=0).fit(X)
    assert np.all(np.isfinite(model.feature_weights_))
    assert np.all(LAC(1, random_state=0).fit_predict(np.ones((4, 2))) == 0)


def test_constant_features_have_no_weight():
    X, _ = subspace_data()
    padded = np.insert(X, 2, 7.0, axis=1)
    model, bare = LAC(3, random_state=0).fit(padded), LAC(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, bare.labels_)
    np.testing.assert_array_equal(model.feature_weights_[:, 2], 0)
    np.testing.assert_array_equal(np.delete(model.feature_weights_, 2, axis=1), bare.feature_weights_)
    np.testing.assert_array_equal(model.predict(padded), model.labels_)


def test_predictions():
    X, _ = subspace_data(400)
    model = LAC(4, 0.2, random_state=1).fit(X)
    P = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(P.argmax(axis=1), model.labels_)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-14)
    assert P.min() > 0
    sizes = np.bincount(model.labels_)
    assert np.all(np.diff(sizes) <= 0)


def test_posteriors_are_equation_4_6():
    rng = np.random.default_rng(0)
    d = rng.random((30, 4)) * 10
    largest = d.max(axis=1, keepdims=True)
    expected = (largest - d + 1) / (4 * largest + 4 - d.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(distance_posteriors(d), expected, rtol=1e-13)


def test_scattered_starts():
    points = np.array([[0.0], [0.1], [5.0], [10.0]])
    np.testing.assert_array_equal(kernels.scatter_farthest(points, np.array([1, 2, 0, 3]), 3), [[0.1], [10.0], [5.0]])
    for seed in range(20):
        chosen = kernels.scatter_drawn(points, np.random.default_rng(seed).random(4))
        np.testing.assert_array_equal(np.sort(chosen.ravel()), points.ravel())


def test_large_data_starts_on_a_sample(monkeypatch):
    X, truth = subspace_data(1000)
    whole = LAC(3, 0.5, random_state=0).fit(X)
    monkeypatch.setattr(lac_module, "COMPETE_ON", 100)
    sampled = LAC(3, 0.5, random_state=0).fit(X)
    np.testing.assert_array_equal(sampled.predict(X), sampled.labels_)
    assert ari(sampled.labels_, whole.labels_) > 0.95
    assert ari(sampled.labels_, truth) > 0.8


def test_threads_and_jobs_do_not_matter(monkeypatch):
    X, _ = subspace_data(200)
    results = []
    for threads, jobs in (("1", 1), ("3", 1), ("1", 2)):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", threads)
        generator = LACPartitions(3, 4, random_state=5, n_jobs=jobs)
        results.append((generator.fit_transform(X), np.hstack(list(generator.posteriors(X)))))
    for labels, posteriors in results[1:]:
        np.testing.assert_array_equal(labels, results[0][0])
        np.testing.assert_array_equal(posteriors, results[0][1])


def test_partitions():
    X, _ = subspace_data(150)
    generator = LACPartitions(3, inverse_h=[1, 5.0, 12], random_state=0)
    labels = generator.fit_transform(X)
    assert labels.shape == (150, 3)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(generator.transform(X), labels)
    np.testing.assert_array_equal(generator.inverse_h_, [1, 5, 12])
    assert generator.get_feature_names_out().tolist() == ["lac0", "lac1", "lac2"]
    for P, member in zip(generator.posteriors(X), labels.T, strict=True):
        np.testing.assert_array_equal(P.argmax(axis=1), member)
        np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(LACPartitions(2, 20).fit(X).inverse_h_, np.arange(1, 21))


def test_features_by_name():
    iris = load_iris(as_frame=True)
    model = LAC(3, random_state=0).fit(iris.data)
    top = model.top_features(2)
    assert list(top) == [0, 1, 2]
    name, weight = next(iter(top[1].items()))
    assert weight == model.feature_weights_[1].max()
    assert name == iris.data.columns[model.feature_weights_[1].argmax()]
    assert len(top[0]) == 2
    assert set(LAC(3, random_state=0).fit(iris.data.to_numpy()).top_features(4)[0]) == {"x0", "x1", "x2", "x3"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 91}, "n_clusters=91 is more than the 90 samples"),
        ({"h": 0}, "h=0 is not allowed"),
        ({"h": -np.inf}, "h=-inf is not allowed"),
        ({"h": np.nan}, "h=nan is not allowed"),
        ({"n_init": 0}, "n_init=0"),
        ({"max_iter": 0}, "max_iter=0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LAC(**parameters).fit(subspace_data()[0])


@pytest.mark.parametrize("inverse_h", [[], 3.0, [1, 0], [1, "a"], [[1, 2]]])
def test_bad_grids(inverse_h):
    with pytest.raises(ValueError, match="inverse_h"):
        LACPartitions(2, inverse_h=inverse_h).fit(subspace_data()[0])


def test_function_takes_float32_and_any_order():
    X, _ = subspace_data()
    single = X.astype(np.float32)
    wanted = lac(single.astype(float), 3, 0.5, random_state=0).labels
    np.testing.assert_array_equal(lac(np.asfortranarray(single), 3, 0.5, random_state=0).labels, wanted)
