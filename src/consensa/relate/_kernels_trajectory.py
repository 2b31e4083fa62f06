"""Kernels of the probability trajectories: elite neighbours by counting, random walks on tiles of columns."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit

WHOLE, SYMMETRIC = 0, 1


@njit
def _count_agreements(
    u: int,
    labels: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    counts: np.ndarray,
    touched: np.ndarray,
) -> int:
    """Count in how many base clusterings row ``u`` agrees with every other row, through the lists of the clusters.

    ``counts`` (rows, int32) must come in as zeros; ``touched`` receives the rows with a count. Returns their number.
    """
    n_touched = 0
    for m in range(labels.shape[1]):
        if labels[u, m] < 0:
            continue
        c = offsets[m] + labels[u, m]
        for p in range(starts[c], starts[c + 1]):
            v = members[p]
            if v == u:
                continue
            if counts[v] == 0:
                touched[n_touched] = v
                n_touched += 1
            counts[v] += 1
    return n_touched


@njit
def elite_thresholds(
    labels: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    first: int,
    last: int,
    n_neighbors: int,
    thresholds: np.ndarray,
) -> int:
    """Write the ``n_neighbors``-th largest agreement of rows ``first..last`` into ``thresholds`` (int32, at least 1).

    ``labels`` is (rows x M, int32, -1 = missing); ``members[starts[c]:starts[c + 1]]`` are the rows in cluster c.
    A row with fewer links than ``n_neighbors`` keeps all of them (threshold 1). Returns how many links these rows keep.
    """
    n, n_columns = labels.shape
    counts, touched = np.zeros(n, np.int32), np.empty(n, np.int32)
    n_kept = 0
    for u in range(first, last):
        n_touched = _count_agreements(u, labels, offsets, starts, members, counts, touched)
        histogram = np.zeros(n_columns + 1, np.int64)
        for p in range(n_touched):
            histogram[counts[touched[p]]] += 1
            counts[touched[p]] = 0
        level, n_above = n_columns, int(histogram[n_columns])
        while level > 1 and n_above < n_neighbors:
            level -= 1
            n_above += int(histogram[level])
        thresholds[u] = level
        n_kept += n_above
    return n_kept


@njit
def elite_links(
    labels: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    first: int,
    last: int,
    thresholds: np.ndarray,
    lengths: np.ndarray,
    columns: np.ndarray,
    agreements: np.ndarray,
) -> int:
    """Write the links of rows ``first..last`` that either end keeps, in rising order of the other end.

    ``lengths`` (rows, int64) receives their number per row, ``columns`` and ``agreements`` (int32, room for
    ``(last - first) * rows``) the other ends and the counts, row after row. Returns how many there are.
    """
    n = labels.shape[0]
    counts, touched = np.zeros(n, np.int32), np.empty(n, np.int32)
    used = 0
    for u in range(first, last):
        n_touched = _count_agreements(u, labels, offsets, starts, members, counts, touched)
        begin = used
        for p in range(n_touched):
            v = touched[p]
            if counts[v] >= min(thresholds[u], thresholds[v]):
                columns[used] = v
                used += 1
            else:
                counts[v] = 0
        columns[begin:used].sort()
        for p in range(begin, used):
            agreements[p] = counts[columns[p]]
            counts[columns[p]] = 0
        lengths[u] = used - begin
    return used


@njit
def multiply_tile(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, first: int, tile: np.ndarray, out: np.ndarray
) -> None:
    """Multiply a sparse matrix by a tile of columns: rows ``first..`` of ``out`` (n x width) = P tile.

    Four entries of P are taken at a time, so that a row of ``out`` is read and written a quarter as often.
    """
    width = tile.shape[1]
    for i in range(first, out.shape[0]):
        row = out[i]
        for c in range(width):
            row[c] = 0.0
        k, end = indptr[i], indptr[i + 1]
        while k + 4 <= end:
            p0, p1, p2, p3 = data[k], data[k + 1], data[k + 2], data[k + 3]
            x0, x1, x2, x3 = tile[indices[k]], tile[indices[k + 1]], tile[indices[k + 2]], tile[indices[k + 3]]
            for c in range(width):
                row[c] += (p0 * x0[c] + p1 * x1[c]) + (p2 * x2[c] + p3 * x3[c])
            k += 4
        while k < end:
            p0, x0 = data[k], tile[indices[k]]
            for c in range(width):
                row[c] += p0 * x0[c]
            k += 1


@njit
def multiply_transposed(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    source: np.ndarray,
    begin: int,
    end: int,
    width: int,
    kind: int,
    target: np.ndarray,
) -> None:
    """Write columns ``begin..end`` of P ``source`` into the same rows of ``target``, so target = (P source)ᵀ.

    ``width`` columns are taken at a time. Where the product is known to be SYMMETRIC, only entries on and below the
    diagonal count and are written on both sides of it.
    """
    n = source.shape[0]
    tiles, outs = np.empty(n * width), np.empty(n * width)
    for start in range(begin, end, width):
        w = min(width, end - start)
        tile, out = tiles[: n * w].reshape(n, w), outs[: n * w].reshape(n, w)
        for i in range(n):
            for c in range(w):
                tile[i, c] = source[i, start + c]
        first = start if kind == SYMMETRIC else 0
        multiply_tile(indptr, indices, data, first, tile, out)
        for low in range(first, n, 8):
            high = min(low + 8, n)
            for c in range(w):
                for i in range(max(low, start + c) if kind == SYMMETRIC else low, high):
                    target[start + c, i] = out[i, c]
            if kind == SYMMETRIC:
                for i in range(low, high):
                    for c in range(min(w, i - start + 1)):
                        target[i, start + c] = out[i, c]


@njit
def add_squared_steps(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    begin: int,
    end: int,
    n_steps: int,
    total: np.ndarray,
) -> None:
    """Add the squares of columns ``begin..end`` of P, P², ... P^n_steps to ``total`` (n), row by row."""
    n, width = total.size, end - begin
    tile, out = np.zeros((n, width)), np.empty((n, width))
    for c in range(width):
        tile[begin + c, c] = 1.0
    for _ in range(n_steps):
        multiply_tile(indptr, indices, data, 0, tile, out)
        for i in range(n):
            squares = 0.0
            for c in range(width):
                squares += out[i, c] * out[i, c]
            total[i] += squares
        tile, out = out, tile


@njit
def walk_and_return(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    back_data: np.ndarray,
    n_steps: int,
    tile: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sum over t of P^t (Pᵀ)^t ``tile`` into ``out`` (both n x width); ``back_*`` is Pᵀ."""
    n, width = tile.shape
    steps = np.empty((n_steps, n, width))
    multiply_tile(back_indptr, back_indices, back_data, 0, tile, steps[0])
    for t in range(1, n_steps):
        multiply_tile(back_indptr, back_indices, back_data, 0, steps[t - 1], steps[t])
    multiply_tile(indptr, indices, data, 0, steps[n_steps - 1], out)
    for t in range(n_steps - 2, -1, -1):
        total = steps[t]
        for i in range(n):
            for c in range(width):
                total[i, c] += out[i, c]
        multiply_tile(indptr, indices, data, 0, total, out)
