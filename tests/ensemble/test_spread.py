"""How clusters are spread over the others, against the formulas on the counts."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble
from consensa.ensemble import pairs


@pytest.fixture
def ensemble():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, [2, 5, 9, 30, 3], (400, 5))
    labels[rng.random(labels.shape) < 0.1] = -1
    return Ensemble(labels)


def plain_spread(ensemble):
    counts, sizes = ensemble.overlap.toarray(), ensemble.cluster_sizes
    entropy, n_counted = np.zeros(sizes.size), np.zeros(sizes.size, int)
    for start, stop in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        for c, row in enumerate(counts[:, start:stop]):
            share = row[row > 0] / max(row.sum(), 1)
            entropy[c] -= (share * np.log(share)).sum()
            n_counted[c] += row.any()
    return entropy, (((counts << 20) // sizes[:, None]) ** 2).sum(axis=1), n_counted


@pytest.mark.parametrize("cells", [1 << 22, 100])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_spread_is_that_of_the_counts(ensemble, cells, threads, monkeypatch):
    monkeypatch.setattr(pairs, "_STRIPE_CELLS", cells)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", threads)
    entropy, squares, n_counted = plain_spread(ensemble)
    np.testing.assert_allclose(ensemble.spread.entropy, entropy, atol=1e-12)
    np.testing.assert_array_equal(ensemble.spread.squares, squares)
    np.testing.assert_array_equal(ensemble.spread.n_counted, n_counted)


def test_a_cluster_that_no_clustering_splits_has_no_entropy_at_all():
    assert not Ensemble(np.repeat([[0, 3], [1, 5], [2, 7]], 7, axis=0)).spread.entropy.any()
