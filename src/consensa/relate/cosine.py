"""Similarity of microclusters by the angle of their embedding."""

from __future__ import annotations

import numpy as np

from consensa._budget import check_dense_budget
from consensa._rows import unit_rows
from consensa._threads import row_ranges
from consensa._validation import check_integer
from consensa.relate.relation import Dense

__all__ = ["cosine_power", "unit_cosine_power"]

_EMPTY = 1e-6  # a row this short beside the longest one holds only rounding errors
_ORTHOGONAL = 1e-12
_CACHED_CELLS = 1 << 17


def cosine_power(embedding: np.ndarray, columns: np.ndarray, alpha: int = 2) -> Dense:
    """Relate rows by the cosine of their angle to the power 2 ``alpha``: in [0, 1] with 1 on the diagonal.

    A row whose embedding vanished takes that of the nearest other row, by the cosine of ``columns``, which were
    embedded; of equally near ones the first.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324, Algorithm 1. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> import numpy as np
    >>> H = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> cosine_power(H, np.array([[1.0, 0.0], [0.0, 1.0], [0.1, 1.0]]), alpha=1).similarity.round(2)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 1. ],
           [0.5, 1. , 1. ]])
    """
    alpha = check_integer("alpha", alpha)
    return unit_cosine_power(_unit_rows(embedding, columns), alpha)


def unit_cosine_power(unit: np.ndarray, alpha: int = 1) -> Dense:
    """Relate rows of length 1 as :func:`cosine_power` does.

    Examples
    --------
    >>> import numpy as np
    >>> unit_cosine_power(np.array([[1.0, 0.0], [0.6, 0.8]])).similarity.round(2)
    array([[1.  , 0.36],
           [0.36, 1.  ]])
    """
    n = unit.shape[0]
    check_dense_budget(
        8 * n**2, f"The {n} x {n} similarity of the microclusters", "LWEA, EAC and LWGP do without this matrix."
    )
    W = unit @ unit.T
    for start, stop in row_ranges(n, max(_CACHED_CELLS // n, 1)):
        block = W[start:stop]
        np.square(block, out=block)
        block[block < _ORTHOGONAL**2] = 0.0
        np.minimum(block, 1.0, out=block)
        if alpha > 1:
            np.power(block, alpha, out=block)
    np.fill_diagonal(W, 1.0)
    return Dense(W)


def _unit_rows(embedding: np.ndarray, columns: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(embedding, axis=1)
    empty = length <= _EMPTY * length.max()
    unit = embedding / np.where(empty, 1.0, length)[:, None]
    if empty.any():
        full = np.flatnonzero(~empty)
        directions = unit_rows(columns)
        nearest = np.argmax((directions[empty] @ directions[full].T).round(10), axis=1)
        unit[empty] = unit[full[nearest]]
    return unit
