"""Kernels of the nearest objects: nearest microclusters by counting, then links from object to object."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa._kernels_mixing import mix64
from consensa._numba import njit, njit_part

if TYPE_CHECKING:
    from consensa.relate.cluster_lists import ClusterLists

__all__ = ["Links", "Members", "NearRows", "nearest_microclusters", "spread_links"]

# The list of touched rows pays while the rows met, each as often as it is met, are fewer than a quarter of all.
FEW = 4


class NearRows(NamedTuple):
    """The most similar other microclusters of every microcluster, by falling similarity; equal ones by their key."""

    columns: np.ndarray  # (n, K) int32, -1 where there are no more
    similarity: np.ndarray  # (n, K): rounded to 1e-10, above 0 where there is a microcluster


class Members(NamedTuple):
    """The objects of every microcluster: ``objects[begins[u]:begins[u] + sizes[u]]``."""

    objects: np.ndarray  # (labelled objects,) int64
    begins: np.ndarray  # (n,) int64
    sizes: np.ndarray  # (n,) int64
    hashes: np.ndarray  # (n,) uint64: of the label rows


class Links(NamedTuple):
    """Links from every object, filled from the front."""

    targets: np.ndarray  # (n_objects, K) int64, -1 = none
    values: np.ndarray  # (n_objects, K)


class Totals(NamedTuple):
    """Work space; between rows ``total`` is zero and ``is_touched`` False everywhere."""

    total: np.ndarray  # (n,): weights of the clusters shared with the row at hand
    touched: np.ndarray  # (n,) uint32: rows that share any, where they are few
    is_touched: np.ndarray  # (n,) bool


@njit_part
def _pair_key(a: np.uint64, b: np.uint64) -> np.uint64:
    """Mix the hashes of two rows into one number that is the same for both orders."""
    return mix64(a ^ b)


@njit
def nearest_microclusters(
    lists: ClusterLists,
    weights: np.ndarray,
    scale: np.ndarray,
    hashes: np.ndarray,
    first: int,
    last: int,
    near: NearRows,
) -> None:
    """Write the most similar other rows of rows ``first..last`` into ``near``.

    A cluster weighs ``weights[c]``; ``scale`` is 1 over the root of the number of labels of a row. Similarities are
    rounded to 1e-10, and 0 does not count.
    """
    n, n_kept = scale.size, near.columns.shape[1]
    totals = Totals(np.zeros(n), np.empty(n, np.uint32), np.zeros(n, np.bool_))
    total, touched, is_touched = totals.total, totals.touched, totals.is_touched
    keys = np.empty(n_kept, np.uint64)
    for u in range(first, last):
        n_touched = _add_up(u, lists, weights, totals)
        columns, similarity = near.columns[u], near.similarity[u]
        n_found, least = 0, 0.0
        for p in range(n if n_touched < 0 else n_touched):
            v = p if n_touched < 0 else int(touched[p])
            s = total[v] * (scale[u] * scale[v])
            total[v], is_touched[v] = 0.0, False
            # Once the list is full most rows are passed over before they are rounded; 1e-9 is more than that can add.
            if s < least or v == u:
                continue
            s = np.round(s * 1e10) / 1e10
            if s > 0.0:
                n_found = _insert(v, s, _pair_key(hashes[u], hashes[v]), n_found, columns, similarity, keys)
                least = similarity[n_kept - 1] - 1e-9 if n_found == n_kept else 0.0
        for place in range(n_found, n_kept):
            columns[place] = -1


@njit_part
def _add_up(u: int, lists: ClusterLists, weights: np.ndarray, totals: Totals) -> int:
    """Add the weights of the clusters that row ``u`` shares with every row to the totals.

    Returns how many rows were touched, and lists them; -1 without a list where they are so many that the caller does
    better to look at all.
    """
    labels, offsets, starts, members = lists.labels, lists.offsets, lists.starts, lists.members
    total, touched, is_touched = totals.total, totals.touched, totals.is_touched
    n_met = 0
    for m in range(labels.shape[1]):
        if labels[u, m] >= 0:
            c = offsets[m] + labels[u, m]
            n_met += starts[c + 1] - starts[c]
    is_few, n_touched = FEW * n_met < total.size, 0
    for m in range(labels.shape[1]):
        if labels[u, m] < 0:
            continue
        c = offsets[m] + labels[u, m]
        w = weights[c]
        for p in range(starts[c], starts[c + 1]):
            total[members[p]] += w
        # A mark of its own: with clusters of weight 0, a total of 0 does not mean that the row was never met.
        if is_few:
            for p in range(starts[c], starts[c + 1]):
                v = members[p]
                if not is_touched[v]:
                    is_touched[v] = True
                    touched[n_touched] = v
                    n_touched += 1
    return n_touched if is_few else -1


@njit_part
def _insert(
    v: int, s: float, key: np.uint64, n_found: int, columns: np.ndarray, similarity: np.ndarray, keys: np.ndarray
) -> int:
    """Put row ``v`` into its place among the ``n_found`` so far, if it has one; returns their new number.

    ``columns``, ``similarity`` and ``keys``, those of the pairs, stand in the same order, nearest first.
    """
    place = n_found
    while place > 0 and _is_nearer(s, key, v, similarity[place - 1], keys[place - 1], columns[place - 1]):
        place -= 1
    if place < keys.size:
        n_found = min(n_found + 1, keys.size)
        for q in range(n_found - 1, place, -1):
            columns[q], similarity[q], keys[q] = columns[q - 1], similarity[q - 1], keys[q - 1]
        columns[place], similarity[place], keys[place] = v, s, key
    return n_found


@njit_part
def _is_nearer(s: float, key: np.uint64, v: int, other_s: float, other_key: np.uint64, other: int) -> bool:
    if s != other_s:
        return s > other_s
    return v < other if key == other_key else bool(key < other_key)


@njit
def spread_links(members: Members, near: NearRows, own: np.ndarray, first: int, last: int, links: Links) -> None:
    """Write the links of the objects of microclusters ``first..last``.

    The K of an object are shared between its own microcluster and those near it by the ratio of ``own`` (n,) and the
    first similarity; what one side cannot give, the other does. From one microcluster to another go about K links for
    every object of the latter, no more.
    """
    sizes, columns, similarity = members.sizes, near.columns, near.similarity
    K = links.targets.shape[1]
    steps = np.empty(K, np.int64)
    for u in range(first, last):
        if own[u] == 0.0:
            continue
        nearest = similarity[u, 0] if columns[u, 0] >= 0 else 0.0
        # Rounded before 0.5 is added, so that a half is one whatever way its ratio was computed.
        n_outside = int(np.floor(np.round(K * nearest / (own[u] + nearest) * 1e10) / 1e10 + 0.5))
        n_outside = max(n_outside, K - (sizes[u] - 1))
        n_steps = min(K, sizes[u] - 1)
        _fill_steps(sizes[u], n_steps, steps)
        for place in range(sizes[u]):
            n_made = _link_outside(u, place, n_outside, members, near, links)
            _link_inside(u, place, n_made, min(K - n_made, n_steps), steps, own[u], members, links)


@njit_part
def _link_outside(u: int, place: int, n_outside: int, members: Members, near: NearRows, links: Links) -> int:
    """Link the object at a ``place`` of microcluster ``u`` to others, nearest first; returns how many links it has."""
    objects, begins, sizes, hashes = members.objects, members.begins, members.sizes, members.hashes
    K, i = links.targets.shape[1], objects[begins[u] + place]
    t, q = 0, 0
    while t < n_outside and q < K and near.columns[u, q] >= 0:
        v = near.columns[u, q]
        wanted = min(sizes[v], n_outside - t)
        # The places before this one have taken ``wanted`` links each: only K for every object of v in all.
        if place * wanted < K * sizes[v]:
            shift = int(_pair_key(hashes[u], hashes[v]) % np.uint64(sizes[v]))
            for taken in range(wanted):
                links.targets[i, t] = objects[begins[v] + (place + shift + taken) % sizes[v]]
                links.values[i, t] = near.similarity[u, q]
                t += 1
        q += 1
    return t


@njit_part
def _link_inside(
    u: int, place: int, n_made: int, n_more: int, steps: np.ndarray, own: float, members: Members, links: Links
) -> None:
    """Link the object at a ``place`` of microcluster ``u``, after the links that it has, to others of its own."""
    objects, begin, size = members.objects, members.begins[u], members.sizes[u]
    i = objects[begin + place]
    for r in range(n_more):
        links.targets[i, n_made + r] = objects[begin + (place + steps[r]) % size]
        links.values[i, n_made + r] = own


@njit_part
def _fill_steps(size: int, n_steps: int, steps: np.ndarray) -> None:
    """Different steps below ``size``, which is larger than their number: 1, 2, 4, 8, ... and then the smallest left."""
    n_filled, step = 0, 1
    while n_filled < n_steps and step < size:
        steps[n_filled] = step
        n_filled += 1
        step *= 2
    step = 3
    while n_filled < n_steps:
        # Powers of two have a single bit, and are there already.
        if step & (step - 1) != 0:
            steps[n_filled] = step
            n_filled += 1
        step += 1
