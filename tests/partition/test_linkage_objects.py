"""Agglomeration of microclusters against agglomeration of all objects.

Average linkage with initial sizes merges microclusters exactly as it would merge their objects: the similarities of
all merges of objects are those inside microclusters (s_uu, once for every object but the first) and those between them.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_valid_linkage

import twins
from consensa import EAC, LWEA, Ensemble
from consensa.partition import agglomerate
from consensa.relate import co_association
from consensa.weigh import entropy_weights
from strategies import ensembles, noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")

LINKAGES = ["average", "complete", "single"]


def expand(ensemble, S, similarities):
    """Similarities of all merges of objects, rising."""
    inside = np.repeat(np.diag(S), ensemble.sizes - 1)
    return np.sort(np.concatenate([inside, similarities]))


def weakest_inside(ensemble, S):
    """Smallest self-similarity of a microcluster of several objects."""
    return np.diag(S)[ensemble.sizes > 1].min(initial=np.inf)


@given(ensembles(max_objects=11, missing=True), st.sampled_from(LINKAGES))
def test_ties_included_objects_merge_in_the_same_way(labels, linkage):
    """By the documented tie rule at both levels; the region of an object carries the object's index."""
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble), ensemble.sizes, linkage)
    merges, similarities, _ = twins.greedy_merges(twins.co_association(labels), np.ones(len(labels)), linkage)
    between = ensemble.row_map[merges[:, 0]] != ensemble.row_map[merges[:, 1]]
    assert ensemble.row_map[merges[between]].tolist() == tree.merges.tolist()
    np.testing.assert_allclose(tree.similarities, similarities[between], atol=1e-9)


@given(ensembles(missing=True))
def test_single_linkage_has_the_heights_of_scipy(labels):
    ensemble = Ensemble(labels)
    if len(labels) == 1:
        return
    relation = co_association(ensemble)
    tree = agglomerate(relation, ensemble.sizes, "single")
    Z = twins.object_linkage(twins.co_association(labels), "single")
    found = expand(ensemble, relation.to_dense().similarity, tree.similarities)
    np.testing.assert_allclose(found, np.sort(1 - Z[:, 2]), atol=1e-6)


def repeated_rows(seed):
    """About 70 objects of 28 microclusters."""
    rng = np.random.default_rng(seed)
    rows, _ = noisy_ensemble(rng, n_objects=28, n_partitions=10, noise=0.3)
    return rng.permutation(np.repeat(rows, rng.integers(1, 5, size=28), axis=0))


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("theta", [0.2, 1.0])
def test_heights_and_cuts_of_scipy(theta, linkage):
    """Weighted clusters leave few ties. Without any: heights to 1e-6, and every cut below the weakest microcluster."""
    n_ensembles, n_cuts = 0, 0
    for seed in range(20):
        labels = repeated_rows(seed)
        ensemble = Ensemble(labels)
        relation = co_association(ensemble, entropy_weights(ensemble, theta))
        S = relation.to_dense().similarity
        _, similarities, tied = twins.greedy_merges(S, ensemble.sizes, linkage)
        if np.any(tied & (similarities > 0)):
            continue
        tree = agglomerate(relation, ensemble.sizes, linkage)
        Z = twins.object_linkage(twins.co_association(labels, twins.eci(labels, theta)), linkage)
        np.testing.assert_allclose(expand(ensemble, S, tree.similarities), np.sort(1 - Z[:, 2]), atol=1e-6)
        for k in twins.tie_free_cuts(tree.similarities)[1:-1]:
            if tree.similarities[ensemble.n_microclusters - k - 1] < weakest_inside(ensemble, S):
                assert twins.same_partition(tree.cut(k)[ensemble.row_map], twins.cut_tree(Z, k)), k
                n_cuts += 1
        n_ensembles += 1
        if n_ensembles == 3:
            break
    assert n_ensembles == 3
    assert n_cuts >= 20


@given(ensembles(max_objects=11, missing=True))
def test_every_cut_of_eac(labels):
    n_rows = Ensemble(labels).n_microclusters
    merges, _, _ = twins.greedy_merges(twins.co_association(labels), np.ones(len(labels)), "average")
    group = np.arange(len(labels))
    found = EAC(range(1, n_rows + 1)).fit(labels).labels_
    for n_left, (a, b) in zip(range(len(labels) - 1, 0, -1), merges, strict=True):
        group[group == b] = a
        if n_left <= n_rows:
            assert twins.same_partition(found[n_left], group), n_left


@pytest.mark.parametrize("seed", range(4))
def test_lwea_cuts_like_scipy(seed):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), n_objects=80, n_partitions=12, noise=0.1)
    Z = twins.object_linkage(twins.co_association(labels, twins.eci(labels, 0.4)), "average")
    for k, found in LWEA(range(2, 9)).fit(labels).labels_.items():
        assert twins.same_partition(found, twins.cut_tree(Z, k)), k


@given(ensembles(missing=True), st.sampled_from(LINKAGES))
def test_scipy_accepts_the_tree(labels, linkage):
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble), ensemble.sizes, linkage)
    if ensemble.n_microclusters > 1:
        assert is_valid_linkage(tree.to_linkage())
