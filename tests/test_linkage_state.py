"""What the kernels of linkage without a matrix promise of their state, looked at after the last merge."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from consensa.partition import _kernels_factored as factored
from consensa.partition import agglomerate
from consensa.relate import Factored

MODULE = sys.modules[agglomerate.__module__]
N_PIECES = 7


def pieces(n_each=40, n_columns=6, seed=0):
    """Regions in pieces that share no column, so that one region of each piece is left."""
    rng = np.random.default_rng(seed)
    blocks = [rng.random((n_each, n_columns)) * (rng.random((n_each, n_columns)) < 0.5) for _ in range(N_PIECES)]
    for block in blocks:
        block[:, 0] += 0.1
    return sp.csr_array(sp.block_diag(blocks))


@pytest.fixture
def state(monkeypatch):
    """Arguments of the kernel after it has run, and the number of merges."""
    kept = []
    merge = factored.merge_factored

    def merge_and_keep(*arguments):
        kept.append((merge(*arguments), arguments))
        return kept[-1][0]

    monkeypatch.setattr(MODULE, "MATRIX_FREE_ABOVE", 0)
    monkeypatch.setattr(factored, "merge_factored", merge_and_keep)
    factor = pieces()
    agglomerate(Factored(factor))
    ((n_merges, arguments),) = kept
    assert n_merges == factor.shape[0] - N_PIECES
    return arguments


def alive(regions):
    return np.flatnonzero(regions.root == np.arange(regions.root.size)).tolist()


def links_fit(rows, living):
    """Do entries and slots of the living regions point to each other?"""
    in_lists = 0
    for c in living:
        entries = np.arange(rows.begin[c], rows.end[c])
        slots = rows.slot[entries]
        fits = (
            np.all(np.diff(rows.column[entries]) > 0)
            and np.array_equal(rows.slot_entry[slots], entries)
            and np.all(rows.slot_region[slots] == c)
            and np.array_equal(rows.slot_value[slots], rows.value[entries])
            and np.all(rows.value[entries] <= rows.largest[rows.column[entries]])
            and np.all(slots >= rows.list_start[rows.column[entries]])
            and np.all(slots < rows.list_end[rows.column[entries]])
        )
        if not fits:
            return False
        in_lists += entries.size
    return bool(np.sum(rows.list_end - rows.list_start) == in_lists)


def test_entries_and_lists_of_the_columns_point_to_each_other(state):
    rows, spare, _, regions, *_ = state
    assert len(alive(regions)) == N_PIECES
    assert links_fit(rows, alive(regions)) != links_fit(spare, alive(regions))  # the entries lie in one of the two
    gone = np.setdiff1d(np.arange(regions.root.size), alive(regions))
    assert np.array_equal(rows.begin[gone], rows.end[gone])


def test_the_work_space_is_left_empty(state):
    scratch = state[4]
    assert not scratch.total.any()
    assert not scratch.weight.any()


def test_the_queue_is_a_heap_of_the_living_regions(state):
    regions = state[3]
    queue, n = regions.queue, N_PIECES
    assert sorted(queue.heap[:n].tolist()) == alive(regions)
    assert queue.place[queue.heap[:n]].tolist() == list(range(n))
    assert np.all(queue.level[queue.heap[1:n]] <= queue.level[queue.heap[(np.arange(1, n) - 1) // 2]])
    assert queue.level is regions.nearest.level
    assert queue.neighbour is regions.nearest.neighbour


def test_sizes_add_up_in_the_regions_that_are_left(state):
    regions = state[3]
    assert regions.sizes[alive(regions)].tolist() == [40.0] * N_PIECES
