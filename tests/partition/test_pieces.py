"""Agglomeration piece by piece: the same tree as on the whole matrix, and joins that do not depend on the row order."""

import numpy as np
import pytest

import twins
from consensa import PTA, Ensemble
from consensa.partition import agglomerate, agglomerate_pieces
from consensa.partition.components import set_apart
from consensa.relate import Dense, co_association, trajectories


def apart(seed, n_pieces=4, n_objects=40):
    """Base clusterings that keep the pieces apart, but for a last one that joins some of them."""
    rng = np.random.default_rng(seed)
    piece = np.repeat(np.arange(n_pieces), n_objects)
    labels = rng.integers(0, 3, (piece.size, 5)) + 3 * piece[:, None]
    return np.column_stack([labels, piece // 2]), piece


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_tree_as_on_the_whole_matrix(linkage, weighted):
    labels, _ = apart(0)
    ensemble = Ensemble(labels)
    walk = trajectories(ensemble, 4, 4)
    assert walk.components.max() == 3
    sizes = ensemble.sizes if weighted else None
    S = walk.similarity()
    whole = agglomerate(S, sizes, linkage)
    pieces = agglomerate_pieces(S, walk.components, co_association(ensemble), sizes, linkage)
    n_inside = np.count_nonzero(whole.similarities > 1e-9)
    np.testing.assert_array_equal(pieces.merges[:n_inside], whole.merges[:n_inside])
    np.testing.assert_allclose(pieces.similarities, whole.similarities, atol=1e-12)


def test_one_piece_is_plain_agglomeration():
    labels, _ = apart(1, n_pieces=1)
    ensemble = Ensemble(labels)
    S = trajectories(ensemble).similarity()
    found = agglomerate_pieces(S, np.zeros(ensemble.n_microclusters, int), co_association(ensemble))
    np.testing.assert_array_equal(found.merges, agglomerate(S).merges)


def test_pieces_are_joined_by_the_second_similarity():
    labels, piece = apart(2)
    assert twins.same_partition(PTA(2, 4, 4).fit_predict(labels), piece // 2)
    assert twins.same_partition(PTA(4, 4, 4).fit_predict(labels), piece)
    order = np.random.default_rng(0).permutation(len(labels))
    for k in (2, 4, 7):
        found = PTA(k, 4, 4).fit_predict(labels[order])
        assert twins.same_partition(found, PTA(k, 4, 4).fit_predict(labels)[order]), k


def test_numbers_of_pieces_do_not_matter():
    labels, _ = apart(3)
    ensemble = Ensemble(labels)
    walk = trajectories(ensemble, 4, 4)
    S, other = Dense(walk.similarity().similarity), co_association(ensemble)
    one = agglomerate_pieces(S, walk.components, other)
    renumbered = agglomerate_pieces(S, 3 - walk.components, other)
    np.testing.assert_array_equal(one.merges, renumbered.merges)


def test_rows_that_look_alike_are_split_when_more_clusters_are_asked_for():
    assert [found.tolist() for found in set_apart(np.array([0, 0, 0, 1]), 2)] == [[], []]
    assert [found.tolist() for found in set_apart(np.array([0, 0, 0, 3]), 4)] == [[2, 1], [1, 2]]
