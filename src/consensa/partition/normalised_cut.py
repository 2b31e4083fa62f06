"""Normalised cut (spectral clustering) of microclusters, on a matrix or on its factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator

from consensa._validation import check_sizes
from consensa.partition.components import column_components, component_eigenvectors, row_components
from consensa.partition.cut import Cut
from consensa.partition.eigenpairs import largest_eigenpairs
from consensa.partition.spectral import EigenProblem, SpectralCut
from consensa.relate.relation import Dense, Factored, check_entries

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["normalised_cut"]

_NEGLIGIBLE = 1e-12


def normalised_cut(
    relation: Factored | Dense,
    sizes: np.ndarray | None = None,
    *,
    extra_diagonal: np.ndarray | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
    hashes: np.ndarray | None = None,
) -> SpectralCut:
    """Decompose a similarity graph of microclusters, so that it can be cut into any number of clusters.

    The same as the normalised cut of the graph of all objects: the eigenvectors of D^-1/2 S D^-1/2, rows of length
    1, k-means with weights.

    Parameters
    ----------
    relation : Factored or Dense
        Similarities of n_rows microclusters. A factor is never multiplied out.
    sizes : ndarray of shape (n_rows,), default=None
        How many objects each microcluster stands for; None for 1.
    extra_diagonal : ndarray of shape (n_rows,), default=None
        What the self-similarity of every *object* exceeds the diagonal of the relation by.
    n_init : int, default=10
        Starts of k-means on the embedding.
    random_state : int, RandomState, Generator or None, default=None
    hashes : ndarray of shape (n_rows,), uint64, default=None
        Choose the sample on which k-means fits when there are more than 200,000 rows.

    Returns
    -------
    SpectralCut

    References
    ----------
    Ng, Jordan & Weiss (2002), On spectral clustering: analysis and an algorithm, NIPS 14.
    Shi & Malik (2000), Normalized cuts and image segmentation, IEEE TPAMI 22(8). https://doi.org/10.1109/34.868688

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2]])
    >>> normalised_cut(co_association(ensemble), ensemble.sizes, random_state=0).cut(2)
    array([0, 0, 1])
    """
    counts = check_sizes(sizes, relation.n_rows).astype(float)
    extra = np.zeros(relation.n_rows) if extra_diagonal is None else np.asarray(extra_diagonal, dtype=float)
    if isinstance(relation, Factored):
        B = relation.factor
        check_entries(B, "the factor of a similarity")
        degrees = B @ (B.T @ counts) + extra
        components = row_components(B, column_components(sp.csr_array(B.T @ B)))
    else:
        check_entries(relation.similarity, "a similarity matrix")
        degrees = relation.similarity @ counts + extra
        components = np.zeros(relation.n_rows, np.int64)
        if relation.similarity.min() <= 0:  # else it is one piece, and a sparse copy would only take memory
            components = connected_components(sp.csr_array(relation.similarity), directed=False)[1]
    # a degree that is no normal number is as good as none: the roots of two of them would not fit beside each other
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros(degrees.size), where=degrees > np.finfo(float).tiny)
    scale = root * np.sqrt(counts)
    known = component_eigenvectors(components, np.sqrt(counts * degrees))
    problem: _RowProblem
    if isinstance(relation, Factored) and not extra.any():
        scaled = sp.csr_array(sp.diags_array(scale) @ relation.factor)
        problem = _FactorProblem(int(min(scaled.shape)), relation.n_rows, Cut.limit, counts, scaled, known)
    else:
        of_rows = (relation.n_rows, relation.n_rows, Cut.limit, counts)
        problem = _MatrixProblem(*of_rows, relation, scale, extra * root**2, known)
    return SpectralCut(problem, counts, components, n_init=n_init, random_state=random_state, hashes=hashes)


@dataclass(frozen=True, eq=False)
class _RowProblem(EigenProblem):
    """A problem whose eigenvectors are those of the rows, up to the roots of their sizes."""

    sizes: np.ndarray

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:  # noqa: ARG002 - of all problems
        return vectors / np.sqrt(self.sizes)[:, None]


@dataclass(frozen=True, eq=False)
class _FactorProblem(_RowProblem):
    """Left singular vectors of F = D^-1/2 N^1/2 B, from the eigenvectors of the small FᵀF."""

    scaled: sp.csr_array
    known: np.ndarray

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        gram = sp.csr_array(self.scaled.T @ self.scaled)
        values, right = largest_eigenpairs(gram, n_pairs, self.scaled.T @ self.known)
        length = np.sqrt(np.maximum(values, _NEGLIGIBLE))
        left = np.asarray(self.scaled @ right) / length
        left[:, values < _NEGLIGIBLE] = 0.0
        return values, left


@dataclass(frozen=True, eq=False)
class _MatrixProblem(_RowProblem):
    """Eigenvectors of diag(scale) S diag(scale) + diag(shift)."""

    relation: Factored | Dense
    scale: np.ndarray
    shift: np.ndarray
    known: np.ndarray

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(self.relation, Dense):
            matrix = self.relation.similarity * self.scale[:, None] * self.scale
            matrix[np.diag_indices_from(matrix)] += self.shift
            return largest_eigenpairs(matrix, n_pairs, self.known)
        B = sp.csr_array(sp.diags_array(self.scale) @ self.relation.factor)

        def multiply(x: np.ndarray) -> np.ndarray:
            shift = self.shift if x.ndim == 1 else self.shift[:, None]
            return np.asarray(B @ (B.T @ x)) + shift * x

        n = B.shape[0]
        operator = LinearOperator((n, n), matvec=multiply, matmat=multiply, dtype=float)
        return largest_eigenpairs(operator, n_pairs, self.known)
