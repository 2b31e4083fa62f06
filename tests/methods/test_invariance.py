"""What no method may depend on, and what every method keeps. New methods come in by the registry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from consensa import Ensemble, consensus
from consensa.evaluate import ari
from consensa.methods import METHODS
from strategies import ensembles, nested_ensemble, noisy_ensemble


def has_tree(method):
    """Whether the method ends in a tree with its default parameters."""
    return method.load()(2).fit([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2], [0, 1, 1, 2, 2]]).cut_.tree is not None


SEEDS = range(2)
WITH_DENDROGRAM = [name for name, method in METHODS.items() if has_tree(method)]
CLEARER = {"ecpcs": {"n_steps": 3}}  # walks of 20 steps over these few clusters forget where they began
NEARLY = {
    "ceshl": 0.9,  # an object misplaced in two clusterings follows the smaller clusters
    "ecmc": 0.9,  # a group that is small beside the root of the number of objects is taken for an error
    "spce": 0.6,  # the unnormalised Laplacian cuts a small group in pieces before it cuts two large ones apart
}


def clear_ensemble(seed, spec, **options):
    """Missing labels too, for the methods that handle them."""
    return nested_ensemble(np.random.default_rng(seed), **{"missing": 0.05 if spec.missing else 0.0, **options})


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_rows(method, seed):
    labels, _ = clear_ensemble(seed, method.spec)
    reference = method([2, 3, 4]).fit(labels).labels_
    order = np.random.default_rng(seed).permutation(len(labels))
    found = method([2, 3, 4]).fit(labels[order]).labels_
    for k in (2, 3, 4):
        assert twins.same_partition(found[k], reference[k][order]), k


TIED = ["eac"]  # counts out of M: equal ones merge by the index of their first object, as the rule for ties says


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")  # clusters that were left empty
@pytest.mark.parametrize(("n_partitions", "noise", "seed"), [(9, 0.3, 1), (20, 0.4, 3)])
def test_order_of_rows_where_similarities_tie(method, n_partitions, noise, seed):
    """Label rows that all differ, and few values that their similarities can take."""
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 250, n_partitions, 10, (4, 15), noise=noise)
    order = np.random.default_rng(seed).permutation(len(labels))
    reference, found = method(6).fit(labels), method(6).fit(labels[order])
    if method.spec.name in TIED:
        heights = reference.dendrogram_.similarities
        assert np.any(np.abs(np.diff(heights)) < 1e-10)  # which is why
    else:
        assert twins.same_partition(found.labels_, reference.labels_[order])


LEARNED = {"dlwecdl", "eccms", "ecmc", "elwecdl", "sdgca", "spce", "supra", "trce"}  # half a minute and more


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@pytest.mark.parametrize("method", [name for name in METHODS if name not in {*LEARNED, *TIED}], indirect=True)
def test_order_of_many_rows(method):
    labels, _ = noisy_ensemble(np.random.default_rng(1), 2000, 20, 10, (5, 15), noise=0.5)
    order = np.random.default_rng(2).permutation(len(labels))
    assert twins.same_partition(method(10).fit(labels[order]).labels_, method(10).fit(labels).labels_[order])


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_columns(method, seed):
    labels, _ = clear_ensemble(seed, method.spec)
    reference = method([2, 3, 4]).fit(labels).labels_
    order = np.random.default_rng(seed).permutation(labels.shape[1])
    found = method([2, 3, 4]).fit(labels[:, order]).labels_
    for k in (2, 3, 4):
        assert twins.same_partition(found[k], reference[k]), k


@pytest.mark.parametrize("method", WITH_DENDROGRAM, indirect=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_cut_of_a_dendrogram_without_ties(method, seed):
    labels, _ = clear_ensemble(seed, method.spec, noise=0.3)
    reference = method(2).fit(labels)
    heights = reference.dendrogram_.similarities
    if np.any(heights[:-1] - heights[1:] < 1e-9):
        pytest.skip("equal heights: the order of rows may decide, as the rule for ties says")
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    found = method(2).fit(labels[rows][:, columns])
    np.testing.assert_allclose(found.dendrogram_.similarities, heights, atol=1e-9)
    for k in range(1, heights.size + 2):
        assert twins.same_partition(found.cut(k), reference.cut(k)[rows]), k


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_labels(method, seed):
    """Order matters to the codes but not to the clusters; strings name clusters as well as numbers."""
    labels, _ = clear_ensemble(seed, method.spec)
    reference = method(4).fit(labels).labels_
    rng = np.random.default_rng(seed)
    renamed = np.empty(labels.shape, dtype=object)
    for m in range(labels.shape[1]):
        names = rng.permutation([f"cluster {c}" for c in range(20)])
        renamed[:, m] = [None if c < 0 else names[c] for c in labels[:, m]]
    assert twins.same_partition(method(4).fit(renamed).labels_, reference)
    shifted = np.where(labels < 0, -1, labels * 1000 + 7)
    assert method(4).fit(shifted).labels_.tolist() == reference.tolist()


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")  # clusters that were left empty
def test_number_of_threads(method, monkeypatch):
    labels, _ = noisy_ensemble(np.random.default_rng(0), 150, 8, 6, (8, 20), noise=0.4)
    monkeypatch.setattr("consensa.ensemble.objects.CHUNK_ROWS", 32)
    found = []
    for n_threads in ("1", "5"):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
        found.append({k: v.tolist() for k, v in method([2, 9]).fit(labels).labels_.items()})
    assert found[0] == found[1]


@pytest.mark.parametrize("chunk", [7])
def test_chunk_size(method, monkeypatch, chunk):
    labels, _ = clear_ensemble(0, method.spec)
    reference = method(4).fit(labels).labels_
    monkeypatch.setattr("consensa.ensemble.reading.CHUNK_ROWS", chunk)
    assert method(4).fit(labels).labels_.tolist() == reference.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_all_columns_given_twice(method, seed):
    labels, _ = clear_ensemble(seed, method.spec)
    reference = method.free([2, 4]).fit(labels).labels_
    found = method.free([2, 4]).fit(np.hstack([labels, labels])).labels_
    for k in (2, 4):
        assert twins.same_partition(found[k], reference[k]), k


@pytest.mark.parametrize("n_clusters", [1, 5])
@pytest.mark.parametrize("n_partitions", [1, 7])
def test_identical_partitions_are_a_fixed_point(method, n_partitions, n_clusters):
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat(np.arange(n_clusters), rng.integers(3, 30, size=n_clusters)))
    found = method.free(n_clusters).fit([truth] * n_partitions).labels_
    assert twins.same_partition(found, truth)


@pytest.mark.parametrize("seed", SEEDS)
def test_hidden_groups_are_found(method, seed):
    labels, truth = clear_ensemble(seed, method.spec, missing=0.0)
    found = method.free(4, **CLEARER.get(method.spec.name, {})).fit(labels).labels_
    assert ari(found, truth) >= NEARLY.get(method.spec.name, 1.0)


def test_missing_labels(method):
    """A fifth of the labels removed: a method runs and still finds the groups, or says that it cannot."""
    rng = np.random.default_rng(0)
    labels, truth = nested_ensemble(rng)
    labels[rng.random(labels.shape) < 0.2] = -1
    if method.spec.missing:
        assert ari(method(4, **CLEARER.get(method.spec.name, {})).fit(labels).labels_, truth) > 0.8
    else:
        message = rf"{method.spec.estimator} cannot handle missing labels, and \d+ are missing: fill them.*LWGP"
        with pytest.raises(ValueError, match=message):
            method(4).fit(labels)


def test_same_seed_same_labels(method):
    labels = np.random.default_rng(0).integers(5, size=(60, 6))
    first, second = method(7).fit(labels), method(7).fit(labels)
    assert first.labels_.tolist() == second.labels_.tolist()
    assert first.fit(labels).labels_.tolist() == second.labels_.tolist()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_every_kind_of_seed(make):
    labels = np.random.default_rng(0).integers(5, size=(80, 6))
    for name in METHODS:
        first, second = (consensus(labels, 7, name, random_state=make(3)) for _ in range(2))
        assert first.tolist() == second.tolist()


def test_one_call_is_the_estimator(method):
    labels, _ = clear_ensemble(0, method.spec)
    found = consensus(labels, [2, 4], method=method.spec.name, random_state=0)
    reference = method([2, 4]).fit(labels).labels_
    assert {k: v.tolist() for k, v in found.items()} == {k: v.tolist() for k, v in reference.items()}
    assert consensus(Ensemble(labels), 4, method.spec.name.upper(), 0).tolist() == reference[4].tolist()


def test_several_numbers_of_clusters_are_the_single_ones(method):
    labels, _ = clear_ensemble(1, method.spec, noise=0.3)
    model = method([5, 2, 3]).fit(labels)
    assert list(model.labels_) == model.n_clusters_ == [5, 2, 3]
    assert set(model.confidence_) == {5, 2, 3}
    for k in (5, 2, 3):
        single = method(k).fit(labels)
        assert single.n_clusters_ == k
        assert single.labels_.tolist() == model.labels_[k].tolist() == model.cut(k).tolist()
        assert single.confidence_.tolist() == model.confidence_[k].tolist()
    assert method(range(2, 4)).fit(labels).cut(np.array([4, 5])).keys() == {4, 5}


@settings(max_examples=25)
@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@given(labels=ensembles(missing=True), data=st.data())
@pytest.mark.parametrize("name", sorted(METHODS))
def test_labels_of_any_ensemble(name, labels, data):
    """Exactly k clusters, numbered by size, then first object; microclusters stay together; int32."""
    if not METHODS[name].missing:
        labels = np.maximum(labels, 0)
    ensemble = Ensemble(labels)
    k = data.draw(st.integers(1, min(ensemble.n_microclusters, ensemble.n_base_clusters)))
    found = consensus(labels, k, method=name, random_state=0)
    assert found.dtype == np.int32
    assert found.shape == (len(labels),)
    assert np.unique(found).tolist() == list(range(k))
    rank = [(-int((found == c).sum()), int(np.argmax(found == c))) for c in range(k)]
    assert rank == sorted(rank)
    pairs = set(zip(ensemble.row_map.tolist(), found.tolist(), strict=True))
    assert len(pairs) == ensemble.n_microclusters


def test_labels_belong_to_the_caller(method):
    labels, _ = clear_ensemble(0, method.spec)
    model = method(3).fit(labels)
    cut = model.cut(3)
    cut[:] = 0
    assert model.labels_.max() == 2
    assert model.cut(3).max() == 2
