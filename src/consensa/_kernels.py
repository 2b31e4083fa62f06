"""Kernels of the Ensemble: rows to microclusters, microclusters to overlap counts."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit


@njit
def hash_rows(codes: np.ndarray, out: np.ndarray) -> None:
    """Write a 64-bit hash of every row of ``codes`` (rows x M, int32) into ``out`` (rows, uint64)."""
    for i in range(codes.shape[0]):
        h = np.uint64(0x9E3779B97F4A7C15)
        for m in range(codes.shape[1]):
            h ^= np.uint64(codes[i, m] + 2)
            h *= np.uint64(0xFF51AFD7ED558CCD)
            h ^= h >> np.uint64(32)
        out[i] = h


@njit
def insert_rows(
    codes: np.ndarray,
    hashes: np.ndarray,
    weights: np.ndarray,
    start: int,
    table: np.ndarray,
    rows: np.ndarray,
    row_hashes: np.ndarray,
    sizes: np.ndarray,
    n_used: int,
    ids: np.ndarray,
) -> tuple[int, int]:
    """Look up or insert rows ``start..`` of ``codes`` in an open-addressing table of distinct rows.

    ``table`` (a power of two, int32, -1 = free) points into ``rows`` (int32), ``row_hashes`` and ``sizes``.
    Equal hashes are verified against the row itself. ``ids`` receives the microcluster of every row, or -1 for
    a row without any label. Stops when the arrays are full and returns (rows done, distinct rows so far).
    """
    mask = np.uint64(table.size - 1)
    n_columns = codes.shape[1]
    for i in range(start, codes.shape[0]):
        h = hashes[i]
        slot = h & mask
        found = -1
        while table[slot] >= 0:
            candidate = table[slot]
            if row_hashes[candidate] == h:
                equal = True
                for m in range(n_columns):
                    if rows[candidate, m] != codes[i, m]:
                        equal = False
                        break
                if equal:
                    found = candidate
                    break
            slot = (slot + np.uint64(1)) & mask
        if found < 0:
            labelled = False
            for m in range(n_columns):
                if codes[i, m] >= 0:
                    labelled = True
                    break
            if not labelled:
                ids[i] = -1
                continue
            if n_used == rows.shape[0]:
                return i, n_used
            found = n_used
            table[slot] = found
            row_hashes[found] = h
            for m in range(n_columns):
                rows[found, m] = codes[i, m]
            n_used += 1
        sizes[found] += weights[i]
        ids[i] = found
    return codes.shape[0], n_used


@njit
def refill_table(row_hashes: np.ndarray, n_used: int, table: np.ndarray) -> None:
    """Point a fresh, larger ``table`` at the ``n_used`` distinct rows found so far."""
    mask = np.uint64(table.size - 1)
    for u in range(n_used):
        slot = row_hashes[u] & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = u


@njit
def add_overlaps(
    labels: np.ndarray,
    offsets: np.ndarray,
    weights: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """Add the row weights (int64) of rows ``start..stop`` to every pair of clusters the row lies in.

    ``labels`` is (rows x M, int32, -1 = missing), ``out`` (n_c x n_c, int64) is filled on and above the diagonal.
    """
    n_columns = labels.shape[1]
    members = np.empty(n_columns, np.int64)
    for u in range(start, stop):
        n_members = 0
        for m in range(n_columns):
            if labels[u, m] >= 0:
                members[n_members] = offsets[m] + labels[u, m]
                n_members += 1
        weight = weights[u]
        for a in range(n_members):
            for b in range(a, n_members):
                out[members[a], members[b]] += weight
