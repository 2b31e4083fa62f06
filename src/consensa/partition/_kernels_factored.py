"""Kernels of average linkage on S = B Bᵀ without the matrix.

The average similarity of two regions is the inner product of their mean rows of B.

Every region keeps a short list of candidates, its most similar regions when it was last searched, and a ``bound``: the
level that no region outside the list exceeds. Averages never exceed the larger of their parts, so the bound holds while
regions merge, and most nearest neighbours follow from a few inner products with the candidates. Only when no candidate
is above the bound, all regions are searched.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from consensa._numba import njit, njit_part
from consensa.partition._kernels_queue import remove, rounded, sift, sift_down
from consensa.partition._kernels_rows import Rows, clear, compact, inner_product, merge_rows, spread

MARGIN = 1e-9  # on similarities that were summed in another order
NONE_YET = cast("int", np.int64(0))  # a plain 0 has a type of its own, for which the parts would be compiled once more


class Nearest(NamedTuple):
    """What every region knows of its neighbours."""

    neighbour: np.ndarray  # (n,) int64, -1 = none
    level: np.ndarray  # (n,) int64: level of the neighbour, or an upper bound while stale
    similarity: np.ndarray  # (n,)
    candidates: np.ndarray  # (n, K) int32, -1 = none
    bound: np.ndarray  # (n,) int64: no region outside the candidates is above this level


class Scratch(NamedTuple):
    """Work space of one thread; ``total`` and ``weight`` are zero between calls."""

    total: np.ndarray  # (n,)
    touched: np.ndarray  # (n,) int64
    weight: np.ndarray  # (n_columns,): a mean row, spread out
    order: np.ndarray  # (n_columns,) int64
    top_region: np.ndarray  # (2 K,) int64
    top_level: np.ndarray  # (2 K,) int64
    top_value: np.ndarray  # (2 K,)


@njit
def search_range(rows: Rows, nearest: Nearest, scratch: Scratch, start: int, stop: int) -> None:
    """Find the candidates and the nearest neighbour of the regions ``start..stop``."""
    for c in range(start, stop):
        _search(c, rows, nearest, scratch)


@njit
def merge_factored(
    rows: Rows,
    spare: Rows,
    nearest: Nearest,
    scratch: Scratch,
    sizes: np.ndarray,
    used: int,
    merges: np.ndarray,
    heights: np.ndarray,
) -> int:
    """Merge regions while any two are similar; returns the number of merges. All arrays are overwritten.

    ``spare`` shares everything with ``rows`` but the entries, and receives them when they are compacted. Regions that
    have x as their neighbour form a doubly linked list that starts at ``first[x]``.
    """
    n = sizes.size
    neighbour, level, similarity = nearest.neighbour, nearest.level, nearest.similarity
    stale = np.zeros(n, np.bool_)
    root = np.arange(n)
    heap, place = np.arange(n), np.arange(n)
    first, after, ahead = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for c in range(n):
        _follow(c, neighbour[c], first, after, ahead)
    n_heap = n
    for p in range(n // 2 - 1, -1, -1):
        sift_down(p, heap, place, n_heap, neighbour, level, stale)
    t = 0
    while n_heap > 1 and level[heap[0]] > 0:
        top = heap[0]
        if stale[top]:
            stale[top] = not _refresh(top, root, rows, nearest, scratch)
            if not stale[top]:
                _follow(top, neighbour[top], first, after, ahead)
            sift(NONE_YET, heap, place, n_heap, neighbour, level, stale)
            continue
        a, b = min(top, neighbour[top]), max(top, neighbour[top])
        merges[t, 0], merges[t, 1], heights[t] = a, b, similarity[top]
        t += 1
        for x in (a, b):
            if not stale[x]:
                _unfollow(x, neighbour[x], first, after, ahead)
        n_heap = remove(b, heap, place, n_heap, neighbour, level, stale)
        if used + rows.end[a] - rows.begin[a] + rows.end[b] - rows.begin[b] > rows.column.size:
            used = compact(rows, spare)
            rows, spare = spare, rows
        used = merge_rows(a, b, sizes, used, rows)
        root[b] = a
        spread(a, rows, scratch.weight)
        for p in range(_take_followers(a, b, first, after, scratch.touched)):
            c = scratch.touched[p]
            stale[c] = not _stays(c, a, rows, nearest, scratch)
            if not stale[c]:
                _follow(c, a, first, after, ahead)
            sift(place[c], heap, place, n_heap, neighbour, level, stale)
        stale[a] = not _inherit(a, b, root, rows, nearest, scratch)
        clear(a, rows, scratch.weight)
        if not stale[a]:
            _follow(a, neighbour[a], first, after, ahead)
        sift(place[a], heap, place, n_heap, neighbour, level, stale)
    return t


@njit_part
def _search(c: int, rows: Rows, nearest: Nearest, scratch: Scratch) -> None:
    """Compare region ``c`` with all others.

    The lists of its columns are gone through from the shortest on. What the remaining columns can add at the most is
    known, and so is a similarity that enough regions reach; so the long lists are left out as soon as few regions are
    in question, and these are compared directly.
    """
    total, touched, order = scratch.total, scratch.touched, scratch.order
    n_wanted = nearest.candidates.shape[1]
    rest, n_ahead = _shortest_first(c, rows, order)
    spread(c, rows, scratch.weight)
    n_columns = rows.end[c] - rows.begin[c]
    n_touched = NONE_YET
    reached, threshold = 0.0, 0.0
    for p in range(n_columns):
        e = order[p]
        column, value = rows.column[e], rows.value[e]
        for s in range(rows.list_start[column], rows.list_end[column]):
            d = rows.slot_region[s]
            if total[d] == 0.0:
                touched[n_touched] = d
                n_touched += 1
            total[d] += value * rows.slot_value[s]
        total[c] = 1e-300  # stays touched, never wanted
        rest -= value * rows.largest[column]
        n_ahead -= rows.list_end[column] - rows.list_start[column]
        if (p > 0 and (p & (p + 1)) == 0) or p == n_columns - 1:
            reached = max(reached, _reached(n_wanted, n_touched, rows, scratch))
        threshold = max(reached - max(rest, 0.0) - MARGIN, 0.0)
        if threshold > 0.0 and p < n_columns - 1:
            column = rows.column[order[p + 1]]
            length = rows.list_end[column] - rows.list_start[column]
            cost = min(n_ahead, length + n_touched)
            at_least = 2 * n_columns * n_wanted  # known without counting
            if at_least < cost and _count_above(threshold, n_touched, scratch) * 2 * n_columns < cost:
                break
    n_top = NONE_YET
    for p in range(n_touched):
        d = touched[p]
        if total[d] >= threshold and d != c:
            n_top = _insert(d, inner_product(d, rows, scratch.weight), n_top, n_wanted, scratch)
        total[d] = 0.0
    clear(c, rows, scratch.weight)
    nearest.bound[c] = scratch.top_level[n_top - 1] if n_top == n_wanted else 0
    _settle(c, n_top, nearest, scratch)


@njit_part
def _shortest_first(c: int, rows: Rows, order: np.ndarray) -> tuple[float, int]:
    """Sort the entries of ``c`` by the lengths of their lists; what they can contribute, and the sum of lengths."""
    rest, n_ahead = 0.0, 0
    n_columns = rows.end[c] - rows.begin[c]
    for p in range(n_columns):
        e = rows.begin[c] + p
        column = rows.column[e]
        rest += rows.value[e] * rows.largest[column]
        length = rows.list_end[column] - rows.list_start[column]
        n_ahead += length
        q = p
        while n_columns <= 128 and q > 0:
            other = rows.column[order[q - 1]]
            if rows.list_end[other] - rows.list_start[other] <= length:
                break
            order[q] = order[q - 1]
            q -= 1
        order[q] = e
    return rest, n_ahead


@njit_part
def _reached(k: int, n_touched: int, rows: Rows, scratch: Scratch) -> float:
    """A similarity that at least k regions reach: the smallest among those with the k largest totals so far."""
    if n_touched <= k:
        return 0.0
    best, region = scratch.top_value, scratch.top_region
    best[:k] = 0.0
    region[:k] = -1
    for p in range(n_touched):
        d = scratch.touched[p]
        value = scratch.total[d]
        if value > best[k - 1]:
            q = k - 1
            while q > 0 and best[q - 1] < value:
                best[q], region[q] = best[q - 1], region[q - 1]
                q -= 1
            best[q], region[q] = value, d
    if best[k - 1] <= 1e-300:  # the region itself is among them
        return 0.0
    least = np.inf
    for q in range(k):
        least = min(least, inner_product(region[q], rows, scratch.weight))
    return least


@njit_part
def _count_above(threshold: float, n_touched: int, scratch: Scratch) -> int:
    count = 0
    for p in range(n_touched):
        if scratch.total[scratch.touched[p]] >= threshold:
            count += 1
    return count


@njit_part
def _insert(d: int, value: float, n_top: int, room: int, scratch: Scratch) -> int:
    """Put region ``d`` into the list of the most similar ones, by level, then index; returns its new length."""
    step = rounded(value)
    if step <= 0:
        return n_top
    region, level = scratch.top_region, scratch.top_level
    q = n_top
    while q > 0 and (level[q - 1] < step or (level[q - 1] == step and region[q - 1] > d)):
        q -= 1
    if q >= room:
        return n_top
    last = min(n_top, room - 1)
    for p in range(last, q, -1):
        region[p], level[p], scratch.top_value[p] = (
            region[p - 1],
            level[p - 1],
            scratch.top_value[p - 1],
        )
    region[q], level[q], scratch.top_value[q] = d, step, value
    return last + 1


@njit_part
def _settle(c: int, n_top: int, nearest: Nearest, scratch: Scratch) -> None:
    """Take over the list of most similar regions as the candidates of ``c``, and its head as the neighbour."""
    for p in range(nearest.candidates.shape[1]):
        nearest.candidates[c, p] = scratch.top_region[p] if p < n_top else -1
    if n_top:
        nearest.neighbour[c], nearest.level[c] = scratch.top_region[0], scratch.top_level[0]
        nearest.similarity[c] = scratch.top_value[0]
    else:
        nearest.neighbour[c], nearest.level[c], nearest.similarity[c] = -1, 0, 0.0


@njit_part
def _consider(c: int, x: int, n_top: int, root: np.ndarray, rows: Rows, nearest: Nearest, scratch: Scratch) -> int:
    """Compare region ``c``, spread out, with what has become of the candidates of ``x``."""
    room = scratch.top_region.size
    for p in range(nearest.candidates.shape[1]):
        d = nearest.candidates[x, p]
        if d < 0:
            break
        d = _representative(d, root)
        known = d == c
        for q in range(n_top):
            known |= scratch.top_region[q] == d
        if not known:
            n_top = _insert(d, inner_product(d, rows, scratch.weight), n_top, room, scratch)
    return n_top


@njit_part
def _refresh(c: int, root: np.ndarray, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Find the neighbour of ``c`` anew; False if only a lower upper bound was found so far."""
    spread(c, rows, scratch.weight)
    n_top = _consider(c, c, NONE_YET, root, rows, nearest, scratch)
    clear(c, rows, scratch.weight)
    best = scratch.top_level[0] if n_top else 0
    if best > nearest.bound[c]:
        _settle(c, n_top, nearest, scratch)
        return True
    if nearest.bound[c] < nearest.level[c]:
        nearest.level[c] = nearest.bound[c]
        return False
    _search(c, rows, nearest, scratch)
    return True


@njit_part
def _stays(c: int, a: int, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Does ``c`` keep its neighbour, which has become part of ``a`` (spread out)?"""
    value = inner_product(c, rows, scratch.weight)
    if rounded(value) < nearest.level[c]:
        return False
    nearest.level[c], nearest.neighbour[c], nearest.similarity[c] = rounded(value), a, value
    return True


@njit_part
def _inherit(a: int, b: int, root: np.ndarray, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Find the neighbour of ``a``, which has absorbed ``b``, among the candidates of both; False as in _refresh."""
    n_top = _consider(a, a, NONE_YET, root, rows, nearest, scratch)
    n_top = _consider(a, b, n_top, root, rows, nearest, scratch)
    n_kept = min(n_top, nearest.candidates.shape[1])
    bound = max(nearest.bound[a], nearest.bound[b])
    if n_kept < n_top:
        bound = max(bound, scratch.top_level[n_kept])
    _settle(a, n_kept, nearest, scratch)
    nearest.bound[a] = bound
    if nearest.level[a] > bound:
        return True
    nearest.level[a] = bound
    return False


@njit_part
def _representative(d: int, root: np.ndarray) -> int:
    while root[d] != d:
        root[d] = root[root[d]]
        d = root[d]
    return d


@njit_part
def _follow(c: int, x: int, first: np.ndarray, after: np.ndarray, ahead: np.ndarray) -> None:
    """Enter ``c`` into the list of the regions whose neighbour is ``x``."""
    if x >= 0:
        after[c], ahead[c] = first[x], -1
        if first[x] >= 0:
            ahead[first[x]] = c
        first[x] = c


@njit_part
def _unfollow(c: int, x: int, first: np.ndarray, after: np.ndarray, ahead: np.ndarray) -> None:
    if x >= 0:
        if ahead[c] >= 0:
            after[ahead[c]] = after[c]
        else:
            first[x] = after[c]
        if after[c] >= 0:
            ahead[after[c]] = ahead[c]


@njit_part
def _take_followers(a: int, b: int, first: np.ndarray, after: np.ndarray, out: np.ndarray) -> int:
    """Write the followers of ``a`` and ``b`` to ``out`` and empty both lists."""
    count = 0
    for x in (a, b):
        c = first[x]
        while c >= 0:
            out[count] = c
            count += 1
            c = after[c]
        first[x] = -1
    return count
