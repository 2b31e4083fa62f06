"""Cluster weights against their definition, object by object."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from consensa import Ensemble
from consensa.weigh import cluster_uncertainty, entropy_weights, normalised_entropy_weights, uniform_weights
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


@given(ensembles(missing=True))
def test_uncertainty(labels):
    np.testing.assert_allclose(cluster_uncertainty(Ensemble(labels)), twins.uncertainty(labels), atol=1e-12)


@given(ensembles(missing=True), st.sampled_from([0.2, 0.4, 1, 2]))
def test_entropy_weights(labels, theta):
    found = entropy_weights(Ensemble(labels), theta)
    np.testing.assert_allclose(found, twins.eci(labels, theta), atol=1e-12)


@given(ensembles(missing=True), st.floats(1e-300, 1e300))
def test_entropy_weights_lie_between_0_and_1(labels, theta):
    found = entropy_weights(Ensemble(labels), theta)
    assert np.all(found > 0)
    assert np.all(found <= 1)


def test_no_certainty_below_a_negligible_theta():
    labels = np.random.default_rng(0).integers(3, size=(40, 4))
    found = entropy_weights(Ensemble(labels), 1e-12)
    assert np.all(found > 0)


def test_uniform_weights():
    assert uniform_weights(Ensemble([[0, 1, 1], [0, 1, 2]])).tolist() == [1.0] * 5


@given(ensembles(missing=True), st.sampled_from([0.06, 0.4, 1]))
def test_normalised_entropy_weights(labels, theta):
    """The uncertainty divided by the bits of as many clusters as its clustering has, two at least."""
    _, owner = twins.clusters_of(labels)
    bits = np.log2([max(2, list(owner).count(m)) for m in owner])
    found = normalised_entropy_weights(Ensemble(labels), theta)
    np.testing.assert_allclose(found, np.exp(-twins.uncertainty(labels) / bits / theta / labels.shape[1]), atol=1e-12)
