"""Kernels of the mean rows of regions: sparse rows that merge, and for every column the list of regions that have it.

A region is a row of entries (column, value, slot), sorted by column; the slots of a column list the regions that have
it. Merging two regions merges their rows and never adds a slot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consensa._numba import njit_part

if TYPE_CHECKING:
    import numpy as np


class Rows(NamedTuple):
    """Mean rows of the regions: CSR-like with room behind, and the lists of the columns.

    Between calls the entries ``begin[c] .. end[c] - 1`` of a living region are sorted by column, and a region that was
    absorbed has none. An entry e of region c and its slot s point to each other: ``slot[e] == s``,
    ``slot_entry[s] == e``, and ``slot_region[s] == c``, ``slot_value[s] == value[e]``. The list of a column, from
    ``list_start`` to ``list_end``, holds the slots of the living regions that have it and no others; it only shrinks.
    Entries behind those in use, and between rows that have moved, are free.
    """

    begin: np.ndarray  # (n,) int64: first entry of every region
    end: np.ndarray  # (n,) int64
    column: np.ndarray  # (capacity,) int32
    value: np.ndarray  # (capacity,)
    slot: np.ndarray  # (capacity,) int32: place of the entry in the list of its column
    list_start: np.ndarray  # (n_columns,) int64
    list_end: np.ndarray  # (n_columns,) int64
    slot_region: np.ndarray  # (nnz,) int32
    slot_value: np.ndarray  # (nnz,)
    slot_entry: np.ndarray  # (nnz,) int64: entry that the slot belongs to
    largest: np.ndarray  # (n_columns,): no value of the column exceeds this
    heaviest: float  # no row sums up to more than this


@njit_part
def spread(c: int, rows: Rows, weight: np.ndarray) -> None:
    """Write row ``c`` into ``weight`` (n_columns, zero before)."""
    column, value = rows.column, rows.value
    for e in range(rows.begin[c], rows.end[c]):
        weight[column[e]] = value[e]


@njit_part
def clear(c: int, rows: Rows, weight: np.ndarray) -> None:
    """Make ``weight`` zero again where row ``c`` has entries."""
    column = rows.column
    for e in range(rows.begin[c], rows.end[c]):
        weight[column[e]] = 0.0


@njit_part
def inner_product(d: int, rows: Rows, weight: np.ndarray) -> float:
    """Inner product of row ``d`` with the row spread out in ``weight``, by rising column: the same from both sides."""
    column, value = rows.column, rows.value
    product = 0.0
    for e in range(rows.begin[d], rows.end[d]):
        product += value[e] * weight[column[e]]
    return product


@njit_part
def merge_rows(a: int, b: int, sizes: np.ndarray, used: int, rows: Rows) -> int:
    """Write the mean row of ``a`` and ``b`` behind the used entries as the new row of ``a``; returns the entries used.

    There must be room for both rows. Where both have a column, the slot of ``a`` stays and that of ``b`` is dropped.
    """
    whole = sizes[a] + sizes[b]
    share_a, share_b = sizes[a] / whole, sizes[b] / whole
    sizes[a] = whole
    column, value, slot = rows.column, rows.value, rows.slot
    i, j, begin = rows.begin[a], rows.begin[b], used
    while i < rows.end[a] or j < rows.end[b]:
        from_a = j >= rows.end[b] or (i < rows.end[a] and column[i] <= column[j])
        from_b = i >= rows.end[a] or (j < rows.end[b] and column[j] <= column[i])
        if from_a:
            column[used], slot[used], value[used] = column[i], slot[i], share_a * value[i]
            if from_b:
                value[used] += share_b * value[j]
        else:
            column[used], slot[used], value[used] = column[j], slot[j], share_b * value[j]
            rows.slot_region[slot[j]] = a
        rows.slot_entry[slot[used]] = used
        rows.slot_value[slot[used]] = value[used]
        # Only now: the slot that moves into the gap may be that of the new entry, which must be known to it.
        if from_a and from_b:
            _drop_slot(slot[j], column[j], rows)
        i += from_a
        j += from_b
        used += 1
    rows.begin[a], rows.end[a] = begin, used
    rows.end[b] = rows.begin[b]
    return used


@njit_part
def _drop_slot(gone: int, column: int, rows: Rows) -> None:
    """Take a slot out of the list of its column; the last one of the list moves into its place."""
    last = rows.list_end[column] - 1
    rows.list_end[column] = last
    if last != gone:
        rows.slot_region[gone], rows.slot_value[gone] = (
            rows.slot_region[last],
            rows.slot_value[last],
        )
        rows.slot_entry[gone] = rows.slot_entry[last]
        rows.slot[rows.slot_entry[gone]] = gone


@njit_part
def compact(rows: Rows, spare: Rows) -> int:
    """Copy the entries in use to the spare ones, region behind region; returns their number.

    ``begin`` and ``end`` are shared: afterwards ``spare`` is the one that holds the rows, and the two change places.
    A merge never adds an entry, so what is in use is no more than at the start.
    """
    used = 0
    for c in range(rows.begin.size):
        begin = used
        for e in range(rows.begin[c], rows.end[c]):
            spare.column[used], spare.value[used], spare.slot[used] = (
                rows.column[e],
                rows.value[e],
                rows.slot[e],
            )
            rows.slot_entry[rows.slot[e]] = used
            used += 1
        rows.begin[c], rows.end[c] = begin, used
    return used
