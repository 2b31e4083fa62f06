"""Completion of the co-association matrix: reliable entries kept, the others filled in by low rank."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import eigsh

from consensa._messages import warn
from consensa._validation import check_integer, check_positive
from consensa.relate.learned import check_learning_budget, sum_labelled, sum_together
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["completed_co_association"]

_DENSE_ROWS = 512
_GROWTH = 1.5  # of the penalty in every round
_TOLERANCE = 1e-6  # of the constraint, relative to the observed matrix
_NOTHING = 1e-5  # smaller similarities are what the tolerance leaves, not links


def completed_co_association(
    ensemble: Ensemble, low: float = 0.2, high: float = 0.8, trade_off: float | None = None, *, max_rounds: int = 200
) -> Dense:
    r"""Complete the co-association matrix from its reliable entries.

    Pairs that share a cluster in a share of at least ``high`` of the clusterings count as observed 1, at most ``low``
    as observed 0; the others are unknown. The completed matrix solves
    :math:`\min \|A\|_* + C \|E\|_1` with :math:`A + E` equal to the observed entries.

    Parameters
    ----------
    ensemble : Ensemble
    low, high : float, default=0.2, 0.8
        Up to and from which co-association a pair is reliable; 0 <= low < high <= 1.
    trade_off : float or None, default=None
        C, price of an error in an observed entry; None for 1 over the root of the number of objects. The result
        depends much on it.
    max_rounds : int, default=200
        Largest number of rounds; a warning tells if the constraint is not met by then.

    Returns
    -------
    Dense
        In [0, 1].

    Notes
    -----
    Inexact augmented Lagrangian method. All steps are those of the n x n problem over the objects: its matrices are
    constant on pairs of microclusters, and the singular values of such a matrix are those of N^½ A N^½ with the
    numbers of objects N. Only the singular values above the threshold of a round are computed. With missing labels the
    share is taken among the clusterings that label both objects; a pair that none labels is unknown.

    References
    ----------
    Yi, Yang, Jin & Jain (2012), Robust ensemble clustering by matrix completion, ICDM.
    https://doi.org/10.1109/ICDM.2012.123
    Lin, Chen & Ma (2010), The augmented Lagrange multiplier method for exact recovery of corrupted low-rank matrices.
    https://doi.org/10.48550/arXiv.1009.5055

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble(np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [2, 2, 2, 2, 2]]))
    >>> completed_co_association(ensemble, trade_off=1.0).similarity.round(2)  # the first and third share 3 of 5
    array([[1., 1., 1., 0.],
           [1., 1., 1., 0.],
           [1., 1., 1., 0.],
           [0., 0., 0., 1.]])
    """
    low, high = _check_limits(low, high)
    price = 1 / np.sqrt(ensemble.sizes.sum()) if trade_off is None else check_positive("trade_off", trade_off)
    max_rounds = check_integer("max_rounds", max_rounds)
    check_learning_budget(ensemble.n_microclusters, 12, "Matrix completion")
    ones = np.ones(ensemble.n_partitions)
    shared, known = sum_together(ensemble, ones), sum_labelled(ensemble, ones)
    unknown = (shared > low * known + 1e-10) & (shared < high * known - 1e-10) | (known == 0)
    observed = np.where((shared >= high * known - 1e-10) & (known > 0), 1.0, 0.0)
    A = _complete(observed, unknown, np.sqrt(ensemble.sizes), price, max_rounds)
    A = np.clip((A + A.T) / 2, 0.0, 1.0)
    A[A < _NOTHING] = 0.0
    return Dense(A)


def _complete(observed: np.ndarray, unknown: np.ndarray, root: np.ndarray, price: float, max_rounds: int) -> np.ndarray:
    """Solve the problem over all objects by its microclusters; ``root`` holds the roots of their sizes."""
    largest = float(abs(_leading_pairs(observed * root[:, None] * root, 1)[0]).max())
    length = _length(observed, root)
    penalty = 1.25 / largest
    E, multiplier = np.zeros_like(observed), np.zeros_like(observed)
    n_kept = 8
    for _ in range(max_rounds):
        A, n_kept = _shrink(observed - E + multiplier / penalty, root, 1 / penalty, n_kept)
        rest = observed - A + multiplier / penalty
        E = np.where(unknown, rest, np.sign(rest) * np.maximum(np.abs(rest) - price / penalty, 0.0))
        gap = observed - A - E
        multiplier += penalty * gap
        penalty *= _GROWTH
        if _length(gap, root) <= _TOLERANCE * length:
            return A
    warn(f"matrix completion did not meet its constraint in {max_rounds} rounds; the last matrix is used.")
    return A


def _length(matrix: np.ndarray, root: np.ndarray) -> float:
    """Frobenius norm of the matrix over the objects."""
    return float(np.sqrt(root**2 @ matrix**2 @ root**2))


def _shrink(matrix: np.ndarray, root: np.ndarray, threshold: float, n_guess: int) -> tuple[np.ndarray, int]:
    """Shrink the singular values of the symmetric matrix over the objects; also return how many are left."""
    values, vectors = _pairs_above(matrix * root[:, None] * root, threshold, n_guess)
    kept = np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)
    vectors = vectors / root[:, None]
    return (vectors * kept) @ vectors.T, max(1, int(np.count_nonzero(kept)))


def _pairs_above(matrix: np.ndarray, threshold: float, n_guess: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of a symmetric matrix, at least all whose absolute value exceeds a threshold."""
    n_pairs = n_guess + 4
    while True:
        values, vectors = _leading_pairs(matrix, n_pairs)
        if values.size == matrix.shape[0] or np.abs(values).min() <= threshold:
            return values, vectors
        n_pairs = 2 * n_pairs


def _leading_pairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of largest absolute value of a symmetric matrix; all of them if it is small."""
    n = matrix.shape[0]
    if n <= _DENSE_ROWS or n_pairs > n // 8:
        return scipy.linalg.eigh(matrix)
    return eigsh(matrix, k=n_pairs, which="LM", v0=np.random.default_rng(0).random(n), tol=1e-10)


def _check_limits(low: Any, high: Any) -> tuple[float, float]:
    numbers_given = all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in (low, high))
    if numbers_given and 0 <= low < high <= 1:
        return float(low), float(high)
    msg = f"low={low!r} and high={high!r} are not allowed: give two numbers with 0 <= low < high <= 1."
    raise ValueError(msg)
