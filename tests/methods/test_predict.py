"""Labels for new objects: the same rows get the same labels, others go where they meet most."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import twins
from consensa import LWEA, LWGP, MDEC, ConsensaWarning, Ensemble, EnsembleClustering
from consensa.evaluate import ari, assign_labels
from consensa.generate import KMeansPartitions, LACPartitions, MixedPartitions, RPCLPartitions
from strategies import ensembles, noisy_ensemble


@pytest.fixture
def labels():
    return noisy_ensemble(np.random.default_rng(3), n_objects=80, missing=0.1)[0]


def test_objects_of_the_fit_keep_their_labels(method, labels):
    model = method(4).fit(labels)
    np.testing.assert_array_equal(model.predict(labels), model.labels_)
    np.testing.assert_array_equal(model.predict(labels[::-3]), model.labels_[::-3])
    assert model.predict(labels).dtype == np.int32


def test_several_numbers_of_clusters_give_a_dict(method, labels):
    model = method([2, 5]).fit(labels)
    found = model.predict(labels[10:20])
    assert sorted(found) == [2, 5]
    for k in (2, 5):
        np.testing.assert_array_equal(found[k], model.labels_[k][10:20])


@pytest.mark.filterwarnings("ignore:column .* holds only:consensa.ConsensaWarning")
@given(ensembles(missing=True), st.booleans(), st.data())
def test_new_rows_twin(labels, weighted, data):
    """The largest mean co-association, object by object; a tie may go either way."""
    n, n_partitions = labels.shape
    ensemble = Ensemble(labels)
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    consensus = np.unique(groups[ensemble.row_map], return_inverse=True)[1].astype(np.int32)
    new = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=n_partitions, max_size=n_partitions)))
    weights = twins.eci(labels, 0.4) if weighted else None
    members, owner = twins.clusters_of(labels)
    if not any(new[m] in labels[labels[:, m] >= 0, m] for m in range(n_partitions)):
        with pytest.warns(ConsensaWarning, match="1 of 1 objects have no label that the base clusterings know"):
            assert assign_labels(new[None], consensus, ensemble, weights).tolist() == [-1]
        return
    found = int(assign_labels(new[None], consensus, ensemble, weights)[0])
    same = np.flatnonzero((labels == new).all(axis=1))
    if same.size:
        assert found == consensus[same[0]]
        return
    w = np.ones(len(members)) if weights is None else weights
    meets = np.zeros(n)
    for cluster, column, weight in zip(members, owner, w, strict=True):
        if (labels[cluster, column] == new[column]).all():
            meets += weight * cluster / np.sqrt((labels >= 0).sum(axis=1))
    mean = [meets[consensus == g].mean() for g in range(consensus.max() + 1)]
    assert mean[found] == pytest.approx(max(mean), abs=1e-9)


def test_labels_never_seen_count_as_missing():
    model = LWEA(2).fit(np.array([["a", "x"], ["a", "x"], ["b", "y"], ["b", "z"]], dtype=object))
    new = np.array([["a", "new"], ["new", "z"], [None, "y"]], dtype=object)
    assert model.predict(new).tolist() == [0, 1, 1]
    with pytest.warns(ConsensaWarning, match="2 of 3 objects have no label that the base clusterings know"):
        assert model.predict(np.array([["q", "q"], ["a", "q"], [None, "q"]], dtype=object)).tolist() == [-1, 0, -1]


def test_one_warning_for_several_numbers_of_clusters(labels):
    model = LWEA([2, 3]).fit(labels)
    with pytest.warns(ConsensaWarning) as caught:
        found = model.predict(np.full((2, labels.shape[1]), 99))
    assert len(caught) == 1
    assert found[2].tolist() == found[3].tolist() == [-1, -1]


def test_every_kind_of_label_matrix(labels):
    model = LWEA(3).fit(labels)
    new = labels[5:40:5]
    expected = model.predict(new).tolist()
    assert model.predict([*new.T]).tolist() == expected
    names = list("abcdef")
    assert (
        LWEA(3).fit(pd.DataFrame(labels, columns=names)).predict(pd.DataFrame(new, columns=names)).tolist() == expected
    )
    assert LWEA(3).fit(pl.DataFrame(labels, schema=names)).predict(pl.DataFrame(new, schema=names)).tolist() == expected
    assert model.predict(Ensemble(new)).tolist() == expected
    assert LWEA(3).fit(Ensemble(labels)).predict(Ensemble(labels)).tolist() == model.labels_.tolist()


def test_an_ensemble_in_other_words_is_translated():
    ensemble = Ensemble([["a", "a", "b"], [5, 6, 6]])
    other = Ensemble([["b", "c", "b", "a"], [6, 6, 9, 5]])
    assert ensemble.encode(other).tolist() == [[1, 1], [-1, 1], [1, -1], [0, 0]]
    with pytest.raises(ValueError, match="X has 1 features, but this ensemble is expecting 2"):
        ensemble.encode(Ensemble([[0, 1]]))


def test_the_same_columns_are_needed(labels):
    frame = pd.DataFrame(labels, columns=list("abcdef"))
    model = LWEA(3).fit(frame)
    assert model.predict(frame).tolist() == model.labels_.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("badcef")])
    with pytest.raises(ValueError, match="X has 5 features, but LWEA is expecting 6"):
        LWEA(3).fit(labels).predict(labels[:, :5])
    with pytest.raises(NotFittedError):
        LWEA(3).predict(labels)


def test_order_and_company_of_the_rows_do_not_matter(method, labels):
    model = method(4).fit(labels[:60])
    together = model.predict(labels)
    one_by_one = np.concatenate([model.predict(row[None]) for row in labels])
    np.testing.assert_array_equal(together, one_by_one)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(400, n_features=4, centers=4, random_state=0)[0]


@pytest.fixture(scope="module")
def classes():
    return make_blobs(400, n_features=4, centers=4, random_state=0)[1]


@pytest.mark.parametrize(
    "generator",
    [
        KMeansPartitions(10),
        RPCLPartitions(5),
        LACPartitions(4, n_partitions=4, n_init=2),
        MixedPartitions(6),
    ],
    ids=lambda generator: type(generator).__name__,
)
def test_features(blobs, classes, generator):
    model = EnsembleClustering(4, generator=generator, random_state=0).fit(blobs[:300])
    np.testing.assert_array_equal(model.predict(blobs[:300]), model.labels_)
    assert ari(model.predict(blobs[300:]), classes[300:]) > ari(model.labels_, classes[:300]) - 0.1
    with pytest.raises(ValueError, match="X has 3 features, but EnsembleClustering is expecting 4"):
        model.predict(blobs[:, :3])


def test_a_generator_without_centres_says_who_can(blobs):
    model = MDEC(4, n_partitions=3, random_state=0).fit(blobs[:60])
    message = (
        "MetricSubspacePartitions cannot label new data, as its members keep no centres; use one of the "
        "generators .*KMeansPartitions, LACPartitions, LinkagePartitions, MixedPartitions"
    )
    with pytest.raises(ValueError, match=message):
        model.predict(blobs)


def test_a_mixture_can_only_do_what_all_its_generators_can(blobs):
    from consensa.generate import MetricSubspacePartitions

    generator = MixedPartitions(4, [KMeansPartitions(), MetricSubspacePartitions()])
    model = EnsembleClustering(4, generator=generator, random_state=0).fit(blobs[:60])
    with pytest.raises(ValueError, match="MetricSubspacePartitions cannot label new data"):
        model.predict(blobs)


def test_pipeline(blobs):
    pipeline = make_pipeline(KMeansPartitions(10, random_state=0), LWGP(4, random_state=0)).fit(blobs[:300])
    np.testing.assert_array_equal(pipeline.predict(blobs[:300]), pipeline[-1].labels_)
