"""Kernels of the Ensemble: rows to microclusters, microclusters to overlap counts."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part


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
    firsts: np.ndarray,
    largest: np.uint64,
    start: int,
    table: np.ndarray,
    rows: np.ndarray,
    row_hashes: np.ndarray,
    sizes: np.ndarray,
    row_firsts: np.ndarray,
    n_used: int,
    ids: np.ndarray,
) -> tuple[int, int]:
    """Look up or insert rows ``start..`` of ``codes`` in an open-addressing table of distinct rows.

    ``table`` (a power of two, int32, -1 = free) points into ``rows`` (int32), ``row_hashes``, ``sizes`` and
    ``row_firsts`` (the smallest of ``firsts``). Equal hashes are verified against the row itself; rows with a hash
    above ``largest`` are passed over. ``ids`` receives the microcluster of every row, or -1 for a row without any
    label or passed over. Stops when the arrays are full and returns (rows done, distinct rows so far).
    """
    mask = np.uint64(table.size - 1)
    n_columns = codes.shape[1]
    for i in range(start, codes.shape[0]):
        h = hashes[i]
        if h > largest:
            ids[i] = -1
            continue
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
            row_firsts[found] = firsts[i]
            for m in range(n_columns):
                rows[found, m] = codes[i, m]
            n_used += 1
        sizes[found] += weights[i]
        row_firsts[found] = min(row_firsts[found], firsts[i])
        ids[i] = found
    return codes.shape[0], n_used


@njit
def find_rows(
    codes: np.ndarray,
    hashes: np.ndarray,
    table: np.ndarray,
    rows: np.ndarray,
    row_hashes: np.ndarray,
    ids: np.ndarray,
) -> None:
    """Look up rows of ``codes`` in a table of distinct rows; ``ids`` receives -1 where a row is not in it."""
    mask = np.uint64(table.size - 1)
    for i in range(codes.shape[0]):
        slot = hashes[i] & mask
        ids[i] = -1
        while table[slot] >= 0:
            candidate = table[slot]
            if row_hashes[candidate] == hashes[i]:
                equal = True
                for m in range(codes.shape[1]):
                    if rows[candidate, m] != codes[i, m]:
                        equal = False
                        break
                if equal:
                    ids[i] = candidate
                    break
            slot = (slot + np.uint64(1)) & mask


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
def add_overlaps(labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Add the row weights (int64) to every pair of clusters the row lies in.

    ``labels`` is (rows x M, int32, -1 = missing), ``out`` (n_c x n_c, int64) is filled on and above the diagonal.
    """
    members = np.empty(labels.shape[1], np.int64)
    for u in range(labels.shape[0]):
        n_members = _members_of(labels, offsets, u, members)
        weight = weights[u]
        for a in range(n_members):
            for b in range(a, n_members):
                out[members[a], members[b]] += weight


@njit
def add_limb_overlaps(labels: np.ndarray, offsets: np.ndarray, limbs: np.ndarray, out: np.ndarray) -> None:
    """Do the same as add_overlaps for two row weights at once: ``limbs`` (rows x 2), ``out`` (n_c x n_c x 2)."""
    members = np.empty(labels.shape[1], np.int64)
    for u in range(labels.shape[0]):
        n_members = _members_of(labels, offsets, u, members)
        high, low = limbs[u, 0], limbs[u, 1]
        for a in range(n_members):
            for b in range(a, n_members):
                out[members[a], members[b], 0] += high
                out[members[a], members[b], 1] += low


@njit_part
def _members_of(labels: np.ndarray, offsets: np.ndarray, u: int, members: np.ndarray) -> int:
    n_members = 0
    for m in range(labels.shape[1]):
        if labels[u, m] >= 0:
            members[n_members] = offsets[m] + labels[u, m]
            n_members += 1
    return n_members


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
        limbs[u, 0] = sizes[u] * (whole >> 30)
        limbs[u, 1] = sizes[u] * (whole & 0x3FFFFFFF)


@njit
def carry_to_rows(
    labels: np.ndarray, offsets: np.ndarray, weights: np.ndarray, vectors: np.ndarray, out: np.ndarray
) -> None:
    """Write the weighted mean of the vectors (n_c x d) of the clusters of each row into ``out`` (rows x d)."""
    for u in range(labels.shape[0]):
        degree = 0.0
        out[u] = 0.0
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
