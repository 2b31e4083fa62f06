"""The Ensemble: incidence, exact overlaps, owners, coding of new objects, and that it cannot be changed."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

import twins
from consensa import Ensemble
from consensa.ensemble import pairs
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")

ARRAYS = ["labels", "sizes", "row_map", "offsets", "owner", "n_observed", "hashes", "cluster_sizes"]


def pairwise_overlaps(labels):
    members, _ = twins.clusters_of(labels)
    return members.astype(int) @ members.T.astype(int)


@given(ensembles(missing=True))
def test_incidence_overlap_and_owner(labels):
    found = Ensemble(labels)
    members, owner = twins.clusters_of(labels)
    assert found.incidence.toarray()[found.row_map].tolist() == members.T.astype(int).tolist()
    assert found.overlap.toarray().tolist() == pairwise_overlaps(labels).tolist()
    assert found.overlap.dtype == np.int64
    assert found.owner.tolist() == owner.tolist()
    assert found.cluster_sizes.tolist() == members.sum(axis=1).tolist()
    assert found.n_observed[found.row_map].tolist() == (labels >= 0).sum(axis=1).tolist()
    assert found.n_base_clusters == len(owner)
    assert found.n_partitions == labels.shape[1]


@given(ensembles(missing=True))
def test_many_clusters_are_counted_sparsely_and_the_same(labels):
    expected = Ensemble(labels).overlap
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_DENSE_CLUSTERS", 0)
        found = Ensemble(labels).overlap
    assert found.dtype == np.int64
    assert found.indptr.tolist() == expected.indptr.tolist()
    assert found.indices.tolist() == expected.indices.tolist()
    assert found.data.tolist() == expected.data.tolist()


@pytest.mark.parametrize(("cells", "table"), [(1, 1 << 16), (1 << 22, 0), (40, 20)])
@given(labels=ensembles(missing=True))
def test_rows_of_the_overlap_in_stripes(cells, table, labels):
    """Clusters one by one, pairs without a table, and both in part."""
    ensemble = Ensemble(labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_STRIPE_CELLS", cells)
        patch.setattr(pairs, "_TABLE_CELLS", table)
        found = pairs.map_overlaps(ensemble, lambda stripe, counts: (stripe, counts.copy()))
    assert np.vstack([counts for _, counts in found]).tolist() == ensemble.overlap.toarray().tolist()
    for stripe, counts in found:
        assert set(ensemble.owner[stripe.start : stripe.stop]) == {stripe.partition}
        assert len(counts) == stripe.stop - stripe.start


@pytest.mark.parametrize("limit", [0, 4096])
def test_overlaps_are_exact_beyond_the_precision_of_floats(monkeypatch, limit):
    monkeypatch.setattr(pairs, "_DENSE_CLUSTERS", limit)
    ensemble = Ensemble([[0, 0, 1], [0, 1, 1]])
    found = ensemble.sum_rows(lambda: pairs.PairCounts(ensemble.offsets), np.array([2**53, 1, 2**60 + 1])).finish()
    assert found.toarray().tolist() == [
        [2**53 + 1, 0, 2**53, 1],
        [0, 2**60 + 1, 0, 2**60 + 1],
        [2**53, 0, 2**53, 0],
        [1, 2**60 + 1, 0, 2**60 + 2],
    ]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])  # noqa: S301
def test_nothing_can_be_changed(again):
    original = Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]])
    for name in [*ARRAYS, "incidence", "overlap"]:
        getattr(original, name)
    found = again(original)
    for name in ARRAYS:
        assert not getattr(found, name).flags.writeable, name
        assert getattr(found, name).tolist() == getattr(original, name).tolist()
    for matrix in (found.incidence, found.overlap):
        for array in (matrix.data, matrix.indices, matrix.indptr):
            assert not array.flags.writeable
    with pytest.raises(AttributeError, match=r"an Ensemble cannot be changed \(sizes\); build a new one"):
        found.sizes = np.ones(3)
    with pytest.raises(AttributeError, match=r"an Ensemble cannot be changed \(sizes\); build a new one"):
        del found.sizes


def test_input_is_not_touched_nor_kept():
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    before = labels.copy()
    found = Ensemble(labels)
    rows = found.labels.tolist()
    assert labels.flags.writeable
    labels[:] = 9
    assert found.labels.tolist() == rows == before.tolist()


def test_repr_says_how_much_there_is():
    expected = "Ensemble(n_objects=3, n_partitions=2, n_base_clusters=4, n_microclusters=3)"
    assert repr(Ensemble([[0, 0, 1], [0, 1, 1]])) == expected


def test_names_of_columns():
    pandas = pytest.importorskip("pandas")
    assert Ensemble(pandas.DataFrame({"k3": [0, 1], "k5": [0, 0]})).names == ("k3", "k5")
    assert Ensemble(np.array([[0, 1], [0, 0]])).names == ("0", "1")


def test_encode_new_objects():
    found = Ensemble(np.array([[5, 300], [7, 301], [-1, 302]]))
    new = np.array([[7, 302], [5, 1], [-1, 300], [6, 299]])
    expected = [[1, 2], [0, -1], [-1, 0], [-1, -1]]
    for dtype in (np.int64, np.int16, np.float64):
        assert found.encode(new.astype(dtype)).tolist() == expected
    assert found.encode(np.array([[7, 44], [5, 45]], np.uint8)).tolist() == [[1, -1], [0, -1]]
    assert found.encode(new.astype(str)).tolist() == [[-1, -1]] * 4  # numbers are never the same label as strings


@pytest.mark.parametrize("largest", [2**62 + 1, 2**63 - 1])
def test_encode_tells_large_integers_apart_whatever_their_dtype(largest):
    found = Ensemble(np.array([[largest - 1], [largest], [3]], np.int64))
    assert found.encode(np.array([[largest], [largest - 1], [4]], np.uint64)).tolist() == [[2], [1], [-1]]


def test_encode_wants_the_same_columns():
    with pytest.raises(ValueError, match=r"X has 1 features, but this ensemble is expecting 2 features as input"):
        Ensemble([[0, 0, 1], [0, 1, 1]]).encode(np.array([[0], [1]]))
