"""Cutting a tree by the order of its merges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import twins
from consensa import Ensemble
from consensa.partition import Dendrogram, agglomerate
from consensa.relate import co_association
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


@given(ensembles(missing=True))
def test_every_cut_has_exactly_k_clusters_and_refines_the_next(labels):
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    finer = np.arange(ensemble.n_microclusters)
    for k in range(ensemble.n_microclusters, 0, -1):
        found = tree.cut(k)
        assert np.unique(found).tolist() == list(range(k))
        assert len(set(zip(finer.tolist(), found.tolist(), strict=True))) == finer.max() + 1
        finer = found


@given(ensembles())
def test_cuts_are_those_of_the_scipy_matrix(labels):
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    Z = tree.to_linkage()
    for k in range(1, ensemble.n_microclusters + 1):
        assert twins.same_partition(tree.cut(k), twins.cut_tree(Z, k))


@given(ensembles())
def test_the_scipy_matrix_counts_leaves_or_objects(labels):
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    if ensemble.n_microclusters > 1:
        assert tree.to_linkage()[-1, 3] == ensemble.n_microclusters
        assert tree.to_linkage(leaf_sizes="objects")[-1, 3] == len(labels)


@given(ensembles(missing=True))
def test_similarities_fall(labels):
    ensemble = Ensemble(labels)
    similarities = agglomerate(co_association(ensemble), ensemble.sizes).similarities
    assert np.all(np.diff(similarities) <= 1e-9)


def test_rounding_never_gives_negative_or_falling_distances():
    tree = Dendrogram(np.array([[0, 1], [0, 2]]), np.array([1 + 1e-15, 1 + 2e-15]), np.ones(3))
    assert tree.to_linkage()[:, 2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("k", [0, -1, 4])
def test_numbers_of_clusters_that_cannot_be_cut(k):
    tree = Dendrogram(np.array([[0, 1], [0, 2]]), np.array([0.5, 0.2]), np.ones(3))
    with pytest.raises(ValueError, match=rf"n_clusters={k} is"):
        tree.cut(k)


def test_a_single_leaf():
    tree = agglomerate(co_association(Ensemble([[7]])))
    assert tree.cut(1).tolist() == [0]
    assert tree.to_linkage().shape == (0, 4)


def test_a_bare_matrix_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"wrap similarities first: agglomerate\(Dense\(matrix\)"):
        agglomerate(np.eye(3))
