"""The documented tie rule, and that both kernels of average linkage follow it to the last merge."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from consensa import Ensemble
from consensa.partition import agglomerate
from consensa.partition._kernels_linkage import AVERAGE
from consensa.partition.agglomerate_dense import merge_matrix
from consensa.relate import Dense, co_association
from consensa.weigh import entropy_weights
from strategies import ensembles, noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")

MODULE = sys.modules[agglomerate.__module__]
LINKAGES = ["average", "complete", "single"]
FEW_WEIGHTS = [0.0, 0.25, 1 / 3, 0.5, 1.0]


def merge_both_ways(relation, sizes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "MATRIX_FREE_ABOVE", 10**9)
        dense = agglomerate(relation, sizes)
        patch.setattr(MODULE, "MATRIX_FREE_ABOVE", 0)
        return dense, agglomerate(relation, sizes)


def assert_same_tree(first, second):
    assert first.merges.tolist() == second.merges.tolist()
    np.testing.assert_allclose(first.similarities, second.similarities, atol=1e-9)


@given(ensembles(max_objects=22, missing=True), st.sampled_from([None, 0.1, 0.4]), st.sampled_from(LINKAGES))
def test_greedy_twin_on_a_matrix(labels, theta, linkage):
    ensemble = Ensemble(labels)
    relation = co_association(ensemble, None if theta is None else entropy_weights(ensemble, theta))
    tree = agglomerate(relation, ensemble.sizes, linkage)
    merges, similarities, _ = twins.greedy_merges(relation.to_dense().similarity, ensemble.sizes, linkage)
    assert tree.merges.tolist() == merges.tolist()
    np.testing.assert_allclose(tree.similarities, similarities, atol=1e-9)


@given(ensembles(max_objects=22, missing=True), st.data())
def test_greedy_twin_without_a_matrix(labels, data):
    ensemble = Ensemble(labels)
    n_weights = ensemble.n_base_clusters
    weights = data.draw(st.lists(st.sampled_from(FEW_WEIGHTS), min_size=n_weights, max_size=n_weights))
    relation = co_association(ensemble, np.array(weights))
    merges, _, _ = twins.greedy_merges(relation.to_dense().similarity, ensemble.sizes, "average")
    dense, free = merge_both_ways(relation, ensemble.sizes)
    assert free.merges.tolist() == merges.tolist()
    assert_same_tree(dense, free)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(50, 600), st.integers(2, 9), st.integers(2, 9), st.booleans())
def test_both_ways_agree_where_ties_abound(seed, n_objects, n_partitions, n_clusters, missing):
    labels = np.random.default_rng(seed).integers(-missing, n_clusters, size=(n_objects, n_partitions))
    labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble(labels)
    assert_same_tree(*merge_both_ways(co_association(ensemble), ensemble.sizes))


def grid(n_rows, n_columns, share=1.0, seed=0):
    """The product of two clusterings: all objects that share a cluster are equally similar."""
    place = np.arange(n_rows * n_columns)
    rng = np.random.default_rng(seed)
    kept = rng.permutation(place)[: int(share * place.size)] if share < 1 else place
    return Ensemble([kept // n_columns, kept % n_columns])


@pytest.mark.parametrize("shape", [(7, 40), (25, 25), (40, 30)])
@pytest.mark.parametrize("share", [0.4, 0.9, 1.0])
def test_both_ways_agree_on_grids(shape, share):
    ensemble = grid(*shape, share)
    sizes = np.random.default_rng(1).integers(1, 4, ensemble.n_microclusters)
    for counts in (ensemble.sizes, sizes):
        assert_same_tree(*merge_both_ways(co_association(ensemble), counts))


def regions_met(monkeypatch, ensemble):
    """How many regions the searches meet after the first, in which every region is searched."""
    met = []
    merge = MODULE.factored.merge_factored

    def merge_and_count(*arguments):
        found = merge(*arguments)
        met.append(int(arguments[4].met[0]))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(MODULE, "MATRIX_FREE_ABOVE", 0)
        patch.setattr(MODULE.factored, "merge_factored", merge_and_count)
        agglomerate(co_association(ensemble), ensemble.sizes)
    return met[0]


def test_ties_make_few_searches(monkeypatch):
    """A search of a cell meets its row and its column; every cell is searched a fraction of the number of rows."""
    for side in (20, 40):
        ensemble = grid(side, side)
        met = regions_met(monkeypatch, ensemble)
        assert met < 0.25 * ensemble.n_microclusters * side**2, met / (ensemble.n_microclusters * side**2)


@pytest.mark.parametrize("theta", [0.05, 0.4, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_agree_with_entropy_weights(seed, theta):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 900, 9, 8, (4, 30), noise=0.3, missing=0.1 * (seed % 2))
    ensemble = Ensemble(labels)
    relation = co_association(ensemble, entropy_weights(ensemble, theta))
    assert_same_tree(*merge_both_ways(relation, ensemble.sizes))


def test_threads_do_not_matter_without_a_matrix(monkeypatch):
    labels, _ = noisy_ensemble(np.random.default_rng(0), 9000, 8, 40, (40, 120), noise=0.2)
    ensemble = Ensemble(labels)
    assert ensemble.n_microclusters > 2 * 4096  # more than one piece of the first search
    trees = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
        trees.append(agglomerate(co_association(ensemble), ensemble.sizes))
    assert trees[0].merges.tolist() == trees[1].merges.tolist()
    assert trees[0].similarities.tolist() == trees[1].similarities.tolist()


def test_equal_similarities_merge_by_smaller_then_larger_index():
    S = np.full((5, 5), 0.5)
    S[3, 4] = S[4, 3] = 0.5 + 1e-12  # below the rounding of 1e-10
    tree = agglomerate(Dense(S), linkage="complete")
    assert tree.merges.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]


def test_a_region_carries_the_index_of_its_smallest_member():
    S = np.eye(4)
    for a, b, value in [(2, 3, 0.9), (1, 3, 0.5), (1, 2, 0.5), (0, 1, 0.2)]:
        S[a, b] = S[b, a] = value
    assert agglomerate(Dense(S), linkage="single").merges.tolist() == [[2, 3], [1, 2], [0, 1]]


def test_unrelated_regions_merge_last_at_similarity_0():
    ensemble = Ensemble([[0, 0, 1, 1, 2], [0, 1, 2, 3, 4]])
    for tree in merge_both_ways(co_association(ensemble), ensemble.sizes):
        assert tree.merges.tolist() == [[0, 1], [2, 3], [0, 2], [0, 4]]
        assert tree.similarities.tolist() == pytest.approx([0.5, 0.5, 0, 0])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("scale", [1e6, 1e7, 1e8])
def test_large_similarities_merge_like_small_ones(linkage, scale):
    S = np.array([[1, 0.5, 0.2, 0.1], [0.5, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.4], [0.1, 0.1, 0.4, 1]])
    small, large = agglomerate(Dense(S), linkage=linkage), agglomerate(Dense(S * scale), linkage=linkage)
    assert large.merges.tolist() == small.merges.tolist() == [[0, 1], [2, 3], [0, 2]]
    np.testing.assert_allclose(large.similarities, small.similarities * scale)


@pytest.mark.parametrize(
    ("S", "message"),
    [
        ([[1, -0.5], [-0.5, 1]], "similarities between 0 and 1e"),
        ([[1, np.nan], [np.nan, 1]], "similarities between 0 and 1e"),
        ([[1, np.inf], [np.inf, 1]], "similarities between 0 and 1e"),
        ([[1, 3e9], [3e9, 1]], "similarities between 0 and 1e"),
        ([[1, 0.2], [0.9, 1]], "the similarity matrix is not symmetric"),
    ],
)
def test_similarities_that_cannot_be_agglomerated(S, message):
    with pytest.raises(ValueError, match=message):
        agglomerate(Dense(np.array(S)))


@pytest.mark.parametrize("sizes", [[1], [1, 0], [1, -2], [1, np.nan], ["a", "b"]])
def test_sizes_that_do_not_fit(sizes):
    with pytest.raises(ValueError, match="one number of objects greater than 0 is needed for each of the 2"):
        agglomerate(Dense(np.eye(2)), np.array(sizes))


def test_a_given_matrix_is_not_overwritten():
    S = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 1.0]])
    before = S.copy()
    agglomerate(Dense(S))
    assert S.tolist() == before.tolist()


@pytest.mark.parametrize("thresholds", [(0.7, 0.5), (0.3, 1.0), (0.1, 0.6, 0.9)])
def test_several_thresholds_give_the_trees_of_single_ones(thresholds):
    """They share the merges before any threshold matters, ties and all."""
    rng = np.random.default_rng(5)
    places = rng.integers(0, 4, (60, 3))
    S = 1.0 / (1.0 + np.abs(places[:, None] - places).sum(axis=2))
    sizes = rng.integers(1, 30, 60)
    trees = merge_matrix(S.copy(), sizes, AVERAGE, thresholds)
    for tree, threshold in zip(trees, thresholds, strict=True):
        alone = agglomerate(Dense(S), sizes, gini_threshold=threshold)
        np.testing.assert_array_equal(tree.merges, alone.merges)
        np.testing.assert_array_equal(tree.similarities, alone.similarities)
