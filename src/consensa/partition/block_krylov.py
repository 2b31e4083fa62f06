"""The largest eigenvalues of a symmetric operator by block Lanczos, with products of many vectors at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["block_krylov"]

_BLOCK = 8  # vectors at a time: a product then costs arithmetic, not the reading of the matrix
_ROOM = 1024  # vectors kept beyond those asked for; then the best of them start again
_TOLERANCE = 1e-11  # length of A v - value v, relative to the value
_SMALLEST = 1e-3  # or to this, for smaller values
_LOST = 1e-12  # a vector of which orthogonalisation leaves no more is replaced
_FRESH_STEPS = 2  # with random vectors after all have converged, in search of what was missed
_NOTHING_NEW = 1e-10  # largest change of the values by these
_PART_OF_WAY = 0.75


def block_krylov(multiply: Callable[[np.ndarray], np.ndarray], n: int, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues of a symmetric operator with a norm of about 1, falling, and their eigenvectors.

    Parameters
    ----------
    multiply : callable
        Takes vectors as columns (n x b), returns their products (n x b).
    n : int
    n_pairs : int
        At most n.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
    vectors : ndarray of shape (n, n_pairs)
        Orthonormal; the residual of each is below 1e-11 of its value.

    Notes
    -----
    The space grows by a block of vectors at a time, each orthogonal to all before, from a fixed start. A block can miss
    some of an eigenvalue that is more than 8-fold: when all have converged, random vectors are added for some steps,
    and the answer counts if they bring nothing new.

    References
    ----------
    Golub & Underwood (1977), The block Lanczos method for computing eigenvalues, in Mathematical Software III.
    https://doi.org/10.1016/B978-0-12-587260-7.50018-2
    Wu & Simon (2000), Thick-restart Lanczos method for large symmetric eigenvalue problems, SIAM J. Matrix Anal. Appl.
    22(2). https://doi.org/10.1137/S0895479898334605

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag(np.linspace(0.0, 1.0, 101))
    >>> block_krylov(lambda x: A @ x, 101, 3)[0].round(6)
    array([1.  , 0.99, 0.98])
    """
    space = _Space(multiply, n, n_pairs)
    next_look, found = 2 * n_pairs + 4 * _BLOCK, np.full(n_pairs, np.inf)
    before = (n_pairs, 1.0 / _TOLERANCE)
    while True:
        space.grow()
        if space.size < min(next_look, n):
            continue
        values, excess = space.look()
        if space.size == n or (excess <= 1.0 and np.abs(values - found).max() < _NOTHING_NEW):
            return space.pairs()
        if excess <= 1.0:
            found = values
            space.refresh()
            next_look = space.size + _FRESH_STEPS * _BLOCK
        else:
            next_look = space.size + _until_next_look(space.size, excess, *before)
            before = (space.size, excess)
        if next_look > space.room:
            next_look += space.restart()


def _until_next_look(size: int, excess: float, earlier_size: int, earlier_excess: float) -> int:
    """How many more vectors before it is worth to look: a look costs as much as several blocks.

    Residuals fall faster and faster, so three quarters of the way that their last fall predicts.
    """
    fall = np.log(earlier_excess / excess) / max(size - earlier_size, 1)
    way = _PART_OF_WAY * np.log(excess) / fall if fall > 0 else size
    return int(min(max(way, _BLOCK), size // 3))


class _Space:
    """An orthonormal basis that grows by the products of its last block.

    ``basis[:, :size]`` is orthonormal, ``projected`` its Bᵀ A B, and ``block`` (n x b) holds orthonormal vectors, also
    orthogonal to the basis, that come next; A B - B Bᵀ A B is ``block @ coupling`` in the last columns and 0 in the
    others, but for what has converged before a refresh.
    """

    def __init__(self, multiply: Callable[[np.ndarray], np.ndarray], n: int, n_pairs: int) -> None:
        self.n_pairs = n_pairs
        self.room = min(n, 2 * n_pairs + _ROOM)
        self.size = 0
        self._multiply = multiply
        self._random = np.random.default_rng(0)
        self._basis = np.empty((n, self.room), order="F")
        self._projected = np.zeros((self.room, self.room))
        self._block = np.linalg.qr(self._random.standard_normal((n, min(_BLOCK, n))))[0]
        self._coupling = np.empty((0, 0))
        self._linked = 0  # products of the next block have parts along the basis from here on
        self._values, self._vectors = np.empty(0), np.empty((0, 0))

    def grow(self) -> None:
        """Add the next block to the basis, and make the one after it."""
        start, self.size = self.size, self.size + self._block.shape[1]
        self._basis[:, start : self.size] = self._block
        product = np.asarray(self._multiply(self._block))
        basis = self._basis[:, self._linked : self.size]
        inside = basis.T @ product
        self._projected[self._linked : self.size, start : self.size] = inside
        self._projected[start : self.size, self._linked : self.size] = inside.T
        product -= basis @ inside
        self._linked = start
        self._block, self._coupling = self._orthonormal(product)

    def _orthonormal(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Orthonormal vectors outside the basis, as many as have room, and what the given ones are in them."""
        basis = self._basis[:, : self.size]
        vectors -= basis @ (basis.T @ vectors)
        block, coupling = np.linalg.qr(vectors)
        lost = np.abs(np.diag(coupling)) < _LOST
        if lost.any():
            coupling[lost] = 0.0
            block[:, lost] = self._random.standard_normal((block.shape[0], int(lost.sum())))
            for _ in range(2):
                block -= basis @ (basis.T @ block)
                block, turned = np.linalg.qr(block)
                coupling = turned @ coupling
        return block[:, : self._basis.shape[0] - self.size], coupling

    def look(self) -> tuple[np.ndarray, float]:
        """Return the best values so far, falling, and how many times the tolerance the worst residual is."""
        n_kept = min(self.size, self.n_pairs + 2 * _BLOCK)
        projected = self._projected[: self.size, : self.size]
        values, vectors = scipy.linalg.eigh(projected, subset_by_index=(self.size - n_kept, self.size - 1))
        self._values, self._vectors = values[::-1], vectors[:, ::-1]
        wanted = self._values[: self.n_pairs]
        last = self._vectors[self.size - self._coupling.shape[1] :, : self.n_pairs]
        residuals = np.linalg.norm(self._coupling @ last, axis=0)
        return wanted, float((residuals / np.maximum(wanted, _SMALLEST)).max() / _TOLERANCE)

    def refresh(self) -> None:
        """Go on from random vectors."""
        self._block = self._orthonormal(self._random.standard_normal(self._block.shape))[0]

    def restart(self) -> int:
        """Keep the best vectors only, and return by how many fewer they are."""
        before, self.size, self._linked = self.size, self._values.size, 0
        self._basis[:, : self.size] = self._basis[:, :before] @ self._vectors
        self._projected[:] = 0.0
        self._projected[np.arange(self.size), np.arange(self.size)] = self._values
        return self.size - before

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values and vectors of the last look."""
        return self._values[: self.n_pairs], self._basis[:, : self.size] @ self._vectors[:, : self.n_pairs]
