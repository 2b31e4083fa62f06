"""Low-rank and dense representation: closed forms, iterations, and their Ñ x Ñ twins."""

import numpy as np
import pytest

from consensa import ConsensaWarning, Ensemble
from consensa.relate import dense_representation, low_rank_representation
from consensa.relate.cosine import cosine_power
from consensa.relate.dense_representation import representation_coordinates
from consensa.relate.low_rank import left_factor, row_space
from consensa.relate.pursuit import dictionary_pursuit, outlier_pursuit
from consensa.weigh import divergence_weights, entropy_weights

SLOW = 1.05  # a growth of the penalty at which the published scheme reaches the optimum
PUBLISHED = [2.3, 3.5]


def noisy_ensemble(seed, n_objects=60, n_partitions=5, n_labels=5, missing=0.0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=n_objects)
    noise = rng.integers(n_labels, size=(n_partitions, n_objects))
    labels = np.where(rng.random((n_partitions, n_objects)) < 0.75, (classes * 7) % n_labels, noise).astype(float)
    labels[rng.random(labels.shape) < missing] = np.nan
    labels[0, np.isnan(labels).all(axis=0)] = 0
    return Ensemble(list(labels))


def data_matrix(ensemble, weights):
    """X = diag(w) Zᵀ, clusters x microclusters, from the label rows."""
    columns = []
    for row in ensemble.labels:
        column = np.zeros(ensemble.n_base_clusters)
        present = np.flatnonzero(row >= 0)
        column[ensemble.offsets[present] + row[present]] = 1
        columns.append(column * weights * np.sqrt(row.size / present.size))
    return np.array(columns).T


def nuclear(M):
    return np.linalg.svd(M, compute_uv=False).sum()


def direct_scheme(space, lam, *, learn, mu=1e-6, rho=SLOW, tol=1e-8, max_iter=1000):
    """The published scheme with Ñ x Ñ variables, in the order of the paper; X of full row rank."""
    X, V, S = space.coordinates, space.basis, np.diag(space.scale)
    n = X.shape[1]
    Q = np.eye(X.shape[0])
    Z, J, Y2 = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    E, Y1 = np.zeros_like(X), np.zeros_like(X)
    for n_iter in range(1, max_iter + 1):  # noqa: B007 - returned
        P = np.linalg.solve(S.T, Q)
        R = X.T @ P
        U, s, Wt = np.linalg.svd(Z + Y2 / mu)
        J = (U * np.maximum(s - 1 / mu, 0)) @ Wt
        Z = np.linalg.solve(R @ R.T + np.eye(n), R @ (X - E) + J + (R @ Y1 - Y2) / mu)
        M = X - R.T @ Z + Y1 / mu
        length = np.linalg.norm(M, axis=0)
        E = M * np.where(length > lam / mu, 1 - lam / mu / np.maximum(length, 1e-300), 0)
        if learn:
            A, _, Bt = np.linalg.svd(V.T @ Z @ (X - E + Y1 / mu).T)
            Q = A @ Bt
            R = V @ Q
        Y1 = Y1 + mu * (X - R.T @ Z - E)
        Y2 = Y2 + mu * (Z - J)
        mu = min(rho * mu, 1e10)
        if max(np.abs(X - R.T @ Z - E).max(), np.abs(Z - J).max()) < tol:
            break
    return Z, E, n_iter


@pytest.fixture(params=[0, 1, 2])
def space(request):
    ensemble = noisy_ensemble(request.param)
    return row_space(ensemble, divergence_weights(ensemble, 0.7))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_row_space_keeps_all_inner_products(missing):
    ensemble = noisy_ensemble(3, missing=missing)
    weights = entropy_weights(ensemble, 0.4)
    X = data_matrix(ensemble, weights)
    space = row_space(ensemble, weights)
    np.testing.assert_allclose(space.coordinates.T @ space.coordinates, X.T @ X, atol=1e-12)
    np.testing.assert_allclose(space.basis.T @ space.basis, np.eye(space.scale.size), atol=1e-12)
    if not missing:
        assert space.scale.size <= ensemble.n_base_clusters - ensemble.n_partitions + 1


def test_closed_form_is_the_square_root_of_the_weighted_co_association():
    ensemble = noisy_ensemble(4)
    weights = divergence_weights(ensemble, 1.0)
    X = data_matrix(ensemble, weights)
    values, vectors = np.linalg.eigh(X.T @ X)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    found = low_rank_representation(ensemble, weights)
    np.testing.assert_allclose(found.embedding @ found.embedding.T, root, atol=1e-4 * np.sqrt(values[-1]))
    assert found.n_iter == 0
    assert found.objective == pytest.approx(nuclear(X))


@pytest.mark.parametrize("pursuit", [outlier_pursuit, dictionary_pursuit])
def test_closed_form_equals_the_iteration_above_lambda_high(space, pursuit):
    options = {"learn": False, "rho": SLOW} if pursuit is dictionary_pursuit else {}
    run = pursuit(space.coordinates, 1.01 * space.lambda_high, **options)
    assert run.converged
    np.testing.assert_allclose(run.low_rank, space.coordinates, atol=1e-6)
    np.testing.assert_allclose(run.errors, 0, atol=1e-6)
    Z = space.basis @ run.low_rank
    np.testing.assert_allclose(Z, (space.basis * space.scale) @ space.basis.T, atol=1e-6)


def test_lambda_window_is_sharp(space):
    X = space.coordinates
    assert 0 < space.lambda_low < space.lambda_high <= 1 + 1e-12
    below, above = (outlier_pursuit(X, factor * space.lambda_low) for factor in (0.98, 1.02))
    np.testing.assert_allclose(below.low_rank, 0, atol=1e-7)
    assert np.abs(above.low_rank).max() > 1e-3
    within, beyond = (outlier_pursuit(X, factor * space.lambda_high) for factor in (0.98, 1.02))
    assert np.linalg.norm(within.errors, axis=0).max() > 1e-4
    np.testing.assert_allclose(beyond.errors, 0, atol=1e-7)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_outlier_pursuit_reaches_the_optimum(space, share):
    X = space.coordinates
    lam = space.lambda_low + share * (space.lambda_high - space.lambda_low)
    run = outlier_pursuit(X, lam)
    assert run.converged
    assert run.residuals[-1, 0] < 1e-8
    assert np.abs(X - run.low_rank - run.errors).max() == pytest.approx(run.residuals[-1, 0])
    objective = nuclear(run.low_rank) + lam * np.linalg.norm(run.errors, axis=0).sum()
    assert run.objective == pytest.approx(objective, rel=1e-9)
    assert abs(run.gap) < 1e-4
    rng = np.random.default_rng(0)
    for _ in range(20):  # the problem is convex: no point around is better
        A = run.low_rank + rng.normal(scale=0.01, size=X.shape)
        assert nuclear(A) + lam * np.linalg.norm(X - A, axis=0).sum() > objective


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_full_scheme_with_fixed_dictionary_has_the_same_objective(space, share):
    lam = space.lambda_low + share * (space.lambda_high - space.lambda_low)
    reduced = outlier_pursuit(space.coordinates, lam)
    full = dictionary_pursuit(space.coordinates, lam, learn=False, rho=SLOW)
    assert full.residuals[-1].max() < 1e-8
    assert full.objective == pytest.approx(reduced.objective, rel=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("learn", "mu", "max_iter"), [(False, 1e-6, 1000), (True, 1.0, 20)], ids=["fixed", "learned"])
def test_full_scheme_equals_its_direct_twin(seed, learn, mu, max_iter):
    # a learned dictionary lets rounding errors grow, so only its first steps can be compared
    ensemble = noisy_ensemble(seed, n_objects=25, n_partitions=4, n_labels=4)
    space = row_space(ensemble, divergence_weights(ensemble, 0.7))
    lam = space.lambda_low + 0.5 * (space.lambda_high - space.lambda_low)
    Z, E, n_iter = direct_scheme(space, lam, learn=learn, mu=mu, max_iter=max_iter)
    run = dictionary_pursuit(space.coordinates, lam, learn=learn, mu=mu, rho=SLOW, max_iter=max_iter)
    assert run.residuals.shape == (n_iter, 2)
    np.testing.assert_allclose(space.basis @ run.low_rank, Z, atol=1e-6)
    np.testing.assert_allclose(run.errors, E, atol=1e-6)
    if learn:
        unturned = dictionary_pursuit(space.coordinates, lam, learn=False, mu=mu, rho=SLOW, max_iter=max_iter)
        assert np.abs(run.low_rank - unturned.low_rank).max() > 0.01
    H = left_factor(space, run.low_rank)
    U, values, _ = np.linalg.svd(Z)
    kept = values > 1e-4 * values[0]
    np.testing.assert_allclose(H @ H.T, (U[:, kept] * values[kept]) @ U[:, kept].T, atol=1e-5)


def test_learned_dictionary_stays_feasible_and_the_optimum_does_not_depend_on_it(space):
    lam = 1.5 * space.lambda_high
    learned, fixed = (dictionary_pursuit(space.coordinates, lam, learn=learn, rho=SLOW) for learn in (True, False))
    assert learned.residuals[-1].max() < 1e-8
    assert learned.objective == pytest.approx(fixed.objective, rel=1e-6)
    assert learned.objective == pytest.approx(nuclear(learned.low_rank), rel=1e-6)


def test_a_frozen_iteration_says_how_far_it_is_from_the_optimum(space):
    lam = space.lambda_low + 0.5 * (space.lambda_high - space.lambda_low)
    careful, hasty = (outlier_pursuit(space.coordinates, lam, rho=rho) for rho in (1.02, 3.5))
    assert hasty.residuals.shape[0] < careful.residuals.shape[0]
    assert hasty.objective > careful.objective
    assert hasty.gap > 1e-3 > careful.gap


def test_no_convergence_warns(monkeypatch):
    monkeypatch.setattr("consensa.relate.low_rank.outlier_pursuit", lambda X, lam: outlier_pursuit(X, lam, max_iter=10))
    with pytest.warns(ConsensaWarning, match="did not converge: after 10 iterations"):
        found = low_rank_representation(noisy_ensemble(0), relative_lambda=0.5)
    assert not found.converged
    assert found.n_iter == 10


@pytest.mark.parametrize("rho", PUBLISHED)
@pytest.mark.parametrize("lam", [0.1, 1.0, 500.0])
def test_published_solver_equals_its_direct_twin_to_the_end(rho, lam):
    ensemble = noisy_ensemble(0, n_objects=25, n_partitions=4, n_labels=4)
    weights = divergence_weights(ensemble, 0.7)
    found = low_rank_representation(ensemble, weights, solver="published", lam=lam, rho=rho)
    Z, E, n_iter = direct_scheme(found.space, lam, learn=True, rho=rho)
    assert (found.n_iter, found.lam, found.converged) == (n_iter, lam, True)
    U, values, _ = np.linalg.svd(Z)
    kept = values > 1e-4 * values[0]
    expected = (U[:, kept] * values[kept]) @ U[:, kept].T
    np.testing.assert_allclose(found.embedding @ found.embedding.T, expected, atol=1e-5)
    np.testing.assert_allclose(found.errors, np.linalg.norm(E, axis=0), atol=1e-6)
    closed = low_rank_representation(ensemble, weights).similarity().similarity
    apart = np.abs(found.similarity().similarity - closed).max()
    assert apart < 1e-7 if lam == 500 else apart > 1e-3  # without errors it ends before the dictionary has turned


def test_most_of_the_published_grid_is_the_closed_form():
    ensemble = noisy_ensemble(2)
    usual = low_rank_representation(ensemble)
    for lam in (1, 10, 100, 200, 500):
        found = low_rank_representation(ensemble, lam=lam)
        assert (found.n_iter, found.lam) == (0, lam)
        np.testing.assert_array_equal(found.embedding, usual.embedding)
    with pytest.raises(ValueError, match=r"at lambda=0\.01 every microcluster is error"):
        low_rank_representation(ensemble, lam=0.01)


def test_lambda_is_the_same_by_both_names():
    ensemble = noisy_ensemble(1)
    by_share = low_rank_representation(ensemble, relative_lambda=0.6)
    by_value = low_rank_representation(ensemble, lam=by_share.lam)
    np.testing.assert_array_equal(by_value.embedding, by_share.embedding)
    with pytest.raises(ValueError, match=r"lam=1 and relative_lambda=0\.6 are both given"):
        low_rank_representation(ensemble, lam=1, relative_lambda=0.6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "open"}, "solver='open' is not known"),
        ({"rho": 1}, "rho=1 is not allowed: rho must be a number greater than 1"),
        ({"lam": -1}, "lam=-1 is not allowed"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        low_rank_representation(noisy_ensemble(0), **parameters)


@pytest.mark.parametrize("solver", ["closed", "published"])
def test_result_records_the_run(solver):
    found = low_rank_representation(noisy_ensemble(1), relative_lambda=0.6, solver=solver)
    assert found.converged
    assert found.n_iter == found.residuals.shape[0] > 10
    assert found.residuals[-1].max() < 1e-8
    assert found.space.lambda_low < found.lam < found.space.lambda_high
    assert found.errors.max() > 0


@pytest.mark.parametrize("value", [0, -0.5, 1.01, np.inf, "one"])
def test_relative_lambda_out_of_range_is_refused(value):
    with pytest.raises(ValueError, match="relative_lambda"):
        low_rank_representation(noisy_ensemble(0), relative_lambda=value)


def test_vanishing_representation_is_an_error(monkeypatch):
    monkeypatch.setattr("consensa.relate.low_rank.outlier_pursuit", lambda X, lam: outlier_pursuit(X, 0.1 * lam))
    with pytest.raises(ValueError, match="the representation is 0; use a larger lambda"):
        low_rank_representation(noisy_ensemble(0), relative_lambda=0.1)


def test_similarity_is_the_even_power_of_the_cosine():
    found = low_rank_representation(noisy_ensemble(2))
    H = found.embedding / np.linalg.norm(found.embedding, axis=1, keepdims=True)
    for alpha in (1, 2, 3):
        W = found.similarity(alpha).similarity
        np.testing.assert_allclose(W, (H @ H.T) ** (2 * alpha), atol=1e-12)
        np.testing.assert_array_equal(W, W.T)
        np.testing.assert_array_equal(W.diagonal(), 1)
    with pytest.raises(ValueError, match="alpha"):
        found.similarity(0)


def test_a_row_without_embedding_takes_that_of_the_nearest_column():
    H = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1e-9, 1e-9]])
    columns = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.1, 0.9, 0.0], [5.0, 4.0, 0.0]])
    W = cosine_power(H, columns).similarity
    np.testing.assert_array_equal(W[2], W[1])
    np.testing.assert_array_equal(W[3], W[0])


def test_disconnected_parts_have_similarity_exactly_0():
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 3, 4]])
    W = low_rank_representation(ensemble).similarity().similarity
    np.testing.assert_array_equal(W[:2, 2:], 0)
    assert W[0, 1] > 0


def test_weights_that_span_1e8():
    ensemble = noisy_ensemble(5)
    weights = np.geomspace(1e-8, 1.0, ensemble.n_base_clusters)
    X = data_matrix(ensemble, weights)
    space = row_space(ensemble, weights)
    np.testing.assert_allclose(space.coordinates.T @ space.coordinates, X.T @ X, atol=1e-12)
    for relative_lambda in (0.5, 1.0):
        found = low_rank_representation(ensemble, weights, relative_lambda=relative_lambda)
        W = found.similarity().similarity
        assert np.all(np.isfinite(W))
        assert W.min() >= 0
        assert W.max() <= 1
    scaled = low_rank_representation(ensemble, 1e-3 * weights).similarity().similarity
    np.testing.assert_allclose(scaled, W, atol=1e-9)


def test_rows_of_negligible_weight_follow_their_nearest_neighbour():
    # the last two microclusters lie in clusters of weight 1e-9 only, and share one of them
    ensemble = Ensemble([[0, 0, 1, 2, 2], [0, 1, 1, 2, 3]])
    weights = np.array([1, 1, 1e-9, 1, 1, 1e-9, 1e-9])
    W = low_rank_representation(ensemble, weights).similarity().similarity
    np.testing.assert_array_equal(W.diagonal(), 1)
    assert np.all(np.isfinite(W))
    assert W[3, 4] == pytest.approx(1)


def test_all_weights_0_are_refused():
    ensemble = noisy_ensemble(0)
    with pytest.raises(ValueError, match="all cluster weights are 0"):
        low_rank_representation(ensemble, np.zeros(ensemble.n_base_clusters))


def test_equal_weights_change_nothing():
    ensemble = noisy_ensemble(6)
    W = low_rank_representation(ensemble).similarity().similarity
    equal = low_rank_representation(ensemble, np.full(ensemble.n_base_clusters, 0.3)).similarity().similarity
    np.testing.assert_allclose(equal, W, atol=1e-10)


@pytest.mark.parametrize("partitions", [[[0, 0, 0, 1]], [[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]])
@pytest.mark.parametrize("relative_lambda", [0.5, 1.0])
def test_two_microclusters(partitions, relative_lambda):
    W = low_rank_representation(Ensemble(partitions), relative_lambda=relative_lambda).similarity().similarity
    assert W.shape == (2, 2)
    np.testing.assert_array_equal(W.diagonal(), 1)
    assert 0 <= W[0, 1] == W[1, 0] < (1 if relative_lambda == 1 else 1 + 1e-9)


def test_similarity_beyond_the_budget_is_refused(monkeypatch):
    found = low_rank_representation(noisy_ensemble(0))
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 1000)
    with pytest.raises(ValueError, match="CONSENSA_DENSE_BUDGET_GB"):
        found.similarity()


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_dense_representation_equals_its_direct_twin(lam, missing):
    ensemble = noisy_ensemble(7, missing=missing)
    X = data_matrix(ensemble, np.ones(ensemble.n_base_clusters))
    G = X.T @ X
    n = G.shape[0]
    importance = np.ones(n)
    for _ in range(5):
        columns = [np.linalg.solve(G + lam / importance[j] * np.eye(n), G[:, j]) for j in range(n)]
        Z = np.array(columns).T
        importance = 0.5 / np.sqrt(np.sum((X - X @ Z) ** 2, axis=0) + 1e-10)
    space = row_space(ensemble)
    np.testing.assert_allclose(space.basis @ representation_coordinates(space, lam, 5), Z, atol=1e-6)
    U, values, _ = np.linalg.svd(Z)
    kept = values > 1e-4 * values[0]
    H = U[:, kept] * np.sqrt(values[kept])
    H /= np.linalg.norm(H, axis=1, keepdims=True)
    np.testing.assert_allclose(dense_representation(ensemble, lam).similarity, (H @ H.T) ** 4, atol=1e-5)
