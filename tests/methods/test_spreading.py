"""ECCMS and SDGCA: their formulas on single objects, with all n x n matrices, and odd input."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

import twins
from consensa import ECCMS, SDGCA, Ensemble
from consensa.partition import agglomerate
from consensa.relate import Dense, co_association, guided_co_association, propagated_similarity, smoothed_similarity
from consensa.weigh import entropy_weights, normalised_entropy_weights
from strategies import noisy_ensemble

SEEDS = range(4)


def random_ensemble(seed, n_objects=36):
    """Doubled and tripled rows; every second one lacks labels."""
    labels, _ = noisy_ensemble(np.random.default_rng(seed), n_objects, 6, 5, (4, 7), noise=0.15)
    labels = np.repeat(labels, 1 + np.arange(n_objects) % 3, axis=0)
    if seed % 2:
        labels[::5, 1] = labels[::7, 4] = -1
    return labels


def two_halves(seed):
    """Two ensembles of different objects that share hardly any cluster, so that there is evidence against pairs."""
    first, second = random_ensemble(seed, 18), random_ensemble(seed + 2, 18)
    second[second >= 0] += 20
    second[:2, 0] = first[0, 0]
    return np.vstack([first, second])


def by_objects(relation, ensemble):
    return relation.to_dense().similarity[np.ix_(ensemble.row_map, ensemble.row_map)]


def assert_same_pairs(found, ensemble, expected):
    """Equal for all pairs of different objects; nothing asks for that of an object with itself."""
    S = found.similarity[np.ix_(ensemble.row_map, ensemble.row_map)]
    apart = ~np.eye(len(S), dtype=bool)
    assert ensemble.n_microclusters < len(S)
    np.testing.assert_allclose(S[apart], expected[apart], atol=1e-9)


def laplacian(CA, least):
    H = np.where(least - 1e-10 <= CA, CA, 0.0)
    np.fill_diagonal(H, 0.0)
    return H, np.diag(H.sum(axis=1)) - H


def smoothing_twin(W, CA, alpha, lam):
    """Alternating directions on the n x n matrices, with multipliers Y1, Y2 and both penalties 1."""
    H, L = laplacian(CA, alpha)
    W = W.copy()
    np.fill_diagonal(W, 1.0)
    C = E = F = Y2 = np.zeros_like(W)
    Y1 = W
    norm = np.linalg.norm
    for _ in range(100):
        before = [norm(x) for x in (C, E, F, Y1, Y2)]
        old = C, E, F
        C = np.linalg.solve(2 * L + 2 * np.eye(len(W)), W - E + Y1 + F - Y2)
        E = np.where(H > 0, 0.0, (W - C + Y1) / (lam + 1))
        F = np.clip((C + Y2 + C.T + Y2.T) / 2, 0, 1)
        changes = [C - old[0], E - old[1], F - old[2], W - C - E, C - F]
        Y1, Y2 = Y1 + changes[3], Y2 + changes[4]
        if all(norm(change) <= 0.01 * size for change, size in zip(changes, before, strict=True)):
            break
    return np.clip((C + C.T) / 2, 0, 1)


def dissimilarity_twin(codes, ensemble):
    """Mean of 1 - R over the clusterings; one that lacks a label of the pair adds nothing."""
    R = propagated_similarity(ensemble, 20)
    D = np.zeros((len(codes), len(codes)))
    for m in range(codes.shape[1]):
        seen = codes[:, m] >= 0
        cluster = ensemble.offsets[m] + codes[seen, m]
        D[np.ix_(seen, seen)] += 1 - R[np.ix_(cluster, cluster)]
    root = np.sqrt((codes >= 0).sum(axis=1))
    return D / root[:, None] / root


def guided_twin(W, CA, D0, eta, support):
    _, L = laplacian(CA, eta)
    W = W / W.max()
    np.fill_diagonal(W, 1.0)
    D0 = np.where(D0 >= 0.8 - 1e-10, D0, 0.0)
    S0 = np.where((support - 1e-10 <= CA) & (D0 == 0), 0.8 + 0.2 * W, 0.0)
    S = D = Y1 = Y2 = F1 = F2 = np.zeros_like(W)
    mu = 1.0
    for _ in range(300):
        old = S, D
        A = 2 * L + 2 * mu * np.eye(len(W))
        S = (2 * mu * F1 - D.T - Y1) @ np.linalg.inv(A)
        F1 = np.where(S0 > 0, S0, np.clip(Y1 / (2 * mu) + S, 0, 1))
        F1 = (F1 + F1.T) / 2
        D = (2 * mu * F2 - S.T - Y2) @ np.linalg.inv(A)
        F2 = np.where(D0 > 0, D0, np.clip(Y2 / (2 * mu) + D, 0, 1))
        F2 = (F2 + F2.T) / 2
        Y1, Y2 = Y1 + mu * (S - F1), Y2 + mu * (D - F2)
        mu = min(1.1 * mu, 1e6)
        if max(map(np.linalg.norm, (S - old[0], D - old[1], S - F1, D - F2))) < 1e-3:
            break
    S, D = ((np.clip(X, 0, 1) + np.clip(X, 0, 1).T) / 2 for X in (S, D))
    return np.where(S >= D, 1 - (1 - S + D) * (1 - W), (1 + S - D) * W), S0, D0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("alpha", "lam"), [(0.75, 0.01), (0.6, 0.5), (1.0, 0.1)])
def test_smoothing_of_single_objects(seed, alpha, lam):
    ensemble = Ensemble(random_ensemble(seed))
    weighted, shares = co_association(ensemble, entropy_weights(ensemble)), co_association(ensemble)
    expected = smoothing_twin(by_objects(weighted, ensemble), by_objects(shares, ensemble), alpha, lam)
    found = smoothed_similarity(weighted, shares, ensemble.sizes, alpha=alpha, lam=lam)
    assert_same_pairs(found, ensemble, expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("eta", "support"), [(0.85, 0.95), (0.6, 0.5), (0.5, 0.8)])
def test_guided_co_association_of_single_objects(seed, eta, support):
    ensemble = Ensemble(two_halves(seed))
    weights = normalised_entropy_weights(ensemble, 0.2)
    W, CA = (by_objects(co_association(ensemble, w), ensemble) for w in (weights, None))
    D0 = dissimilarity_twin(ensemble.labels[ensemble.row_map], ensemble)
    expected, favour, against = guided_twin(W, CA, D0, eta, support)
    found = guided_co_association(ensemble, weights, eta=eta, support=support)
    assert np.any(favour > 0)
    assert np.any(against > 0)
    assert_same_pairs(found, ensemble, expected)


def test_smoothing_moves_only_what_is_not_trusted():
    ensemble = Ensemble(random_ensemble(0))
    shares = co_association(ensemble)
    before, after = shares.to_dense().similarity, smoothed_similarity(shares, sizes=ensemble.sizes).similarity
    linked = before >= 0.75 - 1e-10
    assert np.abs(after - before)[linked].max() < 0.1  # as near as one per cent of change lets it come
    assert np.abs(after - before)[~linked].max() > 0.2


def test_smoothing_takes_any_similarity():
    S = np.array([[1.0, 0.9, 0.4], [0.9, 1.0, 0.0], [0.4, 0.0, 1.0]])
    found = smoothed_similarity(Dense(S)).similarity
    np.testing.assert_allclose(found, found.T)
    assert found[1, 2] > 0.1  # the first two are linked, so the second gets near to what the first is near to


def test_nothing_to_trust_changes_nothing_but_by_the_price():
    ensemble = Ensemble(np.arange(12).reshape(-1, 1))
    S = smoothed_similarity(co_association(ensemble)).similarity
    np.testing.assert_allclose(S, np.eye(12), atol=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_recipes(seed):
    labels = random_ensemble(seed)
    ensemble = Ensemble(labels)
    smooth = smoothed_similarity(
        co_association(ensemble, entropy_weights(ensemble, 0.4)), co_association(ensemble), ensemble.sizes
    )
    guided = guided_co_association(ensemble, normalised_entropy_weights(ensemble))
    for method, relation in ((ECCMS, smooth), (SDGCA, guided)):
        tree = agglomerate(relation, ensemble.sizes)
        assert twins.same_partition(method(4).fit(labels).labels_, tree.cut(4)[ensemble.row_map])


def test_without_evidence_the_weighted_co_association_is_left_as_it_is():
    labels = random_ensemble(0)
    ensemble = Ensemble(labels)
    tree = agglomerate(co_association(ensemble, normalised_entropy_weights(ensemble)), ensemble.sizes)
    assert twins.same_partition(SDGCA(4, eta=2).fit(labels).labels_, tree.cut(4)[ensemble.row_map])


@pytest.mark.parametrize(("method", "name"), [(ECCMS, "alpha"), (SDGCA, "eta")])
@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_parameters_chosen_by_agreement(method, name, n_clusters):
    labels = random_ensemble(1)
    model = method(n_clusters, **{name: "auto"}).fit(labels)
    scores, value = getattr(model, f"{name}_scores_"), getattr(model, f"{name}_")
    assert len(scores) >= 4
    assert scores[value] == max(scores.values())
    assert twins.same_partition(model.labels_, method(model.n_clusters_, **{name: value}).fit(labels).labels_)
    fixed = method(4).fit(labels)
    assert (getattr(fixed, f"{name}_scores_"), getattr(fixed, f"{name}_")) == ({}, fixed.get_params()[name])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ECCMS(2, alpha=0), r"alpha=0 is not allowed: it must be a number in \(0, 1\]"),
        (ECCMS(2, alpha="best"), "alpha='best' is not allowed"),
        (ECCMS(2, lam=0), "lam=0 is not allowed"),
        (ECCMS(2, theta=-1), "theta=-1 is not allowed"),
        (SDGCA(2, eta=0), "eta=0 is not allowed"),
        (SDGCA(2, eta="best"), "eta='best' is not allowed"),
        (SDGCA(2, support=1.5), "support=1.5 is not allowed"),
        (SDGCA(2, theta=0), "theta=0 is not allowed"),
    ],
)
def test_wrong_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(random_ensemble(0))


@pytest.mark.parametrize("method", [ECCMS, SDGCA])
def test_the_peak_is_what_the_budget_is_asked_for(monkeypatch, method):
    """Links in one large component, where the inverse is as large as the similarity."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((400, 20)) < 0.9, 0, rng.integers(1, 5, size=(400, 20)))
    n = method(2).fit(labels).ensemble_.n_microclusters
    asked = []
    monkeypatch.setattr("consensa.relate.learned.check_dense_budget", lambda n_bytes, *_: asked.append(n_bytes))
    tracemalloc.start()
    method(2).fit(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n > 200
    assert 0.7 * asked[0] < peak < 1.1 * asked[0]  # beside the matrices there are labels and weights


@pytest.mark.parametrize("method", [ECCMS, SDGCA])
def test_matrices_beyond_the_budget(monkeypatch, method):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**16)
    with pytest.raises(ValueError, match=r"of 300 microclusters would need .* of memory.*EAC, WEAC, LWEA and LWGP do"):
        method(2).fit(np.arange(300).reshape(-1, 1))


def test_the_authors_pool(shared_data):
    """Twenty members of the pool that comes with the published code: the labels are those of its steps on objects."""
    with np.load(shared_data / "data" / "pools" / "ECCMS_UMIST.npz") as pool:
        labels = pool["members"][:, np.random.default_rng(0).permutation(100)[:20]]
    ensemble = Ensemble(labels)
    W, CA = (by_objects(co_association(ensemble, w), ensemble) for w in (entropy_weights(ensemble, 0.4), None))
    distance = 1 - smoothing_twin(W, CA, 0.75, 0.01)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    assert twins.same_partition(ECCMS(20).fit(labels).labels_, cut_tree(tree, 20).ravel())
