"""RPCL and mixed pools: the algorithm itself, seeds, new data, odd input, scikit-learn's contract."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from consensa.evaluate import ari, nmi
from consensa.generate import KMeansPartitions, MixedPartitions, RPCLPartitions
from consensa.generate._kernels_rpcl import learn

GENERATORS = [RPCLPartitions(4, n_passes=5), MixedPartitions(4)]


def four_groups(seed=0):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    truth = np.repeat(np.arange(4), 200)
    return centers[truth] + rng.normal(size=(800, 2)), truth


def plain_learn(X, order, units, wins, rate, rival_rate):
    """Show the rows one by one, as the algorithm is written."""
    units, wins = units.copy(), wins.copy()
    for i in order:
        cost = wins / wins.sum() * ((X[i] - units) ** 2).sum(axis=1)
        winner, rival = np.argsort(cost, kind="stable")[:2]
        units[winner] += rate * (X[i] - units[winner])
        units[rival] -= rival_rate * (X[i] - units[rival])
        wins[winner] += 1
    return units, wins


def test_kernel_follows_the_algorithm():
    rng = np.random.default_rng(0)
    X, order = rng.normal(size=(60, 3)), rng.permutation(60)
    expected, expected_wins = plain_learn(X, order, X[:5], np.ones(5, np.int64), 0.05, 0.01)
    units, wins = np.ascontiguousarray(X[:5].T), np.ones(5, np.int64)
    learn(X, order, units, wins, 0.05, 0.01)
    np.testing.assert_allclose(units.T, expected, atol=1e-12)
    np.testing.assert_array_equal(wins, expected_wins)


@pytest.mark.parametrize(("k", "rival_rate"), [(5, 0.002), (8, 0.01), (12, 0.01)])
def test_superfluous_units_leave_the_data(k, rival_rate):
    X, truth = four_groups()
    labels = RPCLPartitions(5, (k, k), rival_rate=rival_rate, random_state=0).fit_transform(X)
    assert all(ari(column, truth) > 0.99 for column in labels.T)


def test_never_collapses_to_one_cluster():
    X, _ = four_groups()
    labels = RPCLPartitions(10, (2, 3), rival_rate=0.02, random_state=0).fit_transform(X)
    assert np.all(labels.max(axis=0) >= 1)
    assert np.all(np.ptp(labels, axis=0) == labels.max(axis=0))


def test_useful_on_real_data():
    X, y = load_digits(return_X_y=True)
    generator = RPCLPartitions(10, (8, 14), random_state=0)
    labels = generator.fit_transform(X)
    assert np.mean([nmi(column, y) for column in labels.T]) > 0.6
    for column in labels.T:
        np.testing.assert_array_equal(np.unique(column), np.arange(column.max() + 1))
    assert [centers.shape for centers in generator.cluster_centers_] == [(c.max() + 1, 64) for c in labels.T]


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: type(g).__name__)
def test_same_seed_same_labels_whatever_the_jobs(generator):
    X, _ = four_groups()
    one = generator.set_params(random_state=3, n_jobs=1).fit_transform(X)
    np.testing.assert_array_equal(one, generator.set_params(n_jobs=2).fit_transform(X))
    np.testing.assert_array_equal(one, generator.transform(X))
    assert one.dtype == np.int32
    other = generator.set_params(random_state=4, n_jobs=None).fit_transform(X)
    assert not np.array_equal(one, other)


def test_default_numbers_of_units():
    X, _ = four_groups()
    n_clusters = RPCLPartitions(60, rival_rate=1e-6, n_passes=2, random_state=0).fit_transform(X).max(axis=0) + 1
    assert n_clusters.min() >= 2
    assert n_clusters.max() <= 14


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_partitions": 0}, "n_partitions=0"),
        ({"n_passes": 0}, "n_passes=0"),
        ({"learning_rate": 0.0}, "learning_rate=0.0"),
        ({"learning_rate": 1.5}, "learning_rate=1.5"),
        ({"rival_rate": -1.0}, "rival_rate=-1.0"),
        ({"rival_rate": 0.05}, "rival_rate=0.05"),
        ({"k_range": (3, 2)}, r"k_range=\(3, 2\)"),
        ({"k_range": (2, 999)}, r"k_range=\(2, 999\)"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ValueError, match=message):
        RPCLPartitions(**{"n_partitions": 2, **wrong}).fit(four_groups()[0])


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.zeros((1, 3)), np.array([[0.0], [1.0]])])
def test_constant_and_tiny_data(X):
    labels = RPCLPartitions(3, random_state=0).fit_transform(X)
    assert labels.shape == (X.shape[0], 3)
    assert labels.max() == np.unique(X, axis=0).shape[0] - 1


def test_mixed_pool_is_its_generators_side_by_side():
    X, _ = four_groups()
    given = [KMeansPartitions(k_range=(3, 3), random_state=0), RPCLPartitions(k_range=(4, 5), random_state=1)]
    pool = MixedPartitions(5, given).fit_transform(X)
    np.testing.assert_array_equal(pool[:, :3], KMeansPartitions(3, (3, 3), random_state=0).fit_transform(X))
    np.testing.assert_array_equal(pool[:, 3:], RPCLPartitions(2, (4, 5), random_state=1).fit_transform(X))
    assert (given[0].n_partitions, given[1].n_partitions) == (100, 100)


def test_mixed_pool_seeds_its_generators():
    X, _ = four_groups()
    twice = [RPCLPartitions(k_range=(6, 9)), RPCLPartitions(k_range=(6, 9))]
    pool = MixedPartitions(4, twice, random_state=0).fit_transform(X)
    assert not np.array_equal(pool[:, :2], pool[:, 2:])
    np.testing.assert_array_equal(pool, MixedPartitions(4, twice, random_state=0).fit_transform(X))


@pytest.mark.parametrize(("n_partitions", "generators"), [(1, None), (3, [])])
def test_mixed_pool_needs_a_member_for_every_generator(n_partitions, generators):
    with pytest.raises(ValueError, match=f"n_partitions={n_partitions} cannot be shared out"):
        MixedPartitions(n_partitions, generators).fit(four_groups()[0])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(GENERATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
