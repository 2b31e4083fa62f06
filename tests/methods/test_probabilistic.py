"""EM, non-negative factorisation, voting and median partitions against plain twins on single objects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import twins
from consensa import EMConsensus, Ensemble, MedianPartition, NMFConsensus, Voting
from consensa.partition.components import best_columns
from consensa.partition.count_kmeans import count_labels
from consensa.partition.factorise import _multiply, factorise
from consensa.partition.median import median_partition, mirkin_cost
from consensa.partition.mixture import _climb, fit_mixture
from consensa.partition.voting import collect_votes, merge_votes
from strategies import noisy_ensemble

SEEDS = range(3)


def ensemble_of(seed, missing=0.0, n_objects=50):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), n_objects, 5, 3, (2, 6), noise=0.3, missing=missing)
    return labels, Ensemble(labels)


def expectation_maximisation(labels, group, k, smoothing, tol=1e-6):
    """EM on objects, label by label."""
    n = len(labels)
    z = np.eye(k)[group]
    before = -np.inf
    while True:
        logits = np.tile(np.log(z.mean(axis=0)), (n, 1))
        for column in labels.T:
            seen = column >= 0
            names = np.unique(column[seen])
            for j in range(k):
                total = z[seen, j].sum() + smoothing * names.size
                for name in names:
                    logits[column == name, j] += np.log((z[column == name, j].sum() + smoothing) / total)
        likelihood = np.log(np.exp(logits).sum(axis=1))
        z = np.exp(logits - likelihood[:, None])
        if likelihood.sum() - before < tol * abs(likelihood.sum()):
            return z, likelihood.sum()
        before = likelihood.sum()


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_mixture_on_objects(seed, missing):
    labels, ensemble = ensemble_of(seed, missing)
    start = np.arange(ensemble.n_microclusters) % 3
    counts = count_labels(ensemble, start, 3), np.bincount(start, ensemble.sizes, 3)
    found = _climb(ensemble, counts, 0.01, 10_000, 1e-6)
    z, likelihood = expectation_maximisation(labels, ensemble.to_objects(start), 3, 0.01)
    assert found.log_likelihood == pytest.approx(likelihood, rel=1e-9)
    np.testing.assert_allclose(ensemble.to_objects(found.responsibilities), z, atol=1e-7)
    np.testing.assert_allclose(found.responsibilities.sum(axis=1), 1)


def test_information_criterion_finds_the_number_of_groups():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    labels = np.where(rng.random((400, 8)) < 0.15, rng.integers(3, size=(400, 8)), truth[:, None])
    ensemble = Ensemble(labels)
    bic = {k: fit_mixture(ensemble, k, random_state=0).bic for k in (1, 2, 3, 4, 5)}
    assert min(bic, key=bic.get) == 3
    model = EMConsensus([2, 3], random_state=0).fit(labels)
    assert model.cut_.mixture(3).weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_factorisation_on_objects(seed, missing):
    """The same updates with the n x n matrix; and the loss is that of the matrix of all objects."""
    labels, ensemble = ensemble_of(seed, missing)
    A = twins.co_association(labels)
    start = np.arange(ensemble.n_microclusters) % 3
    Q = 0.2 + np.eye(3)[ensemble.to_objects(start)]
    Q /= np.linalg.norm(Q, axis=0)
    d = np.diag(Q.T @ A @ Q)
    for _ in range(25):
        pull = A @ Q * d
        Q = Q * np.sqrt(pull / (Q @ (Q.T @ pull) + 1e-8))
        d = d * np.sqrt(np.diag(Q.T @ A @ Q) / (np.diag(Q.T @ Q @ np.diag(d) @ Q.T @ Q) + 1e-8))
    roots = np.sqrt(ensemble.sizes)[:, None]
    factor = sp.csr_array(ensemble.incidence * (roots / np.sqrt(ensemble.n_observed)[:, None]))
    loss, P, _ = _multiply(factor, (0.2 + np.eye(3)[start]) * roots, 25)
    np.testing.assert_allclose(ensemble.to_objects(P / roots), Q, atol=1e-6)
    assert loss + np.sum(A**2) == pytest.approx(np.sum((A - Q @ np.diag(d) @ Q.T) ** 2))


def test_loss_of_the_factorisation():
    labels = np.repeat([0, 1, 2], [5, 3, 4])
    found, loss = factorise(Ensemble([labels, labels]), 3, random_state=0)
    assert loss == pytest.approx(0, abs=1e-4)
    assert sorted(found.tolist()) == [0, 1, 2]
    many, few = (factorise(ensemble_of(0)[1], 3, n_init=n, random_state=0)[1] for n in (8, 1))
    assert many <= few


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_cumulative_votes_on_objects(seed, missing):
    labels, ensemble = ensemble_of(seed, missing)
    order = np.arange(5)
    reference = next(m for m in order if np.unique(labels[labels[:, m] >= 0, m]).size >= 2)
    names = np.unique(labels[labels[:, reference] >= 0, reference])
    expected = np.zeros((len(labels), names.size))
    for i, row in enumerate(labels):
        for m in np.flatnonzero(row >= 0):
            seen = labels[(labels[:, m] == row[m]) & (labels[:, reference] >= 0), reference]
            share = [np.mean(seen == name) for name in names] if seen.size else 1 / names.size
            expected[i] += np.asarray(share) / np.sum(row >= 0)
    votes = collect_votes(ensemble, order, 2, "cumulative")
    np.testing.assert_allclose(ensemble.to_objects(votes), expected)
    np.testing.assert_allclose(votes.sum(axis=1), 1)


def test_plurality_votes_by_hand():
    labels = np.array([[0, 1, 0], [0, 1, 0], [0, 0, 2], [1, 0, 1], [1, 0, 1], [1, 2, 1]])
    votes = collect_votes(Ensemble(labels), np.arange(3), 2, "plurality")
    # column 1: 0 (objects 2, 3, 4) is matched with 1, 1 with 0, and 2 joins 1; column 2: 0 with 0, 1 with 1, 2 joins 0
    expected = np.array([[3, 0], [2, 1], [0, 3], [0, 3]]) / 3
    np.testing.assert_allclose(votes, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_votes_lose_least_information(seed):
    """Of all pairs of columns the merged one keeps the mutual information of objects and clusters largest."""
    rng = np.random.default_rng(seed)
    votes, sizes = rng.dirichlet(np.full(5, 0.4), size=12), rng.integers(1, 5, size=12)

    def information(table):
        joint = table * (sizes / sizes.sum())[:, None]
        expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        return float(np.sum(joint[joint > 0] * np.log(joint[joint > 0] / expected[joint > 0])))

    def merged(a, b):
        rest = [c for c in range(5) if c not in (a, b)]
        return np.column_stack([votes[:, a] + votes[:, b], votes[:, rest]])

    best = max(information(merged(a, b)) for a, b in itertools.combinations(range(5), 2))
    found = merge_votes(votes, sizes, 4)
    assert information(found) == pytest.approx(best)
    assert merge_votes(votes, sizes, 2).shape == (12, 2)
    np.testing.assert_allclose(merge_votes(votes, sizes, 2).sum(axis=1), 1)


@pytest.mark.parametrize("voting", ["plurality", "cumulative"])
def test_voting_for_more_clusters_than_any_clustering_has(voting):
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    assert np.unique(Voting(4, voting).fit_predict(labels)).size == 4


def test_no_column_is_left_empty():
    scores = np.array([[0.9, 0.05, 0.05], [0.8, 0.2, 0.0], [0.5, 0.4, 0.1]])
    assert best_columns(scores).tolist() == [0, 2, 1]
    assert np.unique(best_columns(np.zeros((4, 4)))).size == 4


def mirkin(group, labels):
    """Disagreements over pairs of objects, pair by pair."""
    cost = 0
    for i, j in itertools.combinations(range(len(labels)), 2):
        for column in labels.T:
            if min(column[i], column[j]) >= 0:
                cost += (group[i] == group[j]) != (column[i] == column[j])
    return cost


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_mirkin_cost_on_objects(seed, missing):
    labels, ensemble = ensemble_of(seed, missing, 30)
    group = np.random.default_rng(seed).integers(4, size=ensemble.n_microclusters)
    assert mirkin_cost(ensemble, group) == mirkin(ensemble.to_objects(group), labels)


def block_moves(group, ensemble, slots):
    for u in range(ensemble.n_microclusters):
        for k in slots:
            moved = group.copy()
            moved[u] = k
            yield moved


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_move_is_better(seed, missing):
    labels, ensemble = ensemble_of(seed, missing, 30)
    free, cost = median_partition(ensemble, ensemble.n_microclusters, exact=False)
    assert cost == mirkin(ensemble.to_objects(free), labels)
    assert all(mirkin_cost(ensemble, moved) >= cost for moved in block_moves(free, ensemble, range(free.max() + 2)))
    fixed, cost = median_partition(ensemble, 3)
    assert cost == mirkin(ensemble.to_objects(fixed), labels)
    for moved in block_moves(fixed, ensemble, range(3)):
        assert np.unique(moved).size < 3 or mirkin_cost(ensemble, moved) >= cost
    assert cost <= median_partition(ensemble, 3, "bok")[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_best_of_the_base_clusterings(seed):
    labels, ensemble = ensemble_of(seed, n_objects=30)
    found, cost = median_partition(ensemble, ensemble.n_microclusters, "bok", exact=False)
    assert cost == min(mirkin(column, labels) for column in labels.T)
    assert any(twins.same_partition(ensemble.to_objects(found), column) for column in labels.T)


def test_merging_down_by_hand():
    """The pair of clusters whose union disagrees least is merged first."""
    labels = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 1, 1], [2, 1, 1]])
    found, cost = median_partition(Ensemble(labels), 2, "bok")
    assert cost == 4  # the four pairs that the first column alone separates
    assert twins.same_partition(found, [0, 0, 1])


def test_median_partition_of_fewer_clusters_than_allowed():
    labels = np.repeat([0, 1, 2], 4)
    model = MedianPartition(6, exact=False).fit(np.column_stack([labels, labels, np.arange(12) // 2]))
    assert model.n_clusters_ == 3
    assert twins.same_partition(model.labels_, labels)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (EMConsensus(2, smoothing=0), "smoothing=0 is not allowed: smoothing must be a number greater than 0"),
        (EMConsensus(2, tol=-1), "tol=-1 is not allowed"),
        (EMConsensus(2, n_init=0), "n_init=0 is not allowed"),
        (NMFConsensus(2, n_init=1.5), r"n_init=1\.5 is not allowed"),
        (Voting(2, "loud"), "voting='loud' is not known; choose one of 'plurality', 'cumulative'"),
        (MedianPartition(2, "best"), "heuristic='best' is not known; choose one of 'boem', 'bok'"),
    ],
)
def test_wrong_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(ensemble_of(0)[0])
