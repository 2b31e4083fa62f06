"""Kernels of average linkage on S = B Bᵀ without the matrix.

The average similarity of two regions is the inner product of their mean rows of B.

Every region keeps a short list of candidates, its most similar regions when it was last searched, and a ``bound``: the
level that no region outside the list exceeds. Averages never exceed the larger of their parts, so the bound holds while
regions merge, and most nearest neighbours follow from a few inner products with the candidates. Only when no candidate
is above the bound, all regions are searched.

At the bound itself, a candidate counts if its index is below the ``limit``: regions outside the list that are at the
bound have no smaller index. That holds while regions merge, as the average of two is at the bound only if both are.
Where rounding lifts such an average to the bound, its own entry in the queue comes up before: it has the smaller index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consensa._numba import njit, njit_part
from consensa.partition._kernels_queue import Queue, heapify, remove, rounded, sift
from consensa.partition._kernels_rows import Rows, clear, compact, inner_product, merge_rows, spread
from consensa.partition._kernels_search import NONE_YET, Nearest, Scratch, insert, search, settle

if TYPE_CHECKING:
    import numpy as np


class Followers(NamedTuple):
    """Who has whom as the neighbour: a doubly linked list for every region, -1 = none.

    Between merges a living region stands in the list of its neighbour if, and only if, it is not stale and has one.
    """

    first: np.ndarray  # (n,) int64: head of the list of every region
    after: np.ndarray  # (n,) int64
    ahead: np.ndarray  # (n,) int64


class Regions(NamedTuple):
    """All that is known of the regions but their rows."""

    sizes: np.ndarray  # (n,) float64
    root: np.ndarray  # (n,) int64: itself while it lives, else a region that it has become part of
    nearest: Nearest
    queue: Queue
    followers: Followers


@njit
def merge_factored(
    rows: Rows,
    spare: Rows,
    used: int,
    regions: Regions,
    scratch: Scratch,
    merges: np.ndarray,
    heights: np.ndarray,
) -> int:
    """Merge regions while any two are similar; returns the number of merges. All arrays are overwritten.

    ``spare`` shares everything with ``rows`` but the entries, of which the first ``used`` are in use, and receives them
    when they are compacted. The regions come in searched, the queue in any order and the lists of followers empty.
    """
    nearest, queue, root = regions.nearest, regions.queue, regions.root
    for c in range(root.size):
        _follow(c, nearest.neighbour[c], regions.followers)
    n_heap = heapify(queue)
    t = 0
    # A level of 0 comes up last: what is left then has nothing in common, and not even a bound says otherwise.
    while n_heap > 1 and queue.level[queue.heap[0]] > 0:
        top = queue.heap[0]
        if queue.stale[top]:
            _note(top, _refresh(top, root, rows, nearest, scratch), n_heap, regions)
            continue
        # The first region is sure of its neighbour, and no bound of another one is higher: this is the pair to merge.
        a, b = min(top, nearest.neighbour[top]), max(top, nearest.neighbour[top])
        merges[t, 0], merges[t, 1], heights[t] = a, b, nearest.similarity[top]
        t += 1
        n_heap = _retire(a, b, n_heap, regions)
        if used + rows.end[a] - rows.begin[a] + rows.end[b] - rows.begin[b] > rows.column.size:
            used = compact(rows, spare)
            rows, spare = spare, rows
        used = merge_rows(a, b, regions.sizes, used, rows)
        _tell(a, b, n_heap, rows, regions, scratch)
    return t


@njit_part
def _note(c: int, is_known: bool, n_heap: int, regions: Regions) -> None:  # noqa: FBT001 - a kernel
    """Restore list and queue after the neighbour of ``c``, which is in no list, was looked at: known now, or stale."""
    regions.queue.stale[c] = not is_known
    if is_known:
        _follow(c, regions.nearest.neighbour[c], regions.followers)
    sift(regions.queue.place[c], n_heap, regions.queue)


@njit_part
def _retire(a: int, b: int, n_heap: int, regions: Regions) -> int:
    """Take ``a`` and ``b`` out of the lists of their neighbours, and ``b``, now part of ``a``, out of the queue."""
    for x in (a, b):
        if not regions.queue.stale[x]:
            _unfollow(x, regions.nearest.neighbour[x], regions.followers)
    regions.root[b] = a
    return remove(b, n_heap, regions.queue)


@njit_part
def _tell(a: int, b: int, n_heap: int, rows: Rows, regions: Regions, scratch: Scratch) -> None:
    """Tell the followers of ``a`` and ``b`` that the one has absorbed the other, and find the neighbour of the whole.

    Others need not be told: their neighbours are as they were, and none comes closer to the union than to the nearer of
    its parts. Where rounding lets it draw level, the union knows of the pair, as its own neighbour is found last.
    """
    # Nobody else may spread a row until this one is cleared: no search is made in between.
    spread(a, rows, scratch.weight)
    for p in range(_take_followers(a, b, regions.followers, scratch.touched)):
        c = scratch.touched[p]
        _note(c, _stays(c, a, rows, regions.nearest, scratch), n_heap, regions)
    is_known = _inherit(a, b, regions.root, rows, regions.nearest, scratch)
    clear(a, rows, scratch.weight)
    _note(a, is_known, n_heap, regions)


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
            n_top = insert(d, inner_product(d, rows, scratch.weight), n_top, room, scratch)
    return n_top


@njit_part
def _refresh(c: int, root: np.ndarray, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Find the neighbour of the stale region ``c`` anew; False if only a lower upper bound was found so far.

    Either the answer is True, or the level falls: so the queue comes to an end.
    """
    spread(c, rows, scratch.weight)
    n_top = _consider(c, c, NONE_YET, root, rows, nearest, scratch)
    clear(c, rows, scratch.weight)
    # The bound stays: the list names the same regions as before, by what they have become.
    if n_top and _is_first(scratch.top_level[0], scratch.top_region[0], nearest.bound[c], nearest.limit[c]):
        settle(c, n_top, nearest, scratch)
        return True
    # Another region may come up in the meantime and merge with c: a search is put off as long as the bound can fall.
    if nearest.bound[c] < nearest.level[c]:
        nearest.level[c] = nearest.bound[c]
        return False
    search(c, rows, nearest, scratch)
    return True


@njit_part
def _stays(c: int, a: int, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Does ``c`` keep its neighbour, which has become part of ``a`` (spread out)?

    If the level has not fallen, nothing has come before it. If it has, the old level is left as an upper bound.
    """
    value = inner_product(c, rows, scratch.weight)
    if rounded(value) < nearest.level[c]:
        return False
    nearest.level[c], nearest.neighbour[c], nearest.similarity[c] = rounded(value), a, value
    return True


@njit_part
def _inherit(a: int, b: int, root: np.ndarray, rows: Rows, nearest: Nearest, scratch: Scratch) -> bool:
    """Find the neighbour of ``a``, spread out, among its candidates and those of ``b``, absorbed; False as in _refresh.

    A region outside both lists is above neither bound, so its average with both is not above the larger. What does not
    fit into the new list is outside of it from now on, and the best of that raises the bound. At the larger bound are
    only regions outside both lists, beyond the limits of all that have this bound.
    """
    n_top = _consider(a, a, NONE_YET, root, rows, nearest, scratch)
    n_top = _consider(a, b, n_top, root, rows, nearest, scratch)
    n_kept = min(n_top, nearest.candidates.shape[1])
    bound, limit = nearest.bound[a], nearest.limit[a]
    if nearest.bound[b] > bound:
        bound, limit = nearest.bound[b], nearest.limit[b]
    elif nearest.bound[b] == bound:
        limit = max(limit, nearest.limit[b])
    if n_kept < n_top and _is_first(scratch.top_level[n_kept], scratch.top_region[n_kept], bound, limit):
        bound, limit = scratch.top_level[n_kept], scratch.top_region[n_kept]
    settle(a, n_kept, nearest, scratch)
    nearest.bound[a], nearest.limit[a] = bound, limit
    if n_kept and _is_first(nearest.level[a], nearest.neighbour[a], bound, limit):
        return True
    nearest.level[a] = bound
    return False


@njit_part
def _is_first(level: int, region: int, bound: int, limit: int) -> bool:
    """Does a region come before all that are at the bound from the limit on, or below?"""
    return level > bound or (level == bound and region < limit)


@njit_part
def _representative(d: int, root: np.ndarray) -> int:
    """Region that ``d`` has become part of; the way there is halved for the next time."""
    while root[d] != d:
        root[d] = root[root[d]]
        d = root[d]
    return d


@njit_part
def _follow(c: int, x: int, followers: Followers) -> None:
    """Enter ``c`` at the head of the list of the regions whose neighbour is ``x``."""
    first, after, ahead = followers.first, followers.after, followers.ahead
    if x >= 0:
        after[c], ahead[c] = first[x], -1
        if first[x] >= 0:
            ahead[first[x]] = c
        first[x] = c


@njit_part
def _unfollow(c: int, x: int, followers: Followers) -> None:
    """Take ``c`` out of the list of ``x``, in which it stands."""
    first, after, ahead = followers.first, followers.after, followers.ahead
    if x >= 0:
        if ahead[c] >= 0:
            after[ahead[c]] = after[c]
        else:
            first[x] = after[c]
        if after[c] >= 0:
            ahead[after[c]] = ahead[c]


@njit_part
def _take_followers(a: int, b: int, followers: Followers, out: np.ndarray) -> int:
    """Write the followers of ``a`` and ``b`` to ``out`` and empty both lists; returns their number."""
    count = 0
    for x in (a, b):
        c = followers.first[x]
        while c >= 0:
            out[count] = c
            count += 1
            c = followers.after[c]
        followers.first[x] = -1
    return count
