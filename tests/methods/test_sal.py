"""Spectral angle linkage and its two levels, against plain twins."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from consensa import LWEA, SAL, Ensemble
from consensa.ensemble.sampling import priority_sample
from consensa.evaluate import ari, nmi
from consensa.evaluate.member_agreement import member_agreement
from consensa.generate import KMeansPartitions
from consensa.partition import SampledTree
from consensa.scale import as_chunks
from consensa.weigh import entropy_weights


def noisy_labels(seed, n_objects=90, n_partitions=7, missing=0.0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=n_objects)
    noise = rng.integers(6, size=(n_objects, n_partitions))
    labels = np.where(rng.random(noise.shape) < 0.7, classes[:, None], noise)
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels, classes


def walks_of_objects(labels, theta):
    """The definition, on all objects: K^2.5 with a diagonal of 1, squared; K the normalised weighted co-association."""
    ensemble = Ensemble(labels)
    weights = entropy_weights(ensemble, theta)
    B = ensemble.incidence.toarray()[ensemble.row_map] * weights
    normalised = B / np.sqrt(B.sum(axis=1, keepdims=True)) / np.sqrt(B.sum(axis=0))
    K = normalised @ normalised.T
    values, vectors = np.linalg.eigh(K)
    walks = vectors * np.maximum(values, 0.0) ** 2.5 @ vectors.T
    return walks**2 / np.outer(np.diag(walks), np.diag(walks))


def naive_gini_linkage(S, threshold, n_clusters):
    """Average linkage of objects, the smallest first while sizes are more unequal than the threshold; plain."""
    groups = [[i] for i in range(len(S))]
    while len(groups) > n_clusters:
        sizes = np.array([len(group) for group in groups], dtype=float)
        gini = np.abs(sizes[:, None] - sizes).sum() / 2 / (len(groups) - 1) / sizes.sum()
        mean = np.array([[S[np.ix_(a, b)].mean() for b in groups] for a in groups]).round(9)
        np.fill_diagonal(mean, -1)
        if gini > threshold:
            mean[sizes > sizes.min()] = -1
        a, b = np.unravel_index(np.argmax(mean), mean.shape)
        groups[min(a, b)] += groups.pop(max(a, b))
    labels = np.empty(len(S), int)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_equals_the_definition_on_all_objects(seed, missing):
    labels, _ = noisy_labels(seed, n_objects=60, missing=missing)
    S = walks_of_objects(labels, 1.0)
    model = SAL(4).fit(labels)
    for cut, threshold in ((model.cut_.first, 1.0), (model.cut_.second, 0.5)):
        for k in (2, 4, 9):
            twin = naive_gini_linkage(S, threshold, k)
            assert ari(model.ensemble_.to_objects(cut.cut(k)), twin) == pytest.approx(1)


def test_more_clusters_than_eigenvectors_are_told_apart():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(150), 8)
    labels = np.where(rng.random((1200, 12)) < 0.9, truth[:, None], rng.integers(150, size=(1200, 12)))
    model = SAL(150).fit(labels)
    assert model.cut_.first.nearness.axes.shape[1] > 64
    assert ari(model.labels_, truth) > 0.99


@pytest.mark.parametrize("most", [4000, 100])
def test_order_and_repetition_do_not_matter(most):
    labels, _ = noisy_labels(5, n_objects=300, n_partitions=9, missing=0.1)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(300), rng.permutation(9)
    reference = SAL([2, 3, 4, 8], max_microclusters=most).fit(labels)
    assert reference.ensemble_.n_microclusters > 200
    shuffled = SAL([2, 3, 4, 8], max_microclusters=most).fit(labels[rows][:, columns])
    wide = SAL([2, 3, 4, 8], max_microclusters=most).fit(np.hstack([labels, labels]))
    long = SAL([2, 3, 4, 8], max_microclusters=most).fit(np.vstack([labels, labels]))
    for k, expected in reference.labels_.items():
        assert ari(shuffled.labels_[k], expected[rows]) == 1
        assert ari(wide.labels_[k], expected) == 1
        assert ari(long.labels_[k], np.tile(expected, 2)) == 1


def test_of_two_trees_the_one_that_agrees_more_counts():
    X, y = load_breast_cancer(return_X_y=True)
    partitions = KMeansPartitions(20, random_state=0).fit_transform(StandardScaler().fit_transform(X))
    model = SAL(2).fit(partitions)
    agreement = [
        member_agreement([each.cut(2)], model.ensemble_).mean() for each in (model.cut_.first, model.cut_.second)
    ]
    chosen = model.cut_.first if agreement[0] >= agreement[1] else model.cut_.second
    assert model.cut_.cut_for(2) is chosen
    assert ari(model.labels_, y) > 0.6


def test_a_sample_gives_nearly_the_clusters_of_all_microclusters():
    labels, classes = noisy_labels(0, n_objects=400)
    exact = SAL(4).fit(labels)
    assert exact.ensemble_.n_microclusters > 250
    coarse = SAL(4, max_microclusters=120).fit(labels)
    assert nmi(exact.labels_, classes) > 0.9
    assert nmi(coarse.labels_, classes) > 0.9


@pytest.mark.parametrize("name", ["n_components", "max_microclusters"])
def test_wrong_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 is not allowed"):
        SAL(2, **{name: 0}).fit([[0, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("share", "n_partitions"), [(0.7, 7), (0.5, 20)])
def test_labels_that_are_wrong_at_random_do_no_harm(seed, share, n_partitions):
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=400)
    noise = rng.integers(6, size=(400, n_partitions))
    labels = np.where(rng.random(noise.shape) < share, classes[:, None], noise)
    model = SAL(4).fit(labels)
    assert nmi(model.labels_, classes) > nmi(LWEA(4).fit(labels).labels_, classes) - 0.03


def test_chunks_give_the_labels_of_memory_also_from_a_sample(monkeypatch):
    labels, _ = noisy_labels(3, n_objects=900)
    inside = SAL(4, max_microclusters=100).fit(labels)
    assert isinstance(inside.cut_.first, SampledTree)
    chunked = SAL(4, max_microclusters=100).fit(as_chunks(labels, chunk_rows=70))
    assert chunked.labels_.tolist() == inside.labels_.tolist()
    monkeypatch.setattr("consensa.ensemble.sampling.SAMPLE_ABOVE", 150)
    inside = SAL(4, max_microclusters=100).fit(labels)
    chunked = SAL(4, max_microclusters=100).fit(as_chunks(labels, chunk_rows=70))
    assert chunked.ensemble_.leads is not None
    assert chunked.labels_.tolist() == inside.labels_.tolist()


def test_the_masses_of_a_sample_add_up_to_all_objects():
    rng = np.random.default_rng(0)
    sizes, hashes = rng.integers(1, 50, size=3000), rng.integers(2**64, size=3000, dtype=np.uint64)
    rows, masses = priority_sample(hashes, sizes, 500)
    assert np.unique(rows).size == 500
    assert masses.sum() / 1024 == pytest.approx(sizes.sum(), rel=0.05)
    assert (masses / 1024 >= sizes[rows] - 1e-3).all()
