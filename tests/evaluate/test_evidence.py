"""Soft membership, consensus of clusters and reliability against their definitions, object by object."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import twins
from consensa import Ensemble
from consensa.evaluate import (
    align_labels,
    cluster_consensus,
    cluster_reliability,
    confidence,
    item_consensus,
    partition_reliability,
    soft_membership,
)
from consensa.weigh import crowd_agreement
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


@st.composite
def clustered(draw, lowest=-1):
    """A label matrix and a clustering of its objects with at least one label, numbered from 0 without gaps."""
    labels = draw(ensembles(missing=True))
    group = np.array(draw(st.lists(st.integers(lowest, 3), min_size=len(labels), max_size=len(labels))))
    group[0] = max(group[0], 0)
    group[group >= 0] = np.unique(group[group >= 0], return_inverse=True)[1]
    return labels, group


@given(clustered())
def test_soft_membership_twin(case):
    labels, group = case
    found = soft_membership(group, Ensemble(labels))
    S = twins.co_association(labels)
    for i in np.flatnonzero(group < 0):
        assert not found[i].any()
    for i in np.flatnonzero(group >= 0):
        mean = np.zeros(group.max() + 1)
        for g in range(mean.size):
            others = [j for j in np.flatnonzero(group == g) if j != i]
            mean[g] = np.mean(S[i, others]) if others else 0.0
        if not mean.any():
            mean[group[i]] = 1.0
        np.testing.assert_allclose(found[i], mean / mean.sum(), atol=1e-9)


@given(clustered())
def test_cluster_and_item_consensus_twin(case):
    """Counted pair by pair, in the base clusterings that label both."""
    labels, group = case
    together = (labels[:, None] == labels[None]) & (labels[:, None] >= 0) & (labels[None] >= 0)
    seen = (labels[:, None] >= 0) & (labels[None] >= 0)
    found, items = cluster_consensus(group, labels), item_consensus(group, labels)
    for g in range(group.max() + 1):
        members = np.flatnonzero(group == g)
        pairs = list(itertools.combinations(members, 2))
        met, could = (sum(int(table[i, j].sum()) for i, j in pairs) for table in (together, seen))
        assert found[g] == pytest.approx(met / could if could else 0.0)
        for i in np.flatnonzero(group >= 0):
            others = members[members != i]
            could = seen[i, others].sum()
            assert items[i, g] == pytest.approx(together[i, others].sum() / could if could else 0.0)


def test_consensus_without_missing_labels_is_the_mean_co_association(example_a):
    group = np.repeat([0, 1], 8)
    S = twins.co_association(example_a)
    inside = S[:8, :8][np.triu_indices(8, 1)].mean(), S[8:, 8:][np.triu_indices(8, 1)].mean()
    np.testing.assert_allclose(cluster_consensus(group, example_a), inside)


def test_soft_membership_of_objects_that_keep_one_company():
    labels = np.array([[0, 0, 0, 1, 1, 2, -1]] * 3).T
    found = soft_membership([0, 0, 0, 1, 1, 2, 1], labels)
    assert found.tolist() == [[1, 0, 0]] * 3 + [[0, 1, 0]] * 2 + [[0, 0, 1]] + [[0, 0, 0]]
    assert soft_membership([-1] * 7, labels).shape == (7, 0)


@given(clustered(lowest=0))
def test_confidence_is_positive_only_where_the_own_share_is_the_largest(case):
    labels, group = case
    share = soft_membership(group, labels)
    sure = confidence(group, labels) > 1e-9
    assert np.all(share[sure].argmax(axis=1) == group[sure])


def test_crowd_agreement_of_example_a(example_a):
    """The worked numbers of the method's description."""
    np.testing.assert_allclose(crowd_agreement(example_a), [0.914491, 0.946016, 1], atol=5e-7)
    np.testing.assert_allclose(crowd_agreement(example_a, average="sqrt"), [0.904786, 0.936311, 1], atol=5e-7)


@given(ensembles(missing=True), st.sampled_from(["max", "sqrt"]))
def test_crowd_agreement_twin(labels, average):
    n_partitions = labels.shape[1]
    score = np.zeros((n_partitions, n_partitions))
    for a, b in itertools.permutations(range(n_partitions), 2):
        both = (labels[:, a] >= 0) & (labels[:, b] >= 0)
        x, y = labels[both, a], labels[both, b]
        if np.unique(x).size > 1 and np.unique(y).size > 1:
            kind = {"max": "max", "sqrt": "geometric"}[average]
            score[a, b] = normalized_mutual_info_score(x, y, average_method=kind)
    total = score.sum(axis=1)
    expected = total / total.max() if total.max() > 1e-12 else np.ones(n_partitions)
    found = crowd_agreement(labels, average=average)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert found.max() == 1


def test_crowd_agreement_where_there_is_no_crowd():
    assert crowd_agreement([[0, 0, 1, 1]]).tolist() == [1]
    assert crowd_agreement([[0, 0, 0, 0], [1, 1, 1, 1]]).tolist() == [1, 1]
    with pytest.raises(ValueError, match="average='least' is not known; choose one of 'max', 'sqrt'"):
        crowd_agreement([[0, 0, 1, 1]], average="least")


@given(clustered())
def test_cluster_reliability_twin(case):
    labels, group = case
    found = cluster_reliability(group, labels)
    members, owner = twins.clusters_of(labels)
    np.testing.assert_allclose(found.eci, twins.eci(labels, 0.4), atol=1e-12)
    assert found.partition.tolist() == owner.tolist()
    assert found.size.tolist() == members.sum(axis=1).tolist()
    np.testing.assert_array_equal(found.crowd_agreement, crowd_agreement(labels)[owner])
    for c, cluster in enumerate(members):
        assert np.all(labels[cluster, owner[c]] == found.label[c])
        shared = [np.sum(cluster & (group == g)) for g in range(group.max() + 1)]
        jaccard = [np.sum(cluster & (group == g)) / np.sum(cluster | (group == g)) for g in range(group.max() + 1)]
        assert found.jaccard[c] == pytest.approx(max(jaccard))
        assert found.purity[c] == pytest.approx(max(shared) / cluster.sum())
        assert found.match[c] == (int(np.argmax(jaccard)) if max(jaccard) > 0 else -1)


@given(clustered())
def test_partition_reliability_twin(case):
    labels, group = case
    found = partition_reliability(group, labels)
    _, owner = twins.clusters_of(labels)
    members, _ = twins.clusters_of(labels)
    eci = twins.eci(labels, 0.4)
    for m in range(labels.shape[1]):
        known = labels[:, m] >= 0
        both = known & (group >= 0)
        assert found.n_clusters[m] == np.sum(owner == m)
        assert found.missing[m] == pytest.approx(1 - known.mean())
        weight = [members[c].sum() for c in np.flatnonzero(owner == m)]
        assert found.eci[m] == pytest.approx(np.average(eci[owner == m], weights=weight) if known.any() else 0.0)
        if both.any():
            assert found.ari[m] == pytest.approx(adjusted_rand_score(labels[both, m], group[both]))
            if len({*labels[both, m]}) > 1 and len({*group[both]}) > 1:
                score = normalized_mutual_info_score(labels[both, m], group[both], average_method="geometric")
                assert found.nmi[m] == pytest.approx(score, abs=1e-9)


def test_reliability_without_any_consensus():
    labels = [[0, 0, 1], [0, 1, 1]]
    assert cluster_reliability([-1, -1, -1], labels).match.tolist() == [-1] * 4
    assert cluster_reliability([-1, -1, -1], labels).jaccard.tolist() == [0] * 4
    assert partition_reliability([-1, -1, -1], labels).nmi.tolist() == [0, 0]


def matched(a, b):
    return int(np.sum((a == b) & (a >= 0)))


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=20))
def test_alignment_by_brute_force(pairs):
    """No other renaming gives more objects the label they have in b; clusters stay what they were."""
    a, b = np.array(pairs).T
    found = align_labels(a, b)
    assert twins.same_partition(found, a)
    assert np.all((found == -1) == (a == -1))
    names = [*range(4), *range(10, 14)]
    best = max(matched(np.array([-1, *images])[a + 1], b) for images in itertools.permutations(names, 4))
    assert matched(found, b) == best
    new = set(found[found >= 0].tolist()) - set(b.tolist())
    assert new == set(range(b.max() + 1, b.max() + 1 + len(new)))


def test_alignment_gives_new_numbers_by_size_then_by_first_object():
    assert align_labels([0, 1, 1, 2, 2, 2, 3, 3], [7, -1, -1, -1, -1, -1, -1, -1]).tolist() == [
        7,
        9,
        9,
        8,
        8,
        8,
        10,
        10,
    ]
    assert align_labels(["q", None, "r"], [1, 1, -1]).tolist() == [1, -1, 2]
    assert align_labels([-1, -1], [0, 1]).tolist() == [-1, -1]
    assert align_labels([4, 4, 2], [-1, -1, -1]).tolist() == [0, 0, 1]


def test_alignment_says_what_is_wrong():
    with pytest.raises(ValueError, match="label 2 and 3 objects; both must label the same objects"):
        align_labels([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="the labels of b are texts"):
        align_labels([0, 1], ["a", "b"])
