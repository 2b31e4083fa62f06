"""Values of pairs of objects, kept for microclusters, and the linear system that spreads them along links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from consensa.relate.relation import Dense, Factored

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PairWeights", "Spreader", "as_pairs", "pair_values", "symmetrised", "transposed", "trusted_links"]

_ROUNDING = 1e-10  # a share that meets a threshold must not miss it by the last digits of a sum


def pair_values(relation: Dense | Factored) -> np.ndarray:
    """Return the similarities of two different objects of every two microclusters, shape (n_rows, n_rows)."""
    dense = relation.to_dense() if isinstance(relation, Factored) else relation
    return dense.similarity


def as_pairs(pairs: np.ndarray, own: np.ndarray | float) -> np.ndarray:
    """Put the values of objects with themselves below those of different objects, shape (n_rows + 1, n_rows).

    A matrix of the objects that treats the objects of a microcluster alike has one value for two different objects of
    every two microclusters and one for an object of every microcluster with itself. What is done entry by entry is
    done to both alike.

    Examples
    --------
    >>> import numpy as np
    >>> as_pairs(np.eye(2), 7.0)
    array([[1., 0.],
           [0., 1.],
           [7., 7.]])
    """
    return np.vstack([pairs, np.broadcast_to(own, pairs.shape[1])])


def transposed(values: np.ndarray) -> np.ndarray:
    """Transpose of a matrix of the objects, from :func:`as_pairs`."""
    out = values.copy()
    out[:-1] = values[:-1].T
    return out


def symmetrised(values: np.ndarray) -> np.ndarray:
    """Mean of a matrix of the objects and its transpose, from :func:`as_pairs`."""
    return (values + transposed(values)) / 2


def trusted_links(evidence: np.ndarray, least: float) -> np.ndarray:
    """Keep the evidence that is at least ``least``; everything else is 0."""
    return np.where(evidence >= least - _ROUNDING, evidence, 0.0)


class PairWeights:
    """How many pairs of objects stand behind every value of :func:`as_pairs`, for norms over the objects.

    Examples
    --------
    >>> import numpy as np
    >>> PairWeights(np.array([2, 1])).norm(as_pairs(np.ones((2, 2)), 1.0))  # of a matrix of 3 x 3 ones
    3.0
    """

    def __init__(self, sizes: np.ndarray) -> None:
        n = sizes.astype(float)
        counts = np.outer(n, n)
        counts[np.diag_indices_from(counts)] -= n
        self._counts = as_pairs(counts, n)

    def norm(self, values: np.ndarray) -> float:
        """Frobenius norm of the matrix over the objects."""
        return float(np.sqrt(np.vdot(self._counts, values * values)))


class Spreader:
    r"""Solves :math:`(2 L + r I) X = R` over the objects, with the Laplacian L of links between microclusters.

    Values R and X are those of :func:`as_pairs`. Over the objects, :math:`2 L + r I` is :math:`-2 H` between
    microclusters and :math:`a = 2 H n + r` on the diagonal, so that what X has on the diagonal beyond its pairs is
    that of R divided by a, and the pairs solve a system of the size of the microclusters, component by component of
    the links.

    Examples
    --------
    >>> import numpy as np
    >>> linked = Spreader(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.ones(3, int))
    >>> linked.solver(2.0)(as_pairs(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), 1.0))[:-1].round(3)
    array([[0.333, 0.167, 0.   ],
           [0.167, 0.333, 0.   ],
           [0.   , 0.   , 0.5  ]])
    """

    def __init__(self, links: np.ndarray, sizes: np.ndarray) -> None:
        self._links = links
        self._degrees = links @ sizes.astype(float)
        self._root = np.sqrt(sizes)
        _, component = connected_components(sp.csr_array(links), directed=False)
        order = np.argsort(component, kind="stable")
        ends = np.cumsum(np.bincount(component))
        pieces = np.split(order, ends[:-1])
        self._alone = np.array([piece[0] for piece in pieces if piece.size == 1], int)
        self._joint = [piece for piece in pieces if piece.size > 1]

    def solver(self, shift: float) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function that solves the system with r = ``shift``, which is factorised once."""
        diagonal = 2 * self._degrees + shift
        inverses = [self._inverse(piece, diagonal) for piece in self._joint]
        alone = 1 / (diagonal - 2 * self._links.diagonal() * self._root**2)[self._alone, None]

        def solve(values: np.ndarray) -> np.ndarray:
            beyond = (values[-1] - values[:-1].diagonal()) / diagonal
            right = values[:-1] + 2 * self._links * beyond
            out = np.empty_like(values)
            out[self._alone] = alone * right[self._alone]
            for piece, inverse in zip(self._joint, inverses, strict=True):
                out[piece] = inverse @ right[piece]
            out[-1] = out[:-1].diagonal() + beyond
            return out

        return solve

    def _inverse(self, piece: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Inverse of diag(a) - 2 H N on one component, by its symmetric form N^½ (diag(a) - 2 H N) N^-½."""
        root = self._root[piece]
        system = -2 * root[:, None] * self._links[np.ix_(piece, piece)] * root
        system[np.diag_indices_from(system)] += diagonal[piece]
        return np.asarray(np.linalg.inv(system) / root[:, None] * root)
