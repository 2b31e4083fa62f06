"""The curves behind the choice of k, against plain twins and worked examples."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from consensa import EAC, Ensemble, choose_k
from consensa.choose import consensus_cdf, consensus_cdfs, delta_area, eigengaps, lifetimes, pac, stability
from consensa.choose import pac as pac_of
from consensa.choose.choose_cut import smallest_accepted
from consensa.choose.stability import _agreement
from consensa.ensemble.sampling import sample_objects
from consensa.evaluate import member_agreement
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
    cuts = [tree.cut(k) for k in (2, 5, 9)]
    found = member_agreement(cuts, ensemble)
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
    cuts = [rng.integers(0, k, ensemble.n_microclusters) for k in (2, 10, 30)]
    assert np.abs(member_agreement(cuts, ensemble)).max() < 0.02


def test_agreement_with_missing_labels_counts_what_both_label():
    labels = np.array([[0, 0], [0, -1], [1, 1], [1, -1]])
    ensemble = Ensemble(np.repeat(labels, 5, axis=0))
    found = member_agreement([np.array([0, 0, 1, 1])], ensemble)
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
    monkeypatch.setattr("consensa.choose.consensus_index.N_ROWS", 150)
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
    partitions = ensemble.labels[ensemble.row_map]
    order = np.random.default_rng(0).permutation(len(partitions))
    found = []
    for each in (ensemble, Ensemble(partitions[order])):
        rows, counts = sample_objects(each, 30)
        found.append(sorted((*row, count) for row, count in zip(each.labels[rows].tolist(), counts, strict=True)))
    assert found[0] == found[1]


def test_every_object_is_as_likely_to_be_drawn():
    sizes = np.concatenate([np.full(200, 50), np.full(300, 5), np.ones(3000, int)])
    place = np.repeat(np.arange(3500), sizes)
    ensemble = Ensemble(np.column_stack([place, 7 * place % 3500, 11 * place % 3500]))
    rows, counts = sample_objects(ensemble, 1000)
    assert abs(rows.size - 1000) < 80
    shares = [counts[ensemble.sizes[rows] == size].sum() / sizes[sizes == size].sum() for size in (50, 5, 1)]
    np.testing.assert_allclose(shares, np.mean(shares), rtol=0.1)
    assert np.all(counts <= ensemble.sizes[rows])


def test_one_large_microcluster_does_not_take_the_whole_sample():
    ensemble = Ensemble(np.concatenate([np.zeros(100_000, int), np.arange(2000)])[:, None])
    rows, counts = sample_objects(ensemble, 500)
    assert abs(rows.size - 500) < 80
    assert counts[0] == pytest.approx(25_000, rel=0.2)


def test_choice_on_a_sample(monkeypatch):
    X, _ = make_blobs(3000, centers=8 * np.eye(5), cluster_std=1.5, random_state=0)
    partitions = KMeansPartitions(20, k_range=(2, 40), random_state=0).fit_transform(X)
    monkeypatch.setattr(import_module("consensa.choose.choose_cut"), "_N_ROWS", 200)
    ensemble = Ensemble(partitions)
    assert ensemble.n_microclusters > 1000
    assert [choose_k(ensemble, method, random_state=0).n_clusters for method in ("lwea", "lwgp")] == [5, 5]
