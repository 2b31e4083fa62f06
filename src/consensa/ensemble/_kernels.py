"""Kernels of the Ensemble: rows to microclusters, and what follows from a row on its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._kernels_mixing import GOLDEN, fold
from consensa._numba import njit, njit_part


@njit
def hash_rows(codes: np.ndarray, out: np.ndarray) -> None:
    """Write a 64-bit hash of every row of ``codes`` (rows x M, int32) into ``out`` (rows, uint64)."""
    for i in range(codes.shape[0]):
        h = GOLDEN
        for m in range(codes.shape[1]):
            h = fold(h, np.uint64(codes[i, m] + 2))
        out[i] = h


class RowTable(NamedTuple):
    """Distinct rows in the order in which they came, with an open-addressing table of their places.

    The first ``n_used`` rows are in use (a number of its own). They differ from each other, each has a label, and
    ``sizes`` beyond them is zero, so that a new row only adds to it. ``slots`` is a power of two larger than the number
    of rows there is room for: a search always ends at a free slot. A row stands in the first slot from
    ``hash & (slots.size - 1)`` on, cyclically, that was free when it came; as no slot is ever freed, a search that
    starts there and stops at the first free one meets it. Who moves rows points a fresh table at them.
    """

    slots: np.ndarray  # (2 * capacity,) int32: number of a row, -1 = free
    rows: np.ndarray  # (capacity, M) int32, -1 = missing
    hashes: np.ndarray  # (capacity,) uint64
    sizes: np.ndarray  # (capacity,) int64: how often the row came
    firsts: np.ndarray  # (capacity,) int64: the smallest number it came with


class NewRows(NamedTuple):
    """Rows on their way into the table."""

    codes: np.ndarray  # (n, M) int32, -1 = missing
    hashes: np.ndarray  # (n,) uint64
    weights: np.ndarray  # (n,) int64: how often each comes
    firsts: np.ndarray  # (n,) int64: numbers, of which the table keeps the smallest


@njit
def insert_rows(
    new: NewRows, start: int, largest: np.uint64, table: RowTable, n_used: int, ids: np.ndarray
) -> tuple[int, int]:
    """Count the rows ``start..`` of ``new`` in the table, and enter those that it does not hold.

    ``ids`` (n, int64) receives the number of every row, or -1 for a row without any label or with a hash above
    ``largest``, which is passed over. Stops before a row for which there is no room, and returns (rows done, rows in
    the table).
    """
    for i in range(start, new.codes.shape[0]):
        ids[i] = -1
        if new.hashes[i] > largest:
            continue
        slot = _find_slot(new.codes, i, new.hashes[i], table)
        found = int(table.slots[slot])
        if found < 0:
            if not _has_label(new.codes, i):
                continue
            if n_used == table.rows.shape[0]:
                return i, n_used
            found = n_used
            n_used += 1
            table.slots[slot] = found
            table.hashes[found] = new.hashes[i]
            table.firsts[found] = new.firsts[i]
            for m in range(new.codes.shape[1]):
                table.rows[found, m] = new.codes[i, m]
        table.sizes[found] += new.weights[i]
        table.firsts[found] = min(table.firsts[found], new.firsts[i])
        ids[i] = found
    return new.codes.shape[0], n_used


@njit
def find_rows(codes: np.ndarray, hashes: np.ndarray, table: RowTable, ids: np.ndarray) -> None:
    """Look up rows of ``codes`` in the table; ``ids`` receives -1 where a row is not in it."""
    for i in range(codes.shape[0]):
        ids[i] = table.slots[_find_slot(codes, i, hashes[i], table)]


@njit
def refill_slots(hashes: np.ndarray, n_used: int, slots: np.ndarray) -> None:
    """Point fresh ``slots``, all free, at the first ``n_used`` rows, which differ from each other."""
    mask = np.uint64(slots.size - 1)
    for u in range(n_used):
        slot = hashes[u] & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = u


@njit_part
def _find_slot(codes: np.ndarray, i: int, h: np.uint64, table: RowTable) -> np.uint64:
    """Slot of row ``i`` of ``codes``, whose hash is ``h``; the free slot for it where the table does not hold it.

    Equal hashes do not make equal rows: the rows themselves are compared.
    """
    mask = np.uint64(table.slots.size - 1)
    slot = h & mask
    while table.slots[slot] >= 0 and not _is_row(table.slots[slot], codes, i, h, table):
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit_part
def _is_row(u: int, codes: np.ndarray, i: int, h: np.uint64, table: RowTable) -> bool:
    """Is row ``i`` of ``codes``, whose hash is ``h``, the row ``u`` of the table?"""
    same = table.hashes[u] == h
    for m in range(codes.shape[1] if same else 0):
        if codes[i, m] != table.rows[u, m]:
            same = False
            break
    return same


@njit_part
def _has_label(codes: np.ndarray, i: int) -> bool:
    labelled = False
    for m in range(codes.shape[1]):
        if codes[i, m] >= 0:
            labelled = True
            break
    return labelled


@njit
def inverse_degree_limbs(
    labels: np.ndarray,
    offsets: np.ndarray,
    weights: np.ndarray,
    unit: float,
    sizes: np.ndarray,
    limbs: np.ndarray,
) -> None:
    """Write ``sizes`` times 1 / degree as whole numbers of 1 / ``unit``, in two limbs of 2**30; 0 for degree 0.

    The degree of a row is the sum of the weights (n_c) of the clusters it lies in.
    """
    for u in range(labels.shape[0]):
        degree = 0.0
        for m in range(labels.shape[1]):
            if labels[u, m] >= 0:
                degree += weights[offsets[m] + labels[u, m]]
        whole = np.int64(np.rint(unit / degree)) if degree > 0.0 else np.int64(0)
        limbs[0, u] = sizes[u] * (whole >> 30)
        limbs[1, u] = sizes[u] * (whole & 0x3FFFFFFF)


@njit
def carry_to_rows(
    labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray, vectors: np.ndarray, out: np.ndarray
) -> None:
    """Write the weighted mean of the vectors (n_c x d) of the clusters of each row into ``out`` (rows x d)."""
    for u in range(labels.shape[0]):
        degree = 0.0
        for f in range(vectors.shape[1]):
            out[u, f] = 0.0
        for m in range(labels.shape[1]):
            if labels[u, m] >= 0:
                c = offsets[m] + labels[u, m]
                degree += weights[c]
                for f in range(vectors.shape[1]):
                    out[u, f] += weights[c] * vectors[c, f]
        inverse = 1.0 / degree if degree > 0.0 else 0.0
        for f in range(vectors.shape[1]):
            out[u, f] *= inverse


@njit
def count_leads(
    labels: np.ndarray,
    offsets: np.ndarray,
    sizes: np.ndarray,
    firsts: np.ndarray,
    counts: np.ndarray,
    first: np.ndarray,
) -> None:
    """Add every row to the cluster of its first label, and note the smallest of ``firsts`` in every cluster."""
    for u in range(labels.shape[0]):
        leading = True
        for m in range(labels.shape[1]):
            if labels[u, m] >= 0:
                c = offsets[m] + labels[u, m]
                if leading:
                    counts[c] += sizes[u]
                    leading = False
                first[c] = min(first[c], firsts[u])
