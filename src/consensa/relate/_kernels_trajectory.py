"""Kernels of the probability trajectories: elite neighbours by counting, random walks on tiles of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

if TYPE_CHECKING:
    from consensa.relate.cluster_lists import ClusterLists

SPARSE = 3  # a product entry by entry takes so many times as long per row: worth it while fewer rows are not zero


class Counts(NamedTuple):
    """Work space; between rows ``counts`` is zero everywhere: who reads the counts of a row clears them."""

    counts: np.ndarray  # (n,) int32: agreements with the row at hand
    touched: np.ndarray  # (n,) int32: rows that agree with it at all


class Transition(NamedTuple):
    """P, the probabilities of one step, as a sparse matrix by rows."""

    indptr: np.ndarray  # (n + 1,) int64
    indices: np.ndarray  # (links,) int32
    data: np.ndarray  # (links,)


@njit_part
def _count_agreements(u: int, lists: ClusterLists, work: Counts) -> int:
    """Count in how many base clusterings row ``u`` agrees with every other row, through the lists of the clusters.

    Returns the number of rows touched, each of which is listed once: at its first count.
    """
    labels, offsets, starts, members = lists.labels, lists.offsets, lists.starts, lists.members
    counts, touched = work.counts, work.touched
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
def elite_thresholds(lists: ClusterLists, first: int, last: int, n_neighbors: int, thresholds: np.ndarray) -> int:
    """Write the ``n_neighbors``-th largest agreement of rows ``first..last`` into ``thresholds`` (int32, at least 1).

    A row with fewer links than ``n_neighbors`` keeps all of them (threshold 1). Returns how many links these rows keep.
    """
    n, n_columns = lists.labels.shape
    work = Counts(np.zeros(n, np.int32), np.empty(n, np.int32))
    counts, touched = work.counts, work.touched
    histogram = np.empty(n_columns + 1, np.int64)
    n_kept = 0
    for u in range(first, last):
        n_touched = _count_agreements(u, lists, work)
        for level in range(n_columns + 1):
            histogram[level] = 0
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
    lists: ClusterLists,
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
    n = thresholds.size
    work = Counts(np.zeros(n, np.int32), np.empty(n, np.int32))
    counts, touched = work.counts, work.touched
    used = 0
    for u in range(first, last):
        n_touched = _count_agreements(u, lists, work)
        begin = used
        # What is not kept is cleared here, what is kept after it was read below.
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


@njit_part
def _multiply_tile(P: Transition, first: int, tile: np.ndarray, out: np.ndarray) -> None:
    """Multiply a sparse matrix by a tile of columns: rows ``first..`` of ``out`` (n x width) = P tile.

    Eight entries of P are taken at a time, so that a row of ``out`` is read and written an eighth as often.
    """
    indptr, indices, data = P.indptr, P.indices, P.data
    width = tile.shape[1]
    for i in range(first, out.shape[0]):
        row = out[i]
        for c in range(width):
            row[c] = 0.0
        k, end = indptr[i], indptr[i + 1]
        while k + 8 <= end:
            p0, p1, p2, p3 = data[k], data[k + 1], data[k + 2], data[k + 3]
            p4, p5, p6, p7 = data[k + 4], data[k + 5], data[k + 6], data[k + 7]
            x0, x1, x2, x3 = tile[indices[k]], tile[indices[k + 1]], tile[indices[k + 2]], tile[indices[k + 3]]
            x4, x5, x6, x7 = tile[indices[k + 4]], tile[indices[k + 5]], tile[indices[k + 6]], tile[indices[k + 7]]
            for c in range(width):
                row[c] += ((p0 * x0[c] + p1 * x1[c]) + (p2 * x2[c] + p3 * x3[c])) + (
                    (p4 * x4[c] + p5 * x5[c]) + (p6 * x6[c] + p7 * x7[c])
                )
            k += 8
        while k < end:
            p0, x0 = data[k], tile[indices[k]]
            for c in range(width):
                row[c] += p0 * x0[c]
            k += 1


@njit_part
def _spread_tile(turned: Transition, tile: np.ndarray, active: np.ndarray, reached: np.ndarray, out: np.ndarray) -> int:
    """Multiply by the transpose of ``turned`` a ``tile`` of which only the ``active`` (n, bool) rows are not zero.

    ``out`` (n x width) receives the product, ``active`` the rows of it that are not zero, whose number is returned;
    ``reached`` (n, bool) is work space.
    """
    out[:] = 0.0
    reached[:] = False
    for r in range(active.size):
        if not active[r]:
            continue
        x = tile[r]
        for k in range(turned.indptr[r], turned.indptr[r + 1]):
            reached[turned.indices[k]] = True
            p, row = turned.data[k], out[turned.indices[k]]
            for c in range(x.size):
                row[c] += p * x[c]
    n_reached = 0
    for r in range(active.size):
        active[r] = reached[r]
        n_reached += int(reached[r])
    return n_reached


@njit_part
def _first_step(turned: Transition, begin: int, active: np.ndarray, out: np.ndarray) -> int:
    """Write rows ``begin..`` of ``turned`` into the columns of ``out``; ``active`` as after :func:`_spread_tile`."""
    out[:] = 0.0
    active[:] = False
    n_active = 0
    for c in range(out.shape[1]):
        for k in range(turned.indptr[begin + c], turned.indptr[begin + c + 1]):
            i = turned.indices[k]
            out[i, c] = turned.data[k]
            n_active += int(not active[i])
            active[i] = True
    return n_active


@njit
def multiply(P: Transition, tile: np.ndarray, out: np.ndarray) -> None:
    """Write P ``tile`` into ``out`` (both n x width)."""
    _multiply_tile(P, 0, tile, out)


@njit
def walk_tiles(P: Transition, source: np.ndarray, begin: int, end: int, target: np.ndarray) -> None:
    """Write P ``source`` into ``target``, tiles ``begin..end``.

    Both hold a matrix as tiles of columns, (n_tiles, n_tiles * width, width); rows and columns beyond n are zeros.
    """
    n = P.indptr.size - 1
    for b in range(begin, end):
        _multiply_tile(P, 0, source[b], target[b, :n])


@njit
def walk_tiles_back(P: Transition, source: np.ndarray, begin: int, end: int, target: np.ndarray) -> None:
    """Write ``source`` Pᵀ, which is symmetric, into ``target``: the part below the diagonal of tiles ``begin..end``.

    Every entry is written on both sides of the diagonal, the other side into the tiles that come later. So every entry
    is written once, whoever writes the other tiles.
    """
    n, n_tiles, width = P.indptr.size - 1, source.shape[0], source.shape[2]
    turned = np.empty((source.shape[1], width))
    for b in range(begin, end):
        first = b * width
        _turn(source, first, turned)
        _multiply_tile(P, first, turned, target[b, :n])
        _mirror(target, b, n_tiles, width)


@njit_part
def _turn(source: np.ndarray, first: int, turned: np.ndarray) -> None:
    """Write the transpose of the rows from ``first`` on, as many as a tile has columns, into ``turned``."""
    n_tiles, width = source.shape[0], source.shape[2]
    for t in range(n_tiles):
        for c in range(width):
            row = source[t, first + c]
            for j in range(width):
                turned[t * width + j, c] = row[j]


@njit_part
def _mirror(target: np.ndarray, b: int, n_tiles: int, width: int) -> None:
    """Copy what lies below the diagonal in tile ``b`` to the other side: within the tile, and into the later ones."""
    out, first = target[b], b * width
    for i in range(width):
        for c in range(i):
            out[first + c, i] = out[first + i, c]
    for t in range(b + 1, n_tiles):
        for i in range(width):
            row = out[t * width + i]
            for c in range(width):
                target[t, first + c, i] = row[c]


@njit
def put_tile(tile: np.ndarray, begin: int, place: np.ndarray, out: np.ndarray) -> None:
    """Store columns ``begin..`` of a symmetric matrix, rows from ``begin`` on, above the diagonal of another order.

    ``place`` (n, int64) is where rows and columns stand there; ``out`` (n (n - 1) / 2) holds it row after row.
    """
    n = place.size
    for i in range(1, tile.shape[0]):
        a = place[begin + i]
        for c in range(min(i, tile.shape[1])):
            b = place[begin + c]
            low = min(a, b)
            out[low * (2 * n - low - 3) // 2 + max(a, b) - 1] = tile[i, c]


@njit
def add_squared_steps(
    P: Transition, back: Transition, begin: int, end: int, weights: np.ndarray, total: np.ndarray
) -> None:
    """Add the squares of columns ``begin..end`` of P, P², ... by ``weights`` to ``total`` (n), row by row.

    ``back`` is Pᵀ, whose rows are the first step.
    """
    n, width = total.size, end - begin
    tile, out = np.empty((n, width)), np.empty((n, width))
    active, reached = np.empty(n, np.bool_), np.empty(n, np.bool_)
    n_active = _first_step(back, begin, active, out)
    for t in range(weights.size):
        if t > 0:
            tile, out = out, tile
            if SPARSE * n_active < n:
                n_active = _spread_tile(back, tile, active, reached, out)
            else:
                _multiply_tile(P, 0, tile, out)
        for i in range(n):
            squares = 0.0
            for c in range(width):
                squares += out[i, c] * out[i, c]
            total[i] += weights[t] * squares


@njit
def walk_and_return(P: Transition, back: Transition, weights: np.ndarray, tile: np.ndarray, out: np.ndarray) -> None:
    """Write the sum over t of w_t P^t (Pᵀ)^t ``tile`` into ``out`` (both n x width); ``back`` is Pᵀ.

    The steps there are kept; on the way back P is taken out of the sum: P (w₁ S₁ + P (w₂ S₂ + P (w₃ S₃ + ...))).
    """
    steps = np.empty((weights.size, *tile.shape))
    _multiply_tile(back, 0, tile, steps[0])
    for t in range(1, weights.size):
        _multiply_tile(back, 0, steps[t - 1], steps[t])
    _return(P, weights, steps, np.zeros(weights.size + 1, np.int64), out)


@njit
def walk_columns(
    P: Transition, back: Transition, lowest: np.ndarray, weights: np.ndarray, begin: int, out: np.ndarray
) -> None:
    """Write columns ``begin..`` of the sum over t of w_t P^t (Pᵀ)^t into ``out`` (n x width), rows from ``begin`` on.

    The other rows of ``out`` are work space. ``lowest`` (n, int64) is the first state that a step from a state or a
    later one can lead to: so many rows need not be known on the last steps of the way back.
    """
    n, width = out.shape
    steps = np.empty((weights.size, n, width))
    active, reached = np.empty(n, np.bool_), np.empty(n, np.bool_)
    n_active = _first_step(P, begin, active, steps[0])
    for t in range(1, weights.size):
        if SPARSE * n_active < n:
            n_active = _spread_tile(P, steps[t - 1], active, reached, steps[t])
        else:
            _multiply_tile(back, 0, steps[t - 1], steps[t])
    firsts = np.empty(weights.size + 1, np.int64)
    firsts[0] = begin
    for t in range(weights.size):
        firsts[t + 1] = lowest[firsts[t]]
    _return(P, weights, steps, firsts, out)


@njit_part
def _return(P: Transition, weights: np.ndarray, steps: np.ndarray, firsts: np.ndarray, out: np.ndarray) -> None:
    """Come back from all ``steps`` (overwritten) with ``out``; t steps before the end, rows ``firsts[t]`` on count."""
    n_steps = weights.size
    for t in range(n_steps - 1, -1, -1):
        total, weight = steps[t], weights[t]
        for i in range(firsts[t + 1], total.shape[0]):
            for c in range(total.shape[1]):
                total[i, c] *= weight
                if t < n_steps - 1:
                    total[i, c] += out[i, c]
        _multiply_tile(P, firsts[t], total, out)
