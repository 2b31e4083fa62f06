"""No index that comes from a comparison with NaN or infinity reaches a kernel: such relations are refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import consensa
from consensa import ConsensaWarning, partition
from consensa.relate import Bipartite, Dense, Factored
from consensa.weigh import divergence_weights, entropy_weights, normalised_entropy_weights

ODD = (np.nan, np.inf, -1.0, 1e200)
CUTS = {
    "agglomerate a factor": lambda X: partition.agglomerate(Factored(sp.csr_array(X))),
    "agglomerate": lambda X: partition.agglomerate(Dense(X[:5])),
    "normalised cut": lambda X: partition.normalised_cut(Dense(X[:5]), random_state=0),
    "normalised cut of a factor": lambda X: partition.normalised_cut(Factored(sp.csr_array(X)), random_state=0),
    "transfer cut": lambda X: partition.transfer_cut(Bipartite(sp.csr_array(X)), random_state=0),
    "anchor cut": lambda X: partition.anchor_cut(Bipartite(sp.csr_array(X)), random_state=0),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", CUTS)
def test_numbers_that_make_no_sense(name, odd):
    X = np.ones((600, 5))
    assert CUTS[name](X).cut(1).max() == 0
    X[3, 2] = odd
    with pytest.raises(ValueError, match=r"needs (numbers|similarities) between 0 and"):
        CUTS[name](X).cut(2)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_k_means_of_points_that_are_nowhere(odd):
    points = np.ones((6, 2))
    points[3, 1] = odd
    with pytest.raises(ValueError, match="k-means needs finite points"):
        partition.weighted_kmeans(points, np.ones(6), 2, random_state=0)
    with pytest.raises(ValueError, match="and weights of at least 0"):
        partition.weighted_kmeans(np.ones((6, 2)), points[:, 1], 2, random_state=0)


def test_more_clusters_than_rows():
    """Two rows of five columns came back as two clusters where three were asked for, without a word."""
    cut = partition.transfer_cut(Bipartite(sp.csr_array(np.ones((2, 5)))), random_state=0)
    with pytest.raises(ValueError, match="n_clusters=3 is more than the 2"):
        cut.cut(3)


def test_lapack_gives_up_on_a_part_of_the_spectrum():
    """Its driver for the largest eigenvalues ends with an internal error where nearly all are equal."""
    labels = np.full((20, 9), -1)
    labels[:, 2] = 0
    for row, column, name in [(0, 7, 0), (1, 3, 0), (2, 6, 0), (3, 7, 1), (3, 8, 0), (4, 3, 1), (4, 4, 0), (10, 6, 1),
                              (11, 5, 1), (14, 8, 1), (17, 1, 0), (18, 6, 1), (19, 8, 0)]:  # fmt: skip
        labels[row, column] = name
    with pytest.warns(ConsensaWarning, match="was read as a missing label"):
        assert consensa.SEC(3, random_state=0).fit(labels).n_clusters_ == 3


@pytest.mark.parametrize("place", [0, 2, 5])
@pytest.mark.parametrize("weigh", [entropy_weights, normalised_entropy_weights, divergence_weights])
def test_weights_are_the_same_beside_a_column_without_labels(weigh, place):
    """To the last bit: rounding decided between equally good cuts."""
    labels = np.random.default_rng(0).integers(-1, 3, (40, 5))
    empty = np.insert(labels, place, -1, axis=1)
    np.testing.assert_array_equal(weigh(consensa.Ensemble(labels)), weigh(consensa.Ensemble(empty)))


def test_similarities_that_are_no_normal_numbers():
    small = np.array([[1e-308], [5e-13], [6e-13]])
    assert partition.normalised_cut(Dense(small @ small.T), random_state=0).cut(2).shape == (3,)
