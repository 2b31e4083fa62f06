"""CEHM: k-HyperEdge medoids on single objects, and odd input."""

from __future__ import annotations

import numpy as np
import pytest

import twins
from consensa import CEHM, Ensemble
from consensa.partition import hyperedge_medoids, medoid_clusters
from consensa.relate import cluster_jaccard
from strategies import noisy_ensemble


def random_ensemble(seed, n_objects=40):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), n_objects, 8, 4, (6, 9), noise=0.1)
    labels = np.repeat(labels, 1 + np.arange(n_objects) % 3, axis=0)
    if seed % 2:
        labels[::5, 1] = labels[::7, 4] = -1
    return labels


def costs_twin(members, groups):
    """Sum over the clusters that hold an object of the share of the cluster that is not in the group."""
    outside = 1 - members.T @ groups / members.sum(axis=0)[:, None]
    return (members @ outside).round(10)


def keep_twin(groups, before):
    """The objects of a group that would be left empty stay."""
    groups = groups.copy()
    for g in np.flatnonzero((groups.sum(axis=0) == 0) & (before.sum(axis=0) > 0)):
        groups[before[:, g] > 0] = np.eye(groups.shape[1])[g]
    return groups


def hyperedge_twin(labels, medoids, k):
    """The published steps on the objects; those as sure as the last one of a step go with it, and no group is lost."""
    members = np.stack(twins.clusters_of(labels)[0], axis=1).astype(float)
    n = len(members)
    groups = members[:, medoids]
    groups[groups.sum(axis=1) > 1] = 0
    n_assigned = int(groups.sum())
    step = max(int(np.sqrt(n)), int(np.ceil((n - n_assigned) / k)))
    while n_assigned < n:
        costs = costs_twin(members, groups)
        ordered = np.sort(costs, axis=1)
        margin = (ordered[:, 1] - ordered[:, 0]).round(10)
        last = np.sort(margin)[::-1][min(n, n_assigned + step) - 1]
        groups = keep_twin(np.eye(k)[costs.argmin(axis=1)] * (margin >= last)[:, None], groups)
        n_assigned = int(groups.sum())
    for _ in range(100):
        before, groups = groups, keep_twin(np.eye(k)[costs_twin(members, groups).argmin(axis=1)], groups)
        if np.array_equal(before, groups):
            break
    return groups.argmax(axis=1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3, 4])
def test_steps_on_single_objects(seed, k):
    labels = random_ensemble(seed)
    ensemble = Ensemble(labels)
    found, medoids = hyperedge_medoids(ensemble, k)
    expected = hyperedge_twin(labels, medoids, k)
    assert ensemble.n_microclusters < len(labels)
    assert np.unique(expected).size == k  # no group is empty from the start, and filled at the end
    assert found[ensemble.row_map].tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_no_exchange_of_a_medoid_lowers_the_sum_of_distances(seed):
    ensemble = Ensemble(random_ensemble(seed))
    medoids = medoid_clusters(ensemble, 4)
    distance = 1 - cluster_jaccard(ensemble).toarray()
    np.fill_diagonal(distance, 0.0)
    best = distance[:, medoids].min(axis=1).sum()
    assert np.unique(medoids).size == 4
    for place in range(4):
        for other in range(len(distance)):
            exchanged = np.where(np.arange(4) == place, other, medoids)
            assert distance[:, exchanged].min(axis=1).sum() >= best - 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_rows_columns_and_copies(seed):
    labels = random_ensemble(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    reference = CEHM(4).fit(labels).labels_
    assert twins.same_partition(CEHM(4).fit(labels[rows][:, columns]).labels_, reference[rows])
    assert twins.same_partition(CEHM(4).fit(np.hstack([labels, labels])).labels_, reference)


def test_more_clusters_than_base_clusters():
    found = CEHM(5).fit_predict([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 1], [0, 1, 1, 1, 1, 0, 0]])
    assert np.unique(found).tolist() == [0, 1, 2, 3, 4]
    one = np.arange(6).reshape(-1, 1) % 3
    assert medoid_clusters(Ensemble(one), 5).size == 3


def test_wrong_parameters():
    with pytest.raises(ValueError, match="max_rounds=0 is not allowed"):
        CEHM(2, max_rounds=0).fit(random_ensemble(0))


def test_distances_beyond_the_budget(monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**16)
    with pytest.raises(ValueError, match=r"300 x 300 Jaccard distance of the base clusters would need .*LWGP"):
        CEHM(2).fit(np.arange(300).reshape(-1, 1))
