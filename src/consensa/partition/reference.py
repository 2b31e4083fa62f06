"""A first clustering of the microclusters, taken from the base clusterings, with enough clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["reference_labels"]


def reference_labels(ensemble: Ensemble, order: np.ndarray, n_clusters: int) -> tuple[np.ndarray, list[int]]:
    """Return the first base clustering with at least k clusters; if there is none, the first ones intersected.

    Parameters
    ----------
    ensemble : Ensemble
    order : ndarray of shape (n_partitions,)
        Numbers of the base clusterings, the most wanted first.
    n_clusters : int
        At most the number of microclusters.

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
        Coded 0, 1, ...; -1 where the clustering has no label.
    used : list of int
        The base clusterings that the labels come from.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> reference_labels(ensemble, [1, 0], 2)
    (array([0, 1, 1]), [1])
    >>> reference_labels(ensemble, [1, 0], 3)
    (array([0, 1, 2]), [1, 0])
    """
    n_in = np.diff(ensemble.offsets)
    for m in order:
        if n_in[m] >= n_clusters:
            return ensemble.labels[:, m].astype(np.int64), [int(m)]
    for stop in range(2, len(order) + 1):
        used = [int(m) for m in order[:stop]]
        rows = ensemble.labels[:, used]
        known = (rows >= 0).any(axis=1)
        distinct, codes = np.unique(rows[known], axis=0, return_inverse=True)
        if len(distinct) >= n_clusters:
            break
    labels = np.full(len(rows), -1, np.int64)
    labels[known] = codes.ravel()
    return labels, used
