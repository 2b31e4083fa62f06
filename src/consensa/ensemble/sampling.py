"""Samples that need no random numbers: they depend on the label rows, not on their order or chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr, bdtrik

from consensa._kernels_mixing import GOLDEN, mix_all
from consensa._threads import row_ranges

if TYPE_CHECKING:
    from consensa.ensemble.ensemble import Ensemble

__all__ = ["SAMPLE_ABOVE", "mixed_places", "priority_sample", "sample_objects", "sampled_rows", "smallest_hashes"]

SAMPLE_ABOVE = 200_000  # more rows than this are represented by that many of them, where a sample does
_PLACE_SHIFT = 24  # 40 bits of every cluster's hash, so that the sum over a row's clusters is exact as a float
_HASHED_ROWS = 1 << 20  # numbers of rows that are mixed at a time
_UNITS = 1024  # masses are whole numbers of this part of an object


def smallest_hashes(hashes: np.ndarray | None, n_rows: int) -> np.ndarray | None:
    """Numbers of the rows that stand for all of many, rising: those with the smallest hashes; None for all.

    Without hashes (uint64), that of a row is its number, mixed.

    Examples
    --------
    >>> smallest_hashes(None, 10) is None, smallest_hashes(None, 300_000).size
    (True, 200000)
    """
    if n_rows <= SAMPLE_ABOVE:
        return None
    if hashes is None:
        # multiples alone, without mixing: so the sample is spread evenly over the rows
        hashes = np.arange(n_rows, dtype=np.uint64) * GOLDEN
    return np.sort(np.argpartition(hashes, SAMPLE_ABOVE)[:SAMPLE_ABOVE])


def priority_sample(hashes: np.ndarray, sizes: np.ndarray, n_sampled: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose rows by hash and size, and what each of them counts for: large rows always, small ones by chance.

    Rows rise; their masses are whole numbers of 1,024th parts of an object.

    References
    ----------
    Duffield, Lund & Thorup (2007), Priority sampling for estimation of arbitrary subset sums, Journal of the ACM
    54(6). https://doi.org/10.1145/1314690.1314696

    Examples
    --------
    >>> import numpy as np
    >>> priority_sample(np.array([2**63, 1, 2**62], np.uint64), np.array([5, 5, 5]), 2)
    (array([1, 2]), array([10240, 10240]))
    """
    priority = (hashes.astype(np.float64) + 1.0) / 2.0**64 / sizes
    order = np.argsort(priority, kind="stable")
    rows = np.sort(order[:n_sampled])
    least = 0.0 if n_sampled >= order.size else 1.0 / priority[order[n_sampled]]
    masses = np.maximum(sizes[rows], least)
    return rows, np.rint(masses * _UNITS).astype(np.int64)


def mixed_places(ensemble: Ensemble) -> np.ndarray:
    """Hash every distinct label row by the place of its clusters among all others, shape (n_microclusters,), uint64.

    A cluster is known by how it is spread over the others (the squares of its shares in them), a row by its clusters.
    All sums are of whole numbers and divided by the number of terms, so neither the order of objects, base clusterings
    or names matters, nor how often all objects or all base clusterings stand there; rows that cannot be told apart so
    share a hash.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> a = mixed_places(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]]))
    >>> b = mixed_places(Ensemble([[5, 3, 3, 3], [1, 1, 0, 0], [1, 1, 0, 0], [5, 3, 3, 3]]))
    >>> bool((a == b).all()), len(set(a.tolist()))
    (True, 3)
    """
    mean = np.asarray(ensemble.spread.squares / ensemble.n_filled, np.float64)
    clusters = mean.view(np.uint64)
    mix_all(clusters)
    clusters >>= np.uint64(_PLACE_SHIFT)
    sums = np.zeros(ensemble.n_microclusters, np.uint64)
    for codes, start in zip(ensemble.labels.T, ensemble.offsets[:-1], strict=True):
        known = codes >= 0
        sums[known] += clusters[codes[known] + start]
    rows = (sums / ensemble.n_observed).view(np.uint64)
    mix_all(rows)
    return rows


def sample_objects(ensemble: Ensemble, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw objects until they lie in about ``n_rows`` microclusters, all objects with the same probability.

    How many objects of a microcluster are drawn is a binomial number, at the quantile that the hash of its labels
    gives: the sample depends on the labels only. Of more than 200,000 microclusters those with the smallest hashes are
    looked at, so that it is the same where only these are known. Returns the microclusters, rising, and how many
    objects were drawn of each; all of them if there are no more than ``n_rows``.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> sample_objects(Ensemble([[0, 0, 1, 2], [0, 0, 1, 1]]), 5)
    (array([0, 1, 2]), array([2, 1, 1]))
    """
    known = smallest_hashes(ensemble.hashes, ensemble.n_microclusters)
    if known is None and ensemble.leads is None:
        if ensemble.n_microclusters <= n_rows:
            return np.arange(ensemble.n_microclusters), ensemble.sizes
        return _drawn(ensemble.hashes, ensemble.sizes, n_rows)
    known = np.arange(ensemble.n_microclusters) if known is None else known
    # hashes of these are all small, and mixed once more they are not
    rows, counts = _drawn(ensemble.hashes[known] * GOLDEN, ensemble.sizes[known], min(n_rows, known.size))
    return known[rows], counts


def _drawn(hashes: np.ndarray, sizes: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    p = _probability(sizes, n_rows)
    quantile = hashes.astype(np.float64) / 2.0**64
    rows = np.flatnonzero(quantile > (1 - p) ** sizes)
    q, n = np.minimum(quantile[rows], 1 - 1e-12), sizes[rows].astype(float)
    above = np.ceil(bdtrik(q, n, p))
    below = np.maximum(above - 1, 0.0)
    counts = np.where(bdtr(below, sizes[rows], p) >= q, below, above)
    return rows, np.clip(counts, 1, n).astype(np.int64)


def _probability(sizes: np.ndarray, n_rows: int) -> float:
    """How likely every object must be drawn so that ``n_rows`` microclusters are met on average."""
    size, times = np.unique(sizes, return_counts=True)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if float(times @ (1 - (1 - middle) ** size)) < n_rows:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def sampled_rows(n_rows: int, sample_size: int) -> np.ndarray | None:
    """Choose the rows on which members are fitted: those whose numbers have the smallest hashes; None for all.

    Examples
    --------
    >>> sampled_rows(10, 4)
    array([0, 3, 5, 7])
    >>> sampled_rows(3, 4) is None
    True
    """
    if n_rows <= sample_size:
        return None
    kept, smallest = np.empty(0, np.int64), np.empty(0, np.uint64)
    for start, stop in row_ranges(n_rows, _HASHED_ROWS):
        kept = np.concatenate([kept, np.arange(start, stop)])
        smallest = np.concatenate([smallest, _row_hashes(start, stop)])
        if kept.size > sample_size:
            first = np.argpartition(smallest, sample_size - 1)[:sample_size]
            kept, smallest = kept[first], smallest[first]
    return np.sort(kept)


def _row_hashes(start: int, stop: int) -> np.ndarray:
    """Mix the numbers of rows into 64 bits, all differently, so that no pattern in the rows meets one in the sample."""
    hashes = np.arange(start, stop, dtype=np.uint64) * GOLDEN
    mix_all(hashes)
    return hashes
