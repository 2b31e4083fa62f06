"""From scores to labels such that no cluster is left without a microcluster."""

from __future__ import annotations

import numpy as np

__all__ = ["best_columns"]


def best_columns(scores: np.ndarray) -> np.ndarray:
    """Label every row by its largest score (ties: the first column); a column without rows gets the row it costs least.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, k)
        k is at most n_rows.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Every column has a row.

    Examples
    --------
    >>> import numpy as np
    >>> best_columns(np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]]))
    array([0, 1, 0])
    """
    # differences below the last digits of the scores are ties, so that rounding decides nothing
    rounded = np.round(scores, 12)
    labels = np.argmax(rounded, axis=1)
    sizes = np.bincount(labels, minlength=scores.shape[1])
    for column in np.flatnonzero(sizes == 0):
        loss = rounded.max(axis=1) - rounded[:, column]
        loss[sizes[labels] == 1] = np.inf
        row = int(np.argmin(loss))
        sizes[labels[row]] -= 1
        sizes[column] += 1
        labels[row] = column
    return labels
