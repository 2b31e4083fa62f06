"""Lengths and distances of the rows of a matrix: one spelling of each, as the last bits depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._threads import row_ranges

__all__ = ["GUARD", "squared_distances", "squared_lengths", "unit_rows"]

GUARD = 1e-10  # of embeddings: directions of rows shorter than this are rounding

_BLOCK_ROWS = 512


def unit_rows(rows: np.ndarray, *, guard: float = 0.0, out: np.ndarray | None = None) -> np.ndarray:
    """Scale every row to length 1, in ``out`` if it is given (it may be ``rows``); rows of zeros stay as they are.

    ``guard`` is added to the lengths, so that rows of next to nothing stay short.

    Examples
    --------
    >>> import numpy as np
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    length = np.linalg.norm(rows, axis=1, keepdims=True) + guard
    length[length == 0] = 1.0
    return np.divide(rows, length, out=out)


def squared_lengths(rows: np.ndarray, dtype: Any = None) -> np.ndarray:
    """Return the sum of the squares of every row, shape (n_rows,); summed as ``dtype``, if it is given.

    Examples
    --------
    >>> import numpy as np
    >>> squared_lengths(np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=dtype))


def squared_distances(points: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances of all pairs of points, exactly 0 on the diagonal, shape (n_points, n_points).

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]))
    array([[ 0., 25.],
           [25.,  0.]])
    """
    length = squared_lengths(points)
    distances = points @ points.T
    for start, stop in row_ranges(points.shape[0], _BLOCK_ROWS):
        block = distances[start:stop]
        block *= -2.0
        block += length[start:stop, None]
        block += length
        np.maximum(block, 0.0, out=block)
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)
