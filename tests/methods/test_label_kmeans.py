"""KCC, ECC, QMI and SEC against the formulas of the papers on single objects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import twins
from consensa import ECC, KCC, QMI, SEC, Ensemble
from consensa.partition.count_kmeans import _iterate, count_kmeans, count_labels, fill_empty
from consensa.partition.geometry import UTILITIES, SpectralGeometry, make_utility
from strategies import noisy_ensemble

SEEDS = range(3)


def measure(shares, shape):
    if shape == "c":
        return float(np.sum(shares**2))
    if shape == "cos":
        return float(np.sqrt(np.sum(shares**2)))
    present = shares[shares > 0]
    return float(np.sum(present * np.log2(present)))


def column_shares(column):
    return np.array([np.mean(column == label) for label in np.unique(column)])


def consensus_utility(group, labels, utility):
    """Sum of U(pi, pi_m) by the definition, one base clustering after the other; no label is missing."""
    normalised, _, shape = utility.rpartition("u_")
    total = 0.0
    for column in labels.T:
        whole = measure(column_shares(column), shape)
        inside = 0.0
        for k in np.unique(group):
            shares = np.array([np.mean(column[group == k] == label) for label in np.unique(column)])
            inside += np.mean(group == k) * measure(shares, shape)
        total += (inside - whole) / (abs(whole) if normalised else 1.0)
    return total


def complete_ensemble(seed, n_objects=40):
    return noisy_ensemble(np.random.default_rng(seed), n_objects, 5, 3, (2, 6), noise=0.3)[0]


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_loss_is_the_utility_turned_round(utility, seed):
    """For any two clusterings, a difference in loss per object is the difference in utility."""
    labels = complete_ensemble(seed)
    ensemble = Ensemble(labels)
    geometry = make_utility(ensemble, utility)
    rng = np.random.default_rng(seed)
    groups = [rng.integers(3, size=ensemble.n_microclusters) for _ in range(2)]
    losses = [geometry.loss(count_labels(ensemble, group, 3)) / len(labels) for group in groups]
    utilities = [consensus_utility(ensemble.to_objects(group), labels, utility) for group in groups]
    assert losses[0] - losses[1] == pytest.approx(utilities[1] - utilities[0], abs=1e-9)


@pytest.mark.parametrize("utility", UTILITIES)
def test_best_clustering_of_few_objects(utility):
    """All clusterings of eight objects into two clusters: none is more useful."""
    labels = np.random.default_rng(5).integers(3, size=(8, 4))
    found = KCC(2, utility=utility, n_init=30, random_state=0).fit_predict(labels)
    every = [np.array((0, *rest)) for rest in itertools.product([0, 1], repeat=7) if any(rest)]
    best = max(consensus_utility(group, labels, utility) for group in every)
    assert consensus_utility(found, labels, utility) == pytest.approx(best, abs=1e-9)


def object_distances(Z, owner, weights, group, shape, k):
    """Distance of every object from every cluster, summed over the base clusterings that label the object."""
    out = np.zeros((len(Z), k))
    for j in range(k):
        for m in np.unique(owner):
            columns = owner == m
            members = Z[np.ix_(group == j, columns)]
            seen = members.sum() > 0
            P = (members if seen else Z[:, columns]).sum(axis=0) / (members if seen else Z[:, columns]).sum()
            for i in range(len(Z)):
                if Z[i, columns].any():
                    p = P[np.argmax(Z[i, columns])]
                    out[i, j] += (
                        weights[m]
                        * {
                            "c": np.sum((Z[i, columns] - P) ** 2),
                            "h": -np.log2(p + np.finfo(float).eps),
                            "cos": 1 - p / np.sqrt(np.sum(P**2)),
                        }[shape]
                    )
    return out


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("utility", ["u_c", "u_h", "u_cos", "nu_h"])
def test_iterations_on_objects(utility, missing):
    rng = np.random.default_rng(1)
    labels, _ = noisy_ensemble(rng, 50, 4, 3, (2, 5), noise=0.2, missing=missing)
    ensemble = Ensemble(labels)
    geometry = make_utility(ensemble, utility)
    start = rng.integers(3, size=ensemble.n_microclusters)
    _, found = _iterate(ensemble, geometry, count_labels(ensemble, start, 3), 100, np.arange(start.size))
    members, owner = twins.clusters_of(labels)
    group, before = ensemble.to_objects(start), np.inf
    while True:
        distances = object_distances(members.T.astype(float), owner, geometry.weights, group, geometry.shape, 3)
        loss = np.sum(distances[np.arange(len(labels)), group])
        moved = np.argmin(distances.round(12), axis=1)
        if loss >= before - 1e-9:
            break
        group, before = moved, loss
    assert np.unique(group).size == 3
    assert twins.same_partition(group, ensemble.to_objects(found))


def test_entropy_and_quadratic_consensus_are_utilities():
    labels = complete_ensemble(0, 80)
    assert ECC(3, random_state=0).fit_predict(labels).tolist() == KCC(3, random_state=0).fit_predict(labels).tolist()
    quadratic = QMI(3, random_state=0).fit_predict(labels)
    assert quadratic.tolist() == KCC(3, "u_c", random_state=0).fit_predict(labels).tolist()
    members, _ = twins.clusters_of(labels)
    centred = members.T - members.mean(axis=1)
    within = sum(np.sum((centred[quadratic == k] - centred[quadratic == k].mean(axis=0)) ** 2) for k in range(3))
    ensemble = Ensemble(labels)
    group = quadratic[np.unique(ensemble.row_map, return_index=True)[1]].astype(np.int64)
    assert within == pytest.approx(make_utility(ensemble, "u_c").loss(count_labels(ensemble, group, 3)))


def test_weights_of_the_worked_example(example_a):
    weights = SEC(3, random_state=0).fit(example_a).object_weights_
    assert weights.tolist() == [20, 20, 15, 15, 18, 18, 15, 16, 21, 21, 18, 21, 17, 17, 17, 17]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_spectral_ensemble_clustering_is_a_normalised_cut(missing):
    labels, _ = noisy_ensemble(np.random.default_rng(2), 60, 5, 3, (2, 6), missing=missing)
    ensemble = Ensemble(labels)
    geometry = SpectralGeometry(ensemble)
    members, _ = twins.clusters_of(labels)
    Z = members.T.astype(float)
    S = Z @ Z.T
    w = S.sum(axis=1)
    np.testing.assert_allclose(ensemble.to_objects(geometry.scale), w)
    rng = np.random.default_rng(0)
    for _ in range(3):
        group = rng.integers(4, size=ensemble.n_microclusters)
        found = geometry.loss(count_labels(ensemble, group, 4))
        spread = ensemble.to_objects(group)
        points = Z / w[:, None]
        cut, loss = 0.0, 0.0
        for k in range(4):
            inside = spread == k
            mean = np.average(points[inside], axis=0, weights=w[inside])
            loss += np.sum(w[inside] * np.sum((points[inside] - mean) ** 2, axis=1))
            cut += S[np.ix_(inside, ~inside)].sum() / w[inside].sum()
        assert found == pytest.approx(loss)
        assert loss == pytest.approx(np.sum(np.diag(S) / w) - 4 + cut)


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_more_starts_are_never_worse(init):
    labels = complete_ensemble(3, 200)
    ensemble = Ensemble(labels)
    geometry = SpectralGeometry(ensemble)
    losses = [count_kmeans(ensemble, geometry, 5, n_init=n, init=init, random_state=0)[1] for n in (1, 5, 20)]
    assert losses == sorted(losses, reverse=True)


def test_empty_clusters_get_the_worst_rows():
    labels = np.array([0, 0, 1, 1, 1])
    fill_empty(labels, np.array([0.1, 9.0, 0.2, 5.0, 7.0]), 4)
    assert labels.tolist() == [0, 2, 1, 1, 3]
    alone = np.array([0, 1, 1])
    fill_empty(alone, np.array([9.0, 1.0, 2.0]), 3)
    assert alone.tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", [KCC, ECC, QMI, SEC])
def test_wrong_parameters(method):
    labels = complete_ensemble(0)
    with pytest.raises(ValueError, match=r"init='best' is not known; choose one of 'k-means\+\+', 'random'"):
        method(2, init="best").fit(labels)
    with pytest.raises(ValueError, match="n_init=0 is not allowed"):
        method(2, n_init=0).fit(labels)
    with pytest.raises(
        ValueError, match=r"utility='u_x' is not known \(did you mean 'u_h'\?\); choose one of 'u_c', 'u_h'"
    ):
        KCC(2, utility="u_x").fit(labels)
