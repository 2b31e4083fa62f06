"""The curves behind the choice of k, against plain twins and worked examples."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from consensa import EAC, Ensemble, choose_k
from consensa.evaluate import (
    consensus_cdf,
    consensus_cdfs,
    delta_area,
    eigengaps,
    lifetimes,
    member_agreement,
    pac,
    smallest_accepted,
    stability,
)
from consensa.evaluate import pac as pac_of
from consensa.evaluate.sampling import sample_microclusters
from consensa.evaluate.stability import _agreement
from consensa.generate import KMeansPartitions
from consensa.partition import Dendrogram, transfer_cut
from consensa.relate import cluster_graph


@pytest.fixture(scope="module")
def ensemble():
    X, _ = make_blobs(300, centers=5, random_state=0)
    return Ensemble(KMeansPartitions(12, random_state=0).fit_transform(X))


def subsamples(k_range=(2, 3, 4, 5), n_each=12, centers=3, seed=0, n=120):
    """Columns of k-means on subsamples, -1 for the objects left out."""
    X, y = make_blobs(n, centers=8 * np.eye(4)[:centers], random_state=seed)
    rng = np.random.default_rng(seed)
    columns = []
    for k in k_range:
        for _ in range(n_each):
            kept = rng.permutation(n)[: int(0.8 * n)]
            column = np.full(n, -1)
            column[kept] = KMeans(k, n_init=3, random_state=int(rng.integers(1000))).fit_predict(X[kept])
            columns.append(column)
    return np.column_stack(columns), y


def test_lifetime_is_the_gap_of_the_merges(ensemble):
    tree = EAC(2).fit(ensemble).dendrogram_
    k = np.arange(1, tree.n_leaves + 1)
    found = lifetimes(tree, k)
    merged_at = {tree.n_leaves - step - 1: s for step, s in enumerate(tree.similarities)}  # clusters left -> similarity
    for number in range(2, tree.n_leaves):
        born, died = merged_at[number], merged_at[number - 1]
        assert found[number - 1] == pytest.approx(np.arcsin(born**0.5) - np.arcsin(died**0.5))
    assert np.isnan(found[0])
    assert found[-1] == pytest.approx(np.pi / 2 - np.arcsin(merged_at[tree.n_leaves - 1] ** 0.5))


def test_lifetime_from_birth_to_zero():
    tree = Dendrogram(np.array([[0, 1], [0, 2]]), np.array([0.5, 0.0]), np.ones(3, int))
    np.testing.assert_allclose(lifetimes(tree, np.array([2, 3])), [np.pi / 4, np.pi / 4])


def test_eigengap_is_that_of_the_transfer_cut(ensemble):
    k = np.arange(2, 10)
    values = transfer_cut(cluster_graph(ensemble), ensemble.sizes).eigenvalues(10)
    np.testing.assert_allclose(eigengaps(ensemble, k), values[k - 1] - values[k], atol=1e-9)


def test_agreement_is_close_to_the_exact_adjusted_mutual_information(ensemble):
    tree = EAC(2).fit(ensemble).dendrogram_
    rows = np.arange(ensemble.n_microclusters)
    cuts = [tree.cut(k) for k in (2, 5, 9)]
    found = member_agreement(cuts, rows, ensemble)
    for cut, values in zip(cuts, found, strict=True):
        labels = ensemble.to_objects(cut)
        for m, value in enumerate(values):
            column = ensemble.to_objects(ensemble.labels[:, m])
            assert value == pytest.approx(
                adjusted_mutual_info_score(labels, column, average_method="geometric"), abs=0.02
            )


def test_agreement_of_unrelated_clusterings_does_not_grow_with_k():
    rng = np.random.default_rng(0)
    n = 3000
    ensemble = Ensemble(rng.integers(0, 12, size=(n, 8)))
    rows = np.arange(ensemble.n_microclusters)
    cuts = [rng.integers(0, k, rows.size) for k in (2, 10, 30)]
    assert np.abs(member_agreement(cuts, rows, ensemble)).max() < 0.02


def test_agreement_with_missing_labels_counts_what_both_label():
    labels = np.array([[0, 0], [0, -1], [1, 1], [1, -1]])
    ensemble = Ensemble(np.repeat(labels, 5, axis=0))
    found = member_agreement([np.array([0, 0, 1, 1])], np.arange(4), ensemble)
    np.testing.assert_allclose(found, 1.0)


def test_smallest_accepted_by_a_quarter():
    agreement = np.array([[0.5, 0.1, 0.1, 0.1, 0.1], [0.4, 0.4, 0.1, 0.1, 0.1], [0.3, 0.3, 0.9, 0.9, 0.9]])
    assert smallest_accepted(agreement) == 1
    assert smallest_accepted(agreement[:, :4]) == 0


def test_stability_of_unrelated_columns_is_about_zero():
    ensemble = Ensemble(np.random.default_rng(0).integers(0, 4, size=(400, 20)))
    assert np.abs(stability(ensemble, np.arange(2, 8), random_state=0).mean(axis=0)).max() < 0.1


def test_stability_of_equal_columns_is_one():
    ensemble = Ensemble(np.repeat((np.arange(60) % 6)[:, None], 8, axis=1))
    np.testing.assert_allclose(stability(ensemble, np.arange(2, 7), random_state=0), 1.0)


def test_agreement_of_two_trees_is_the_adjusted_rand_index():
    merges = np.array([[0, 1], [2, 3], [0, 2]])
    one = Dendrogram(merges, np.array([0.9, 0.8, 0.1]), np.ones(4))
    other = Dendrogram(np.array([[0, 2], [0, 3], [0, 1]]), np.array([0.9, 0.8, 0.1]), np.ones(4))
    sizes = np.array([3, 1, 2, 2])
    expected = adjusted_rand_score(np.repeat(one.cut(2), sizes), np.repeat(other.cut(2), sizes))
    assert _agreement(one, other, sizes, 2) == pytest.approx(expected)


def twin_cdf(labels):
    """Consensus index of every pair of objects, one by one."""
    index = []
    for a, b in combinations(labels, 2):
        both = (a >= 0) & (b >= 0)
        if both.any():
            index.append(np.mean(a[both] == b[both]))
    return np.array([np.mean(np.array(index) <= c + 1e-9) for c in np.linspace(0, 1, 101)])


def test_cdf_against_all_pairs():
    labels, _ = subsamples(k_range=(3,), n_each=7, n=60)
    np.testing.assert_allclose(consensus_cdf(Ensemble(labels), np.arange(7)), twin_cdf(labels), atol=1e-12)


def test_cdf_of_a_sample_is_close(monkeypatch):
    labels, _ = subsamples(k_range=(4,), n_each=10, n=400)
    ensemble = Ensemble(labels)
    whole = consensus_cdf(ensemble, np.arange(10))
    monkeypatch.setattr("consensa.evaluate.consensus_index.N_ROWS", 150)
    assert ensemble.n_microclusters > 150
    assert np.abs(consensus_cdf(ensemble, np.arange(10)) - whole).max() < 0.05


def test_pac_and_area_of_a_perfect_and_of_an_ambiguous_distribution():
    perfect = np.full(101, 0.7)
    perfect[-1] = 1.0
    assert pac(perfect) == 0.0
    assert pac(np.linspace(0, 1, 101)) == pytest.approx(0.8)
    assert delta_area({2: perfect, 3: perfect * 0.9, 4: perfect * 1.2})[3] == 0.0


def test_curves_of_subsamples():
    labels, _ = subsamples()
    choice = choose_k(labels, k_range=range(2, 8), random_state=0)
    assert choice.n_clusters == 3
    assert list(choice.cdf) == [2, 3, 4, 5]
    assert choice.votes["pac"] == 3
    assert choice.votes["delta_area"] == 3
    assert np.isnan(choice.curves["pac"]).tolist() == [False] * 4 + [True] * 2
    assert choice.curves["pac"][1] == pac_of(choice.cdf[3]) < 0.01


def test_no_distribution_without_subsamples_or_with_too_few(ensemble):
    assert consensus_cdfs(ensemble, np.arange(2, 6)) is None
    labels, _ = subsamples(n_each=4)
    assert consensus_cdfs(Ensemble(labels), np.arange(2, 6)) is None


def test_sample_follows_the_labels_not_the_order(ensemble):
    labels = ensemble.to_objects(np.arange(ensemble.n_microclusters))
    partitions = ensemble.labels[labels]
    order = np.random.default_rng(0).permutation(len(partitions))
    shuffled = Ensemble(partitions[order])
    one = ensemble.labels[sample_microclusters(ensemble, 30)]
    other = shuffled.labels[sample_microclusters(shuffled, 30)]
    assert sorted(map(tuple, one)) == sorted(map(tuple, other))
    assert len(one) == 30


def test_sample_prefers_large_microclusters():
    sizes = np.concatenate([np.full(50, 100), np.ones(500, int)])
    ensemble = Ensemble(np.repeat(np.arange(550), sizes)[:, None])
    assert np.count_nonzero(ensemble.sizes[sample_microclusters(ensemble, 100)] == 100) >= 48
