"""Sums over rows: any split of the rows, merged in any order, gives the same bits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensa import Ensemble
from consensa.ensemble import pairs, sums
from consensa.ensemble.chunks import Block
from consensa.ensemble.coding import LabelSets
from consensa.ensemble.distinct import DistinctRows
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


def coded(labels):
    """Codes of all rows, and the offsets of the clusters."""
    ensemble = Ensemble(labels)
    return np.ascontiguousarray(ensemble.labels[ensemble.row_map]), ensemble.offsets


def state_of(total):
    """All that a sum has found, as plain lists."""
    if isinstance(total, DistinctRows):
        table = total.finish()
        return table.rows.tolist(), table.sizes.tolist(), table.firsts.tolist(), total.is_sample
    if isinstance(total, sums.GroupCounts):
        return total.table().tolist(), [found.tolist() for found in total.finish()]
    if isinstance(total, (sums.LeadCounts, sums.LabelCounts)):
        return total.counts.tolist(), total.first.tolist()
    found = total.finish()
    return (found if isinstance(found, np.ndarray) else found.toarray()).tolist()


def kinds_of(codes, offsets):
    weights = np.linspace(0.1, 1.0, int(offsets[-1]))
    return {
        "pairs": lambda: pairs.PairCounts(offsets),
        "degrees": lambda: pairs.DegreeSums(offsets, weights, 52),
        "leads": lambda: sums.LeadCounts(offsets),
        "groups": lambda: sums.GroupCounts(offsets, lambda rows: rows.max(axis=1) % 3),
        "distinct": lambda: DistinctRows(codes.shape[1], 1000, sample=False),
        "sample": lambda: DistinctRows(codes.shape[1], 4, sample=True),
    }


@st.composite
def merges(draw):
    """An ensemble, cuts of its rows into parts, and an order in which to merge the parts, two at a time."""
    labels = draw(ensembles(missing=True, max_objects=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(labels)), max_size=6)))
    bounds = [0, *cuts, len(labels)]
    choices = draw(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=9, max_size=9))
    return labels, list(pairwise(bounds)), choices


def merge_in_order(parts, choices):
    parts = list(parts)
    while len(parts) > 1:
        a, b = choices[len(parts)]
        first = parts.pop(a % len(parts))
        first.merge(parts.pop(b % len(parts)))
        parts.append(first)
    return parts[0]


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("kind", ["pairs", "degrees", "leads", "groups", "distinct", "sample"])
@given(case=merges())
def test_any_split_merged_in_any_order(kind, dense, case):
    labels, pieces, choices = case
    codes, offsets = coded(labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_DENSE_CLUSTERS", 4096 if dense else 0)
        patch.setattr(pairs, "_CARRY_ROWS", 5)
        new = kinds_of(codes, offsets)[kind]
        whole = new()
        whole.add(codes, np.ones(len(codes), np.int64), np.arange(len(codes)))
        parts = []
        for start, stop in pieces:
            parts.append(new())
            parts[-1].add(codes[start:stop], np.ones(stop - start, np.int64), np.arange(start, stop))
        assert state_of(merge_in_order(parts, choices)) == state_of(whole)


@given(case=merges())
def test_labels_of_any_split(case):
    labels, pieces, choices = case
    parts = []
    for index, (start, stop) in enumerate(pieces):
        parts.append(LabelSets(-1))
        if stop > start:
            parts[-1].add(Block(index, start, labels[start:stop]))
    found = merge_in_order(parts, choices)
    assert [v.labels.tolist() for v in found.finish()] == [v.labels.tolist() for v in Ensemble(labels).vocabularies]
    assert sum(found.lengths.values()) == len(labels)


@given(case=merges())
def test_counts_of_labels(case):
    labels, pieces, choices = case
    given = labels[:, 0]
    parts = []
    for start, stop in pieces:
        parts.append(sums.LabelCounts(5))
        parts[-1].add_labels(given[start:stop], start)
    found = merge_in_order(parts, choices)
    assert found.counts.tolist() == [int((given == k).sum()) for k in range(5)]
    for k in np.unique(given[given >= 0]):
        assert found.first[k] == int(np.argmax(given == k))


def test_many_rows_carry(monkeypatch):
    """Sums far beyond what one limb holds."""
    offsets, weights = np.array([0, 1, 2]), np.array([0.25, 0.5])
    rows = np.zeros((2, 2), np.int32)
    total = pairs.DegreeSums(offsets, weights, 52)
    for _ in range(50):
        total.add(rows, np.full(2, 2**29))
    expected = 50 * 2 * 2**29 / 0.75
    np.testing.assert_allclose(total.finish(), np.full((2, 2), expected), rtol=1e-14)


def test_the_sample_is_that_of_the_smallest_hashes():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (4_000, 5)).astype(np.int32)
    ensemble = Ensemble(codes)
    total = DistinctRows(5, 300, sample=True)
    for start in range(0, 4_000, 450):
        part = DistinctRows(5, 300, sample=True)
        rows = np.arange(start, min(start + 450, 4_000))
        part.add(codes[rows], np.ones(rows.size, np.int64), rows)
        total.merge(part)
    kept = np.sort(np.argsort(ensemble.hashes)[:300])
    table = total.finish()
    assert total.is_sample
    assert table.rows.tolist() == ensemble.labels[kept].tolist()
    assert table.sizes.tolist() == ensemble.sizes[kept].tolist()


def test_looking_rows_up_verifies_equal_hashes(monkeypatch):
    from consensa.ensemble import _kernels
    from consensa.ensemble.microclusters import MicroclusterTable

    monkeypatch.setattr(_kernels, "hash_rows", lambda codes, out: out.fill(7))
    codes = np.unique(np.random.default_rng(1).integers(3, size=(50, 3)), axis=0).astype(np.int32)
    table = MicroclusterTable(3)
    table.add(codes)
    assert table.find(codes[::-1]).tolist() == list(range(len(codes)))[::-1]
    assert table.find(np.full((1, 3), 9, np.int32)).tolist() == [-1]
