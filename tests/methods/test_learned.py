"""ECMC, SPCE and TRCE: their formulas on single objects, with all n x n matrices, and odd input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components

import twins
from consensa import ECMC, SPCE, TRCE, ConsensaWarning, Ensemble
from consensa._rows import squared_distances
from consensa.evaluate import ari
from consensa.partition import normalised_cut
from consensa.relate import co_association, completed_co_association, self_paced_similarity, tri_level_similarity
from consensa.relate.learned import place_by_laplacian
from consensa.relate.tri_level import nearest_rows, project_rows
from strategies import nested_ensemble, noisy_ensemble

BOTH = pytest.mark.parametrize("method", [SPCE, TRCE])
ALL = pytest.mark.parametrize("method", [ECMC, SPCE, TRCE])


def random_ensemble(seed, n_objects=36):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), n_objects, 5, 3, (3, 5), noise=0.12)
    return np.repeat(labels, 1 + np.arange(n_objects) % 2, axis=0)


def expand(values, ensemble):
    return values[np.ix_(ensemble.row_map, ensemble.row_map)]


def laplacian_twin(S, n_vectors):
    """All eigenvalues and the first eigenvectors of the Laplacian of the objects."""
    values, vectors = np.linalg.eigh(np.diag(S.sum(axis=1)) - S)
    return values, vectors[:, :n_vectors]


def pairwise_squared(Y):
    return ((Y[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)


def self_paced_twin(labels, k, gamma):
    """The method on objects with every connective matrix kept, eigenvalues tested as published."""
    n_partitions = labels.shape[1]
    A = np.array([labels[:, [m]] == labels[:, m] for m in range(n_partitions)], float)
    S = A.mean(axis=0)
    fixed, kept = (S == 0) | (S == 1), S.copy()
    alpha, lam = np.full(n_partitions, 1 / n_partitions), 1.0
    Y = laplacian_twin(S, k)[1]
    for q in (0.9, 0.8, 0.7, 0.6, 0.5):
        rho = 2 * q * (1 - q) * n_partitions**2
        loss = sum((S - A[i]) ** 2 / alpha[i] for i in range(n_partitions))
        W = np.ones_like(S)
        W[loss > 0] = np.minimum(rho / (2 * loss[loss > 0]), 1)
        for it in range(20 if q == 0.5 else 5):
            a = (1 / alpha).sum()
            S = (sum(A[i] / alpha[i] for i in range(n_partitions)) - lam * pairwise_squared(Y) / (2 * W**2)) / a
            S[np.sqrt(gamma) / (W * np.sqrt(a)) > S] = 0
            S = np.minimum(S, 1)
            S[fixed] = kept[fixed]
            S = (S + S.T) / 2
            values, new = laplacian_twin(S, k)
            phi = np.array([np.sqrt(((W * (S - A[i])) ** 2).sum()) for i in range(n_partitions)])
            alpha = phi / phi.sum()
            if values[:k].sum() > 1e-9:
                Y, lam = new, 2 * lam
            elif values[: k + 1].sum() < 1e-9:
                lam /= 2
            else:
                Y = new
                if it > 0:
                    break
    return S, alpha


def simplex_twin(x):
    """Projection on the simplex from its optimality condition."""
    level = brentq(lambda t: np.maximum(x - t, 0).sum() - 1, x.min() - 1, x.max())
    return np.maximum(x - level, 0)


def sum_to_one_twin(c, prices, lowest):
    root = brentq(lambda t: (c / (prices + t)).sum() - 1, lowest, c.sum() + 1, xtol=1e-15)
    return c / (prices + root)


def tri_level_twin(labels, k, gamma):
    """The method on objects with the graph of every clustering kept and one root per row."""
    n, n_partitions = labels.shape
    A = np.array([labels[:, [m]] == labels[:, m] for m in range(n_partitions)], float)
    A /= A.sum(axis=2, keepdims=True)
    B = S = A.mean(axis=0)
    alpha, rho, limit = np.full(n_partitions, 1 / n_partitions), 1.0, None

    def divergences(B):
        safe = np.where(A > 0, A / np.where(B > 0, B, 1), 1)
        return np.maximum((A * np.log(safe)).sum(axis=2).T, 0)

    F, d = laplacian_twin(S, k)[1], divergences(B)
    for it in range(10):
        total = (d / alpha).sum(axis=1)
        limit = 2 * np.sort(total)[int(np.ceil(0.1 * n)) - 1] if limit is None else 1.1 * limit
        w = np.minimum(limit / (2 * np.maximum(total, 1e-300)), 1)
        C = (w**2)[:, None] * sum(A[i] / alpha[i] for i in range(n_partitions))
        distances = pairwise_squared(F)
        B = np.empty_like(C)
        for j in range(n):
            B[j] = sum_to_one_twin(C[j], rho * distances[j], C[j, j] / 2)
        S = np.array([simplex_twin(B[j] - rho / (2 * gamma) * distances[j]) for j in range(n)])
        S = (S + S.T) / 2
        d = divergences(B)
        alpha = np.sqrt((w**2) @ d)
        alpha /= alpha.sum()
        n_components = connected_components(S > 0)[0]
        if n_components > k:
            rho /= 2
            continue
        F = laplacian_twin(S, k)[1]
        if n_components < k:
            rho *= 2
        elif it > 0:
            break
    return S, alpha, w


def completion_twin(labels, low, high, price):
    """Inexact augmented Lagrangian method on the n x n matrix, with whole singular value decompositions."""
    together = (labels[:, None, :] == labels[None, :, :]).mean(axis=2)
    known = (together <= low + 1e-10) | (together >= high - 1e-10)
    D = (together >= high - 1e-10).astype(float)
    penalty = 1.25 / np.linalg.norm(D, 2)
    E, Y = np.zeros_like(D), np.zeros_like(D)
    for _ in range(200):
        U, s, Vt = np.linalg.svd(D - E + Y / penalty)
        A = (U * np.maximum(s - 1 / penalty, 0)) @ Vt
        rest = D - A + Y / penalty
        E = np.where(known, np.sign(rest) * np.maximum(np.abs(rest) - price / penalty, 0), rest)
        Y = Y + penalty * (D - A - E)
        penalty *= 1.5
        if np.linalg.norm(D - A - E) <= 1e-6 * np.linalg.norm(D):
            break
    A = np.clip((A + A.T) / 2, 0, 1)
    return np.where(A < 1e-5, 0, A)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3])
def test_self_paced_similarity_of_single_objects(seed, k):
    labels = random_ensemble(seed)
    ensemble = Ensemble(labels)
    expected, errors = self_paced_twin(labels, k, 0.5)
    found = self_paced_similarity(ensemble, k)
    assert ensemble.n_microclusters < len(labels)
    np.testing.assert_allclose(found.partition_errors, errors, atol=1e-7)
    np.testing.assert_allclose(expand(found.similarity, ensemble), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3])
def test_tri_level_similarity_of_single_objects(seed, k):
    labels = random_ensemble(seed)
    ensemble = Ensemble(labels)
    expected, errors, weights = tri_level_twin(labels, k, 0.01)
    found = tri_level_similarity(ensemble, k)
    np.testing.assert_allclose(found.partition_errors, errors, atol=1e-7)
    np.testing.assert_allclose(found.row_weights[ensemble.row_map], weights, atol=1e-7)
    np.testing.assert_allclose(expand(found.similarity, ensemble), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("price", [None, 0.3])
def test_completion_of_single_objects(seed, price):
    labels = random_ensemble(seed)
    ensemble = Ensemble(labels)
    expected = completion_twin(labels, 0.2, 0.8, 1 / np.sqrt(len(labels)) if price is None else price)
    found = completed_co_association(ensemble, trade_off=price).similarity
    np.testing.assert_allclose(expand(found, ensemble), expected, atol=1e-5)


def test_large_problems_leave_eigenvectors_to_lanczos(monkeypatch):
    labels, _ = noisy_ensemble(np.random.default_rng(0), 180, 10, 4, (6, 10), noise=0.3)
    ensemble = Ensemble(labels)
    whole = completed_co_association(ensemble).similarity, self_paced_similarity(ensemble, 4).similarity
    placed = place_by_laplacian(whole[1] + 0.01, ensemble.sizes, 6)
    monkeypatch.setattr("consensa.relate.completion._DENSE_ROWS", 16)
    monkeypatch.setattr("consensa.relate.learned._DENSE_ROWS", 16)
    np.testing.assert_allclose(completed_co_association(ensemble).similarity, whole[0], atol=1e-5)
    other = place_by_laplacian(whole[1] + 0.01, ensemble.sizes, 6)
    assert ensemble.n_microclusters > 128
    np.testing.assert_allclose(squared_distances(other.points), squared_distances(placed.points), atol=1e-8)
    np.testing.assert_allclose(self_paced_similarity(ensemble, 4).similarity, whole[1], atol=1e-5)


def test_laplacian_of_microclusters_is_that_of_objects():
    rng = np.random.default_rng(0)
    S, sizes = 0.02 * rng.random((8, 8)), rng.integers(1, 5, 8)
    S = (S + S.T) / 2
    for start, stop in ((0, 3), (3, 6), (6, 8)):
        S[start:stop, start:stop] += 1.0
    row_map = np.repeat(np.arange(8), sizes)
    _, vectors = laplacian_twin(S[np.ix_(row_map, row_map)], 3)
    placed = place_by_laplacian(S, sizes, 3)
    assert placed.n_components == 1
    np.testing.assert_allclose(
        squared_distances(placed.points)[np.ix_(row_map, row_map)], pairwise_squared(vectors), atol=1e-12
    )


def test_rows_of_the_simplex():
    rng = np.random.default_rng(0)
    rows, sizes = rng.normal(size=(20, 7)), rng.integers(1, 4, 7)
    found = project_rows(rows, sizes.astype(float))
    for row, expected in zip(found, rows, strict=True):
        np.testing.assert_allclose(np.repeat(row, sizes), simplex_twin(np.repeat(expected, sizes)), atol=1e-12)
    assert project_rows(np.array([[0.25, 0.25]]), np.array([2.0, 2.0])).tolist() == [[0.25, 0.25]]


def test_projection_ends_where_the_sum_is_lost_beside_the_entries():
    """The level of three equal entries was rounded above them all, and the search for it began again for ever."""
    large = 5.04e15 + np.arange(9)[:, None] * 1.0
    for rows in (
        np.repeat(large, 3, axis=1),
        -np.repeat(large, 7, axis=1),
        np.full((1, 3), -1e300),
        -large * [1, 1, 2],
    ):
        found = project_rows(rows, np.ones(rows.shape[1]))
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert found.min() >= 0


def test_trce_ends_on_clusterings_that_hardly_meet():
    labels = np.full((40, 3), -1)
    labels[[0, 16, 21, 27, 31], 0], labels[[12, 17, 24, 32], 0], labels[[13, 22, 26, 28], 0] = 0, 4, 3
    for rows, name in (([1, 5, 38], 3), ([4, 10, 34], 0), ([11], 2), ([14, 18, 19, 21, 27, 35, 36, 37], 5)):
        labels[rows, 1:] = name
    labels[17, 1:], labels[[22, 25, 33], 1:] = 1, 4
    with pytest.warns(ConsensaWarning, match="no label"):
        assert TRCE(2, random_state=0).fit(labels).n_clusters_ == 2


def test_nearest_rows_sum_to_one():
    rng = np.random.default_rng(1)
    C, p, sizes = rng.random((9, 9)) * 5, rng.random((9, 9)) * 100, rng.integers(1, 4, 9).astype(float)
    C[C < 2] = 0.0
    np.fill_diagonal(C, 1.0)
    np.fill_diagonal(p, 0.0)
    B = nearest_rows(C, p, sizes)
    np.testing.assert_allclose(B @ sizes, 1.0, atol=1e-12)
    theta = [C[i, B[i] > 0] / B[i, B[i] > 0] - p[i, B[i] > 0] for i in range(9)]
    assert all(np.ptp(row) < 1e-9 and row.min() > 0 for row in theta)


@BOTH
def test_clusters_are_components(method):
    labels, truth = nested_ensemble(np.random.default_rng(0), noise=0.0)
    model = method([2, 3], random_state=0).fit(labels)
    learn = self_paced_similarity if method is SPCE else tri_level_similarity
    for k in (2, 3):
        n_components, pieces = connected_components(learn(model.ensemble_, k).similarity > 0)
        assert n_components == k
        assert twins.same_partition(model.labels_[k], pieces[model.ensemble_.row_map])
    assert twins.same_partition(model.labels_[2], truth // 2)


@BOTH
def test_too_few_components_are_cut_further(method):
    labels = np.random.default_rng(0).integers(3, size=(60, 4))
    model = method(12, random_state=0).fit(labels)
    assert np.unique(model.labels_).size == 12


@ALL
def test_models_can_be_stored_and_cut_again(method):
    labels = random_ensemble(0)
    model = method(2, random_state=0).fit(labels)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert copy.cut(3).tolist() == model.cut(3).tolist() == method(3, random_state=0).fit(labels).labels_.tolist()


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_linkage_on_the_completed_matrix(linkage):
    labels = random_ensemble(1)
    model = ECMC(2, linkage).fit(labels)
    shares = co_association(model.ensemble_).to_dense().similarity
    S = 0.999 * completed_co_association(model.ensemble_).similarity + 0.001 * shares
    assert S.max() <= 1 + 1e-12
    merges, heights, _ = twins.greedy_merges(S, model.ensemble_.sizes, linkage)
    np.testing.assert_array_equal(model.dendrogram_.merges, merges)
    np.testing.assert_allclose(model.dendrogram_.similarities, heights, atol=1e-9)


@pytest.mark.parametrize("partitioner", ["spectral", "average", "complete"])
def test_objects_without_a_reliable_partner_are_not_cut_off(partitioner):
    """Every fifth object is with its group in seven of ten clusterings: too few to be reliable, more than elsewhere."""
    truth = np.repeat([0, 1], 25)
    labels = np.repeat(truth[:, None], 10, axis=1)
    for i in range(0, 50, 5):
        away = [(i // 5 + 3 * j) % 10 for j in range(3)]
        labels[i, away] = 2 + i
    found = ECMC(2, partitioner, random_state=0).fit_predict(labels)
    assert ari(found, truth) == 1


def test_every_object_is_similar_to_itself():
    labels = random_ensemble(2)
    ensemble = Ensemble(labels)
    S = expand(completed_co_association(ensemble).similarity, ensemble)
    np.fill_diagonal(S, 1.0)
    root = 1 / np.sqrt(S.sum(axis=1))
    expected = np.linalg.eigvalsh(S * root[:, None] * root)[::-1][:3]
    relation = completed_co_association(ensemble)
    extra = 1 - relation.similarity.diagonal()
    found = normalised_cut(relation, ensemble.sizes, extra_diagonal=extra).eigenvalues(3)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ECMC(2, "kmeans"), "partitioner='kmeans' is not known; choose one of 'spectral', 'average'"),
        (ECMC(2, low=0.5, high=0.4), r"low=0\.5 and high=0\.4 are not allowed: give two numbers with 0 <= low < high"),
        (ECMC(2, low="a"), "low='a' and high"),
        (ECMC(2, high=1.5), r"high=1\.5 are not allowed"),
        (ECMC(2, trade_off=0), "trade_off=0 is not allowed"),
        (ECMC(2, max_rounds=0), "max_rounds=0 is not allowed"),
        (ECMC(2, n_init=0), "n_init=0 is not allowed"),
        (SPCE(2, gamma=0), "gamma=0 is not allowed"),
        (TRCE(2, gamma=-1), "gamma=-1 is not allowed"),
        (SPCE(2, n_init=0), "n_init=0 is not allowed"),
    ],
)
def test_wrong_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(random_ensemble(0))


def test_a_completion_that_is_stopped_early_says_so():
    with pytest.warns(match="matrix completion did not meet its constraint in 2 rounds"):
        ECMC(2, max_rounds=2, random_state=0).fit(random_ensemble(0))


@ALL
def test_matrices_beyond_the_budget(monkeypatch, method):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**16)
    with pytest.raises(ValueError, match=r"of 300 microclusters would need .* of memory.*EAC, WEAC, LWEA and LWGP do"):
        method(2).fit(np.arange(300).reshape(-1, 1))
