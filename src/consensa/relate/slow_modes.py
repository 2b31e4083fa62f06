"""Long random walks by their slow modes: after a few steps only few eigenvectors are left of a reversible walk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.polynomial import chebyshev

from consensa._threads import row_ranges, thread_map
from consensa.relate import _kernels_trajectory as kernels
from consensa.relate._kernels_trajectory import Transition

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WalkPlan", "apply_walks", "plan_walks", "turned"]

_SMALLEST = 400  # rows; with fewer, whole walks take no time
_SHARE = 24  # one mode is looked for per so many rows
_POWER = 6  # products before the first look at the spectrum
_GROWTH = 1e11  # of a filter at most, so that the slowest modes do not drown the others
_FILTERS = 6  # at most
_SINGLE = 1e-4  # residual until which single precision will do
_EDGE = 1.25  # modes this much above the smallest one are kept: those at the edge converge last
_WORTH = 0.6  # share of the steps; where more than these would have to be walked, all are
_CHECKED = 32  # columns
AIM = 1e-10  # error of a similarity of two walks that may follow from walking fewer steps; the step of all comparisons
_OF_MODES = 0.01  # share of it that the modes may cause
_MARGINS = (0.1, 1e-4)  # on it where steps are counted; with the second if the check fails with the first
_LEAST = 1e-3  # edge
_ASYMMETRY = 1e-12
_TILE = 64  # columns that are multiplied together
_WALK_BYTES = 1 << 28  # of the steps that one thread keeps


class WalkPlan(NamedTuple):
    """How to sum up the walks: Σ w_t P^t (P^t)ᵀ over the steps that are walked, plus L Rᵀ + R Lᵀ."""

    weights: np.ndarray  # (n_walked,): w, in the order of the steps
    left: np.ndarray  # (n, n_modes)
    right: np.ndarray  # (n, n_modes)

    @property
    def is_whole(self) -> bool:
        """Whether all steps are walked, and nothing is added."""
        return self.left.shape[1] == 0

    def diagonal(self) -> np.ndarray:
        """Return what is added to the squared lengths of the walks, shape (n,)."""
        return 2.0 * np.einsum("ij,ij->i", self.left, self.right)

    def columns(self, start: int, stop: int) -> np.ndarray:
        """Return what is added to columns ``start..stop`` of the matrix, rows from ``start`` on."""
        added = self.left[start:] @ self.right[start:stop].T
        added += self.right[start:] @ self.left[start:stop].T
        return np.asarray(added)

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Multiply what is added by vectors (n x b)."""
        return np.asarray(self.left @ (self.right.T @ vectors) + self.right @ (self.left.T @ vectors))


def plan_walks(P: Transition, masses: np.ndarray, n_steps: int) -> WalkPlan:
    """Find out how few steps of all walks of a connected reversible chain have to be walked.

    Parameters
    ----------
    P : Transition
        Probabilities of one step between n states, indices sorted.
    masses : ndarray of shape (n,)
        Stationary distribution, up to a factor: masses[i] P[i, j] = masses[j] P[j, i].
    n_steps : int
        T, length of the walks.

    Returns
    -------
    WalkPlan
        All steps with the weight 1 where the chain is small, fewer would not do, or the check fails.

    Notes
    -----
    With R = diag(masses)^½, Q = R P R⁻¹ is symmetric, and the inner products of the walks are
    R⁻¹ Σ Q^t R² Q^t R⁻¹ over t = 1..T. Of Q = U Λ Uᵀ + E the largest eigenvalues are taken apart, |E| <= c. Then

        Q^t R² Q^t = U Λ^t Uᵀ R² U Λ^t Uᵀ + U Λ^t Uᵀ R² E^t + E^t R² U Λ^t Uᵀ + E^t R² E^t.

    The first three have the rank of U. The last goes by products x of two eigenvalues of E, |x| <= c², as x^t; the sum
    over all t, x / (1 - x), is a polynomial of few steps but for a part that falls by c² / 2 with each: their weights
    are its coefficients, and the first three terms make up for weights that are not 1. The eigenvectors come from
    filtered subspace iteration. Before a plan is used, it is compared with whole walks for 32 columns; an error above
    1e-10 in any of their similarities, and all steps are walked.

    References
    ----------
    Zhou, Saad, Tiago & Chelikowsky (2006), Self-consistent-field calculations using Chebyshev-filtered subspace
    iteration, J. Comput. Phys. 219. https://doi.org/10.1016/j.jcp.2006.03.017
    """
    n = masses.size
    whole = WalkPlan(np.ones(n_steps), np.empty((n, 0)), np.empty((n, 0)))
    if n < _SMALLEST:
        return whole
    scale = np.sqrt(masses / masses.max())
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    Q = P._replace(data=P.data * scale[rows] / scale[P.indices])
    if np.abs(turned(Q).data - Q.data).max() > _ASYMMETRY:
        return whole
    lengths = np.sqrt(np.bincount(rows, P.data**2, n))  # of the first steps: a walk is at least as long
    risk = np.bincount(rows, Q.data**2, n) / (lengths * scale) ** 2
    aim = AIM / float(np.sqrt(risk.max()))
    modes = _slow_modes(Q, n // _SHARE, _MARGINS[0] * aim, n_steps)
    if modes is None:
        return whole
    check = _Check.of(P, n_steps, lengths, risk)
    for margin in _MARGINS:
        plan = _sum_up(Q, modes, scale, margin * aim, n_steps)
        if check.error(P, plan) <= AIM:
            return plan
    return whole


class _Modes(NamedTuple):
    """Eigenvectors of Q, those with the eigenvalues of the largest size."""

    values: np.ndarray  # (r,)
    vectors: np.ndarray  # (n, r)
    edge: float  # size of the largest eigenvalue that is not among them


def _slow_modes(Q: Transition, n_vectors: int, aim: float, n_steps: int) -> _Modes | None:
    """Filter a subspace until its modes are good enough; None if they would not pay, or do not get there."""
    rough = Q._replace(data=Q.data.astype(np.float32))
    operator = rough
    vectors = np.random.default_rng(0).standard_normal((Q.indptr.size - 1, n_vectors), np.float32)
    for _ in range(_POWER):
        vectors = _times(operator, vectors)
    for _ in range(_FILTERS):
        basis, products, size = _by_size(operator, vectors)
        n_kept = int(np.count_nonzero(size > _EDGE * size[-1]))
        edge = max(float(size[min(n_kept, n_vectors - 1)]), _LEAST)
        n_walked = _step_weights(edge, aim).size
        if n_kept == 0 or n_walked > _WORTH * n_steps:
            return None
        values, vectors, residuals = _eigenvectors(basis[:, :n_kept], products[:, :n_kept])
        if operator is Q and (residuals * np.abs(values) ** n_walked).max() <= _OF_MODES * AIM:
            return _Modes(values, vectors, edge)
        if residuals.max() < _SINGLE:
            operator = Q
        vectors = _filtered(operator, basis.astype(operator.data.dtype), max(float(size[-1]), _LEAST))
    return None


def _step_weights(edge: float, aim: float) -> np.ndarray:
    """Coefficients w of the shortest Σ w_t x^t that is x / (1 - x) on |x| <= edge², but for ``aim`` x."""
    reach = edge**2
    n_walked = max(1, int(np.ceil(np.log(aim / 2) / np.log(reach / 2))))
    series = chebyshev.Chebyshev.interpolate(lambda x: 1 / (1 - reach * x), n_walked - 1)
    return np.asarray(chebyshev.cheb2poly(series.coef) / reach ** np.arange(n_walked))


def _by_size(Q: Transition, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Orthonormal basis of the span by how much Q leaves of each vector, falling; its products; how much is left.

    These are no eigenvectors yet: in the order of their own values, those between a positive and a negative eigenvalue
    could lie anywhere.
    """
    basis = scipy.linalg.qr(vectors, mode="economic", overwrite_a=True, check_finite=False)[0]
    products = _times(Q, basis)
    squares, turn = scipy.linalg.eigh(products.T @ products)
    turn = turn[:, ::-1]
    return basis @ turn, products @ turn, np.sqrt(np.maximum(squares[::-1], 0.0))


def _eigenvectors(basis: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Best eigenvectors in the span of an orthonormal basis: values, vectors, lengths of Q v - value v."""
    inside = basis.T @ products
    values, turn = scipy.linalg.eigh((inside + inside.T) / 2)
    vectors = basis @ turn
    return values, vectors, np.linalg.norm(products @ turn - vectors * values, axis=0)


def _filtered(Q: Transition, vectors: np.ndarray, edge: float) -> np.ndarray:
    """Chebyshev polynomial of Q: what lies within the edge stays as large as it is, what lies above grows."""
    before, now = vectors, _times(Q, vectors) / edge
    for _ in range(int(np.log(_GROWTH) / np.log(2 / edge)) - 1):
        before, now = now, (2 / edge) * _times(Q, now) - before
    return now


def _sum_up(Q: Transition, modes: _Modes, scale: np.ndarray, aim: float, n_steps: int) -> WalkPlan:
    """Add up what the modes do beyond the steps that are walked, with their weights."""
    values, U = modes.values, modes.vectors
    weights = _step_weights(modes.edge, aim)
    n_mixed = min(
        n_steps, int(np.ceil(np.log(aim) / np.log(modes.edge)))
    )  # then the rest has vanished beside the modes
    weighted = scale[:, None] ** 2 * U
    missing = np.ones(n_steps + 1)
    missing[1 : weights.size + 1] -= weights
    mixed = np.zeros_like(U)
    for t in range(n_mixed, 0, -1):
        mixed += weighted * (missing[t] * values**t)
        mixed = _times(Q, mixed - U @ (U.T @ mixed))
    mixed -= U @ (U.T @ mixed)
    powers = np.zeros((values.size, values.size))
    for t in range(1, n_steps + 1):
        powers += missing[t] * np.outer(values**t, values**t)
    right = mixed + U @ (0.5 * powers * (U.T @ weighted))
    return WalkPlan(weights, U / scale[:, None], right / scale[:, None])


class _Check(NamedTuple):
    """Some columns of the inner products of all walks: those most at risk, and others at random."""

    vectors: np.ndarray  # (n, c): 1 at their places
    whole: np.ndarray  # (n, c): all steps walked
    lengths: np.ndarray  # (n, c): of the walks of both sides, multiplied

    @classmethod
    def of(cls, P: Transition, n_steps: int, lengths: np.ndarray, risk: np.ndarray) -> _Check:
        at_random = np.random.default_rng(1).choice(lengths.size, _CHECKED // 2, replace=False)
        chosen = np.union1d(np.argsort(-risk, kind="stable")[: _CHECKED // 2], at_random)
        vectors = np.zeros((lengths.size, chosen.size))
        vectors[chosen, np.arange(chosen.size)] = 1.0
        return cls(vectors, apply_walks(P, np.ones(n_steps), vectors), lengths[:, None] * lengths[chosen])

    def error(self, P: Transition, plan: WalkPlan) -> float:
        """Largest error in a similarity."""
        found = apply_walks(P, plan.weights, self.vectors) + plan.apply(self.vectors)
        return float((np.abs(found - self.whole) / self.lengths).max())


def apply_walks(P: Transition, weights: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Multiply the inner products of all walks by vectors, shape (n, n_vectors): Σ w_t P^t (Pᵀ)^t V."""
    n, back = vectors.shape[0], turned(P)
    width = int(np.clip(_WALK_BYTES // (8 * n * weights.size), 1, _TILE))
    return _by_tiles(lambda tile, out: kernels.walk_and_return(P, back, weights, tile, out), vectors, width)


def turned(P: Transition) -> Transition:
    """Transpose, with sorted indices."""
    n = P.indptr.size - 1
    columns = sp.csr_array(sp.csr_array((P.data, P.indices, P.indptr), shape=(n, n)).T)
    return Transition(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)


def _times(Q: Transition, vectors: np.ndarray) -> np.ndarray:
    """Multiply by vectors (n x b)."""
    return _by_tiles(lambda tile, out: kernels.multiply(Q, tile, out), vectors, _TILE)


def _by_tiles(write: Callable[[np.ndarray, np.ndarray], None], vectors: np.ndarray, width: int) -> np.ndarray:
    """Let a kernel write its result for some columns at a time, in threads."""
    result = np.empty_like(vectors)

    def run(tile: tuple[int, int]) -> None:
        columns = slice(*tile)
        out = np.empty((vectors.shape[0], tile[1] - tile[0]), vectors.dtype)
        write(np.ascontiguousarray(vectors[:, columns]), out)
        result[:, columns] = out

    thread_map(run, row_ranges(vectors.shape[1], width))
    return result
