"""How far apart the parts of splits lie, and what features add to the choice of k."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consensa import Ensemble, EnsembleClustering, choose_k
from consensa.choose.separation import N_PLACED, placed_objects, separation, separations
from consensa.ensemble import sampling
from consensa.generate import KMeansPartitions
from consensa.scale import as_chunks


def test_halves_of_known_distributions():
    rng = np.random.default_rng(0)
    normal, even = rng.normal(size=(200_000, 1)), rng.uniform(size=(200_000, 1))
    assert separation(normal[normal[:, 0] > 0], normal[normal[:, 0] <= 0]) == pytest.approx(2.65, abs=0.02)
    assert separation(even[even[:, 0] > 0.5], even[even[:, 0] <= 0.5]) == pytest.approx(np.sqrt(12), abs=0.02)


def test_scale_place_and_rotation_do_not_matter():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(40, 3)), [np.zeros(40, int), np.arange(40) % 2, np.arange(40) % 3]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    expected = separations(X, labels)
    np.testing.assert_allclose(separations(1e150 * X, labels), expected, rtol=1e-9)
    np.testing.assert_allclose(separations((X + 3) @ turn, labels), expected, rtol=1e-9)


def test_points_that_are_all_the_same():
    zeros, ones = np.zeros((3, 2)), np.ones((3, 2))
    assert separation(zeros, zeros) == 0.0
    assert separation(zeros, ones) == 100.0


def test_small_parts_are_no_evidence():
    X = np.arange(500.0)[:, None]
    one = (np.arange(500) == 7).astype(int)
    found = separations(X, [np.zeros(500, int), one, one + 2 * (X[:, 0] > 250)])
    assert found[0] == found[1] == found[2]
    assert found[2] == separation(X[(X[:, 0] <= 250) & (one == 0)], X[X[:, 0] > 250])


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(1500, centers=4, n_features=3, cluster_std=1.2, random_state=3)[0]


def test_placed_objects_are_those_of_chunks(blobs, monkeypatch):
    labels = KMeansPartitions(12, random_state=0).fit_transform(blobs)
    for above in (sampling.SAMPLE_ABOVE, 100):  # all label rows are known, or only some
        for module in ("consensa.ensemble.sampling", "consensa.choose.separation"):
            monkeypatch.setattr(f"{module}.SAMPLE_ABOVE", above)
        objects, rows = placed_objects(Ensemble(labels))
        others, other_rows = placed_objects(Ensemble(as_chunks(labels, chunk_rows=97)))
        np.testing.assert_array_equal(objects, others)
        np.testing.assert_array_equal(rows, other_rows)
        assert objects.size == (N_PLACED if above > N_PLACED else rows.size)
        assert (np.diff(objects) > 0).all()


def test_features_take_part_in_the_choice(blobs):
    labels = KMeansPartitions(20, random_state=0).fit_transform(blobs)
    alone, both = choose_k(labels, random_state=0), choose_k(labels, X=blobs, random_state=0)
    assert both.n_clusters == 4
    assert not np.allclose(alone.probabilities, both.probabilities)
    with pytest.raises(ValueError, match="X has 10 rows, but the label matrix has 1500 objects"):
        choose_k(labels, X=blobs[:10])


def test_the_model_on_features_gives_them(blobs):
    generator = KMeansPartitions(20)
    model = EnsembleClustering("auto", generator=generator, method="lwgp", random_state=0).fit(blobs)
    found = choose_k(model.partitions_, "lwgp", X=blobs, random_state=0)
    np.testing.assert_allclose(model.choice_.probabilities, found.probabilities, atol=1e-9)
