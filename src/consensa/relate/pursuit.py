"""Low rank plus few bad columns: the two iterations, in the coordinates of the row space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Pursuit", "dictionary_pursuit", "outlier_pursuit"]

_LARGEST_PENALTY = 1e10
_LARGEST_GAP = 1e-3  # a relative duality gap above this means that the iteration froze away from the optimum


@dataclass(frozen=True, eq=False)
class Pursuit:
    """Where an iteration ended, and how.

    Examples
    --------
    >>> import numpy as np
    >>> run = outlier_pursuit(np.eye(2), 2.0)
    >>> round(run.objective, 6), run.converged
    (2.0, True)
    """

    low_rank: np.ndarray  # A, or Z of the full scheme (n_dimensions x n_columns)
    errors: np.ndarray  # E, whose columns are 0 where the low-rank part explains them
    residuals: np.ndarray  # after every iteration, by how much two things that must become equal differ at most
    objective: float  # nuclear norm of the low-rank part plus lambda times the sum of the column lengths of E
    gap: float  # relative duality gap: no feasible point is better by more than this share of the objective
    converged: bool  # whether the last residuals are below the tolerance, and the gap below 1e-3 where it can close


def outlier_pursuit(
    X: np.ndarray, lam: float, *, rho: float = 1.02, tol: float = 1e-8, max_iter: int = 2000
) -> Pursuit:
    r"""Split a matrix into a low-rank part and few non-zero columns: min :math:`\|A\|_* + \lambda \|X - A\|_{2,1}`.

    The matrix is wide: an iteration grows with n_dimensions² n_columns. The penalty grows by ``rho`` per iteration;
    above 1.1 it freezes before it reaches the optimum. It ends when no entry of X - A - E, and of the change of E, the
    two residuals, exceeds ``tol``.

    References
    ----------
    Xu, Caramanis & Sanghavi (2012), Robust PCA via outlier pursuit, IEEE Trans. Information Theory 58(5).
    https://doi.org/10.1109/TIT.2011.2173156

    Examples
    --------
    >>> import numpy as np
    >>> X = np.ones((2, 9))
    >>> X[:, 8] = 1, -1
    >>> split = outlier_pursuit(X, 0.5)
    >>> np.flatnonzero(np.linalg.norm(split.errors, axis=0) > 1e-6)
    array([8])
    """
    mu = 1 / float(np.linalg.norm(X, 2))
    E, Y = np.zeros_like(X), np.zeros_like(X)
    residuals = []
    for _ in range(max_iter):
        A, spectrum = _shrink_spectrum(X - E + Y / mu, 1 / mu)
        before, E = E, _shrink_columns(X - A + Y / mu, lam / mu)
        rest = X - A - E
        Y += mu * rest
        mu = min(rho * mu, _LARGEST_PENALTY)
        residuals.append([np.abs(rest).max(), np.abs(E - before).max()])
        if max(residuals[-1]) < tol:
            break
    return _finish(X, lam, (A, spectrum, E, Y), residuals, tol, largest_gap=_LARGEST_GAP)


def dictionary_pursuit(
    X: np.ndarray,
    lam: float,
    *,
    learn: bool = True,
    mu: float = 1e-6,
    rho: float = 2.3,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> Pursuit:
    r"""Low-rank representation with an orthogonal dictionary: min :math:`\|Z\|_* + \lambda \|X - Q^T Z\|_{2,1}`.

    The alternating scheme of DLWECDL. Its variables are n_columns x n_columns matrices, but all of them stay in the row
    space of X, so that Z, J and the multiplier are kept as their coordinates there, and the dictionary XᵀP = VQ as the
    rotation Q (``learn=False`` keeps Q = I). X = SVᵀ of the singular value decomposition of the data. A larger growth
    ``rho`` of the penalty ``mu`` ends sooner, but away from the optimum; the paper has 2.3 and 3.5. The residuals are
    those of X = QᵀZ + E and of Z = J.

    Notes
    -----
    The optimum is the same for every rotation Q (Z = QA with A of :func:`outlier_pursuit`), so the data cannot
    determine the dictionary; where it ends depends on the path. While Q moves, the gap need not close.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324, Section 3.3. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> import numpy as np
    >>> X = np.diag([3.0, 2.0]) @ np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    >>> round(dictionary_pursuit(X, 10.0).objective, 6)
    5.0
    """
    r = X.shape[0]
    Q = np.eye(r)
    Z, E, Y1, Y2 = (np.zeros_like(X) for _ in range(4))
    residuals = []
    for _ in range(max_iter):
        J, spectrum = _shrink_spectrum(Z + Y2 / mu, 1 / mu)
        Z = (Q @ (X - E + Y1 / mu) + J - Y2 / mu) / 2  # (R Rᵀ + I)⁻¹ halves whatever lies in the row space
        E = _shrink_columns(X - Q.T @ Z + Y1 / mu, lam / mu)
        if learn:
            left, _, right = np.linalg.svd(Z @ (X - E + Y1 / mu).T)
            Q = left @ right
        rest, apart = X - Q.T @ Z - E, Z - J
        Y1 += mu * rest
        Y2 += mu * apart
        mu = min(rho * mu, _LARGEST_PENALTY)
        residuals.append([np.abs(rest).max(), np.abs(apart).max()])
        if max(residuals[-1]) < tol:
            break
    return _finish(X, lam, (Z, spectrum, E, Y1), residuals, tol, largest_gap=np.inf)


def _shrink_spectrum(M: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower all singular values by a threshold, not below 0; return the matrix and these values."""
    values, vectors = np.linalg.eigh(M @ M.T)
    lengths = np.sqrt(np.maximum(values, 0.0))
    kept = lengths > threshold
    lowered = lengths[kept] - threshold
    U = vectors[:, kept]
    return (U * (lowered / lengths[kept])) @ (U.T @ M), lowered


def _shrink_columns(M: np.ndarray, threshold: float) -> np.ndarray:
    """Shorten all columns by a threshold, not below 0."""
    lengths = np.linalg.norm(M, axis=0)
    return M * np.maximum(0.0, 1 - np.divide(threshold, lengths, out=np.ones_like(lengths), where=lengths > threshold))


def _finish(
    X: np.ndarray,
    lam: float,
    state: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    residuals: list[list[float]],
    tol: float,
    largest_gap: float,
) -> Pursuit:
    """Objective, and the bound from below that the multiplier gives once it is made feasible."""
    low_rank, spectrum, E, Y = state
    objective = float(spectrum.sum() + lam * np.linalg.norm(E, axis=0).sum())
    excess = max(1.0, float(np.linalg.norm(Y, 2)), float(np.linalg.norm(Y, axis=0).max() / lam))
    gap = (objective - float(np.sum(X * Y)) / excess) / max(objective, np.finfo(float).tiny)
    converged = max(residuals[-1]) < tol and gap < largest_gap
    return Pursuit(low_rank, E, np.array(residuals), objective, gap, converged)
