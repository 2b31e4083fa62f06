"""Confidence of objects against its definition on the full co-association matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from consensa import Ensemble
from consensa.evaluate import confidence
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


@given(ensembles(missing=True), st.data())
def test_object_level_twin(labels, data):
    """Also for clusterings that tear microclusters apart, leave objects out or have empty numbers."""
    n = len(labels)
    group = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=n, max_size=n)))
    found = confidence(group, Ensemble(labels))
    np.testing.assert_allclose(found, twins.confidence(group, labels), atol=1e-9)
    assert np.all((found >= 0) & (found <= 1))


def test_objects_without_any_label_have_none():
    labels = np.array([[0, 0], [0, 0], [1, 1], [-1, -1], [1, 1]])
    assert confidence([0, 0, 1, 1, 1], labels).tolist() == [1, 1, 1, 0, 1]
    assert confidence([-1] * 5, labels).tolist() == [0] * 5


@pytest.mark.parametrize("n_partitions", range(1, 12))
def test_an_object_that_meets_nobody_has_none(n_partitions):
    """Whatever is left by rounding when its own share is taken away."""
    labels = np.zeros((5, n_partitions), int)
    labels[4] = 1
    assert confidence([0] * 5, labels).tolist() == [1, 1, 1, 1, 0]


def test_one_cluster():
    assert confidence([0, 0, 0], [[0, 0, 1]]).tolist() == [1, 1, 0]


def test_names_do_not_matter():
    labels = [[0, 0, 1, 1], [0, 1, 1, 1]]
    assert confidence(["b", "b", "a", "a"], labels).tolist() == confidence([0, 0, 1, 1], labels).tolist()


def test_wants_a_label_for_every_object():
    with pytest.raises(ValueError, match="labels has 3 entries, but the ensemble has 4 objects; one label per object"):
        confidence(np.array([0, 0, 1]), Ensemble([[0, 0, 1, 1]]))
