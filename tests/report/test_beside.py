"""The consensus beside single runs, over several k, and beside another model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from consensa import LWEA, LWGP, EnsembleClustering
from consensa.cli import main
from consensa.evaluate import ari
from consensa.report import report_content


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(300, centers=5, random_state=2)
    return X, y, EnsembleClustering(5, n_partitions=20, random_state=0).fit(X)


def test_single_runs_are_those_of_scikit_learn(blobs):
    X, _, model = blobs
    found = model.report().content["singles"]
    expected = [ari(KMeans(5, n_init=1, max_iter=100, random_state=s).fit(X).labels_, model.labels_) for s in range(20)]
    np.testing.assert_allclose(found["agreement"], np.sort(expected), atol=6e-4)
    assert found["n_same"] == sum(value >= 0.99 for value in expected)
    assert found["among"] == sorted(found["among"])
    assert 0 <= found["share_changed"] <= 1
    assert len(found["changed"]) == 5


def test_no_single_runs_without_features_or_with_one_cluster(blobs):
    X, _, model = blobs
    assert report_content(LWEA(2).fit(model.partitions_))["singles"] is None
    assert EnsembleClustering(1, n_partitions=5, random_state=0).fit(X).report().content["singles"] is None


def test_splits_count_the_objects_of_every_level(blobs):
    model = blobs[2]
    found = report_content(model)["splits"]
    assert found["k"] == [2, 3, 4, 5, 6, 7, 8, 9]
    for level, k in enumerate(found["k"]):
        assert len(found["sizes"][level]) == k
        assert sum(found["sizes"][level]) == 300
    for level, table in enumerate(found["tables"]):
        np.testing.assert_array_equal(np.sum(table, axis=1), found["sizes"][level])
        np.testing.assert_array_equal(np.sum(table, axis=0), found["sizes"][level + 1])
    own = found["k"].index(5)
    assert found["sizes"][own] == np.bincount(model.labels_).tolist()
    assert sorted(found["belongs"][own]) == [0, 1, 2, 3, 4]


def test_splits_of_the_numbers_that_were_asked_for(blobs):
    several = LWEA([2, 4, 7]).fit(blobs[2].partitions_)
    assert report_content(several)["splits"]["k"] == [2, 4, 7]
    assert report_content(LWGP(1, random_state=0).fit([[0, 0, 0], [0, 0, 0]]))["splits"] is None


def test_another_model_stands_beside(blobs):
    model = blobs[2]
    other = LWEA(3).fit(model.partitions_)
    content = report_content(model, compare=other)
    found = content["compare"]
    assert found["ari"] == pytest.approx(ari(model.labels_, other.labels_), abs=6e-4)
    table = np.zeros((5, 3), int)
    np.add.at(table, (model.labels_, other.labels_), 1)
    assert found["table"] == table.tolist()
    assert found["rows"][1] == ["Clusters", "5", "3"]
    assert content["flow"]["partitions"][1]["name"] == "the other model"
    assert report_content(model)["compare"] is None
    with pytest.raises(ValueError, match="the models have 300 and 4 objects"):
        report_content(model, compare=LWEA(2).fit([[0, 0, 1, 1], [0, 0, 1, 1]]))


def test_models_are_matched_by_their_ids(blobs, tmp_path):
    _, _, model = blobs
    order = np.random.default_rng(0).permutation(300)
    names = np.array([f"o{i}" for i in range(300)])
    model.save(tmp_path / "a.npz", ids=names)
    LWEA(5).fit(model.partitions_[order]).save(tmp_path / "b.npz", ids=names[order])
    paths = [str(tmp_path / name) for name in ("a.npz", "r.json", "b.npz")]
    assert main(["report", *paths[:2], "--compare", paths[2], "--quiet"]) == 0
    found = json.loads((tmp_path / "r.json").read_text())["compare"]
    assert found["ari"] == pytest.approx(ari(LWEA(5).fit(model.partitions_).labels_, model.labels_), abs=6e-4)
    LWEA(5).fit(model.partitions_).save(tmp_path / "c.npz", ids=[f"p{i}" for i in range(300)])
    assert main(["report", paths[0], str(tmp_path / "s.json"), "--compare", str(tmp_path / "c.npz")]) == 2


def test_marked_objects_are_told_apart_from_unlabelled_ones():
    X, _ = make_blobs(600, 10, centers=4, random_state=5)
    X = np.vstack([X, np.random.default_rng(1).uniform(X.min(axis=0), X.max(axis=0), (40, 10))])
    model = EnsembleClustering(4, n_partitions=40, outliers="mark", random_state=0).fit(X)
    found = report_content(model)["summary"]
    assert found["n_marked"] == found["n_unlabelled"] == np.count_nonzero(model.labels_ < 0) > 0
