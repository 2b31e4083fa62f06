"""Divergence weights: the worked example of the paper, missing labels, and weights without bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensa import Ensemble
from consensa.weigh import cluster_divergence, cluster_uncertainty, divergence_weights

# 12 objects, sizes 3/3/3/3, 5/4/3 and 4/4/4: the only table that gives Table 1 of the paper
EXAMPLE = (
    [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
    [1, 1, 1, 1, 2, 2, 1, 2, 2, 3, 3, 3],
    [1, 1, 1, 2, 1, 2, 2, 3, 3, 2, 3, 3],
)
DIVERGENCE = [0, -0.649745, -0.649745, -0.287682, 0.733969, 0.287682, -0.287682, 0.120324, 0.248031, 0.431523]
LITERAL = [-1.152003, -0.937384, -0.937384, -0.415037, 1.058894, 0.415037, -0.415037, 0.173591, 0.357833, 0.622556]
WEIGHTS = [1, 1.241825, 1.241825, 1.100642, 0.782974, 0.908560, 1.100642, 0.960686, 0.920649, 0.866025]
ENTROPY = [0, 1.836592, 1.836592, 0.918296, 2.341901, 2.5, 0.918296, 1.622556, 3.0, 2.0]
PRINTED = [0, -0.650, -0.650, -0.288, 0.734, 0.288, -0.288, 0.120, 0.248, 0.432]

label_matrices = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(-1, 3), min_size=m, max_size=m), min_size=2, max_size=12)
)


def twin(labels, *, literal):
    """Sum over objects and clusters as Eq. 4 says, straight from the label columns; -1 is missing."""
    labels = np.asarray(labels)
    n_partitions = labels.shape[1]
    out = []
    for a in range(n_partitions):
        for c in np.unique(labels[labels[:, a] >= 0, a]):
            mine = labels[:, a] == c
            total, counted = 0.0, 0
            for b in range(n_partitions):
                seen = mine & (labels[:, b] >= 0)
                counted += bool(seen.any())
                others = np.unique(labels[seen, b])
                if len(others) == 1 and not literal:
                    continue
                for d in others:
                    theirs = labels[:, b] == d
                    p = (mine & theirs).sum() / seen.sum()
                    q = (mine & theirs).sum() / (theirs & (labels[:, a] >= 0)).sum()
                    total -= p * np.log(p / q) / (np.log(2) if literal else 1.0)
            out.append(total * n_partitions / counted)
    return np.array(out)


def test_example_of_the_paper_to_all_digits():
    ensemble = Ensemble(EXAMPLE)
    divergence = cluster_divergence(ensemble)
    np.testing.assert_allclose(divergence, DIVERGENCE, atol=5e-7)
    np.testing.assert_array_equal(divergence.round(3), PRINTED)
    np.testing.assert_allclose(cluster_divergence(ensemble, literal=True), LITERAL, atol=5e-7)
    np.testing.assert_allclose(cluster_uncertainty(ensemble), ENTROPY, atol=5e-7)
    np.testing.assert_allclose(np.exp(-divergence / 3), WEIGHTS, atol=5e-7)
    np.testing.assert_allclose(divergence_weights(ensemble, 1.0) * max(WEIGHTS), WEIGHTS, atol=1e-6)


@given(label_matrices, st.booleans())
def test_divergence_equals_its_definition(rows, literal):
    labels = np.array(rows)
    labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble(np.where(labels < 0, np.nan, labels.astype(float)))
    np.testing.assert_allclose(cluster_divergence(ensemble, literal=literal), twin(labels, literal=literal), atol=1e-10)


def test_a_clustering_that_labels_nothing_of_a_cluster_does_not_count():
    # the first cluster is split 2 + 2 by the second clustering and unseen by the third
    ensemble = Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [None] * 4 + [0, 0]])
    assert cluster_divergence(ensemble)[0] == pytest.approx(np.log(2) * 3 / 2)


def test_weights_lie_in_0_1_and_the_largest_is_1():
    for theta in (0.2, 1.0, 5.0):
        weights = divergence_weights(Ensemble(EXAMPLE), theta)
        assert weights.max() == 1
        assert weights.min() > 0


def _tiny_cluster_across_large_ones(n_crossings=3):
    base = np.repeat([0, 1], 100)
    first = np.zeros(200, int)
    first[[0, 150]] = 1
    return Ensemble([first, *[base] * n_crossings])


def test_weights_beyond_1e8_stay_finite_and_ordered():
    ensemble = _tiny_cluster_across_large_ones()
    divergence = cluster_divergence(ensemble)
    raw = -divergence / (0.15 * ensemble.n_partitions)
    assert raw.max() > np.log(1e8)
    weights = divergence_weights(ensemble, 0.15)
    np.testing.assert_allclose(np.log(weights), raw - raw.max(), atol=1e-12)
    extreme = divergence_weights(ensemble, 1e-6)
    assert np.all(extreme > 0)
    assert np.all(np.isfinite(extreme))
    assert extreme.max() == 1


def test_floor_stops_the_gain_of_small_clusters():
    ensemble = _tiny_cluster_across_large_ones()
    mean = cluster_divergence(ensemble) / ensemble.n_partitions
    assert mean.min() < -1
    expected = np.exp(-np.maximum(mean, -1.0))
    np.testing.assert_allclose(divergence_weights(ensemble, floor=-1.0), expected / expected.max())


@pytest.mark.parametrize("theta", [0, -1, np.nan, "auto"])
def test_wrong_theta_is_refused(theta):
    with pytest.raises(ValueError, match="theta must be a number greater than 0"):
        divergence_weights(Ensemble(EXAMPLE), theta)
