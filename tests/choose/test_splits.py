"""Conductance of splits and eigenvalues of the graph, against all pairs of objects."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from consensa import LWEA, Ensemble
from consensa.choose.evidence import gather
from consensa.choose.spectrum import leading_eigenvalues
from consensa.choose.splits import sampled_links, splits_of
from consensa.scale import as_chunks


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    found = np.where(rng.random((60, 8)) < 0.75, truth[:, None], rng.integers(3, size=(60, 8)))
    return np.where(rng.random(found.shape) < 0.1, -1, found)


def links_of_all_pairs(labels, weights, offsets):
    """W of every two objects, one by one, none with itself."""
    observed = (labels >= 0).sum(axis=1)
    W = np.zeros((len(labels), len(labels)))
    for a in range(len(labels)):
        for b in range(len(labels)):
            shared = [m for m in range(labels.shape[1]) if labels[a, m] == labels[b, m] >= 0 and a != b]
            W[a, b] = sum(weights[offsets[m] + labels[a, m]] for m in shared) / np.sqrt(observed[a] * observed[b])
    return W


@pytest.fixture(scope="module")
def twins(labels):
    ensemble = Ensemble(labels)
    weights = np.random.default_rng(1).random(ensemble.n_base_clusters)
    coded = ensemble.labels[ensemble.row_map]
    links = sampled_links(ensemble, weights, np.arange(ensemble.n_microclusters), ensemble.sizes)
    return ensemble, links, links_of_all_pairs(coded, weights, ensemble.offsets)


def test_conductance_against_all_pairs(twins):
    ensemble, links, W = twins
    one, two, three = (LWEA(k).fit(ensemble) for k in (1, 2, 3))
    cuts = [model.cut_.cut(k) for k, model in ((1, one), (2, two), (3, three))]
    found = splits_of(links, cuts, np.array([1, 2, 3])).worst
    for k, (before, after) in enumerate(pairwise([ensemble.to_objects(cut) for cut in cuts])):
        parent = next(p for p in np.unique(before) if np.unique(after[before == p]).size == 2)
        a, b = (after == part for part in np.unique(after[before == parent]))
        cut = W[np.ix_(a, b)].sum()
        assert found[k] == pytest.approx(cut / (min(W[np.ix_(a, a)].sum(), W[np.ix_(b, b)].sum()) + cut))


def test_eigenvalues_against_all_pairs(twins):
    _, links, W = twins
    degrees = W.sum(axis=1)
    expected = np.linalg.eigvalsh(W / np.sqrt(np.outer(degrees, degrees)))[::-1][:4]
    np.testing.assert_allclose(leading_eigenvalues(links, 4), expected, atol=1e-9)


def test_small_parts_are_no_evidence():
    ensemble = Ensemble([[0] * 30 + [1], [0] * 30 + [1]])
    links = sampled_links(ensemble, np.ones(4), np.arange(2), ensemble.sizes)
    assert np.isnan(splits_of(links, [np.zeros(2, int), np.arange(2)], np.array([1, 2])).worst).all()


def test_same_evidence_in_chunks(labels):
    found = []
    for given in (labels, as_chunks(labels, chunk_rows=7)):
        model = LWEA(2).fit(given)
        found.append(gather(model.cut_, model.ensemble_, np.arange(1, 9)))
    np.testing.assert_allclose(found[0].k_features(), found[1].k_features(), atol=1e-9)
    np.testing.assert_allclose(found[0].one_features(), found[1].one_features(), atol=1e-9)
