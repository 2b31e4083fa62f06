"""Clusters are numbered by size, then by first object: in every method, in every cut, after loading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

import consensa
from consensa import LAC, ConsensaWarning, Ensemble, EnsembleClustering, consensus
from consensa.ensemble.numbering import number_by_size
from consensa.methods import FEATURE_METHODS
from strategies import ensembles, nested_ensemble


def assert_numbered(labels):
    """Sizes fall; of equal ones the cluster with the earlier first object comes first; nothing between is skipped."""
    assert labels.dtype == np.int32
    present = labels[labels >= 0]
    assert set(present.tolist()) == set(range(present.max() + 1))
    keys = [(-np.sum(labels == g), np.flatnonzero(labels == g)[0]) for g in range(present.max() + 1)]
    assert keys == sorted(keys)


@pytest.fixture
def labels():
    """With clusters of equal size at several k, and an object without any label in front."""
    labels, _ = nested_ensemble(np.random.default_rng(1), n_rows=30, missing=0.1)
    return np.vstack([np.full(labels.shape[1], -1), labels, labels[::-1]])


@pytest.mark.filterwarnings("ignore:1 of 121 objects have no label")
@pytest.mark.filterwarnings("ignore:.*won no object:consensa.ConsensaWarning")
@pytest.mark.filterwarnings("ignore:METIS left:consensa.ConsensaWarning")
def test_every_method_and_every_cut(method, labels, tmp_path):
    model = method([2, 3, 4, 7]).fit(labels)
    for found in model.labels_.values():
        assert found[0] == -1
        assert_numbered(found)
    for k in (1, 5, 9):
        assert_numbered(model.cut(k))
    model.save(tmp_path / "model.npz")
    assert_numbered(consensa.load(tmp_path / "model.npz").cut(6))
    with pytest.warns(ConsensaWarning, match="1 of 121 objects have no label that"):
        assert_numbered(model.predict(labels)[7])


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@given(ensembles(missing=True), st.data())
def test_numbering_of_any_clustering(labels, data):
    ensemble = Ensemble(labels)
    n = ensemble.n_microclusters
    groups = np.array(data.draw(st.lists(st.integers(-3, 5), min_size=n, max_size=n)))
    found = number_by_size(groups, ensemble)
    assert_numbered(found)
    assert len(set(zip(found.tolist(), groups[ensemble.row_map].tolist(), strict=True))) == found.max() + 1


def test_consensus_in_one_call(labels):
    assert_numbered(consensus(labels[1:], 5, random_state=0))


def small(estimator):
    """A quick model, without the partitioners that need an extra where there is another."""
    quick = {"n_clusters": 5, "partitioner": "tcut", "n_partitions": 3, "n_init": 2, "random_state": 0}
    model = estimator()
    if "partitioner" in model.get_params() and estimator.__name__.startswith("SS"):
        quick["partitioner"] = "auto"
    return model.set_params(**{name: value for name, value in quick.items() if name in model.get_params()})


@pytest.mark.parametrize(
    "model",
    [
        EnsembleClustering(5, n_partitions=10, random_state=0),
        LAC(5, n_init=2, random_state=0),
        *(small(spec.load()) for spec in FEATURE_METHODS.values()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_methods_on_features(model):
    X = make_blobs([20, 20, 40, 10, 30], n_features=3, random_state=0)[0]
    assert_numbered(model.fit(X[np.random.default_rng(0).permutation(120)]).labels_)
    if hasattr(model, "cut"):
        assert_numbered(model.cut(4))
