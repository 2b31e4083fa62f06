"""Kernels that find the regions most similar to one, among all of them, through the lists of the columns."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from consensa._numba import njit, njit_part
from consensa.partition._kernels_queue import rounded
from consensa.partition._kernels_rows import Rows, clear, inner_product, spread

MARGIN = 1e-9  # on similarities that were summed in another order
# Total of the region that is searched for, which stands in the lists of all its columns: not 0, or it would be touched
# again with every column, and below all others, or it would be the most similar of all.
OWN_TOTAL = 1e-300
SORTED_UP_TO = 128  # columns of a row; the sort is quadratic, and the order is a matter of speed only
NONE_YET = cast("int", np.int64(0))  # a plain 0 has a type of its own, for which the parts would be compiled once more


class Nearest(NamedTuple):
    """What every region knows of its neighbours.

    A candidate may have been absorbed since: it stands for the region that it has become part of. Candidates stand by
    falling level when the list is made, not later.
    """

    neighbour: np.ndarray  # (n,) int64, -1 = none, shared with the queue
    level: np.ndarray  # (n,) int64: level of the neighbour, or an upper bound while stale; shared with the queue
    similarity: np.ndarray  # (n,): to the neighbour, not rounded; of no meaning while stale
    candidates: np.ndarray  # (n, K) int32, -1 = none
    bound: np.ndarray  # (n,) int64: no region outside the candidates is above this level; 0: none is similar
    limit: np.ndarray  # (n,) int64: those that are at this level have no smaller index than this


class Scratch(NamedTuple):
    """Work space of one thread.

    Between calls ``total`` and ``weight`` are zero: :func:`_rank` clears the one, :func:`clear` the other. The rest is
    written before it is read.
    """

    total: np.ndarray  # (n,): similarity to the region that is searched for, as far as it is added up
    touched: np.ndarray  # (n,) int64: regions with a total that is not 0, or followers
    weight: np.ndarray  # (n_columns,): a mean row, spread out
    order: np.ndarray  # (n_columns,) int64
    ahead: np.ndarray  # (n_columns + 1,): largest value of the entries from here on, in this order
    top_region: np.ndarray  # (2 K,) int64: a list of most similar regions, by falling level, then index
    top_level: np.ndarray  # (2 K,) int64
    top_value: np.ndarray  # (2 K,)
    met: np.ndarray  # (1,) int64: how many regions all searches have met so far


@njit
def search_range(rows: Rows, nearest: Nearest, scratch: Scratch, start: int, stop: int) -> None:
    """Find the candidates and the nearest neighbour of the regions ``start..stop``."""
    for c in range(start, stop):
        search(c, rows, nearest, scratch)


@njit_part
def search(c: int, rows: Rows, nearest: Nearest, scratch: Scratch) -> None:
    """Compare region ``c`` with all others."""
    n_wanted = nearest.candidates.shape[1]
    spread(c, rows, scratch.weight)
    n_touched, threshold = _add_up(c, n_wanted, rows, scratch)
    scratch.met[0] += n_touched
    n_top = _rank(c, threshold, n_touched, n_wanted, rows, scratch)
    clear(c, rows, scratch.weight)
    # A full list leaves out regions that may be as similar as its last; one that is not full leaves out nobody.
    nearest.bound[c], nearest.limit[c] = NONE_YET, nearest.limit.size
    if n_top == n_wanted:
        nearest.bound[c], nearest.limit[c] = scratch.top_level[n_top - 1], scratch.top_region[n_top - 1] + 1
    settle(c, n_top, nearest, scratch)


@njit_part
def _add_up(c: int, n_wanted: int, rows: Rows, scratch: Scratch) -> tuple[int, float]:
    """Add up the similarities to ``c``, spread out; returns how many regions are touched, and the total to reach.

    The lists of its columns are gone through from the shortest on. What the remaining columns can add at the most is
    known (``rest``: the largest values of all of them, or as much of the largest of them as any row has in all), and so
    is a similarity that enough regions reach (``reached``): those with a total below their difference are out of
    question. So the long lists are left out as soon as few regions are left. Where all similarities tie, a region of
    many columns has little of each, and the second bound keeps it from meeting all others.
    """
    rest, n_ahead = _shortest_first(c, rows, scratch.order)
    n_columns = rows.end[c] - rows.begin[c]
    _look_ahead(n_columns, rows, scratch)
    n_touched = NONE_YET
    reached, threshold = 0.0, 0.0
    for p in range(n_columns):
        e = scratch.order[p]
        n_touched = _add_column(e, n_touched, rows, scratch)
        scratch.total[c] = OWN_TOTAL
        column = rows.column[e]
        rest -= rows.value[e] * rows.largest[column]
        n_ahead -= rows.list_end[column] - rows.list_start[column]
        # A look costs as much as a list: one after 2, 4, 8, ... columns, and one at the end.
        is_look = (p > 0 and (p & (p + 1)) == 0) or p == n_columns - 1
        if is_look:
            reached = max(reached, _reached(n_wanted, n_touched, rows, scratch))
        most = min(max(rest, 0.0), scratch.ahead[p + 1] * rows.heaviest)
        threshold = max(reached - most - MARGIN, 0.0)
        if threshold > 0.0 and p < n_columns - 1:
            if is_look and _cost_above(threshold, n_touched, rows, scratch) < n_ahead:
                break
            column = rows.column[scratch.order[p + 1]]
            length = rows.list_end[column] - rows.list_start[column]
            # To go on costs all the lists ahead, or the next one and another count; to stop, an inner product each.
            cost = min(n_ahead, length + n_touched)
            at_least = 2 * n_columns * n_wanted  # known without counting
            if at_least < cost and _count_above(threshold, n_touched, scratch) * 2 * n_columns < cost:
                break
    return n_touched, threshold


@njit_part
def _look_ahead(n_columns: int, rows: Rows, scratch: Scratch) -> None:
    """Find the largest value from every place of the order on."""
    scratch.ahead[n_columns] = 0.0
    for p in range(n_columns - 1, -1, -1):
        scratch.ahead[p] = max(scratch.ahead[p + 1], rows.value[scratch.order[p]])


@njit_part
def _add_column(e: int, n_touched: int, rows: Rows, scratch: Scratch) -> int:
    """Add what entry ``e`` has in common with all regions to their totals; returns how many are touched by now."""
    total, touched, slot_region, slot_value = scratch.total, scratch.touched, rows.slot_region, rows.slot_value
    value, column = rows.value[e], rows.column[e]
    for s in range(rows.list_start[column], rows.list_end[column]):
        d = slot_region[s]
        # Values are above 0, so a total of 0 means that the region was never met: every region is listed once.
        if total[d] == 0.0:
            touched[n_touched] = d
            n_touched += 1
        total[d] += value * slot_value[s]
    return n_touched


@njit_part
def _rank(c: int, threshold: float, n_touched: int, n_wanted: int, rows: Rows, scratch: Scratch) -> int:
    """List the regions most similar to ``c`` of those in question, and clear the totals; returns their number."""
    total, touched = scratch.total, scratch.touched
    n_top = NONE_YET
    for p in range(n_touched):
        d = touched[p]
        if total[d] >= threshold and d != c:
            n_top = insert(d, inner_product(d, rows, scratch.weight), n_top, n_wanted, scratch)
        total[d] = 0.0
    return n_top


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
        while n_columns <= SORTED_UP_TO and q > 0:
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
    best, region, total, touched = scratch.top_value, scratch.top_region, scratch.total, scratch.touched
    for q in range(k):
        best[q], region[q] = 0.0, -1
    for p in range(n_touched):
        d = touched[p]
        value = total[d]
        if value > best[k - 1]:
            q = k - 1
            while q > 0 and best[q - 1] < value:
                best[q], region[q] = best[q - 1], region[q - 1]
                q -= 1
            best[q], region[q] = value, d
    if best[k - 1] <= OWN_TOTAL:  # the region itself is among them, so there are fewer than k others
        return 0.0
    least = np.inf
    for q in range(k):
        least = min(least, inner_product(region[q], rows, scratch.weight))
    return least


@njit_part
def _count_above(threshold: float, n_touched: int, scratch: Scratch) -> int:
    total, touched = scratch.total, scratch.touched
    count = 0
    for p in range(n_touched):
        if total[touched[p]] >= threshold:
            count += 1
    return count


@njit_part
def _cost_above(threshold: float, n_touched: int, rows: Rows, scratch: Scratch) -> int:
    """Entries of all rows that reach the threshold, and a share for every one that does not."""
    total, touched = scratch.total, scratch.touched
    cost = n_touched
    for p in range(n_touched):
        d = touched[p]
        if total[d] >= threshold:
            cost += 2 * (rows.end[d] - rows.begin[d])
    return cost


@njit_part
def insert(d: int, value: float, n_top: int, room: int, scratch: Scratch) -> int:
    """Put region ``d`` into the list of the most similar ones, by level, then index; returns its new length."""
    step = rounded(value)
    if step <= 0:
        return n_top
    region, level, similarity = scratch.top_region, scratch.top_level, scratch.top_value
    q = n_top
    while q > 0 and (level[q - 1] < step or (level[q - 1] == step and region[q - 1] > d)):
        q -= 1
    if q >= room:
        return n_top
    last = min(n_top, room - 1)
    for p in range(last, q, -1):
        region[p], level[p], similarity[p] = region[p - 1], level[p - 1], similarity[p - 1]
    region[q], level[q], similarity[q] = d, step, value
    return last + 1


@njit_part
def settle(c: int, n_top: int, nearest: Nearest, scratch: Scratch) -> None:
    """Take over the list of most similar regions as the candidates of ``c``, and its head as the neighbour."""
    for p in range(nearest.candidates.shape[1]):
        nearest.candidates[c, p] = scratch.top_region[p] if p < n_top else -1
    if n_top:
        nearest.neighbour[c], nearest.level[c] = scratch.top_region[0], scratch.top_level[0]
        nearest.similarity[c] = scratch.top_value[0]
    else:
        nearest.neighbour[c], nearest.level[c], nearest.similarity[c] = -1, 0, 0.0
