"""Distinct label rows: found by hashing, numbered by first object, the same for any chunking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensa import Ensemble
from consensa.ensemble import _kernels
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


def by_first_object(labels):
    """Distinct rows by numpy, renumbered by their first object."""
    _, first, inverse = np.unique(labels, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse.ravel()]


@given(ensembles(missing=True))
def test_rows_and_sizes(labels):
    found = Ensemble(labels)
    expected = by_first_object(labels)
    assert found.row_map.tolist() == expected.tolist()
    assert found.sizes.tolist() == np.bincount(expected).tolist()
    assert found.sizes.sum() == found.n_objects


@given(ensembles(missing=True), st.integers(1, 9))
def test_chunk_size_does_not_matter(labels, n_rows):
    whole = Ensemble(labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consensa.ensemble.reading.CHUNK_ROWS", n_rows)
        patch.setattr("consensa.ensemble.objects.CHUNK_ROWS", n_rows)
        pieces = Ensemble(labels)
        overlap = pieces.overlap.toarray()
    assert pieces.labels.tolist() == whole.labels.tolist()
    assert pieces.sizes.tolist() == whole.sizes.tolist()
    assert pieces.row_map.tolist() == whole.row_map.tolist()
    assert overlap.tolist() == whole.overlap.toarray().tolist()


@pytest.mark.parametrize("n_threads", ["1", "3"])
def test_threads_do_not_matter(monkeypatch, n_threads):
    labels = np.random.default_rng(0).integers(6, size=(5000, 6))
    expected = Ensemble(labels).overlap.toarray()
    monkeypatch.setattr("consensa.ensemble.reading.CHUNK_ROWS", 256)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
    assert Ensemble(labels).overlap.toarray().tolist() == expected.tolist()


def test_table_grows_with_the_distinct_rows():
    labels = np.random.default_rng(0).integers(50, size=(9000, 3))
    found = Ensemble(labels)
    assert found.n_microclusters > 2 * 2048  # several times the first size of the table
    assert found.row_map.tolist() == by_first_object(labels).tolist()


def test_equal_hashes_are_verified(monkeypatch):
    monkeypatch.setattr(_kernels, "hash_rows", lambda codes, out: out.fill(7))
    labels = np.random.default_rng(1).integers(3, size=(200, 3))
    assert Ensemble(labels).row_map.tolist() == by_first_object(labels).tolist()


def test_rows_without_any_label():
    labels = np.array([[-1, -1], [0, -1], [-1, -1], [1, 2], [2, -1]])
    with pytest.warns(match="2 of 5 objects have no label in any base clustering"):
        found = Ensemble(labels, missing=-1)
    assert found.row_map.tolist() == [-1, 0, -1, 1, 2]
    assert found.sizes.tolist() == [1, 1, 1]
    assert found.n_objects == 5
    assert found.to_objects(np.array([5, 6, 7])).tolist() == [-1, 5, -1, 6, 7]
    assert found.to_objects(np.array([0.5, 0.6, 0.7]), fill=0).tolist() == [0, 0.5, 0, 0.6, 0.7]
