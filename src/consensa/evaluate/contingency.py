"""The one primitive of all scores: how many objects two clusterings share in every pair of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa.labels import as_label_vector

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["contingency", "object_labels", "paired_labels"]


def contingency(a: Any, b: Any) -> sp.csr_array:
    """Count the objects in every pair of clusters of two clusterings.

    Parameters
    ----------
    a, b : label vectors of length n_objects
        Integers, strings or categories. Objects whose label is NaN, None or null in either are left out; -1 is a
        label like any other.

    Returns
    -------
    csr_array of shape (n_clusters_a, n_clusters_b), int64

    Examples
    --------
    >>> contingency([0, 0, 1, 1], ["x", "y", "y", "y"]).toarray()
    array([[1, 1],
           [0, 2]])
    """
    rows, columns = paired_labels(a, b)
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    table = sp.coo_array((np.ones(rows.size, np.int64), (rows, columns)), shape=shape)
    return sp.csr_array(table)


def object_labels(labels: Any, ensemble: Ensemble) -> np.ndarray:
    """Codes 0..k-1 of a clustering of the objects of an ensemble; -1 where it is missing or -1."""
    codes = as_label_vector(labels, missing=-1)
    if codes.size != ensemble.n_objects:
        msg = (
            f"labels has {codes.size} entries, but the ensemble has {ensemble.n_objects} objects; "
            "one label per object is needed."
        )
        raise ValueError(msg)
    return codes


def paired_labels(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the objects that both clusterings label."""
    rows, columns = as_label_vector(a, "the first labels"), as_label_vector(b, "the second labels")
    if rows.size != columns.size:
        msg = (
            f"the two clusterings label {rows.size} and {columns.size} objects; both must label the same objects "
            "in the same order."
        )
        raise ValueError(msg)
    both = (rows >= 0) & (columns >= 0)
    if not both.any():
        msg = "no object has a label in both clusterings, so they cannot be compared."
        raise ValueError(msg)
    return rows[both], columns[both]
