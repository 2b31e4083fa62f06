"""What every method promises on any ensemble: k clusters, nothing from columns without labels, no foreign messages."""

from __future__ import annotations

import ctypes
import warnings

import numpy as np
import pytest

import consensa
from consensa import ConsensaWarning, Ensemble
from consensa.generate import StratifiedPartitions
from consensa.methods import METHODS


def odd_ensemble(seed):
    """Few objects, few labels, many missing, some rows very often: everything at its edge."""
    rng = np.random.default_rng(seed)
    n, n_partitions = int(rng.integers(2, 16)), int(rng.integers(1, 6))
    labels = rng.integers(0, int(rng.integers(1, 6)), (n, n_partitions))
    labels[rng.random(labels.shape) < rng.choice([0.0, 0.2, 0.6])] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    repeated = np.zeros(int(rng.choice([0, 100])), int)
    return labels[np.concatenate([np.arange(n), repeated])]


def fitted(method, labels, k):
    """The labels of a method, or None where it cannot make so many clusters, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = method(k).fit(labels).labels_
        except ValueError as error:
            assert "is more than the" in str(error)  # noqa: PT017 - most ensembles can be cut
            return None, []
    assert {warning.category for warning in said} <= {ConsensaWarning}, [str(warning.message) for warning in said]
    return found, said


@pytest.mark.parametrize("seed", range(4))
def test_exactly_k_clusters_and_no_other_warnings(method, seed):
    labels = odd_ensemble(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        most = Ensemble(labels).n_microclusters
    for k in sorted({1, 2, most - 1, most} & set(range(1, most + 1))):
        found, said = fitted(method, labels, k)
        if found is not None and np.unique(found).size != k:
            assert any(f"only {np.unique(found).size}" in str(warning.message) for warning in said)


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_components_without_rows_are_no_clusters():
    labels = np.array([[-1, -1, 10, -1], [-1, -1, 10, 10], [11, 10, -1, -1], [-1, -1, 1, 1]])
    assert np.unique(consensa.GPMGLA(4, random_state=0).fit(labels).labels_).size == 4


@pytest.mark.parametrize("seed", range(3))
def test_columns_without_any_label_change_nothing(method, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (30, 4))
    if method.spec.missing and seed:
        labels[rng.random(labels.shape) < 0.2] = -1
        labels[(labels < 0).all(axis=1), 0] = 0
    none = np.full((30, 1), -1)
    reference, _ = fitted(method, labels, 3)
    for widened in ([labels, none], [none, labels], [labels[:, :2], none, none, labels[:, 2:]]):
        found, _ = fitted(method, np.hstack(widened), 3)
        assert np.array_equal(found, reference)


def test_more_columns_than_clusters_without_a_message_of_numpy():
    labels = np.full((1, 9), -1)
    labels[0, 0], labels[0, 7] = 10, 11
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConsensaWarning)
        assert consensa.SAL(1).fit(labels).labels_.tolist() == [0]


def test_strata_of_columns_that_differ_by_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 1)) * rng.normal(size=(1, 8))
    assert StratifiedPartitions(2, 2, random_state=0).fit_transform(X).shape == (5, 2)


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@pytest.mark.parametrize("name", ["cspa", "mcla", "supra"])
def test_metis_keeps_its_complaints_to_itself(name, capfd):
    pytest.importorskip("pymetis")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, (16, 4))[np.concatenate([np.arange(16), np.zeros(190, int)])]
    with capfd.disabled():
        model = METHODS[name].load()(15, random_state=0)
    model.fit(labels)
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_new_rows_where_the_last_component_holds_no_row():
    labels = np.array([[-1, -1, 10, -1], [-1, -1, 10, 10], [-1, -1, 1, 1], [11, 10, -1, -1]])[:, ::-1]
    model = consensa.GPMGLA(2, random_state=0).fit(labels)
    assert np.array_equal(model.predict(labels), model.labels_)
    assert set(model.predict(labels[:, [1, 0, 3, 2]])) <= {-1, 0, 1}


def test_features_whose_sum_is_infinite():
    X = np.array([[1.7e308], [1.7e308], [-1.7e308], [-1.7e308]])
    for name in ("WBPA", "WSPA"):
        assert getattr(consensa, name)(2, partitioner="tcut", n_init=1, random_state=0).fit(X).labels_.tolist() == [
            0,
            0,
            1,
            1,
        ]
    assert consensa.USENC(2, random_state=0).fit(X).labels_.tolist() == [0, 0, 1, 1]
