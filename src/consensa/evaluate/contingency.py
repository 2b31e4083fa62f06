"""The one primitive of all scores: how many objects two clusterings share in every pair of clusters."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._groups import count_table
from consensa.ensemble.labels import as_label_vector

if TYPE_CHECKING:
    from consensa._types import LabelVector
    from consensa.ensemble import Ensemble

__all__ = ["contingency", "members_of", "object_labels", "paired_labels", "split_table"]


def contingency(a: LabelVector, b: LabelVector) -> sp.csr_array:
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
    return count_table(rows, columns, (int(rows.max()) + 1, int(columns.max()) + 1))


def members_of(labels: LabelVector, ensemble: Ensemble) -> sp.csr_array:
    """Count the objects of every microcluster in every cluster, shape (n_clusters, n_microclusters), int64."""
    codes, row_map = object_labels(labels, ensemble), np.asarray(ensemble.row_map)
    known = (codes >= 0) & (row_map >= 0)
    shape = (int(codes.max(initial=-1)) + 1, ensemble.n_microclusters)
    return count_table(codes[known], row_map[known], shape)


def split_table(table: sp.csc_array | np.ndarray, offsets: np.ndarray) -> list[sp.csr_array]:
    """Cut a table of clusters and all base clusters into those with every base clustering."""
    return [sp.csr_array(table[:, start:stop]) for start, stop in pairwise(offsets)]


def object_labels(labels: LabelVector, ensemble: Ensemble) -> np.ndarray:
    """Codes 0..k-1 of a clustering of the objects of an ensemble; -1 where it is missing or -1."""
    codes = as_label_vector(labels, missing=-1)
    if codes.size != ensemble.n_objects:
        msg = (
            f"labels has {codes.size} entries, but the ensemble has {ensemble.n_objects} objects; "
            "one label per object is needed."
        )
        raise ValueError(msg)
    return codes


def paired_labels(a: LabelVector, b: LabelVector) -> tuple[np.ndarray, np.ndarray]:
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
