"""Numbers printed in the papers, or worked out by hand from their tables."""

from __future__ import annotations

import numpy as np
import pytest

import twins
from consensa import LWEA, Ensemble
from consensa.partition import agglomerate, transfer_cut
from consensa.relate import cluster_graph, co_association
from consensa.weigh import cluster_uncertainty, entropy_weights

SIX_DIGITS = 5.0001e-7
TWO_DIGITS = 5.0001e-3

# Table I of the LWEC paper: clusters C1^1 .. C3^3
PRINTED_UNCERTAINTY = [2.56, 0.00, 0.72, 0.97, 0.92, 1.95, 1.85, 1.44, 0.00]
PRINTED_ECI = [0.18, 1.00, 0.62, 0.52, 0.54, 0.27, 0.29, 0.38, 1.00]
UNCERTAINTY = [2.561278, 0, 0.721928, 0.970951, 0.918296, 1.954434, 1.848349, 1.443856, 0]
ECI = {
    0.5: [0.181315, 1, 0.617989, 0.523457, 0.542158, 0.271727, 0.291641, 0.381910, 1],
    0.4: [0.118316, 1, 0.547931, 0.445247, 0.465219, 0.196185, 0.214319, 0.300228, 1],
    1.0: [0.425811, 1, 0.786122, 0.723503, 0.736314, 0.521275, 0.540038, 0.617989, 1],
}

# Figure 2 of the DLWECDL paper: 12 samples
EXAMPLE_B = np.array(
    [
        [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
        [1, 1, 1, 1, 2, 2, 1, 2, 2, 3, 3, 3],
        [1, 1, 1, 2, 1, 2, 2, 3, 3, 2, 3, 3],
    ]
).T
UNCERTAINTY_B = [0, 1.836592, 1.836592, 0.918296, 2.341901, 2.5, 0.918296, 1.622556, 3.0, 2.0]

ROWS = ["111", "121", "122", "132", "211", "332", "333"]
# Locally weighted co-association of the microclusters in the order of ROWS, theta = 0.5: upper triangle
LWCA = [
    [0.332138, 0.157652, 0.060438, 0.060438, 0.271699, 0, 0],
    [0.338371, 0.241158, 0.060438, 0.097214, 0, 0],
    [0.368461, 0.187742, 0, 0.127303, 0],
    [0.278317, 0, 0.217879, 0.090576],
    [0.605033, 0, 0],
    [0.423875, 0.296572],
    [0.629905],
]
MERGE_SIMILARITIES = [0.296572, 0.271699, 0.241158, 0.116036, 0.088984, 0.022122]


def row_order(ensemble, labels):
    """Where the microclusters of ROWS stand in the ensemble."""
    of_object = ["".join(map(str, row)) for row in labels]
    return [int(ensemble.row_map[of_object.index(row)]) for row in ROWS]


def test_uncertainty_of_example_a(example_a):
    found = cluster_uncertainty(Ensemble(example_a))
    np.testing.assert_allclose(found, UNCERTAINTY, atol=SIX_DIGITS, rtol=0)
    np.testing.assert_allclose(found, PRINTED_UNCERTAINTY, atol=TWO_DIGITS, rtol=0)


@pytest.mark.parametrize("theta", sorted(ECI))
def test_eci_of_example_a(example_a, theta):
    found = entropy_weights(Ensemble(example_a), theta)
    np.testing.assert_allclose(found, ECI[theta], atol=SIX_DIGITS, rtol=0)


def test_printed_eci_of_example_a(example_a):
    found = entropy_weights(Ensemble(example_a), 0.5)
    np.testing.assert_allclose(found, PRINTED_ECI, atol=TWO_DIGITS, rtol=0)


def test_uncertainty_of_example_b():
    found = cluster_uncertainty(Ensemble(EXAMPLE_B))
    np.testing.assert_allclose(found, UNCERTAINTY_B, atol=SIX_DIGITS, rtol=0)


def test_sizes_and_microclusters_of_example_a(example_a):
    ensemble = Ensemble(example_a)
    assert ensemble.cluster_sizes.tolist() == [8, 3, 5, 5, 3, 8, 7, 5, 4]
    assert ensemble.sizes[row_order(ensemble, example_a)].tolist() == [2, 2, 1, 3, 3, 1, 4]


def test_microclusters_of_table_3():
    ensemble = Ensemble([[1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 1, 2, 2, 2, 3, 3]])
    groups = [(np.flatnonzero(ensemble.row_map == u) + 1).tolist() for u in range(ensemble.n_microclusters)]
    assert groups == [[1, 2, 3], [4], [5, 6], [7, 8]]


def test_locally_weighted_co_association(example_a):
    ensemble = Ensemble(example_a)
    place = row_order(ensemble, example_a)
    S = co_association(ensemble, entropy_weights(ensemble, 0.5)).to_dense().similarity[np.ix_(place, place)]
    np.testing.assert_allclose(S[np.triu_indices(7)], np.concatenate(LWCA), atol=SIX_DIGITS, rtol=0)


def test_merge_similarities(example_a):
    ensemble = Ensemble(example_a)
    tree = agglomerate(co_association(ensemble, entropy_weights(ensemble, 0.5)), ensemble.sizes)
    np.testing.assert_allclose(tree.similarities, MERGE_SIMILARITIES, atol=SIX_DIGITS, rtol=0)


@pytest.mark.parametrize(
    ("n_clusters", "groups"),
    [
        (2, [range(1, 9), range(9, 17)]),
        (3, [[1, 2, 3, 4, 7], [5, 6, 8], range(9, 17)]),
        (4, [[1, 2, 3, 4, 7], [5, 6, 8], [9, 10, 12], [11, 13, 14, 15, 16]]),
    ],
)
def test_lwea_partitions(example_a, n_clusters, groups):
    labels = LWEA(n_clusters, theta=0.5).fit_predict(example_a)
    expected = np.empty(16, int)
    for g, group in enumerate(groups):
        expected[np.array(group) - 1] = g
    assert twins.same_partition(labels, expected)


def test_spectrum_of_the_graph(example_a):
    ensemble = Ensemble(example_a)
    cut = transfer_cut(cluster_graph(ensemble, entropy_weights(ensemble, 0.4)), ensemble.sizes)
    values = cut.eigenvalues(5)
    np.testing.assert_allclose(values, [1, 0.955673, 0.738408, 0.463153, 0.224229], atol=SIX_DIGITS, rtol=0)
    np.testing.assert_allclose(np.sqrt(values), [1, 0.977585, 0.859306, 0.680554, 0.473529], atol=SIX_DIGITS, rtol=0)


@pytest.mark.parametrize(("theta", "split_at"), [(0.2, {5, 6, 7}), (0.4, {6, 7}), (1.0, set())])
def test_algorithm_1_on_objects_cuts_through_a_microcluster_of_the_example(example_a, theta, split_at):
    """The objects 9, 10 and 12 have equal labels; LWEA keeps them together, the published algorithm not for every k."""
    S = twins.co_association(example_a, twins.eci(example_a, theta))
    tree = twins.object_linkage(S, "average")
    alike = [8, 9, 11]
    assert (example_a[alike] == example_a[8]).all()
    for k in range(2, 8):
        published, ours = twins.cut_tree(tree, k), LWEA(k, theta=theta).fit_predict(example_a)
        assert np.unique(ours[alike]).size == 1
        assert (np.unique(published[alike]).size > 1) == (k in split_at)
        assert twins.same_partition(ours, published) == (k not in split_at)
