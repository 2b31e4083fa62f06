"""Kernel of how clusters are spread over the others, from the objects that they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._numba import njit, njit_part

SHARE_BITS = 20  # of a share of a cluster: squares of these, added up over a million clusterings, fit into 63 bits


class Spread(NamedTuple):
    """What is added up for every cluster (n_c)."""

    entropy: np.ndarray  # float64, nats
    squares: np.ndarray  # int64, of shares in units of 2⁻²⁰
    n_counted: np.ndarray  # int64, clusterings that label any of its objects


class Met(NamedTuple):
    """The clusters of all clusterings in those of one (n_c): objects that it labels, and the sum of n log n."""

    n_labelled: np.ndarray  # int64
    n_log_n: np.ndarray  # float64


@njit
def add_rows(
    common: np.ndarray, start: int, first: int, offsets: np.ndarray, sizes: np.ndarray, sums: Spread, met: Met
) -> None:
    """Add what the clusters from ``start`` on share with those of clustering ``first`` and later ones.

    ``common`` (rows x n_c, int64) counts the objects that they share, ``sizes`` (n_c) all objects. The entropy of
    shares n / N is log N - Σ n log n / N, and n log n serves both clusters.
    """
    for i in range(common.shape[0]):
        for m in range(first, offsets.size - 1):
            count, n_log_n = 0, 0.0
            for c in range(offsets[m], offsets[m + 1]):
                n = common[i, c]
                if n > 0:
                    x = n * np.log(n)
                    count += n
                    n_log_n += x
                    met.n_labelled[c] += n
                    met.n_log_n[c] += x
                    sums.squares[start + i] += _square_of_share(n, sizes[start + i])
                    sums.squares[c] += _square_of_share(n, sizes[c])
            _add_entropy(start + i, count, n_log_n, sums)


@njit
def add_columns(sums: Spread, met: Met) -> None:
    """Add what all clusters share with those of one clustering, and clear it."""
    for c in range(met.n_labelled.size):
        _add_entropy(c, met.n_labelled[c], met.n_log_n[c], sums)
        met.n_labelled[c], met.n_log_n[c] = 0, 0.0


@njit_part
def _square_of_share(n: int, size: int) -> int:
    share = np.uint64(n << SHARE_BITS) // np.uint64(size)
    return np.int64(share * share)  # type: ignore[return-value]


@njit_part
def _add_entropy(c: int, count: int, n_log_n: float, sums: Spread) -> None:
    if count > 0:
        sums.entropy[c] += np.log(count) - n_log_n / count
        sums.n_counted[c] += 1
