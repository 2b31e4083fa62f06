"""What is an error and what is not: one table for all methods, every error by its message."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from consensa import EAC, ConsensaWarning, EnsembleClustering, consensus
from consensa.generate import KMeansPartitions
from consensa.methods import METHODS

LABELS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 2, 2], [2, 2, 2]])
X = np.random.default_rng(0).normal(size=(30, 3))

BAD_PARTITIONS = {
    "fractions": (
        np.array([[0.0, 1.5], [1.0, 2.0]]),
        r"column 1 holds 1\.5 in row 0: labels are names of clusters, not measurements.*\(EnsembleClustering",
    ),
    "fractions in a list": ([[0, 1], [0.5, 1]], r"column 1 holds 0\.5 in row 0"),
    "fractions in a frame": (pd.DataFrame({"a": [1, 2], "b": [0.25, 1]}), r"column b holds 0\.25 in row 0"),
    "fractions among objects": (np.array([[2**60], [0.5]], dtype=object), r"column 0 holds 0\.5 in row 1"),
    "infinite labels": (np.array([[0.0], [np.inf]]), r"column 0 holds inf in row 1"),
    "large floats": (np.array([[2.0**53], [1.0]]), r"column 0 holds floating-point labels beyond 2\*\*53"),
    "huge integers": ([[2**70, 1]], r"column 0 holds integers that do not fit into 64 bits\. Pass such labels as str"),
    "ragged lists": ([[0, 1, 1], [0, 1]], r"the label vectors have different lengths \(\[2, 3\]\).*use -1, NaN or"),
    "no rows": (np.empty((0, 3), int), r"found a label matrix with 0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no rows in a list": ([[], []], r"found a label matrix with 0 sample\(s\)"),
    "no columns": (np.empty((3, 0), int), r"found a label matrix with 0 feature\(s\) \(shape=\(3, 0\)\)"),
    "an empty list": ([], r"found a label matrix with 0 feature\(s\)"),
    "an empty frame": (pd.DataFrame(), r"found a label matrix with 0 feature\(s\)"),
    "one dimension": (np.arange(4), r"expected a 2D array of labels.*got an array of shape \(4,\).*Reshape your data"),
    "three dimensions": (np.zeros((2, 2, 2), int), r"got an array of shape \(2, 2, 2\)"),
    "a list of numbers": ([0, 1, 1], r"a list must hold one label vector per base clustering"),
    "a list of matrices": ([np.zeros((2, 2), int)], r"got entries with \[2\] dimensions"),
    "a series": (pd.Series([0, 1]), r"got a Series\. Reshape your data: pass series\.to_frame\(\)"),
    "a polars series": (pl.Series([0, 1]), r"got a Series"),
    "a word": ("labels.csv", r"expected a 2D array of labels.*got an array of shape \(\)"),
    "nothing": (None, r"expected a 2D array of labels.*got an array of shape \(\)"),
    "more vectors than objects": (
        LABELS[:2].T.tolist(),
        r"got a list of 3 vectors of length 2.*pass numpy\.asarray\(partitions\); if this is meant.*\.T\.",
    ),
    "mixed kinds": ([["a", 1, 2]], r"column 0 mixes labels of the types int, str"),
    "complex numbers": (np.array([[1j], [2j]]), r"column 0: Complex data not supported"),
    "dates": (np.array([["2020-01-01"]], "datetime64[D]"), r"column 0 has dtype datetime64\[D\]\. Labels are integers"),
    "lists as labels": (pl.DataFrame({"a": [[1], [2]]}), r"column a mixes labels of the types ndarray"),
    "equal names": (pd.DataFrame(LABELS, columns=["a", "a", "b"]), r"two columns of the frame have the same name"),
    "no labels at all": (np.full((3, 2), -1), r"none of the 3 objects has a label in any base clustering"),
}  # fmt: skip

BAD_NUMBERS = [0, -1, 2.0, 2.5, "2", "many", None, True, [], [2, 0], [2, 2.5], np.array(2), np.array([[2]]), {2}]

BAD_FEATURES = {
    "NaN": (np.where(np.eye(30, 3) > 0, np.nan, X), "contains NaN"),
    "infinite": (np.where(np.eye(30, 3) > 0, np.inf, X), "contains infinity"),
    "words": (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float|not.*numeric"),
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array instead"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], r"0 feature\(s\)"),
}


@pytest.mark.parametrize("kind", sorted(BAD_PARTITIONS))
def test_partitions(method, kind):
    partitions, message = BAD_PARTITIONS[kind]
    with pytest.raises(ValueError, match=message):
        method(2).fit(partitions)


def test_sparse_labels(method):
    with pytest.raises(ValueError, match=r"a sparse label matrix was passed, but dense data is required\. Use \.to"):
        method(2).fit(sp.csr_array(LABELS))


@pytest.mark.parametrize("n_clusters", BAD_NUMBERS, ids=repr)
def test_numbers_of_clusters(method, n_clusters):
    with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: .*at least 1"):
        method(n_clusters).fit(LABELS)
    with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: .*at least 1"):
        method(2).fit(LABELS).cut(n_clusters)


@pytest.mark.parametrize("n_clusters", [7, [2, 7], 100])
def test_more_clusters_than_distinct_rows(method, n_clusters):
    message = r"n_clusters=\d+ is more than the 6 microclusters \(distinct label rows\).*Ask for fewer clusters"
    with pytest.raises(ValueError, match=message):
        method(n_clusters).fit(np.repeat(LABELS, 20, axis=0))
    with pytest.raises(ValueError, match=message):
        method(2).fit(LABELS).cut(n_clusters)


@pytest.mark.parametrize("theta", [0, -0.4, np.nan, np.inf, "0.4", None, True], ids=repr)
def test_theta(theta):
    for name, spec in METHODS.items():
        if "theta" in spec.load()().get_params():
            with pytest.raises(ValueError, match=r"theta=.* is not allowed: theta must be a number greater than 0"):
                consensus(LABELS, 2, name, theta=theta)


@pytest.mark.parametrize("missing", ["-1", -1.5, True, np.nan], ids=repr)
def test_missing(method, missing):
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
    with pytest.raises(ValueError, match=r"method=3 is not known"):
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
