"""Simulated ensembles: every kind can be drawn, and what is kept is what was made."""

from __future__ import annotations

import numpy as np
import pytest

from studies.choose_k.fit import load_or_simulate
from studies.choose_k.simulate import DATA_KINDS


@pytest.mark.parametrize("kind", list(DATA_KINDS))
def test_every_kind_of_data(kind):
    X, truth = DATA_KINDS[kind][1](np.random.default_rng(0), 120)
    assert len(X) == truth.size
    assert np.isfinite(X).all()
    assert np.array_equal(np.unique(truth), np.arange(truth.max() + 1))


def test_simulations_are_kept(tmp_path):
    path = tmp_path / "simulated.npz"
    made = load_or_simulate(path, 2)
    kept = load_or_simulate(path, 2)
    for one, other in zip(made, kept, strict=True):
        assert (one.seed, one.data, one.members, one.n_clusters) == (
            other.seed,
            other.data,
            other.members,
            other.n_clusters,
        )
        np.testing.assert_array_equal(one.evidence.k_features(), other.evidence.k_features())
        np.testing.assert_array_equal(one.ari, other.ari)
