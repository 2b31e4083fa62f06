"""The same names for the same clusters in two clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from consensa._budget import check_dense_budget
from consensa._groups import count_table, first_members, order_by_size
from consensa.ensemble.labels import code_vector

if TYPE_CHECKING:
    from consensa._types import LabelVector

__all__ = ["align_labels"]


def align_labels(a: LabelVector, b: LabelVector) -> np.ndarray:
    """Rename the clusters of one clustering so that as many objects as possible have the label they have in another.

    Clusters are matched one to one. Clusters of ``a`` that are left over, or that share no object with the cluster
    they would be matched to, get new numbers above those of ``b``, by size, then by first object.

    Parameters
    ----------
    a : label vector of length n_objects
        The clustering to rename; -1, NaN, None and null for none.
    b : label vector of length n_objects
        The clustering whose names are wanted: whole numbers.

    Returns
    -------
    ndarray of shape (n_objects,), int64
        The clustering ``a`` in the names of ``b``; -1 where ``a`` has no label.

    References
    ----------
    Kuhn (1955), The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2.
    https://doi.org/10.1002/nav.3800020109

    Examples
    --------
    >>> align_labels(["x", "x", "y", "y", "z"], [5, 5, 2, 5, 2])
    array([5, 5, 2, 2, 6])
    """
    (codes, _), (wanted, names) = code_vector(a, "a", -1), code_vector(b, "b", -1)
    if codes.size != wanted.size:
        msg = (
            f"the two clusterings label {codes.size} and {wanted.size} objects; both must label the same objects "
            "in the same order."
        )
        raise ValueError(msg)
    if names.dtype.kind not in "iu":
        msg = "the labels of b are texts; new clusters need numbers, so give b as whole numbers."
        raise ValueError(msg)
    out = np.full(codes.size, -1, np.int64)
    known = codes >= 0
    if known.any():
        out[known] = _new_names(codes, wanted, names.astype(np.int64))[codes[known]]
    return out


def _new_names(codes: np.ndarray, wanted: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Name of every cluster of the first clustering."""
    n_clusters = int(codes.max()) + 1
    check_dense_budget(8 * n_clusters * names.size, f"Matching {n_clusters} with {names.size} clusters", "Merge some.")
    both = (codes >= 0) & (wanted >= 0)
    table = count_table(codes[both], wanted[both], (n_clusters, names.size)).toarray()
    row, column = linear_sum_assignment(table, maximize=True)
    matched = table[row, column] > 0
    out = np.empty(n_clusters, np.int64)
    out[row[matched]] = names[column[matched]]
    left = np.setdiff1d(np.arange(n_clusters), row[matched])
    size = np.bincount(codes[codes >= 0], minlength=n_clusters)
    new = left[order_by_size(size[left], first_members(codes, n_clusters)[left])]
    out[new] = int(names.max(initial=-1)) + 1 + np.arange(new.size)
    return out
