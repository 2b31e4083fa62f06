"""Elite neighbours, transition matrix and trajectory similarity, against worked numbers and the plain definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consensa import ConsensaWarning, Ensemble
from consensa.relate import elite_neighbors, slow_modes, trajectories, transition_matrix, walk_blocks
from consensa.relate import trajectory as module

# 16 objects, 3 base clusterings; microclusters in the order 111, 121, 122, 132, 211, 332, 333
EXAMPLE = [
    [1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 3, 1, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3],
]
P_K2 = [
    [0.0, 0.4, 0.0, 0.0, 0.6, 0.0, 0.0],
    [0.444444, 0.0, 0.222222, 0.0, 0.333333, 0.0, 0.0],
    [0.0, 0.4, 0.0, 0.6, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.25, 0.0, 0.0, 0.25, 0.5],
    [0.666667, 0.333333, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.428571, 0.0, 0.0, 0.571429],
    [0.0, 0.0, 0.0, 0.6, 0.0, 0.4, 0.0],
]
PTS_K2_T3 = {
    (0, 1): 0.645610, (0, 4): 0.479020, (1, 4): 0.793488, (2, 6): 0.757292, (5, 6): 0.673984, (3, 5): 0.787877,
    (0, 2): 0.410186, (0, 3): 0.052244, (0, 5): 0.038789, (0, 6): 0.048822, (1, 2): 0.195463, (2, 3): 0.205929,
}  # fmt: skip


def lexicographic(ensemble):
    return np.lexsort(ensemble.labels.T[::-1])


def plain_graph(ensemble, n_neighbors):
    """Definitions 3-7 on whole matrices, in counts."""
    L = ensemble.labels
    counts = ((L[:, None, :] == L[None, :, :]) & (L[:, None, :] >= 0)).sum(axis=2)
    np.fill_diagonal(counts, 0)
    n = counts.shape[0]
    place = n if n_neighbors == "all" else min(n_neighbors, n)
    threshold = np.sort(counts, axis=1)[:, n - place]
    return np.where((counts >= threshold[:, None]) | (counts >= threshold), counts, 0)


def plain_walks(ensemble, n_neighbors, n_steps):
    """Definitions 8-9: the walks themselves; 0 for isolated microclusters."""
    P = plain_graph(ensemble, n_neighbors) * ensemble.sizes.astype(float)
    total = P.sum(axis=1, keepdims=True)
    P = np.divide(P, total, out=np.zeros_like(P), where=total > 0)
    return np.hstack([np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)])


def plain_similarity(ensemble, n_neighbors, n_steps):
    """Definition 10: the cosine of the walks; isolated microclusters are like themselves only."""
    walks = plain_walks(ensemble, n_neighbors, n_steps)
    norms = np.linalg.norm(walks, axis=1)
    walks = np.divide(walks, norms[:, None], out=np.zeros_like(walks), where=norms[:, None] > 0)
    S = walks @ walks.T
    np.fill_diagonal(S, 1.0)
    return S


label_matrices = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 24), st.integers(1, 6)), elements=st.integers(-1, 4)
).filter(lambda L: (L >= 0).any(axis=1).all())


def test_transition_probabilities_of_the_papers_figure():
    links = sp.csr_array(np.array([[0, 0, 7], [0, 0, 7], [7, 7, 0]]))
    np.testing.assert_allclose(transition_matrix(links, np.array([4, 1, 2])).toarray()[2], [0.8, 0.2, 0.0])
    np.testing.assert_allclose(transition_matrix(links, np.ones(3)).toarray()[2], [0.5, 0.5, 0.0])


def test_worked_example():
    ensemble = Ensemble(EXAMPLE)
    order = lexicographic(ensemble)
    walk = trajectories(ensemble, 2, 3)
    np.testing.assert_allclose(walk.transition.toarray()[np.ix_(order, order)], P_K2, atol=1e-6)
    S = walk.similarity().similarity[np.ix_(order, order)]
    for (u, v), expected in PTS_K2_T3.items():
        assert S[u, v] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_array_equal(S, S.T)
    np.testing.assert_array_equal(np.diagonal(S), 1.0)


@pytest.mark.filterwarnings("ignore:column")
@settings(max_examples=150, deadline=None)
@given(label_matrices, st.one_of(st.integers(1, 30), st.just("all")), st.integers(1, 6))
def test_graph_and_similarity_agree_with_the_definition(labels, n_neighbors, n_steps):
    ensemble = Ensemble(labels)
    walk = trajectories(ensemble, n_neighbors, n_steps)
    np.testing.assert_array_equal(walk.graph.toarray(), plain_graph(ensemble, n_neighbors))
    assert walk.graph.has_sorted_indices
    expected = plain_similarity(ensemble, n_neighbors, n_steps)
    np.testing.assert_allclose(walk.similarity().similarity, expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore:column")
@settings(max_examples=100, deadline=None)
@given(label_matrices, st.integers(1, 8), st.integers(1, 6), st.booleans())
def test_similarity_to_clusters_is_the_mean_similarity_to_their_members(labels, n_neighbors, n_steps, weighted):
    ensemble = Ensemble(labels)
    S = plain_similarity(ensemble, n_neighbors, n_steps)
    members = ensemble.incidence.toarray() * (ensemble.sizes[:, None] if weighted else 1)
    found = trajectories(ensemble, n_neighbors, n_steps).to_clusters(size_weighted=weighted).matrix
    np.testing.assert_allclose(found, S @ (members / members.sum(axis=0)), atol=1e-12)


@pytest.mark.parametrize("n_components", [1, 3])
def test_tiles_chunks_and_threads_change_nothing(monkeypatch, n_components):
    rng = np.random.default_rng(0)
    labels = np.vstack([rng.integers(0, 4, (120, 5)) + 10 * c for c in range(n_components)])
    ensemble = Ensemble(labels)
    expected = plain_similarity(ensemble, 6, 5)
    reference = trajectories(ensemble, 6, 5)
    bipartite = reference.to_clusters().matrix
    np.testing.assert_allclose(reference.similarity().similarity, expected, atol=1e-12)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "1")
    np.testing.assert_array_equal(trajectories(ensemble, 6, 5).to_clusters().matrix, bipartite)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "3")
    np.testing.assert_array_equal(trajectories(ensemble, 6, 5).to_clusters().matrix, bipartite)
    monkeypatch.setattr(walk_blocks, "_TILE", 7)
    monkeypatch.setattr(module, "_CHUNK_CELLS", 1000)
    monkeypatch.setattr(slow_modes, "_WALK_BYTES", 1)
    walk = trajectories(ensemble, 6, 5)
    np.testing.assert_array_equal(walk.graph.toarray(), reference.graph.toarray())
    np.testing.assert_allclose(walk.similarity().similarity, expected, atol=1e-12)
    np.testing.assert_allclose(walk.to_clusters().matrix, bipartite, atol=1e-12)
    monkeypatch.setattr(walk_blocks, "_NESTED_BYTES", 1 << 60)  # single columns instead of nested matrices
    np.testing.assert_allclose(walk.similarity().similarity, expected, atol=1e-12)


def test_row_order_does_not_matter():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, (80, 4))
    order = rng.permutation(80)
    one, other = Ensemble(labels), Ensemble(labels[order])
    S, R = (trajectories(e).similarity().similarity for e in (one, other))
    place = np.empty(one.n_microclusters, int)
    place[one.row_map[order]] = other.row_map
    np.testing.assert_allclose(S, R[np.ix_(place, place)], atol=1e-13)


def test_defaults_follow_the_number_of_microclusters():
    labels = np.arange(400) // np.array([[1], [20]])
    ensemble = Ensemble(list(labels))
    walk = trajectories(ensemble)
    assert (ensemble.n_microclusters, walk.n_steps) == (400, 10)
    assert trajectories(ensemble, cap=4).n_steps == 4
    assert trajectories(ensemble, n_steps=7, cap=4).n_steps == 7
    np.testing.assert_array_equal(walk.graph.toarray(), elite_neighbors(ensemble, 10).toarray())
    assert trajectories(Ensemble([[0, 0, 1], [0, 1, 1]])).n_steps == 1


def test_ties_are_kept_and_either_end_may_keep_a_link():
    # a star: the hub (first row) agrees once with every other row, which agree with nothing else
    star = Ensemble(np.array([[0, 0, 0], [0, 1, 1], [1, 0, 2], [2, 2, 0]]))
    graph = elite_neighbors(star, 1).toarray()
    np.testing.assert_array_equal(graph[0], [0, 1, 1, 1])
    np.testing.assert_array_equal(graph, graph.T)


@pytest.mark.parametrize("n_neighbors", [0, -1, 1.5, True, "some", None])
def test_wrong_number_of_neighbors(n_neighbors):
    with pytest.raises(ValueError, match=r"n_neighbors=.* must be an integer of at least 1, or 'all'"):
        elite_neighbors(Ensemble(EXAMPLE), n_neighbors)


@pytest.mark.parametrize("n_steps", [0, -3, 2.0, "all"])
def test_wrong_number_of_steps(n_steps):
    with pytest.raises(ValueError, match=r"n_steps=.* must be an integer of at least 1"):
        trajectories(Ensemble(EXAMPLE), 2, n_steps)


def test_wrong_cap():
    with pytest.raises(ValueError, match="cap=0"):
        trajectories(Ensemble(EXAMPLE), cap=0)


def test_at_least_as_many_neighbors_as_microclusters_is_all():
    ensemble = Ensemble(EXAMPLE)
    everything = elite_neighbors(ensemble, "all").toarray()
    for n_neighbors in (7, 8, 1000):
        np.testing.assert_array_equal(elite_neighbors(ensemble, n_neighbors).toarray(), everything)
    assert everything.sum() > elite_neighbors(ensemble, 2).toarray().sum()


def test_isolated_and_lonely_microclusters_are_like_themselves_only():
    S = trajectories(Ensemble(np.array([[0, 0], [0, 1], [1, 0], [5, 5]])), 1, 3).similarity().similarity
    np.testing.assert_array_equal(S[3], [0, 0, 0, 1])
    assert np.all(np.isfinite(S))
    one = trajectories(Ensemble([[3, 3, 3]]))
    np.testing.assert_array_equal(one.similarity().similarity, [[1.0]])
    np.testing.assert_array_equal(one.to_clusters().matrix, [[1.0]])


def test_a_missing_label_agrees_with_nothing():
    ensemble = Ensemble(np.array([[0, 0, -1], [0, 1, -1], [0, 0, 2], [1, 1, 2], [2, 2, 3]]))
    expected = [[0, 1, 2, 0, 0], [1, 0, 1, 1, 0], [2, 1, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
    np.testing.assert_array_equal(elite_neighbors(ensemble, "all").toarray(), expected)


def test_a_matrix_beyond_the_budget_is_refused(monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 700)
    walk = trajectories(Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]]), 1, 1)
    assert walk.similarity().n_rows == 4
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 200)
    with pytest.raises(ValueError, match=r"4 x 4 trajectory similarity would need .* PTGP does without"):
        walk.similarity()
    with pytest.raises(ValueError, match=r"4 x 5 graph of PTGP .* LWGP"):
        walk.to_clusters()
    with pytest.raises(ValueError, match="links would need"):
        elite_neighbors(walk.ensemble, "all")


def test_long_walks_are_announced(monkeypatch):
    walk = trajectories(Ensemble(EXAMPLE), 2, 3)
    monkeypatch.setattr(module, "_SPEED", 1e-3)
    with pytest.warns(ConsensaWarning, match=r"3 steps over 7 microclusters and 8 links will take about .* hours"):
        walk.similarity()
    with pytest.warns(ConsensaWarning, match="cap=20"):
        walk.to_clusters()


def test_trajectory_similarity_of_the_published_code(shared_data):
    with np.load(shared_data / "golden" / "PTA_MF.npz") as file:
        expected = dict(file)
    members = np.load(shared_data / "data" / "pools" / "PTGP_MF.npz")["members"]
    ensemble = Ensemble(members[:, expected["cols"][0]])
    walk = trajectories(ensemble, int(expected["K"][0]), int(expected["T"][0]))
    assert walk.graph.nnz == 2 * expected["n_links_keng"][0]
    assert np.diff(walk.graph.indptr).max() == expected["max_degree_keng"][0]
    place = np.empty(ensemble.n_microclusters, int)
    place[ensemble.row_map] = expected["run0_microcluster_of_object"].astype(int) - 1
    np.testing.assert_allclose(walk.similarity().similarity, expected["run0_pts"][np.ix_(place, place)], atol=1e-10)


@pytest.mark.parametrize("measure", ["dice", "tanimoto"])
@pytest.mark.parametrize("size_weighted", [False, True])
def test_other_measures_of_the_walks(measure, size_weighted):
    ensemble = Ensemble(np.random.default_rng(0).integers(4, size=(30, 4)))
    walks = plain_walks(ensemble, 2, 3)
    G = walks @ walks.T
    total = np.diag(G)[:, None] + np.diag(G)
    expected = 2 * G / total if measure == "dice" else G / (total - G)
    walk = trajectories(ensemble, 2, 3)
    found = walk.similarity(measure).similarity
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(found.diagonal(), 1)
    assert np.abs(found - walk.similarity().similarity).max() > 0.01
    sizes = ensemble.sizes if size_weighted else np.ones(ensemble.n_microclusters)
    inside = ensemble.incidence.toarray() * sizes[:, None]
    graph = walk.to_clusters(measure, size_weighted=size_weighted).matrix
    np.testing.assert_allclose(graph, expected @ (inside / inside.sum(axis=0)), atol=1e-12)


def test_an_unknown_measure_is_refused():
    walk = trajectories(Ensemble(EXAMPLE), 2, 3)
    for compare in (walk.similarity, walk.to_clusters):
        with pytest.raises(ValueError, match="measure='euclidean' is not known; choose one of 'cosine'"):
            compare("euclidean")


def long_walk(seed=0, n_objects=1500):
    """Walks over one large component, long enough for a plan that leaves steps out."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_objects, 3)) + 2.0 * rng.integers(0, 3, (n_objects, 1))
    centers = X[rng.choice(n_objects, (8, 30))]
    labels = np.stack([((X[:, None] - c) ** 2).sum(axis=2).argmin(axis=1) for c in centers], axis=1)
    return trajectories(Ensemble(labels), 20, 60)


@pytest.fixture(scope="module")
def long_walks():
    walk = long_walk()
    block = max(walk._blocks(), key=lambda block: block.members.size)
    return walk, block, block.plan(walk.n_steps)


def test_long_walks_are_planned_with_few_steps(long_walks):
    walk, block, plan = long_walks
    assert block.members.size > slow_modes._SMALLEST
    assert plan.weights.size <= slow_modes._WORTH * walk.n_steps
    assert 0 < plan.left.shape[1] < block.members.size // 8


def whole_walks(monkeypatch, walk):
    with monkeypatch.context() as patch:
        patch.setattr(slow_modes, "_SMALLEST", 10**9)
        return walk.similarity().similarity, walk.to_clusters().matrix


def test_planned_walks_agree_with_whole_walks(long_walks, monkeypatch):
    walk = long_walks[0]
    S, B = whole_walks(monkeypatch, walk)
    found = walk.similarity().similarity
    np.testing.assert_allclose(found, S, atol=1e-11)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(walk.to_clusters().matrix, B, atol=1e-11)


def test_planned_walks_do_not_depend_on_threads(long_walks, monkeypatch):
    walk = long_walks[0]
    found = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
        found.append((walk.similarity().similarity, walk.to_clusters().matrix))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_walks_that_never_meet_have_no_similarity_below_zero(long_walks, monkeypatch):
    """The slow modes of a plan cancel there but for rounding, and no relation takes negative numbers."""

    def rounded_down(block, n_steps):
        ones = np.ones((block.members.size, 1))
        return slow_modes.WalkPlan(np.ones(1), -1e-13 * ones, ones)

    monkeypatch.setattr(walk_blocks.Block, "plan", rounded_down)
    walk = long_walks[0]
    for found in (walk.similarity().similarity, walk.to_clusters().matrix):
        assert found.min() == 0.0


def test_a_plan_that_errs_is_not_used(long_walks, monkeypatch):
    walk, block, plan = long_walks
    assert not plan.is_whole
    honest = slow_modes._slow_modes

    def turned_away(*given):
        modes = honest(*given)
        return modes._replace(values=modes.values * (1 + 1e-6))

    monkeypatch.setattr(slow_modes, "_slow_modes", turned_away)
    assert block.plan(walk.n_steps).is_whole


def test_a_walk_that_is_not_reversible_is_walked_whole(long_walks):
    walk, block, _ = long_walks
    assert block._replace(masses=np.ones(block.members.size)).plan(walk.n_steps).is_whole


def test_weights_of_few_steps_sum_up_all_steps():
    for edge in (0.1, 0.3, 0.6):
        weights = slow_modes._step_weights(edge, 1e-10)
        x = np.linspace(-(edge**2), edge**2, 101)
        found = sum(weight * x**t for t, weight in enumerate(weights))
        np.testing.assert_allclose(found, 1 / (1 - x), atol=5e-10)
