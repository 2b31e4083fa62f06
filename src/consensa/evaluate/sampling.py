"""A sample of the objects that needs no random numbers and does not depend on the order of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr, bdtrik

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["sample_objects"]


def sample_objects(ensemble: Ensemble, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw objects until they lie in about ``n_rows`` microclusters, all objects with the same probability.

    How many objects of a microcluster are drawn is a binomial number, at the quantile that the hash of its labels
    gives: the sample depends on the labels only.

    Parameters
    ----------
    ensemble : Ensemble
    n_rows : int

    Returns
    -------
    rows : ndarray of int64
        Microclusters of which some objects were drawn, rising; all of them if there are no more than ``n_rows``.
    counts : ndarray of int64
        How many objects were drawn of each.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> sample_objects(Ensemble([[0, 0, 1, 2], [0, 0, 1, 1]]), 5)
    (array([0, 1, 2]), array([2, 1, 1]))
    """
    sizes = ensemble.sizes
    if ensemble.n_microclusters <= n_rows:
        return np.arange(ensemble.n_microclusters), sizes
    p = _probability(sizes, n_rows)
    quantile = ensemble.hashes.astype(np.float64) / 2.0**64
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
