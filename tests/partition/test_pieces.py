"""Agglomeration piece by piece: the same tree as on the whole matrix, and joins that do not depend on the row order."""

import numpy as np
import pytest

import twins
from consensa import PTA, Ensemble
from consensa.partition import agglomerate, agglomerate_pieces
from consensa.partition.components import set_apart
from consensa.relate import Dense, co_association, trajectories
from consensa.relate.relation import Triangle


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


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_a_triangle_gives_the_tree_of_the_whole_matrix(linkage):
    rng = np.random.default_rng(4)
    for n, levels in ((2, 3), (60, 5), (90, 10**6)):  # few levels: many ties
        S = rng.integers(0, levels, (n, n)) / levels
        S = np.triu(S, 1) + np.triu(S, 1).T + np.eye(n)
        sizes = rng.integers(1, 9, n)
        whole = agglomerate(Dense(S), sizes, linkage)
        half = agglomerate(Triangle(S[np.triu_indices(n, 1)], n), sizes, linkage)
        np.testing.assert_array_equal(half.merges, whole.merges)
        np.testing.assert_array_equal(half.similarities, whole.similarities)


def test_a_triangle_that_is_no_similarity_is_refused():
    with pytest.raises(ValueError, match="needs similarities between 0"):
        agglomerate(Triangle(np.array([0.5, np.nan, 0.2]), 3))


def test_walks_of_one_component_at_a_time_are_those_of_all():
    labels, _ = apart(5)
    walk = trajectories(Ensemble(labels), 4, 4)
    for measure in ("cosine", "dice", "tanimoto"):
        whole, parted = walk.similarity(measure).similarity, walk.by_component(measure)
        assert sum(rows.size for rows in parted.components) == parted.n_rows
        for rows in parted.components:
            found = parted.within(rows)
            np.testing.assert_array_equal(found.similarity, whole[np.ix_(rows, rows)][np.triu_indices(rows.size, 1)])


def test_pta_needs_half_a_matrix_of_its_largest_component(monkeypatch):
    labels, _ = apart(6, n_pieces=4)
    n = 160
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 4 * n**2)
    expected = PTA(4, 4, 4).fit_predict(labels)
    assert len(np.unique(expected)) == 4
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 3000)
    with pytest.raises(ValueError, match=r"linked microclusters would need|links would need"):
        PTA(4, 4, 4).fit(labels)
