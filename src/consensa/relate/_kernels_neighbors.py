"""Kernels of the nearest objects: nearest microclusters by counting, then links from object to object."""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part

__all__ = ["nearest_microclusters", "pair_key", "spread_links"]


@njit
def pair_key(a: np.uint64, b: np.uint64) -> np.uint64:
    """Mix the hashes of two rows into one number that is the same for both orders."""
    h = a ^ b
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@njit_part
def _is_nearer(s: float, key: np.uint64, v: int, other_s: float, other_key: np.uint64, other: int) -> bool:
    if s != other_s:
        return s > other_s
    return v < other if key == other_key else bool(key < other_key)


@njit_part
def _add_up(
    u: int,
    labels: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    touched: np.ndarray,
    is_touched: np.ndarray,
) -> int:
    """Add the weights of the clusters that row ``u`` shares with every row to ``total``, which comes in as zeros.

    Returns how many rows were touched, and lists them; -1 without a list where they are so many that the caller does
    better to look at all.
    """
    n_met = 0
    for m in range(labels.shape[1]):
        if labels[u, m] >= 0:
            c = offsets[m] + labels[u, m]
            n_met += starts[c + 1] - starts[c]
    is_few, n_touched = 4 * n_met < total.size, 0
    for m in range(labels.shape[1]):
        if labels[u, m] < 0:
            continue
        c = offsets[m] + labels[u, m]
        w = weights[c]
        for p in range(starts[c], starts[c + 1]):
            total[members[p]] += w
        if is_few:
            for p in range(starts[c], starts[c + 1]):
                v = members[p]
                if not is_touched[v]:
                    is_touched[v] = True
                    touched[n_touched] = v
                    n_touched += 1
    return n_touched if is_few else -1


@njit
def nearest_microclusters(
    labels: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    scale: np.ndarray,
    hashes: np.ndarray,
    first: int,
    last: int,
    columns: np.ndarray,
    similarity: np.ndarray,
) -> None:
    """Write the most similar other rows of rows ``first..last`` into ``columns`` (int32, -1 where there is none).

    ``labels`` is (rows x M, int32, -1 = missing); ``members[starts[c]:starts[c + 1]]`` are the rows in cluster c
    (uint32), which weighs ``weights[c]``; ``scale`` is 1 over the root of the number of labels of a row. Written too is
    ``similarity``, like ``columns`` (rows x n_kept), most similar first; equal ones by the key of the pair. It is
    rounded to 1e-10, and 0 does not count.
    """
    n, n_kept = labels.shape[0], columns.shape[1]
    total, touched, is_touched = np.zeros(n), np.empty(n, np.uint32), np.zeros(n, np.bool_)
    keys = np.empty(n_kept, np.uint64)
    for u in range(first, last):
        n_touched = _add_up(u, labels, offsets, starts, members, weights, total, touched, is_touched)
        n_found, least = 0, 0.0
        for p in range(n if n_touched < 0 else n_touched):
            v = p if n_touched < 0 else int(touched[p])
            s = total[v] * (scale[u] * scale[v])
            total[v], is_touched[v] = 0.0, False
            if s < least or v == u:
                continue
            s = np.round(s * 1e10) / 1e10
            if s == 0.0:
                continue
            key = pair_key(hashes[u], hashes[v])
            place = n_found
            while place > 0 and _is_nearer(s, key, v, similarity[u, place - 1], keys[place - 1], columns[u, place - 1]):
                place -= 1
            if place == n_kept:
                continue
            n_found = min(n_found + 1, n_kept)
            for q in range(n_found - 1, place, -1):
                columns[u, q], similarity[u, q], keys[q] = columns[u, q - 1], similarity[u, q - 1], keys[q - 1]
            columns[u, place], similarity[u, place], keys[place] = v, s, key
            if n_found == n_kept:
                least = similarity[u, n_kept - 1] - 1e-9
        columns[u, n_found:] = -1


@njit_part
def _fill_steps(size: int, steps: np.ndarray) -> None:
    """Different steps below ``size``: 1, 2, 4, 8, ... and then the smallest numbers that are left."""
    n_filled, step = 0, 1
    while n_filled < steps.size and step < size:
        steps[n_filled] = step
        n_filled += 1
        step *= 2
    step = 3
    while n_filled < steps.size:
        if step & (step - 1) != 0:
            steps[n_filled] = step
            n_filled += 1
        step += 1


@njit
def spread_links(
    objects: np.ndarray,
    begins: np.ndarray,
    sizes: np.ndarray,
    hashes: np.ndarray,
    columns: np.ndarray,
    similarity: np.ndarray,
    own: np.ndarray,
    first: int,
    last: int,
    targets: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the links of the objects of microclusters ``first..last`` into ``targets`` (objects x K, -1 = none).

    ``objects[begins[u]:begins[u] + sizes[u]]`` are the objects of microcluster u. K are shared between it and those in
    ``columns`` by the ratio of ``own`` and the first of ``similarity``; what one side cannot give, the other does. From
    one microcluster to another go about K links for every object of the latter, no more.
    """
    K = targets.shape[1]
    steps = np.empty(K, np.int64)
    for u in range(first, last):
        if own[u] == 0.0:
            continue
        nearest = similarity[u, 0] if columns[u, 0] >= 0 else 0.0
        n_outside = int(np.floor(np.round(K * nearest / (own[u] + nearest) * 1e10) / 1e10 + 0.5))
        n_outside = max(n_outside, K - (sizes[u] - 1))
        _fill_steps(sizes[u], steps[: min(K, sizes[u] - 1)])
        for place in range(sizes[u]):
            i = objects[begins[u] + place]
            t, q = 0, 0
            while t < n_outside and q < K and columns[u, q] >= 0:
                v = columns[u, q]
                wanted = min(sizes[v], n_outside - t)
                if place * wanted < K * sizes[v]:
                    shift = int(pair_key(hashes[u], hashes[v]) % np.uint64(sizes[v]))
                    for taken in range(wanted):
                        targets[i, t] = objects[begins[v] + (place + shift + taken) % sizes[v]]
                        values[i, t] = similarity[u, q]
                        t += 1
                q += 1
            for r in range(min(K - t, sizes[u] - 1)):
                targets[i, t + r] = objects[begins[u] + (place + steps[r]) % sizes[u]]
                values[i, t + r] = own[u]
