"""What is an error and what is not: one table for all methods, every error by its message."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from consensa import EAC, ConsensaWarning, EnsembleClustering, consensus
from consensa.generate import KMeansPartitions
from consensa.methods import METHODS
from consensa.methods.base import ConsensusClusterer

LABELS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 2, 2], [2, 2, 2]])
X = np.random.default_rng(0).normal(size=(30, 3))

BAD_NUMBERS = [0, -1, 2.0, 2.5, "2", "many", None, True, [], [2, 0], [2, 2.5], np.array(2), np.array([[2]]), {2}]

BAD_FEATURES = {
    "NaN": (np.where(np.eye(30, 3) > 0, np.nan, X), "contains NaN"),
    "infinite": (np.where(np.eye(30, 3) > 0, np.inf, X), "contains infinity"),
    "words": (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float|not.*numeric"),
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array instead"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], r"0 feature\(s\)"),
    "an empty frame": (pd.DataFrame(), r"Found 0 feature\(s\) in a frame of 0 rows"),
    "masked values": (np.ma.masked_greater(X, 1), "contains NaN: feature 0 has no finite number in row"),
    "records": (np.zeros(9, [("a", float), ("b", float)]), r"X is an array of records \(a, b\)\. Pass pandas"),
    "complex": (X * 1j, r"^Complex data not supported: features are real numbers\. Pass X\.real"),
    "beyond double": (np.where(X > 1, 10.0**300, X).astype(np.longdouble) ** 10, "contains infinity|contains NaN"),
    "huge integers": (np.array([[10**400, 1], [2, 3]], object), "feature 0 holds a number in row 0 that does not fit"),
}


def test_every_method_reads_its_labels_through_the_base(method):
    """So that what is refused there (tests/ensemble/test_bad_labels.py) is refused by every method."""
    cls = method.spec.load()
    for word in ("fit", "cut"):
        assert getattr(cls, word) is getattr(ConsensusClusterer, word)
    with pytest.raises(ValueError, match=r"column 1 holds 1\.5 in row 0: labels are names of clusters"):
        method(2).fit(np.array([[0.0, 1.5], [1.0, 2.0]]))


def test_numbers_of_clusters(method):
    fitted = method(2).fit(LABELS)
    for n_clusters in BAD_NUMBERS:
        with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: .*at least 1"):
            method(n_clusters).fit(LABELS)
        with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: .*at least 1"):
            fitted.cut(n_clusters)


def test_more_clusters_than_distinct_rows(method):
    message = r"n_clusters=\d+ is more than the 6 microclusters \(distinct label rows\).*Ask for fewer clusters"
    fitted = method(2).fit(LABELS)
    for n_clusters in (7, [2, 7], 100):
        with pytest.raises(ValueError, match=message):
            method(n_clusters).fit(np.repeat(LABELS, 20, axis=0))
        with pytest.raises(ValueError, match=message):
            fitted.cut(n_clusters)


@pytest.mark.parametrize("theta", [0, -0.4, np.nan, np.inf, "0.4", None, True], ids=repr)
def test_theta(theta):
    for name, spec in METHODS.items():
        if "theta" in spec.load()().get_params():
            with pytest.raises(ValueError, match=r"theta=.* is not allowed: theta must be a number greater than 0"):
                consensus(LABELS, 2, name, theta=theta)


_EXTREME = (5e-324, 1e-300, 1e-17, 1 - 2**-53, 1e17, 1e300, 1.7e308, 10**400)


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_extreme_parameters(method):
    """An answer without warnings of others, or one sentence; no number of a parameter overflows on its way."""
    for name, value in method(2).get_params(deep=False).items():
        if isinstance(value, float) or name in ("lam", "imbalance", "trade_off"):
            for extreme in _EXTREME:
                found = _answer(method(2, **{name: extreme}))
                assert name in found if isinstance(found, str) else ((found >= 0) & (found <= 1)).all(), (name, extreme)


def _answer(model):
    try:
        return model.fit(LABELS).confidence_
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("many", ["auto:1:1000000000", f"auto:1:{10**30}", range(1, 10**9), range(1, 10**30)])
def test_more_numbers_of_clusters_than_can_be_listed(many):
    with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: it holds more than 1,000,000 numbers"):
        EAC(many).fit(LABELS)


def test_missing(method):
    for missing in ("-1", -1.5, True, np.nan):
        with pytest.raises(ValueError, match=r"missing=.* is not allowed: give the integer that stands for a missing"):
            method(2, missing=missing).fit(LABELS)


def test_nothing_is_missing_but_nan_came(method):
    with pytest.raises(ValueError, match=r"missing=None says that no label is missing, but column 1 holds NaN, None"):
        method(2, missing=None).fit([[0, 0, 1], [0, None, 1]])


@pytest.mark.parametrize("random_state", ["a", -1, 0.5, np.array([1])], ids=repr)
def test_random_state(random_state):
    for name, spec in METHODS.items():
        if "random_state" in spec.load()().get_params():
            with pytest.raises(ValueError, match=r"random_state=.* cannot seed the random numbers\. Give None, an int"):
                consensus(LABELS, 2, name, random_state=random_state)


def test_rows_without_any_label(method):
    labels = np.vstack([LABELS, [[-1, -1, -1]] * 2])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = method(3).fit(labels)
    assert [str(w.message) for w in caught] == [
        "2 of 8 objects have no label in any base clustering; they get label -1 and confidence 0."
    ]
    assert caught[0].category is ConsensaWarning
    assert caught[0].filename == __file__
    assert model.labels_[6:].tolist() == [-1, -1]
    assert model.confidence_[6:].tolist() == [0, 0]
    assert np.unique(model.labels_[:6]).tolist() == [0, 1, 2]
    assert model.labels_[:6].tolist() == method(3).fit(LABELS).labels_.tolist()


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")  # clusters that were left empty
def test_disconnected_ensembles_run(method):
    labels = np.array([[0, 0], [0, 1], [1, 2], [1, 2], [2, 3], [3, -1 if method.spec.missing else 4]])
    for k in range(1, 6):
        assert np.unique(method(k).fit(labels).labels_).size == k


def test_unknown_methods_and_parameters():
    with pytest.raises(ValueError, match=r"method='nope' is not known; choose one of .*'eac', .*'lwgp'"):
        consensus(LABELS, 2, method="nope")
    with pytest.raises(
        ValueError, match=r"method=3 is not allowed: give the name of a method or a consensus estimator"
    ):
        consensus(LABELS, 2, method=3)
    with pytest.raises(ValueError, match=r"method 'eac' has no parameter 'theta'; it has linkage, missing, n_clusters"):
        consensus(LABELS, 2, method="eac", theta=0.4)
    with pytest.raises(ValueError, match=r"linkage='ward' is not known; choose one of 'average', 'complete', 'single'"):
        consensus(LABELS, 2, method="eac", linkage="ward")


@pytest.mark.parametrize("linkage", ["complete", "single"])
def test_matrix_beyond_the_budget(monkeypatch, linkage):
    labels = np.arange(3000).reshape(-1, 1)
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**20)
    message = r"3000 x 3000 similarity matrix would need 68\.7 MiB .*budget .* is 1\.0 MiB.*\(EAC, LWEA\).*\(LWGP\)"
    with pytest.raises(ValueError, match=message):
        EAC(2, linkage=linkage).fit(labels)
    assert np.unique(EAC(2).fit(labels).labels_).size == 2


@pytest.mark.parametrize("name", ["cts", "dlwecdl", "drec", "elwecdl", "median"])
def test_the_budget_is_checked_before_the_matrices_are_made(monkeypatch, name):
    """A column of 1,500 labels: what is made before the refusal stays below one matrix of them (17 MiB)."""
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**20)
    model = METHODS[name].load()(3)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"would need .* of memory; the budget for a dense matrix is 1\.0 MiB"):
        model.fit(np.arange(1500).reshape(-1, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1500**2


@pytest.mark.parametrize("kind", sorted(BAD_FEATURES))
@pytest.mark.parametrize("estimator", [KMeansPartitions(3), EnsembleClustering(2, n_partitions=3)])
def test_features(estimator, kind):
    features, message = BAD_FEATURES[kind]
    with pytest.raises(ValueError, match=message):
        estimator.fit(features)


@pytest.mark.parametrize("estimator", [KMeansPartitions(3), EnsembleClustering(2, n_partitions=3)])
def test_sparse_features(estimator):
    with pytest.raises(TypeError, match=r"Sparse data was passed.*dense data is required"):
        estimator.fit(sp.csr_array(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_partitions": 0}, "n_partitions=0 is not allowed: n_partitions must be an integer of at least 1"),
        ({"n_partitions": 2.5}, r"n_partitions=2\.5 is not allowed"),
        ({"k_range": (5, 2)}, r"k_range=\(5, 2\) is not allowed for 30 samples: the smallest number must not exceed"),
        ({"k_range": (2, 31)}, r"k_range=\(2, 31\) is not allowed for 30 samples.*the largest not the number of"),
        ({"k_range": (0, 3)}, r"k_range\[0\]=0 is not allowed"),
        ({"k_range": (2, 3.5)}, r"k_range\[1\]=3\.5 is not allowed"),
        ({"k_range": 7}, r"k_range=7 is not allowed: give the smallest and the largest number of clusters"),
        ({"init": "farthest"}, r"init='farthest' is not known; choose one of 'random', 'k-means\+\+'"),
        ({"max_iter": 0}, "max_iter=0 is not allowed"),
        ({"random_state": -3}, "random_state=-3 cannot seed the random numbers"),
    ],
)  # fmt: skip
def test_parameters_of_the_generator(parameters, message):
    with pytest.raises(ValueError, match=message):
        KMeansPartitions(**parameters).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 31}, r"n_clusters=31 is more than the 30 samples"),
        ({"n_clusters": 0}, r"n_clusters=0 is not allowed"),
        ({"n_clusters": "many"}, r"n_clusters='many' is not allowed"),
        ({"n_clusters": "auto:5:2"}, r"n_clusters='auto:5:2' is not allowed"),
        ({"method": "nope"}, r"method='nope' is not known"),
        ({"n_partitions": 0}, r"n_partitions=0 is not allowed"),
        ({"random_state": "x"}, r"random_state='x' cannot seed"),
    ],
)
def test_parameters_of_ensemble_clustering(parameters, message):
    with pytest.raises(ValueError, match=message):
        EnsembleClustering(**{"n_clusters": 3, "n_partitions": 5, **parameters}).fit(X)


def test_errors_come_before_the_long_part(monkeypatch):
    def generate(*_):
        pytest.fail("clusterings were generated before the method was looked up")

    monkeypatch.setattr(KMeansPartitions, "fit_transform", generate)
    with pytest.raises(ValueError, match="method='nope' is not known"):
        EnsembleClustering(3, method="nope").fit(X)


@pytest.mark.parametrize("wrong", [3, None, KMeansPartitions])
def test_method_of_a_wrong_kind(wrong):
    with pytest.raises(ValueError, match=r"method=.* is not allowed: give the name of a method or a"):
        EnsembleClustering(3, method=wrong).fit(X)


def test_methods_that_need_every_label():
    class Strict(EAC):
        _handles_missing = False

    incomplete = LABELS.copy()
    incomplete[2, 1] = -1
    with pytest.raises(ValueError, match=r"Strict cannot handle missing labels, and 4 are missing: fill them, .*LWGP"):
        Strict(2).fit(np.repeat(incomplete, 4, axis=0))
    assert Strict(2).fit(LABELS).labels_.size == 6
