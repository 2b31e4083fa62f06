"""The choice of k: clear cases, degenerate inputs, the same answer every time."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consensa import ConsensaWarning, Ensemble, EnsembleClustering, choose_k
from consensa.choose.choose_cut import candidate_numbers
from consensa.choose.rule import RULE
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions


@cache
def partitions_of(k, seed=0, sizes=240, **parameters):
    X, _ = make_blobs(sizes, centers=8 * np.eye(8)[:k], random_state=seed)
    return KMeansPartitions(**{"n_partitions": 20, "random_state": seed, **parameters}).fit_transform(X)


def equal(k, n_members, n_objects=None):
    column = np.arange(n_objects or 3 * k) % k
    return np.column_stack([(column + m) % k for m in range(n_members)])


@pytest.mark.parametrize("method", ["lwea", "eac", "lwgp", "ptgp"])
@pytest.mark.parametrize("k", [2, 3, 5, 8])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_well_separated_blobs(method, k, seed):
    assert choose_k(partitions_of(k, seed), method, random_state=seed).n_clusters == k


@pytest.mark.parametrize(
    ("method", "sizes"),
    [("lwea", (150, 60, 30)), ("eac", (400, 100, 40, 15)), ("lwgp", (150, 60, 30)), ("lwgp", (400, 100, 40, 15))],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_very_unequal_sizes(method, sizes, seed):
    partitions = partitions_of(len(sizes), seed, sizes, init="k-means++", n_partitions=40)
    assert choose_k(partitions, method, random_state=0).n_clusters == len(sizes)


@pytest.mark.parametrize("method", ["lwea", "lwgp", "drec"])
@pytest.mark.parametrize("n_members", [1, 2, 3, 10])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_equal_base_clusterings_have_that_k(method, n_members, k):
    assert choose_k(equal(k, n_members), method, random_state=0).n_clusters == k


def test_equal_base_clusterings_with_many_clusters():
    assert choose_k(equal(80, 4), random_state=0).n_clusters == 80


@pytest.mark.parametrize("n_distinct", [1, 2, 3])
def test_few_microclusters(n_distinct):
    rows = np.array([[0, 0], [0, 1], [1, 1]])[:n_distinct]
    choice = choose_k(np.repeat(rows, 4, axis=0), random_state=0)
    assert choice.k.tolist() == list(range(1, n_distinct + 1))
    assert choice.n_clusters in choice.k


def test_single_candidate():
    choice = choose_k(partitions_of(3), k_range=[5], random_state=0)
    assert (choice.n_clusters, choice.k.tolist()) == (5, [5])


def test_one_is_a_candidate_like_any_other():
    partitions = partitions_of(2)
    assert choose_k(partitions, k_range=[1], random_state=0).n_clusters == 1
    choice = choose_k(partitions, k_range=range(1, 8), random_state=0)
    assert choice.n_clusters == 2
    assert choice.strength == pytest.approx(1 - choice.probabilities[0])


def test_probabilities_do_not_depend_on_the_other_candidates():
    partitions = partitions_of(3)
    few, many = (choose_k(partitions, k_range=k, random_state=0) for k in ([2, 3, 5], range(2, 9)))
    kept = many.probabilities[np.isin(many.k, few.k)]
    np.testing.assert_allclose(few.probabilities, kept / kept.sum())
    assert many.probabilities.sum() == pytest.approx(1)


def test_verdict():
    choice = replace(
        choose_k(partitions_of(3), k_range=[2, 3, 4], random_state=0), probabilities=np.array([0.15, 0.81, 0.04])
    )
    assert choice.verdict() == "3 (81 %), else 2"
    assert choice.runners_up == [2]


def rings(n=400, seed=0):
    """Two interlocked rings in space."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 2 * np.pi, (2, n // 2))
    flat = np.zeros(n // 2)
    one = np.column_stack([np.cos(t[0]), np.sin(t[0]), flat])
    other = np.column_stack([1 + np.cos(t[1]), flat, np.sin(t[1])])
    return np.vstack([one, other]) + 0.05 * rng.normal(size=(n, 3))


def diamonds(n=400, seed=0):
    """Two squares on their corners that touch at one of them."""
    square = np.random.default_rng(seed).uniform(-1, 1, (n, 2)) @ np.array([[1, 1], [1, -1]]) / 2
    return square + np.where(np.arange(n) < n // 2, -1, 1)[:, None] * [1, 0]


@pytest.mark.parametrize("X", [rings(), diamonds()], ids=["rings", "diamonds"])
def test_two_of_any_shape_on_the_default_path(X):
    model = EnsembleClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert ari(model.labels_, np.arange(len(X)) < len(X) // 2) > 0.95


def test_one_gaussian_on_the_default_path():
    model = EnsembleClustering("auto", random_state=0).fit(np.random.default_rng(0).normal(size=(400, 10)))
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    assert "1 (" in model.choice_.verdict()


def test_range_is_cut_to_what_is_possible():
    choice = choose_k(equal(4, 3), k_range=range(2, 50), random_state=0)
    assert choice.k.tolist() == [2, 3, 4]


def test_two_numbers_are_both_ends():
    partitions = partitions_of(3)
    assert choose_k(partitions, k_range=(2, 6), random_state=0).k.tolist() == [2, 3, 4, 5, 6]
    assert choose_k(partitions, k_range=[2, 6], random_state=0).k.tolist() == [2, 6]


@pytest.mark.parametrize("k_range", [[5, 6], [0, 2], [-1], (7, 9), range(100, 120)])
def test_range_outside(k_range):
    with pytest.raises(ValueError, match=r"k_range=.* is not allowed: this ensemble can be cut into 1 to 4 clusters"):
        choose_k(equal(4, 3), k_range=k_range)


@pytest.mark.parametrize("k_range", ["2:5", [2.5], [], 2.0])
def test_range_of_a_wrong_kind(k_range):
    with pytest.raises(ValueError, match=r"k_range=.* is not allowed: give an integer of at least 1"):
        choose_k(equal(4, 3), k_range=k_range)


def test_number_of_resamples():
    with pytest.raises(ValueError, match="n_resamples=-1 is not allowed"):
        choose_k(equal(3, 3), n_resamples=-1)


def test_unknown_parameter_of_the_method():
    with pytest.raises(ValueError, match="has no parameter 'thetta'"):
        choose_k(equal(3, 3), thetta=1)


def test_objects_without_any_label():
    partitions = partitions_of(3)
    with_empty = np.vstack([partitions, np.full((5, partitions.shape[1]), -1)])
    with pytest.warns(ConsensaWarning, match="5 "):
        choice = choose_k(with_empty, random_state=0)
    np.testing.assert_allclose(choice.probabilities, choose_k(partitions, random_state=0).probabilities)


def test_a_column_without_any_label():
    partitions = partitions_of(3)
    assert choose_k(np.column_stack([partitions, np.full(len(partitions), -1)]), random_state=0).n_clusters == 3


def test_curves_and_votes():
    choice = choose_k(partitions_of(3), "lwea", random_state=0)
    assert list(choice.curves) == ["conductance", "eigenvalues", "lifetime", "agreement", "stability"]
    assert choice.votes == dict.fromkeys(choice.curves, 3)
    assert choice.cdf is None
    assert choice.rule == RULE
    assert all(values.shape == choice.k.shape for values in [*choice.curves.values(), choice.probabilities])
    assert "lifetime" not in choose_k(partitions_of(3), "lwgp", random_state=0).curves
    assert "stability" not in choose_k(equal(3, 1), random_state=0).curves


def test_table_and_json():
    choice = choose_k(partitions_of(3), k_range=range(1, 6), random_state=0)
    lines = str(choice).splitlines()
    assert lines[0].split() == ["k", "probability", *choice.curves]
    assert [line.split()[0] for line in lines[1:-1]] == ["1", "2", "*3", "4", "5"]
    assert lines[-1] == choice.summary()
    read = json.loads(json.dumps(choice.to_dict(), allow_nan=False))
    assert read["n_clusters"] == 3
    assert read["curves"]["conductance"][0] is None
    assert sum(read["probabilities"]) == pytest.approx(1)
    assert read["curves"]["agreement"][1:] == pytest.approx(choice.curves["agreement"][1:])


@pytest.mark.parametrize("method", ["lwea", "lwgp"])
def test_same_choice_for_any_order_of_the_objects(method):
    partitions = KMeansPartitions(12, random_state=3).fit_transform(np.random.default_rng(0).normal(size=(1500, 3)))
    order = np.random.default_rng(1).permutation(len(partitions))
    one, other = (choose_k(p, method, k_range=(2, 12), random_state=0) for p in (partitions, partitions[order]))
    assert one.n_clusters == other.n_clusters
    np.testing.assert_allclose(one.curves["eigenvalues"], other.curves["eigenvalues"], atol=1e-9)
    np.testing.assert_allclose(one.curves["stability"], other.curves["stability"], atol=1e-9)


def test_same_choice_for_any_number_of_threads(monkeypatch):
    partitions = partitions_of(4, 2)
    found = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
        found.append(choose_k(partitions, "lwgp", random_state=5).to_dict())
    assert found[0] == found[1]


def test_default_candidates():
    ensemble = Ensemble(np.column_stack([np.arange(300) % 60, np.arange(300) // 3]))
    k = candidate_numbers(ensemble, ensemble.n_microclusters)
    assert (k[0], k[-1]) == (1, 160)
    assert np.all(np.diff(k[:50]) == 1)
    assert np.all(np.diff(k[49:]) / k[49:-1] <= 0.051)
