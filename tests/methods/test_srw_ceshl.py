"""The variants after SRW and CESHL: object-level twins, unreachable seeds, the learned structure."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.optimize import minimize

import twins
from consensa import CESHL, SRW, Ensemble
from consensa.evaluate import ari
from consensa.partition import random_walker, structured_cut
from consensa.partition.structured import simplex_rows
from strategies import nested_ensemble, noisy_ensemble


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_walks_between_objects(seed, missing):
    """All objects as vertices, those of neighbouring microclusters linked: the Dirichlet problem in plain numpy."""
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 70, 5, missing=missing)
    ensemble = Ensemble(labels)
    walker = random_walker(ensemble, n_neighbors=4, beta=8.0)
    seeds = walker.seeds(3)[ensemble.row_map]
    S = twins.co_association(labels)
    near = np.zeros((ensemble.n_microclusters,) * 2, bool)
    counts = np.array([[np.sum((a == b) & (a >= 0)) for b in ensemble.labels] for a in ensemble.labels])
    np.fill_diagonal(counts, 0)
    for u, row in enumerate(counts):
        near[u] = (row >= max(np.sort(row)[-4], 1)) & (row > 0)
    near = (near | near.T) | np.eye(len(near), dtype=bool)
    W = np.exp(-8.0 * (1 - S)) * near[np.ix_(ensemble.row_map, ensemble.row_map)]
    np.fill_diagonal(W, 0)
    L = np.diag(W.sum(axis=1)) - W
    free = seeds < 0
    Y = np.eye(3)[seeds[~free]]
    expected = np.linalg.lstsq(L[np.ix_(free, free)], W[np.ix_(free, ~free)] @ Y, rcond=None)[0]
    found = walker.probabilities(3)[ensemble.row_map]
    np.testing.assert_allclose(found[~free], Y)
    np.testing.assert_allclose(found[free], expected, atol=1e-8)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-8)


def test_conjugate_gradients_solve_the_same_problem(monkeypatch):
    labels, _ = noisy_ensemble(np.random.default_rng(0), 120, 6)
    walker = random_walker(Ensemble(labels), beta=5.0)
    direct = walker.probabilities(4)
    monkeypatch.setattr(sys.modules["consensa.partition.random_walker"], "_DIRECT", 0)
    np.testing.assert_allclose(walker.probabilities(4), direct, atol=1e-6)


def test_seeds_are_the_largest_microclusters():
    labels = np.repeat([[0, 0], [0, 1], [1, 2], [1, 3], [2, 4]], [20, 1, 15, 1, 12], axis=0)
    walker = random_walker(Ensemble(labels))
    assert walker.seeds(1).tolist() == [0, 0, 0, 0, 0]  # with four seeds per cluster all are
    many = np.repeat(np.stack([np.arange(40) // 8, np.arange(40)], axis=1), [30, *[1] * 7] * 5, axis=0)
    seeds = random_walker(Ensemble(many)).seeds(1)
    assert np.flatnonzero(seeds >= 0).tolist() == [0, 8, 16, 24, 32]


def test_objects_that_reach_no_seed():
    """A pair of objects apart from all seeds joins the heaviest region, as it is similar to none."""
    labels = np.array([[0, 0]] * 9 + [[0, 1]] * 8 + [[1, 2]] * 7 + [[1, 3]] * 6 + [[4, 5], [4, 6]])
    found = random_walker(Ensemble(labels))
    assert found.seeds(1)[-2:].tolist() == [-1, -1]
    assert SRW(1).fit(labels).labels_.max() == 0
    assert found.probabilities(1)[-2:].ravel().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"n_neighbors": 0}, "n_neighbors=0 is not allowed"), ({"beta": 0}, "beta=0 is not allowed")],
)
def test_parameters_of_srw(parameters, message):
    with pytest.raises(ValueError, match=message):
        SRW(2, **parameters).fit([[0, 0, 1, 1], [0, 1, 1, 1]])


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_the_simplex(seed):
    rng = np.random.default_rng(seed)
    target, costs, total = rng.normal(size=6), rng.random(6) + 0.1, 2.0
    found = simplex_rows(target[None], costs, np.array([total]))[0]
    assert found.sum() == pytest.approx(total)
    assert found.min() >= 0
    best = minimize(
        lambda h: np.sum((h - target) ** 2 / costs),
        np.full(6, total / 6),
        bounds=[(0, None)] * 6,
        constraints={"type": "eq", "fun": lambda h: h.sum() - total},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(found, best.x, atol=1e-5)
    blocked = np.where(np.arange(6) == 2, -np.inf, target)
    assert simplex_rows(blocked[None], costs, np.array([total]))[0, 2] == 0


def ceshl_on_objects(labels, k, lam, max_rounds):
    """One object per row, everything dense: memberships and components after every round."""
    members, owner = twins.clusters_of(labels)
    Z = members.T.astype(float)
    n = len(labels)
    allowed = Z @ (Z.T @ Z > 0) > 0
    H, shares, growth = Z, np.ones(labels.shape[1]), 2.0
    before = [(H, shares, 0.0)]  # states with too few components
    for t in range(max_rounds):
        reach = ((H > 1e-9) @ (H > 1e-9).T).astype(float)
        for _ in range(n.bit_length()):
            reach = (reach @ reach > 0).astype(float)
        components = np.unique(reach, axis=0).shape[0]
        if components == k:
            return H, reach
        if components > k:
            H, shares, last = before[-1]
            growth **= 0.5
            lam = last * growth if last else lam / 2
        elif t:
            before.append((H, shares, lam))
            lam *= growth
        d_x, d_y = H.sum(axis=1), H.sum(axis=0)
        root = np.where(d_y > 1e-9, 1 / np.sqrt(np.maximum(d_y, 1e-30)), 0)
        left, _, right = np.linalg.svd(H / np.sqrt(d_x)[:, None] * root, full_matrices=False)
        f, g = left[:, :k] / np.sqrt(d_x)[:, None], right[:k].T * root[:, None]
        gaps = ((f[:, None] - g) ** 2).sum(axis=2) / 2 * d_x.sum()
        allowed &= d_y > 1e-9
        costs = shares[owner]
        targets = np.where(allowed, Z - lam * costs * gaps, -np.inf)
        H = np.vstack([simplex_rows(targets[i : i + 1], costs, d_x[i : i + 1]) for i in range(n)])
        change = np.array([np.linalg.norm((H - Z)[:, owner == m]) for m in range(labels.shape[1])])
        shares = np.maximum(change / change.mean(), 1e-3)
    pytest.fail("no structure was found")


@pytest.mark.parametrize("seed", range(3))
def test_structure_learned_on_objects(seed):
    labels, _ = nested_ensemble(np.random.default_rng(seed), n_rows=20)
    H, reach = ceshl_on_objects(labels, 3, 0.1, 40)
    ensemble = Ensemble(labels)
    cut = structured_cut(ensemble, 0.1, max_rounds=40)
    learned = cut.learn(3)
    np.testing.assert_allclose(learned.memberships[ensemble.row_map], H, atol=1e-6)
    together = cut.cut(3)[ensemble.row_map]
    np.testing.assert_array_equal(together[:, None] == together, reach > 0)
    np.testing.assert_allclose(learned.memberships.sum(axis=1), labels.shape[1])
    assert learned.components.max() == 2


def test_more_components_than_clusters_are_joined():
    labels = [[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2]]
    assert CESHL(2, random_state=0).fit(labels).labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_structure_that_is_not_reached():
    labels, truth = nested_ensemble(np.random.default_rng(0))
    model = CESHL(4, max_rounds=1, random_state=0).fit(labels)
    learned = model.cut_.learn(4)
    assert learned.components.max() + 1 < 4
    assert learned.n_iter == 1
    assert ari(model.labels_, truth) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"lam": 0}, "lam=0 is not allowed"), ({"max_rounds": 0}, "max_rounds=0"), ({"n_init": 0}, "n_init=0")],
)
def test_parameters_of_ceshl(parameters, message):
    with pytest.raises(ValueError, match=message):
        CESHL(2, **parameters).fit([[0, 0, 1, 1], [0, 1, 1, 1]])


def test_hypergraph_beyond_the_budget(monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**16)
    with pytest.raises(ValueError, match=r"learned hypergraph of 100 microclusters and 120 clusters would need .*LWGP"):
        CESHL(2).fit(np.stack([np.arange(100), np.arange(100) // 5], axis=1))
