"""The consensus matrix of all pairs of objects, for those who want it whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa.ensemble import as_ensemble

if TYPE_CHECKING:
    from consensa._types import LabelMatrix

__all__ = ["consensus_matrix"]


def consensus_matrix(partitions: LabelMatrix) -> np.ndarray:
    """Return in what share of the base clusterings that label both objects they share a cluster: Monti's index.

    No method here needs it: it has n x n entries. Beyond the budget of dense matrices it is refused.

    Parameters
    ----------
    partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_objects, n_objects)
        1 on the diagonal; 0 for pairs that are never labelled together.

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> consensus_matrix([[0, 0, 1, 1], [0, 0, 1, -1]])
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    ensemble = as_ensemble(partitions)
    n = ensemble.n_objects
    check_dense_budget(3 * 8 * n * n, f"the consensus matrix of {n} objects", "Look at a part of the objects.")
    seen = (ensemble.labels >= 0).astype(float)
    both = seen @ seen.T
    together = (ensemble.incidence @ ensemble.incidence.T).toarray()
    found = np.divide(together, both, out=np.zeros_like(both), where=both > 0)
    rows = ensemble.to_objects(np.arange(ensemble.n_microclusters))
    matrix = np.where((rows[:, None] >= 0) & (rows >= 0), found[np.ix_(rows, rows)], 0.0)
    np.fill_diagonal(matrix, 1.0)
    return matrix
