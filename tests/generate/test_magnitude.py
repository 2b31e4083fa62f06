"""The scale of the features does not matter, and where squares do not fit the answer is one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import consensa
from consensa._magnitude import exponent_of, ordinary_scale
from consensa.generate import GENERATORS, LACPartitions
from consensa.generate.graph import scaled_exponential_graph, similarity_graph
from consensa.generate.lac import lac
from consensa.generate.subspace import feature_strata

SCALES = (1e-300, 1e-170, 1e-150, 1e-20, 1e-9, 1e-4, 3.0, 1e9, 1e20, 1e150, 1e155, 1e300)
QUICK = {
    "rpcl": {"n_passes": 2},
    "uspec": {"n_representatives": 40},
    "lac": {"n_init": 1, "inverse_h": [1e-6]},  # h has a unit: what is left is k-means
    "estimators": {"estimators": KMeans(3, n_init=1)},  # takes X as it comes
}
METHODS = {
    "EnsembleClustering": {"n_partitions": 8},
    "USPEC": {"n_representatives": 40},
    "USENC": {"n_partitions": 4, "n_representatives": 40},
    "MDEC": {"n_partitions": 4},
    "WSPA": {"n_partitions": 4, "n_init": 2, "partitioner": "tcut"},
    "WBPA": {"n_partitions": 4, "n_init": 2, "partitioner": "tcut"},
    "SSCSPA": {"n_partitions": 4, "partitioner": "spectral"},
    "TOME": {"n_partitions": 4},
}
X, TRUTH = make_blobs(n_samples=90, centers=3, n_features=4, cluster_std=0.5, random_state=3)
OUTLIER = X.copy()
OUTLIER[7, 1] = 1e200


def generator(name):
    parameters = {"random_state": 0, **QUICK.get(name, {})}
    return GENERATORS[name].load()(**parameters).set_params(n_partitions=4)


@pytest.mark.parametrize("name", sorted(set(GENERATORS) - {"lac", "estimators"}))
def test_generators_at_every_scale(name):
    labels = generator(name).fit_transform(X)
    for scale in SCALES:
        fitted = generator(name)
        assert np.array_equal(fitted.fit_transform(X * scale), labels), scale
        if GENERATORS[name].transform:
            assert np.array_equal(fitted.transform(X[::7] * scale), generator(name).fit(X).transform(X[::7])), scale


def test_strata_of_columns_whose_squares_do_not_fit_beside_each_other():
    columns = np.array([[0, 24.7, 1.6e23], [0, -124.2, -1.6e24], [0, 41.2, 3.9e23]], np.float32)
    plain, small = (feature_strata(np.ldexp(columns, power), 3, seed=0) for power in (0, -90))
    assert np.array_equal(plain, small)
    assert np.unique(small).size == 3


@pytest.mark.parametrize("name", METHODS)
def test_methods_at_every_scale(name):
    def fit(features):
        return getattr(consensa, name)(3, random_state=0, **METHODS[name]).fit(features)

    plain = fit(X)
    for scale in SCALES:
        scaled = fit(X * scale)
        assert np.array_equal(scaled.labels_, plain.labels_), scale
        if name not in ("MDEC", "TOME"):  # which keep nothing that labels new objects
            assert np.array_equal(scaled.predict(X[::7] * scale), plain.predict(X[::7])), scale


def test_every_method_on_features_is_here():
    kinds = {name for name in dir(consensa) if hasattr(getattr(consensa, name), "_layout")}
    assert kinds - {"SSHGPA", "SSMCLA"} == set(METHODS)  # those two share the generator of SSCSPA


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["kmeans", "uspec", "subspace"])
def test_single_precision(name, dtype):
    rounded = X.astype(np.float32).astype(dtype)
    labels = generator(name).fit_transform(rounded)
    for scale in (2.0**-70, 2.0**100):
        assert np.array_equal(generator(name).fit_transform(rounded * dtype(scale)), labels)


@pytest.mark.parametrize("name", sorted(set(GENERATORS) - {"estimators", "lac", "table"}))
def test_one_value_out_of_all_proportion(name):
    with pytest.raises(ValueError, match=r"X holds 1e\+200 \(row 7, feature 1\) beside .* do not fit into double"):
        generator(name).fit(OUTLIER)


@pytest.mark.parametrize("name", [*METHODS, "LAC"])
def test_methods_on_one_value_out_of_all_proportion(name):
    with pytest.raises(ValueError, match=r"X holds 1e\+200 \(row 7, feature 1\) beside"):
        getattr(consensa, name)(2, random_state=0, **METHODS.get(name, {})).fit(OUTLIER)


@pytest.mark.parametrize(
    "name", sorted(name for name, info in GENERATORS.items() if info.transform and name != "table")
)
def test_new_rows_out_of_all_proportion(name):
    rows = X.copy()
    rows[7] = 1e200  # all features: a subspace sees some of them only
    with pytest.raises(ValueError, match=r"row 7 of X holds 1e\+200, so much more than what was fitted"):
        generator(name).fit(X).transform(rows)


LARGEST = {dtype: np.finfo(dtype).max for dtype in (np.float32, np.float64)}


@pytest.mark.parametrize("dtype", LARGEST)
@pytest.mark.parametrize("name", sorted(name for name, info in GENERATORS.items() if info.transform and name != "lac"))
def test_the_largest_numbers(name, dtype):
    """Centres are means of points that fit, and distances between them need not fit."""
    large = np.random.default_rng(0).choice([-1, 1], (40, 3)).astype(dtype) * LARGEST[dtype]
    plain = np.ldexp(large, 1 - np.finfo(dtype).maxexp)
    fitted = generator(name)
    assert np.array_equal(fitted.fit_transform(large), generator(name).fit_transform(plain))
    assert fitted.transform(large).min() >= 0
    mixed = large * np.random.default_rng(1).random((40, 1)).astype(dtype)
    plain = np.ldexp(mixed, 1 - np.finfo(dtype).maxexp)
    assert np.array_equal(generator(name).fit(mixed).transform(mixed), generator(name).fit(plain).transform(plain))


def test_representatives_are_in_the_units_of_the_features():
    for scale in (1.0, 2.0**300, LARGEST[np.float64]):
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (40, 3))
        model = consensa.USPEC(2, n_representatives=3, random_state=0).fit(signs * scale)
        assert np.array_equal(model.predict(signs * scale), model.labels_)
        assert np.abs(model.representatives_).max() == pytest.approx(scale)
        assert np.isfinite(model.sigma_)


@pytest.mark.parametrize("scale", ["standard", "auto"])
def test_features_in_units_of_their_own(scale):
    def fit(features):
        return consensa.EnsembleClustering(3, n_partitions=8, scale=scale, random_state=0).fit(features)

    rows = X * [1.0, 2.0**9, 1.0, 1.0]
    plain = fit(rows)
    for exponent in (-1000, -600, 600, 1000):
        scaled = fit(np.ldexp(rows, exponent))
        assert np.array_equal(scaled.labels_, plain.labels_)
        assert np.array_equal(scaled.predict(np.ldexp(rows, exponent)), plain.predict(rows))
    if scale == "standard":
        assert np.array_equal(fit(np.ldexp(rows, [-1000, 0, 600, 1000])).labels_, plain.labels_)


def test_the_largest_numbers_are_saved_without_a_warning(tmp_path):
    large = np.random.default_rng(0).choice([-1.0, 1.0], (10, 8)) * LARGEST[np.float64]
    model = consensa.EnsembleClustering(3, n_partitions=3, random_state=0).fit(large)
    model.save(tmp_path / "m.npz")
    np.testing.assert_array_equal(consensa.load(tmp_path / "m.npz").labels_, model.labels_)


def test_the_order_of_bytes_does_not_matter():
    """Ties fell otherwise where single precision of the other order became double."""
    grid = np.random.default_rng(0).integers(0, 3, (20, 8)).astype(np.float32)
    for name in ("kmeans", "stratified"):
        turned = generator(name).fit_transform(grid.astype(">f4"))
        assert np.array_equal(turned, generator(name).fit_transform(grid))


def test_tables_take_any_value():
    """Numbers of a table are looked at by their ranks and by a scale of every column."""
    assert generator("table").fit(X).transform(OUTLIER).shape == generator("table").fit_transform(OUTLIER).shape


def test_weighted_clusters_scale_with_h():
    plain = lac(X, 3, 0.5, n_init=2, random_state=0)
    for exponent in (-700, -300, 200, 700):
        with np.errstate(over="ignore", under="ignore"):
            h = float(np.ldexp(0.5, 2 * exponent))
        if 0 < h < np.inf:
            scaled = lac(np.ldexp(X, exponent), 3, h, n_init=2, random_state=0)
            assert np.array_equal(scaled.labels, plain.labels)
            assert np.array_equal(scaled.centers, np.ldexp(plain.centers, exponent))
            assert np.array_equal(scaled.weights, plain.weights)
    for scale in (1e-300, 1e300):  # beyond, h is as good as infinite, or as 0
        assert np.unique(LACPartitions(3, 2, n_init=1, random_state=0).fit_transform(X * scale)).size == 3


def test_directions_of_rows_of_any_length():
    lengths = 10.0 ** np.linspace(-300, 300, len(X))[:, None]
    labels = consensa.USPEC(3, metric="cosine", random_state=0).fit(X).labels_
    assert np.array_equal(consensa.USPEC(3, metric="cosine", random_state=0).fit(X * lengths).labels_, labels)
    for metric in ("cosine", "correlation", "spearman"):
        plain, scaled = (similarity_graph(rows, 5, metric).toarray() for rows in (X, X * lengths))
        assert np.allclose(plain, scaled, atol=1e-12)


def test_graphs_keep_their_units():
    plain = scaled_exponential_graph(X, 5, 0.5)
    scaled = scaled_exponential_graph(np.ldexp(X, 20), 5, 0.5)
    assert np.allclose(scaled.toarray(), np.ldexp(plain.toarray(), -40), rtol=1e-9)


def test_ordinary_features_are_not_touched():
    for scale in (1e-9, 1.0, 1e8):
        assert ordinary_scale(X * scale)[1] == exponent_of(np.zeros((2, 2))) == 0
    assert ordinary_scale(X)[0] is X
    mixed = np.array([[3e38, 1.0], [1e38, 2.0]], np.float32)
    assert ordinary_scale(mixed)[0].dtype == float


@pytest.mark.parametrize("name", ["WSPA", "WBPA"])
def test_features_of_the_largest_numbers_of_which_one_is_constant(name):
    """A constant feature counts as one of deviation 1, whatever unit the others are in."""
    plain = np.random.default_rng(0).choice([-1.0, 1.0], (12, 3))
    plain[:, 2] = 1.0
    parameters = {"random_state": 0, **METHODS[name]}
    large = getattr(consensa, name)(2, **parameters).fit(plain * LARGEST[np.float64])
    small = getattr(consensa, name)(2, **parameters).fit(plain)
    assert np.array_equal(large.labels_, small.labels_)
    assert np.array_equal(large.predict(plain * LARGEST[np.float64]), small.predict(plain))


@pytest.mark.parametrize("name", ["WSPA", "WBPA"])
def test_new_rows_out_of_all_proportion_to_one_feature(name):
    apart = X[:, :2] * [1e-43, 1e64]
    model = getattr(consensa, name)(3, random_state=0, **METHODS[name]).fit(apart)
    with pytest.raises(ValueError, match=r"row 1 of X holds 1e\+300, so much more than what was fitted"):
        model.predict([[0.0, 0.0], [1e300, 0.0]])


@pytest.mark.parametrize("seed", [1, 2, 63, 90])
def test_strata_do_not_depend_on_the_layout(seed):
    """The columns tie, and sums along them were rounded by the layout."""
    rng = np.random.default_rng(seed)
    columns = (rng.choice([-1, 1], (20, 8)) * rng.choice([0.1, 0.3, 1e3, 1e-9], 8)).astype(np.float32)
    assert np.array_equal(feature_strata(columns, 3, 0), feature_strata(np.asfortranarray(columns), 3, 0))
