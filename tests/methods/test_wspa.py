"""WSPA and WBPA: the similarity by definition, soft clusterings of any origin, unbalanced data, feature weights."""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from consensa import WBPA, WSPA, EnsembleClustering, consensus, wbpa, wspa
from consensa.ensemble import Ensemble, _kernels
from consensa.evaluate import ari, consensus_feature_weights, error_rate
from consensa.generate import LACPartitions
from consensa.methods import FEATURE_METHODS, METHODS
from consensa.methods.weighted_subspaces import PARTITIONERS
from consensa.partition import agglomerate, normalised_cut, transfer_cut
from consensa.partition import agglomerate_rows as rows_module
from consensa.partition.agglomerate_rows import agglomerate_rows, average_linkage
from consensa.relate import Factored, co_association
from consensa.relate.posteriors import (
    posterior_graph,
    posterior_similarity,
    soft_ensemble,
    unit_graph,
    walk_cosine,
    walk_similarity,
)

pytest.importorskip("pymetis")

WITHOUT_METIS = ("tcut", "spectral", "average")


@parametrize_with_checks([WSPA(n_partitions=5, n_init=2), WBPA(n_partitions=5, n_init=2), WBPA(partitioner="tcut")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def soft_members(n=60, widths=(2, 3, 5), seed=0):
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.ones(k), n) for k in widths]


def blobs(sizes=(60, 60, 60), seed=0, scale=0.6):
    centers = np.array([[0, 0, 0, 0], [4, 4, 0, 0], [0, 4, 4, 4]], float)
    return make_blobs(list(sizes), centers=centers, cluster_std=scale, random_state=seed, shuffle=True)


def one_hot(labels):
    return np.eye(int(labels.max()) + 1)[labels]


def forbid_matrix(monkeypatch):
    def refuse(self):
        msg = "a matrix of all pairs was formed"
        raise AssertionError(msg)

    monkeypatch.setattr(Factored, "to_dense", refuse)


def test_similarity_by_definition():
    members = soft_members()
    factored = posterior_similarity(soft_ensemble(members)).to_dense().similarity
    psi = np.zeros((60, 60))
    for P in members:
        for i in range(60):
            for j in range(60):
                psi[i, j] += P[i] @ P[j] / (np.linalg.norm(P[i]) * np.linalg.norm(P[j])) / len(members)
    np.testing.assert_allclose(factored, psi, rtol=0, atol=1e-12)


def test_hard_clusterings_give_co_association():
    labels = np.random.default_rng(0).integers(0, 4, (50, 6))
    hard, soft = Ensemble(labels), soft_ensemble([one_hot(column) for column in labels.T])
    np.testing.assert_array_equal(hard.row_map, soft.row_map)
    np.testing.assert_array_equal(hard.sizes, soft.sizes)
    np.testing.assert_allclose(
        posterior_similarity(soft).to_dense().similarity, co_association(hard).to_dense().similarity, atol=1e-12
    )
    np.testing.assert_array_equal(posterior_graph(soft).matrix, hard.incidence.toarray())


def test_walks_by_definition():
    A = np.hstack(soft_members())
    expected = A @ np.diag(1 / A.sum(axis=0)) @ A.T
    np.testing.assert_allclose(walk_similarity(soft_ensemble(soft_members())).to_dense().similarity, expected)
    root = np.sqrt(np.diag(expected))
    cosine = walk_cosine(soft_ensemble(soft_members())).to_dense().similarity
    np.testing.assert_allclose(cosine, expected / root / root[:, None])


def test_equal_rows_are_merged():
    members = [np.vstack([P, P[:20], -0.0 + P[5:6]]) for P in soft_members()]
    members[0][3, 0] = members[0][63, 0] = 0.0
    members[0][63, 0] = -0.0
    members[0][[3, 63], 1] = 1.0
    ensemble = soft_ensemble(members)
    assert ensemble.n_rows == 60
    np.testing.assert_array_equal(ensemble.row_map, [*range(60), *range(20), 5])
    np.testing.assert_array_equal(ensemble.sizes, np.bincount(ensemble.row_map))
    np.testing.assert_array_equal(ensemble.to_objects(ensemble.matrix), np.hstack(members))


def test_hash_collisions_do_no_harm(monkeypatch):
    members = [np.vstack([P, P[:5]]) for P in soft_members()]
    wanted = wbpa(members, 3, partitioner="tcut", random_state=0)
    monkeypatch.setattr(_kernels, "hash_rows", lambda codes, out: out.fill(7))
    assert soft_ensemble(members).n_rows == 65
    np.testing.assert_array_equal(wbpa(members, 3, partitioner="tcut", random_state=0), wanted)


@pytest.mark.parametrize("combine", [wspa, wbpa])
@pytest.mark.parametrize("partitioner", WITHOUT_METIS)
def test_repeated_objects_change_nothing(combine, partitioner):
    X, _ = blobs((30, 30, 30))
    members = [GaussianMixture(k, random_state=k).fit(X).predict_proba(X) * 0.98 + 0.02 / k for k in (2, 3, 4)]
    labels = combine(members, 3, partitioner, random_state=0)
    twice = combine([np.repeat(P, 2, axis=0) for P in members], 3, partitioner, random_state=0)
    np.testing.assert_array_equal(twice[::2], twice[1::2])
    assert ari(twice[::2], labels) == 1


@pytest.mark.parametrize("combine", [wspa, wbpa])
@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_gaussian_mixtures_of_different_widths(combine, partitioner):
    X, truth = blobs()
    members = [GaussianMixture(k, random_state=k).fit(X).predict_proba(X) for k in (2, 3, 4, 5)]
    labels = combine(members, 3, partitioner, random_state=0)
    assert labels.dtype == np.int32
    assert ari(labels, truth) > 0.95


@pytest.mark.parametrize("combine", [wspa, wbpa])
def test_topic_models_and_frames(combine):
    rng = np.random.default_rng(0)
    topics = np.array([[5, 5, 5, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 5, 5, 5]])
    truth = np.repeat([0, 1], 40)
    counts = rng.poisson(topics[truth])
    members = [
        pd.DataFrame(LatentDirichletAllocation(k, random_state=k).fit_transform(counts).astype(np.float32))
        for k in (2, 3)
    ]
    assert ari(combine(iter(members), 2, random_state=0), truth) == 1


@pytest.mark.parametrize("combine", [wspa, wbpa])
def test_fuzzy_c_means(combine):
    X, truth = blobs()
    members = []
    for seed in range(3):
        centers = X[np.random.default_rng(seed).choice(len(X), 3 + seed, replace=False)]
        for _ in range(50):
            nearness = 1 / np.maximum(((X[:, None] - centers) ** 2).sum(axis=2), 1e-12)
            U = nearness / nearness.sum(axis=1, keepdims=True)
            centers = (U**2).T @ X / (U**2).sum(axis=0)[:, None]
        members.append(U)
    assert ari(combine(members, 3, "tcut", random_state=0), truth) > 0.9


@pytest.mark.parametrize("method", [WSPA, WBPA])
@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_features_in(method, partitioner):
    X, truth = blobs()
    model = method(3, partitioner=partitioner, n_partitions=6, n_init=4, random_state=0).fit(X)
    assert ari(model.labels_, truth) > 0.95
    assert model.n_clusters_ == 3
    assert model.partitions_.shape == (180, 6)
    assert np.all(np.diff(np.bincount(model.labels_)) <= 0)
    np.testing.assert_array_equal(model.cut(3), model.labels_)
    assert np.unique(model.cut(2)).size == 2
    assert 0.5 < model.confidence_.mean() <= 1


@pytest.mark.parametrize("method", [WSPA, WBPA])
def test_unbalanced_clusters(method):
    """METIS makes parts of equal size, so it must fail here; cuts and linkage find the clusters."""
    X, truth = blobs((800, 150, 50))
    found = {
        partitioner: error_rate(
            truth, method(3, partitioner=partitioner, n_partitions=8, n_init=4, random_state=0).fit_predict(X)
        )
        for partitioner in PARTITIONERS
    }
    assert found["metis"] > 0.3
    assert found["tcut"] < 0.02
    assert found["average"] < 0.02
    assert found["spectral"] < 0.02


def balanced_cancer():
    """The 212 malignant and the first 212 benign cases."""
    X, y = load_breast_cancer(return_X_y=True)
    kept = np.sort(np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:212]]))
    return X[kept], y[kept]


def test_ensembles_beat_the_mean_of_their_members():
    errors = {"WSPA": [], "WBPA": [], "LAC": []}
    for X, y in (load_iris(return_X_y=True), balanced_cancer()):
        for method in (WSPA, WBPA):
            model = method(np.unique(y).size, random_state=0).fit(X)
            errors[method.__name__].append(error_rate(y, model.labels_))
        errors["LAC"].append(np.mean([error_rate(y, member) for member in model.partitions_.T]))
    means = {name: np.mean(values) for name, values in errors.items()}
    assert means["WSPA"] < means["LAC"]
    assert means["WBPA"] < means["LAC"]


def data_sets():
    named = os.environ.get("CONSENSA_DATA", "")
    folders = [Path(named, *more) for more in (("data", "sets"), ("sets",))] if named else []
    return next((folder for folder in folders if folder.is_dir()), None)


@pytest.mark.skipif(data_sets() is None, reason="CONSENSA_DATA does not name the data sets")
def test_real_sets_of_the_paper():
    errors = {"WSPA": [], "WBPA": [], "LAC": []}
    for name in ("Iris", "WDBC424", "Breast478", "LetterAB", "SatImage_1_7"):
        with np.load(data_sets() / f"{name}.npz") as file:
            X, y = file["X"].astype(float), file["y"]
        Z, k = StandardScaler().fit_transform(X), np.unique(y).size
        generator = LACPartitions(k, random_state=0)
        errors["LAC"].append(np.mean([error_rate(y, member) for member in generator.fit_transform(Z).T]))
        for combine in (wspa, wbpa):
            labels = combine(generator.posteriors(Z), k, random_state=0)
            errors[combine.__name__.upper()].append(error_rate(y, labels))
    means = {name: np.mean(values) for name, values in errors.items()}
    assert means["WSPA"] < means["LAC"] - 0.03
    assert means["WBPA"] < means["LAC"] - 0.03


@pytest.mark.parametrize("method", [WSPA, WBPA])
def test_scale_of_features(method):
    X, _ = blobs()
    given = {"n_clusters": 3, "partitioner": "tcut", "n_partitions": 5, "random_state": 0}
    stretched = X * [1000, 1, 1, 0.001]
    np.testing.assert_array_equal(method(**given).fit_predict(stretched), method(**given).fit_predict(X))
    raw = method(standardize=False, **given).fit(stretched)
    assert ari(raw.labels_, method(**given).fit_predict(X)) < 1


def test_jobs_do_not_matter():
    X, _ = blobs()
    labels = [
        WBPA(3, partitioner="tcut", n_partitions=4, n_jobs=n, random_state=0).fit_predict(X) for n in (None, 1, 2)
    ]
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])


def test_feature_weights_of_the_consensus():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal((0.5, 5), (1, 9), (300, 2)), rng.normal((12, 5), (6, 2), (300, 2))])
    frame = pd.DataFrame(X, columns=["width", "height"])
    model = WBPA(2, n_partitions=8, random_state=0).fit(frame)
    np.testing.assert_allclose(model.feature_weights_.sum(axis=1), 1)
    first = np.bincount(model.labels_[:300]).argmax()
    assert model.feature_weights_[first, 0] > 0.75
    assert model.feature_weights_[1 - first, 1] > 0.6
    top = model.top_features(1)
    assert list(top[first]) == ["width"]
    assert list(top[1 - first]) == ["height"]


def test_feature_weights_by_definition():
    rng = np.random.default_rng(0)
    labels, partitions = rng.integers(0, 3, 40), rng.integers(0, 4, (40, 5))
    weights = [rng.dirichlet(np.ones(6), 4) for _ in range(5)]
    expected = [
        np.mean([weights[m][partitions[i, m]] for i in np.flatnonzero(labels == g) for m in range(5)], axis=0)
        for g in range(3)
    ]
    np.testing.assert_allclose(consensus_feature_weights(labels, partitions, weights), expected)


@pytest.mark.parametrize("n", [2, 40, 400])
def test_linkage_on_rows_equals_linkage_on_a_matrix(n):
    rng = np.random.default_rng(n)
    similarity = posterior_similarity(soft_ensemble(soft_members(n)))
    sizes = rng.integers(1, 9, n)
    by_matrix, by_rows = agglomerate(similarity, sizes), agglomerate_rows(similarity.factor.toarray(), sizes)
    np.testing.assert_array_equal(by_rows.merges, by_matrix.merges)
    np.testing.assert_allclose(by_rows.similarities, by_matrix.similarities, atol=1e-13)
    for k in (1, 2, min(7, n)):
        np.testing.assert_array_equal(by_rows.cut(k), by_matrix.cut(k))


def test_linkage_on_rows_in_small_blocks(monkeypatch):
    F = posterior_similarity(soft_ensemble(soft_members(100))).factor.toarray()
    whole = agglomerate_rows(F)
    monkeypatch.setattr(rows_module, "_BLOCK", 250)
    np.testing.assert_array_equal(agglomerate_rows(F).merges, whole.merges)


def test_linkage_on_rows_with_ties():
    F = np.tile(np.eye(3) + 0.1, (4, 1))
    tree = agglomerate_rows(F)
    assert np.unique(tree.cut(3)).size == 3
    assert ari(tree.cut(3), np.tile([0, 1, 2], 4)) == 1
    assert np.all(np.diff(tree.similarities) <= 0)
    assert agglomerate_rows(np.ones((9, 2))).cut(4).max() == 3


def test_no_matrix_of_all_pairs(monkeypatch):
    forbid_matrix(monkeypatch)
    ensemble = soft_ensemble(soft_members(1600))
    for similarity in (posterior_similarity(ensemble), walk_similarity(ensemble)):
        assert np.unique(average_linkage(similarity, ensemble.sizes).cut(4)).size == 4
        assert np.unique(normalised_cut(similarity, ensemble.sizes, random_state=0).cut(4)).size == 4
    for graph in (unit_graph(ensemble), posterior_graph(ensemble)):
        assert np.unique(transfer_cut(graph, ensemble.sizes, random_state=0).cut(4)).size == 4


def test_sparse_factors_take_the_sparse_way(monkeypatch):
    monkeypatch.setattr(rows_module, "agglomerate_rows", None)
    labels = np.random.default_rng(0).integers(0, 6, (1700, 7))
    factor = sp.csr_array(np.hstack([one_hot(column) for column in labels.T]) / np.sqrt(7))
    assert np.unique(average_linkage(Factored(factor)).cut(3)).size == 3


def test_registry_knows_what_the_methods_take():
    assert {"wbpa", "wspa"} <= set(FEATURE_METHODS)
    assert {method.input for method in FEATURE_METHODS.values()} == {"features"}
    assert {method.input for method in METHODS.values()} == {"labels"}
    assert FEATURE_METHODS["wspa"].load() is WSPA
    with pytest.raises(ValueError, match=r"'wspa' makes its own base clusterings .* use consensa.WSPA"):
        consensus([[0, 0, 1], [0, 1, 1]], 2, method="wspa")
    with pytest.raises(ValueError, match=r"use consensa.WBPA"):
        EnsembleClustering(2, method="wbpa").fit(blobs()[0])


@pytest.mark.parametrize(
    ("posteriors", "message"),
    [
        ([], "posteriors is empty"),
        (np.ones((3, 1)), "one array was given"),
        ([np.ones(3)], r"posteriors\[0\] has shape \(3,\)"),
        ([np.ones((3, 0))], "shape"),
        ([np.ones((3, 1)), np.ones((4, 1))], r"posteriors\[1\] has 4 rows, but posteriors\[0\] has 3"),
        ([np.array([[0.5, np.nan]])], "NaN, infinite or negative"),
        ([np.array([[1.5, -0.5]])], "NaN, infinite or negative"),
        ([np.array([[0.5, 0.5], [0.5, 0.4]])], r"row 1 of posteriors\[0\] sums to 0.9"),
    ],
)
def test_bad_posteriors(posteriors, message):
    with pytest.raises(ValueError, match=message):
        wspa(posteriors, 1)


@pytest.mark.parametrize("combine", [wspa, wbpa])
def test_bad_parameters(combine):
    members = soft_members(20)
    with pytest.raises(ValueError, match="partitioner='kmeans' is not known"):
        combine(members, 2, "kmeans")
    with pytest.raises(ValueError, match="n_clusters=21 is more than the 20 distinct rows"):
        combine(members, 21)
    with pytest.raises(ValueError, match="n_clusters=0"):
        combine(members, 0)
    with pytest.raises(ValueError, match="n_clusters=11 is more than the 10 base clusters"):
        combine(members, 11, "tcut")
    with pytest.raises(ValueError, match="partitioner='ncut'"):
        WSPA(2, partitioner="ncut").fit(blobs()[0])


@pytest.mark.parametrize("method", [WSPA, WBPA])
def test_missing_extra_is_said_before_the_work(method, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    monkeypatch.setattr(LACPartitions, "fit_transform", None)
    with pytest.raises(ImportError, match="pip install pymetis"):
        method(2).fit(blobs()[0])


def test_three_dimensional_array_is_a_list_of_posteriors():
    members = np.stack(soft_members(30, (3, 3)))
    np.testing.assert_array_equal(
        wspa(members, 2, "tcut", random_state=0), wspa(list(members), 2, "tcut", random_state=0)
    )
