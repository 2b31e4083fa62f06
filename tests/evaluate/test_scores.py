"""Scores against scikit-learn and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from consensa import Ensemble
from consensa.evaluate import accuracy, anmi, ari, contingency, error_rate, nmi
from strategies import ensembles

AVERAGES = {"sqrt": "geometric", "max": "max", "mean": "arithmetic"}


@st.composite
def two_partitions(draw):
    n = draw(st.integers(1, 30))
    return tuple(np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))) for _ in range(2))


def is_trivial(labels):
    return np.unique(labels).size == 1


@given(two_partitions(), st.sampled_from(sorted(AVERAGES)))
def test_nmi(pair, average):
    a, b = pair
    if is_trivial(a) or is_trivial(b):
        expected = float(is_trivial(a) and is_trivial(b))
    else:
        expected = metrics.normalized_mutual_info_score(a, b, average_method=AVERAGES[average])
    assert nmi(a, b, average) == pytest.approx(expected, abs=1e-9)


@given(two_partitions())
def test_ari(pair):
    assert ari(*pair) == pytest.approx(metrics.adjusted_rand_score(*pair), abs=1e-12)


@given(two_partitions())
def test_accuracy(pair):
    a, b = pair
    best = 0
    for names in itertools.permutations(range(5)):
        best = max(best, int(np.sum(np.array(names)[a] == b)))
    assert accuracy(a, b) == pytest.approx(best / len(a))
    assert error_rate(a, b) == pytest.approx(1 - best / len(a))


@given(two_partitions())
def test_contingency(pair):
    assert contingency(*pair).toarray().tolist() == metrics.cluster.contingency_matrix(*pair).tolist()


@given(two_partitions())
def test_symmetry_and_names(pair):
    a, b = pair
    named = np.array(["v", "w", "x", "y", "z"])[a]
    for score in (nmi, ari, accuracy, error_rate):
        assert score(a, b) == pytest.approx(score(b, a), abs=1e-12)
        assert score(named, b) == pytest.approx(score(a, b), abs=1e-12)


@given(two_partitions())
def test_a_partition_agrees_with_itself(pair):
    a, _ = pair
    assert nmi(a, a) == pytest.approx(1.0)
    assert ari(a, a) == accuracy(a, a) == 1.0
    assert error_rate(a, a) == 0.0


@pytest.mark.parametrize(
    ("a", "b", "scores"),
    [
        ([0, 0, 0], [5, 5, 5], (1, 1, 1)),
        ([0, 1, 2], [5, 6, 7], (1, 1, 1)),
        ([0, 0, 0], [0, 1, 2], (0, 0, 1 / 3)),
        ([4], [9], (1, 1, 1)),
    ],
)
def test_trivial_partitions(a, b, scores):
    assert (nmi(a, b), ari(a, b), accuracy(a, b)) == pytest.approx(scores)


def test_nothing_overflows():
    """n choose 2 squared is beyond 64 bits from 70,000 objects on."""
    n = 400_000
    a = np.arange(n) % 2
    b = np.where(np.arange(n) < n // 4, 0, a)
    n11, n01 = n // 2 - n // 8, n // 8  # half of the first quarter moved from 1 to 0
    pairs = lambda m: m * (m - 1) // 2  # noqa: E731
    together = pairs(n // 2) + pairs(n11) + pairs(n01)
    in_a, in_b, everything = 2 * pairs(n // 2), pairs(n // 2 + n01) + pairs(n11), pairs(n)
    expected = (together - in_a * in_b / everything) / ((in_a + in_b) / 2 - in_a * in_b / everything)
    assert ari(a, b) == pytest.approx(expected, rel=1e-9)
    assert ari(a, a) == 1.0
    assert nmi(a, a) == pytest.approx(1.0)
    assert accuracy(a, b) == pytest.approx(1 - n01 / n)


def test_objects_without_a_label_are_left_out():
    a, b = [0, 0, 1, 1, None, 2], [0, 0, 1, 1, 1, np.nan]
    assert (nmi(a, b), ari(a, b), accuracy(a, b)) == pytest.approx((1, 1, 1))
    assert nmi([0, 0, -1, -1], [0, 0, 1, 1]) == pytest.approx(1)  # -1 is a label like any other


@given(ensembles(max_objects=12, missing=True), st.sampled_from(sorted(AVERAGES)), st.data())
@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_anmi(labels, average, data):
    n = len(labels)
    group = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    expected = []
    for column in labels.T:
        both = (group >= 0) & (column >= 0)
        expected.append(nmi(group[both], column[both], average) if both.any() else 0.0)
    assert anmi(group, labels, average) == pytest.approx(np.mean(expected), abs=1e-9)
    assert anmi(group, Ensemble(labels), average) == pytest.approx(np.mean(expected), abs=1e-9)


def test_anmi_says_nothing_about_labels_left_out():
    partitions = [[0, 0, 1, 1], [0, 1, 1, 1]]
    assert anmi([0, 0, 1, -1], partitions) == pytest.approx(anmi([0, 0, 1, None], partitions))
    assert anmi([0, 0, 0, -1], partitions) == 0.0


@pytest.mark.parametrize("score", [nmi, ari, accuracy, error_rate])
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0, 1], [0, 1, 1], "the two clusterings label 2 and 3 objects; both must label the same objects"),
        ([[0, 1]], [0, 1], r"the first labels has shape \(1, 2\); expected a vector with one label per object"),
        ([0, 1], [[0], [1]], r"the second labels has shape \(2, 1\)"),
        ([0, None], [None, 1], "no object has a label in both clusterings, so they cannot be compared"),
        ([], [], "no object has a label in both clusterings"),
        ([0.5, 1], [0, 1], r"column the first labels holds 0\.5 in row 0"),
    ],
)
def test_labels_that_cannot_be_compared(score, a, b, message):
    with pytest.raises(ValueError, match=message):
        score(a, b)


def test_too_many_clusters_to_match():
    message = r"The matching of 60000 with 60000 clusters would need 26\.8 GiB of memory.*Use nmi or ari instead"
    with pytest.raises(ValueError, match=message):
        accuracy(np.arange(60_000), np.arange(60_000))


def test_unknown_average():
    with pytest.raises(ValueError, match=r"average='min' is not known; choose one of 'sqrt', 'max', 'mean'"):
        nmi([0, 1], [0, 1], average="min")


def test_anmi_wants_a_label_for_every_object():
    with pytest.raises(ValueError, match="labels has 3 entries, but the ensemble has 4 objects"):
        anmi([0, 0, 1], [[0, 0, 1, 1]])
