"""MDEC: the kernel graph against a dense twin and the published code, odd data, resuming, the three cuts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy import testing
from sklearn.datasets import make_blobs

from consensa import MDEC, Ensemble, MDECConsensus
from consensa.evaluate import ari, nmi
from consensa.generate import MetricSubspacePartitions
from consensa.generate.graph import scaled_exponential_graph, similarity_graph
from consensa.generate.spectral import spectral_embedding, spectral_labels
from consensa.generate.subspace import draw_subspace, feature_strata

rng = np.random.default_rng(3)


def dense_code_graph(X, k, mu):
    """The published kernel, step by step on full matrices."""
    n = X.shape[0]
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    off = D.copy()
    np.fill_diagonal(off, np.inf)
    rho = np.sort(off, axis=1)[:, :k].mean(axis=1) + np.finfo(float).eps
    width = mu * np.maximum((rho[:, None] + rho + D) / 3, np.finfo(float).eps)
    W = np.exp(-0.5 * (D / width) ** 2) / (np.sqrt(2 * np.pi) * width)
    np.fill_diagonal(W, 0)
    kept = np.zeros_like(W)
    for i in range(n):
        strongest = np.argsort(-W[i], kind="stable")[:k]
        kept[i, strongest] = W[i, strongest]
    return np.maximum(kept, kept.T)


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_code_graph_equals_dense_twin(k, mu):
    X = np.vstack([rng.normal(0, s, size=(40, 6)) + c for s, c in [(1, 0), (0.1, 3), (5, -4)]])
    twin = dense_code_graph(X, k, mu)
    graph = scaled_exponential_graph(X, k, mu).toarray()
    testing.assert_array_equal(graph > 0, twin > 0)
    testing.assert_allclose(graph, twin, rtol=1e-9)


def test_neighbours_are_exact_where_single_precision_is_not():
    X = 1e4 + rng.normal(0, 1e-3, size=(60, 4)) + np.repeat(np.arange(3) * 1e3, 20)[:, None]
    twin = dense_code_graph(X - X.mean(axis=0), 4, 0.5)
    graph = scaled_exponential_graph(X, 4, 0.5).toarray()
    testing.assert_array_equal(graph > 0, twin > 0)


def test_graph_does_not_depend_on_the_blocks(monkeypatch):
    X = rng.normal(size=(150, 5))
    whole = scaled_exponential_graph(X, 7, 0.4).toarray()
    monkeypatch.setattr("consensa.generate.graph._BLOCK_ENTRIES", 1000)
    monkeypatch.setattr("consensa.generate.graph._KEPT_BLOCKS", 0)
    testing.assert_allclose(scaled_exponential_graph(X, 7, 0.4).toarray(), whole, rtol=1e-12)


def test_paper_graph_equals_formula():
    X = rng.normal(size=(30, 3))
    k, mu = 4, 0.5
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    order = np.argsort(d + np.diag(np.full(30, np.inf)), axis=1)[:, :k]
    rho = np.take_along_axis(d, order, axis=1).mean(axis=1)
    S = np.exp(-d / (mu * (rho[:, None] + rho + d) / 3))
    linked = np.zeros((30, 30), bool)
    np.put_along_axis(linked, order, values=True, axis=1)
    testing.assert_allclose(scaled_exponential_graph(X, k, mu, "paper").toarray(), np.where(linked | linked.T, S, 0))


@pytest.mark.parametrize("metric", ["cosine", "correlation", "spearman"])
def test_similarity_graph_holds_the_similarity(metric):
    X = rng.normal(size=(25, 8)) + 1
    graph = similarity_graph(X, 3, metric).toarray()
    rows = np.argsort(np.argsort(X, axis=1), axis=1) if metric == "spearman" else X
    if metric == "cosine":
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        S = unit @ unit.T
    else:
        S = np.corrcoef(rows)
    i, j = np.nonzero(graph)
    testing.assert_allclose(graph[i, j], np.maximum(S[i, j], np.finfo(float).eps), atol=1e-12)
    assert np.all((graph > 0).sum(axis=1) >= 3)


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_embedding_spans_the_leading_eigenspace(n_components, monkeypatch):
    monkeypatch.setattr("consensa.generate.spectral._DENSE_ROWS", 1)
    blocks = [scaled_exponential_graph(rng.normal(size=(40, 3)), 6, 0.5) for _ in range(n_components)]
    graph = sp.csr_array(sp.block_diag(blocks))
    n_vectors = n_components + 4
    E = spectral_embedding(graph, n_vectors, seed=0)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    N = graph.toarray() / np.sqrt(np.outer(degree, degree))
    top = np.linalg.eigh(N)[1][:, -n_vectors:]
    testing.assert_allclose(E @ E.T, top @ top.T, atol=1e-6)


def test_many_components_give_many_clusters():
    graph = sp.csr_array(sp.block_diag([sp.coo_array(np.ones((3, 3)) - np.eye(3))] * 20))
    labels = spectral_labels(graph, 6, seed=0)
    assert np.unique(labels).size == 6
    testing.assert_array_equal(labels.reshape(20, 3), labels.reshape(20, 3)[:, :1].repeat(3, axis=1))


@pytest.mark.parametrize(
    "X",
    [
        np.repeat(rng.normal(size=(10, 4)), 6, axis=0),
        np.ones((40, 4)),
        np.hstack([np.zeros((40, 3)), rng.normal(size=(40, 1))]),
        np.vstack([rng.normal(size=(39, 4)), [[1e6] * 4]]),
        rng.normal(size=(5, 4)),
        rng.normal(size=(2, 1)),
    ],
    ids=["duplicates", "constant", "constant features", "outlier", "five rows", "two rows"],
)
def test_odd_data_gives_labels(X):
    labels = MetricSubspacePartitions(8, random_state=0).fit_transform(X)
    assert labels.shape == (X.shape[0], 8)
    assert labels.min() >= 0


def test_as_many_clusters_as_samples():
    X = rng.normal(size=(30, 4))
    labels = MetricSubspacePartitions(3, k_range=(29, 30), random_state=0).fit_transform(X)
    assert all(np.unique(column).size >= 25 for column in labels.T)


def test_no_member_collapses_to_one_cluster():
    X, _ = make_blobs(200, centers=4, n_features=10, random_state=0)
    labels = MetricSubspacePartitions(20, random_state=0).fit_transform(X)
    assert all(np.unique(column).size >= 2 for column in labels.T)


def test_members_do_not_depend_on_n_jobs():
    X, _ = make_blobs(120, centers=3, n_features=8, random_state=1)
    one = MetricSubspacePartitions(6, random_state=5, n_jobs=1).fit_transform(X)
    two = MetricSubspacePartitions(6, random_state=5, n_jobs=2).fit_transform(X)
    testing.assert_array_equal(one, two)


def test_a_stopped_run_goes_on_with_the_same_answer(tmp_path, monkeypatch):
    X, _ = make_blobs(100, centers=3, n_features=6, random_state=1)
    whole = MDEC(3, n_partitions=6, random_state=0).fit(X)
    import consensa.generate.subspace as module

    cluster, calls = module._cluster, []

    def stops_after_three(*task):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(1)
        return cluster(*task)

    monkeypatch.setattr(module, "_cluster", stops_after_three)
    with pytest.raises(KeyboardInterrupt):
        MDEC(3, n_partitions=6, random_state=0, directory=tmp_path).fit(X)
    assert len(list(tmp_path.glob("member_*.npy"))) == 3
    (tmp_path / "member_00001.npy").write_bytes(b"cut off")
    again = []
    monkeypatch.setattr(module, "_cluster", lambda *task: again.append(1) or cluster(*task))
    resumed = MDEC(3, n_partitions=6, random_state=0, directory=tmp_path).fit(X)
    assert len(again) == 4
    testing.assert_array_equal(resumed.partitions_, whole.partitions_)
    testing.assert_array_equal(resumed.labels_, whole.labels_)


def test_a_folder_of_other_members_is_refused(tmp_path):
    X = rng.normal(size=(30, 4))
    MetricSubspacePartitions(2, random_state=0, directory=tmp_path).fit(X)
    with pytest.raises(ValueError, match="made from other data, parameters or another seed"):
        MetricSubspacePartitions(2, random_state=1, directory=tmp_path).fit(X)
    with pytest.raises(ValueError, match="directory needs a random_state"):
        MetricSubspacePartitions(2, directory=tmp_path).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"feature_fraction": 0}, "feature_fraction=0 is not allowed"),
        ({"feature_fraction": 1.5}, "in \\(0, 1\\]"),
        ({"neighbors_range": (0, 3)}, "neighbors_range"),
        ({"mu_range": (0.8, 0.2)}, "mu_range"),
        ({"metric": "euclid"}, "metric='euclid' is not known"),
        ({"variant": "other"}, "variant='other' is not known"),
        ({"n_strata": 0}, "n_strata=0"),
    ],
)
def test_bad_parameters_say_what_is_allowed(parameters, message):
    with pytest.raises(ValueError, match=message):
        MetricSubspacePartitions(2, random_state=0, **parameters).fit(rng.normal(size=(20, 4)))


@pytest.mark.parametrize("n_features", [1, 2, 7, 50])
@pytest.mark.parametrize("fraction", [0.01, 0.5, 1.0])
def test_subspaces_have_the_right_size(n_features, fraction):
    strata = feature_strata(rng.normal(size=(20, n_features)), 5, seed=0)
    for groups in (None, strata):
        drawn = draw_subspace(n_features, fraction, np.random.default_rng(0), groups)
        assert drawn.size == max(1, round(fraction * n_features))
        assert np.unique(drawn).size == drawn.size


def object_level_embedding(L, weights, k, diagonal):
    """MDEC-SC on the n x n matrix."""
    M = L.shape[1]
    A = np.zeros((L.shape[0], L.shape[0]))
    start = 0
    for m in range(M):
        same = L[:, m][:, None] == L[:, m]
        A += same * weights[start + L[:, m]] / M
        start += L[:, m].max() + 1
    if diagonal == "one":
        np.fill_diagonal(A, 1)
    degree = A.sum(axis=1)
    values, vectors = np.linalg.eigh(A / np.sqrt(np.outer(degree, degree)))
    E = vectors[:, -k:]
    return values[::-1], E / np.linalg.norm(E, axis=1, keepdims=True)


@pytest.mark.parametrize("diagonal", ["one", "formula"])
def test_spectral_consensus_equals_the_object_level(diagonal):
    base = rng.integers(0, 3, size=60)
    L = np.stack([np.where(rng.random(60) < 0.2, rng.integers(0, 3, 60), base) for _ in range(4)], axis=1)
    model = MDECConsensus(3, "sc", diagonal=diagonal, random_state=0).fit(L)
    values, E = object_level_embedding(L, model.cluster_weights_, 3, diagonal)
    ours = model.cut_.embedding(3)[model.ensemble_.row_map]
    testing.assert_allclose(model.cut_.eigenvalues(3), values[:3], atol=1e-10)
    testing.assert_allclose(ours @ ours.T, E @ E.T, atol=1e-6)


def test_fit_consensus_equals_the_consensus_step():
    L = rng.integers(0, 3, size=(50, 6))
    for consensus in ("hc", "sc", "bg"):
        model = MDEC(3, consensus, random_state=0).fit_consensus(L)
        assert model.labels_.shape == (50,)
        assert np.unique(model.labels_).size == 3
    unweighted = MDECConsensus(3, weighted=False).fit(Ensemble(L))
    testing.assert_array_equal(unweighted.cluster_weights_, 1)


def test_the_parameters_of_the_paper_reach_both_steps():
    X = rng.normal(size=(60, 8))
    model = MDEC(
        3, "sc", n_partitions=12, tau=0.75, k_range=(4, 5), neighbors_range=(6, 7), mu_range=(0.3, 0.4),
        variant="paper", diagonal="formula", random_state=0,
    ).fit(X)  # fmt: skip
    drawn = model.generator_.members_
    assert {member.features.size for member in drawn} == {6}
    assert {member.n_clusters for member in drawn} == {4, 5}
    assert {member.n_neighbors for member in drawn} == {6, 7}
    assert all(0.3 <= member.mu <= 0.4 for member in drawn)
    assert (model.generator_.variant, model.consensus_.diagonal) == ("paper", "formula")
    with pytest.raises(ValueError, match=r"tau=0 is not allowed: it must be a number in \(0, 1\]"):
        MDEC(3, tau=0).fit(X)


def test_blobs_in_many_noise_features():
    X, y = make_blobs(150, centers=3, n_features=10, random_state=0)
    X = np.hstack([X, rng.normal(size=(150, 30))])
    for consensus in ("hc", "sc", "bg"):
        assert ari(MDEC(3, consensus, n_partitions=30, random_state=0).fit_predict(X), y) > 0.9


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("MDEC_MF_M20_s1", "MF_minmax"),
        ("MDEC_MF_M100_s2", "MF_minmax"),
        ("MDEC_Yeoh02v1_M100_s1", "yeoh-2002-v1"),
    ],
)
def test_consensus_agrees_with_the_published_code(name, data, shared_data):
    golden = np.load(shared_data / "golden" / f"{name}.npz")
    y = np.load(shared_data / "data" / "sets" / f"{data}.npz")["y"]
    L = golden["base_labels"].astype(int)
    k = int(golden["true_k"])
    hc = MDECConsensus(k, "hc").fit(L)
    testing.assert_allclose(hc.cluster_weights_, golden["eci"], atol=1e-9)
    assert ari(hc.labels_, golden["hc_labels"]) == 1.0
    for published, consensus in zip(golden["nmi_max"][1:], ("sc", "bg"), strict=True):
        model = MDECConsensus(k, consensus, random_state=0).fit(L)
        E, ours = golden[f"{consensus}_embedding"], model.cut_.embedding(k)[model.ensemble_.row_map]
        testing.assert_allclose(ours @ ours.T, E @ E.T, atol=1e-6)
        assert nmi(model.labels_, y, average="max") == pytest.approx(published, abs=0.01)


def test_graph_equals_the_published_code(shared_data):
    golden = np.load(shared_data / "golden" / "MDEC_MF_M20_s1.npz")
    X = np.load(shared_data / "data" / "sets" / "MF_minmax.npz")["X"]
    columns = golden["subspace_cols"][0].astype(int)
    graph = scaled_exponential_graph(X[:, columns], int(golden["knn_k"][0]), float(golden["mu"][0]))
    place = (golden["base0_affinity_row"], golden["base0_affinity_col"])
    published = sp.csr_array((golden["base0_affinity_val"], place), shape=graph.shape)
    assert graph.nnz == published.nnz
    assert abs(graph - published).max() < 1e-6 * published.max()
