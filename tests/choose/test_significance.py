"""Clusters that are there are found, others are not, and the answer depends on data and seed alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consensa import LWEA, Ensemble, EnsembleClustering, significance
from consensa.choose.first_split import first_split
from consensa.choose.monte_carlo import clear_p_value, joint_p_value, sequential_p_value
from consensa.choose.unimodal import ellipsoid_of
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.methods.split_test import Procedure

QUICK = KMeansPartitions(8, (2, 6))


def blobs(n_samples=120):
    return make_blobs(n_samples, centers=[[0, 0], [12, 0], [0, 12]], random_state=0)


@pytest.fixture(scope="module")
def found():
    return significance(blobs()[0], generator=QUICK, random_state=0)


def test_three_blobs(found):
    assert found.n_clusters == 3
    assert ari(found.labels, blobs()[1]) == 1.0
    assert found.labels.dtype == np.int32
    assert [split.significant for split in found.splits].count(True) == 2
    assert (found.cluster_p_values <= 0.05).all()
    assert found.splits[0].alpha == 0.05


def test_parts_are_those_of_their_parents(found):
    for split in found.splits:
        below = [part for part in found.splits if part.parent == split.node]
        assert len(below) == (2 if split.significant else 0)
        assert split.significant == (split.cluster < 0)
        if below:
            assert tuple(part.n_objects for part in below) == split.sizes
            assert sum(split.sizes) == split.n_objects
        else:
            assert np.count_nonzero(found.labels == split.cluster) == split.n_objects


def test_it_says_what_it_found(found):
    lines = str(found).splitlines()
    assert lines[0].startswith("120 objects: split into ")
    assert lines[1].startswith("  ")
    assert "these 3 clusters are well separated (p <= 0.0" in lines[-1]
    assert json.loads(json.dumps(found.to_dict()))["n_clusters"] == 3
    assert len(found.to_frame()) == len(found.splits)
    assert "3 tested clusters" in found._repr_html_()


def test_a_gaussian_is_one_cluster():
    X = np.random.default_rng(0).normal(size=(150, 4))
    found = significance(X, random_state=0)
    assert found.n_clusters == 1
    assert not found.labels.any()
    assert "nothing here" in str(found)
    assert found.cluster_p_values[0] == found.splits[0].p_value > 0.05


def test_level_on_small_gaussians():
    """With 19 null sets p <= .05 has probability .05: more than 4 of 20 have one of .003."""
    rng = np.random.default_rng(5)
    found = [
        significance(rng.normal(size=(80, 3)), generator=QUICK, method="lwea", n_null=19, random_state=r)
        for r in range(20)
    ]
    assert sum(each.splits[0].significant for each in found) <= 4


def test_touching_gaussians_are_found():
    """Where k-means has an ARI of about .8: conductance alone finds every second."""
    found = []
    for draw in range(5):
        X = np.random.default_rng([7, draw]).normal(size=(120, 4))
        X[::2, 0] += 3.3
        found.append(significance(X, n_null=39, random_state=draw).n_clusters > 1)
    assert sum(found) >= 4


def test_the_smaller_of_two_p_values_is_not_taken_as_it_is():
    """Of independent statistics the better rank is small nearly twice as often; the joint p-value is uniform."""
    rng = np.random.default_rng(0)
    p = [joint_p_value(rng.normal(size=2), rng.normal(size=(39, 2))) for _ in range(2000)]
    assert 0.035 < np.mean(np.array(p) <= 0.05) < 0.06
    assert joint_p_value(np.zeros(2), np.zeros((9, 2))) == 1.0


def test_a_handicap_leaves_the_level_and_moves_the_power():
    rng = np.random.default_rng(1)
    handicaps = np.array([2.0, 0.0])
    p = [joint_p_value(rng.normal(size=2), rng.normal(size=(39, 2)), handicaps) for _ in range(2000)]
    assert 0.035 < np.mean(np.array(p) <= 0.05) < 0.065
    nulls = rng.normal(size=(199, 2))
    one, other = (joint_p_value(np.array(found), nulls, handicaps) for found in ([-2.5, 0.0], [0.0, -2.5]))
    assert other < 0.05 < one


@pytest.mark.parametrize("degrees", [np.inf, 6])
def test_level_of_the_sequential_test(degrees):
    """With stops to both sides, also where tails are heavier than any that were seen."""
    rng = np.random.default_rng(2)
    spread = np.ones((2000, 100, 1)) if np.isinf(degrees) else np.sqrt(degrees / rng.chisquare(degrees, (2000, 100, 1)))
    drawn = spread * rng.normal(size=(2000, 100, 2))
    found = [sequential_p_value(values[0], iter(values[1:]), 99, 0.05) for values in drawn]
    assert 0.035 < np.mean([p <= 0.05 for p, _ in found]) < 0.065
    assert np.mean([n for _, n in found]) < 40


def test_what_is_clear_needs_few_and_what_is_not_needs_all():
    nulls = np.random.default_rng(3).normal(size=(99, 2))
    p, n_used = sequential_p_value(np.array([0.0, -12.0]), iter(nulls), 99, 0.05)
    assert (n_used, p <= 0.005) == (19, True)
    p, n_used = sequential_p_value(np.array([0.0, -3.2]), iter(nulls), 99, 0.05)
    assert (n_used, p) == (99, joint_p_value(np.array([0.0, -3.2]), nulls))
    assert sequential_p_value(np.array([0.5, 0.5]), iter(nulls), 99, 0.05)[1] < 20


def test_statistics_without_any_spread_claim_nothing():
    assert clear_p_value(np.array([-1.0, -1.0]), np.zeros((19, 2))) == 1.0
    nulls = np.column_stack([np.zeros(19), np.linspace(-1, 1, 19)])
    assert clear_p_value(np.array([-50.0, 0.0]), nulls) == 1.0


class Stopped(Exception):
    pass


def test_a_stopped_test_goes_on_where_it_was(tmp_path, monkeypatch):
    X = blobs(60)[0]
    options = {"generator": QUICK, "alpha": 0.2, "n_null": 19, "random_state": 3}
    expected = significance(X, **options)
    made, null = [], Procedure.null

    def count(self, ellipsoid, n_samples, seed, place):
        made.append(place)
        if len(made) == stop_at:
            raise Stopped
        return null(self, ellipsoid, n_samples, seed, place)

    monkeypatch.setattr(Procedure, "null", count)
    stop_at = 25
    with pytest.raises(Stopped):
        significance(X, **options, directory=tmp_path / "parts")
    stop_at = None
    assert str(significance(X, **options, directory=tmp_path / "parts")) == str(expected)
    n_in_all = sum(split.n_null for split in expected.splits)
    assert len(made) == n_in_all + 1  # the one that was stopped is the only one made twice
    made.clear()
    assert str(significance(X, **options, directory=tmp_path / "parts")) == str(expected)
    assert made == []
    significance(X, **{**options, "alpha": 0.3}, directory=tmp_path / "parts")
    for other in ({"random_state": 4}, {"method": "lwea"}, {"generator": KMeansPartitions(7, (2, 6))}):
        with pytest.raises(ValueError, match="holds splits made from other data, parameters or another seed"):
            significance(X, **{**options, **other}, directory=tmp_path / "parts")
    with pytest.raises(ValueError, match="holds splits made from other data"):
        significance(X + 1.0, **options, directory=tmp_path / "parts")
    with pytest.raises(ValueError, match="directory needs a random_state"):
        significance(X, directory=tmp_path / "parts")


def test_a_model_that_is_tested_keeps_its_parts(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = EnsembleClustering("tested", generator=QUICK, directory=tmp_path / "parts", random_state=0).fit(X)
    assert len(list((tmp_path / "parts").glob("split_*.npy"))) == 1
    assert model.n_clusters_ == model.significance_.n_clusters == 1
    assert not model.labels_.any()
    assert not model.predict(X[:3]).any()
    with pytest.raises(ValueError, match="directory needs a random_state"):
        model.set_params(random_state=None).fit(X)


def test_a_table_is_refused_with_a_reason():
    import pandas as pd

    table = pd.DataFrame({"size": np.arange(40.0), "colour": ["red", "blue"] * 20})
    with pytest.raises(ValueError, match=r"a table with categories or gaps, of which nobody can say"):
        EnsembleClustering("tested", random_state=0).fit(table)


def test_objects_beyond_those_that_take_part_follow(monkeypatch):
    import sys

    monkeypatch.setattr(sys.modules["consensa.methods.split_test"], "TESTED_ROWS", 60)
    X, truth = blobs(150)
    assert ari(significance(X, generator=QUICK, alpha=0.2, n_null=19, random_state=0).labels, truth) == 1.0


def test_jobs_do_not_matter():
    X = blobs(60)[0]
    one, two = (significance(X, generator=QUICK, alpha=0.2, n_null=9, random_state=3, n_jobs=n) for n in (1, 2))
    assert np.array_equal(one.labels, two.labels)
    assert str(one) == str(two)


def test_a_sample_of_many_objects(monkeypatch):
    import sys

    monkeypatch.setattr(sys.modules["consensa.methods.split_test"], "_SAMPLE", 60)
    X, truth = blobs(150)
    assert ari(significance(X, generator=QUICK, random_state=0).labels, truth) == 1.0


def test_a_model_gives_its_features():
    X, truth = blobs(90)
    model = EnsembleClustering(3, generator=QUICK, random_state=0).fit(X)
    assert ari(significance(model, alpha=0.2, n_null=19, random_state=0).labels, truth) == 1.0


def test_labels_alone_are_refused():
    partitions = KMeansPartitions(5, random_state=0).fit_transform(blobs()[0])
    for labels in (partitions, Ensemble(partitions)):
        with pytest.raises(ValueError, match=r"not features: .* choose_k tells how many"):
            significance(labels)
    with pytest.raises(ValueError, match=r"LWEA was fitted on labels, not features: .* choose_k"):
        significance(LWEA(n_clusters=2).fit(partitions))


def test_a_model_without_its_features_asks_for_them(tmp_path):
    import consensa

    EnsembleClustering(2, generator=QUICK, random_state=0).fit(blobs(30)[0]).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="does not hold the features"):
        significance(consensa.load(tmp_path / "model.npz"))


@pytest.mark.parametrize(
    ("wrong", "said"), [({"alpha": 0}, "alpha=0"), ({"n_null": 0}, "n_null=0"), ({"method": "nope"}, "nope")]
)
def test_bad_parameters(wrong, said):
    with pytest.raises(ValueError, match=said):
        significance(blobs(30)[0], **wrong)


def test_what_is_too_small_is_not_tested():
    for X in (np.arange(12.0).reshape(6, 2), np.ones((50, 2))):
        found = significance(X, random_state=0)
        assert found.n_clusters == 1
        assert np.isnan(found.splits[0].p_value)
        assert "nothing was tested" in str(found)


def test_ellipsoids_have_covariance_and_tails():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3)) @ [[2.0, 0, 0], [1, 1, 0], [0, 0, 0.1]]
    drawn = ellipsoid_of(X).draw(3000, rng)
    assert np.allclose(np.cov(drawn.T), np.cov(X.T), atol=0.4)
    heavy = X / np.sqrt(rng.chisquare(5, size=(3000, 1)) / 5)
    assert 4 < ellipsoid_of(heavy).degrees < 8
    wide = ellipsoid_of(rng.normal(size=(10, 50)))
    assert wide.axes.shape == (9, 50)


def test_handfuls_join_the_part_they_are_linked_with():
    labels = np.repeat([[0, 0, 0], [1, 1, 1], [1, 1, 2]], [20, 20, 2], axis=0)
    model = LWEA(n_clusters=2).fit(labels)
    split = first_split(model.cut_, model.ensemble_)
    assert np.bincount(split.sides).tolist() == [20, 22]
    assert split.conductance == 0
