"""Dense representation of microclusters: ridge instead of low rank, robust to bad columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._validation import check_integer, check_positive
from consensa.relate.cosine import cosine_power
from consensa.relate.low_rank import left_factor, row_space

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.relate.low_rank import RowSpace
    from consensa.relate.relation import Dense

__all__ = ["dense_representation"]

_SMOOTHING = 1e-10  # keeps the weight of a column finite where it is explained exactly


def dense_representation(ensemble: Ensemble, lam: float = 100.0, *, alpha: int = 2, n_iter: int = 5) -> Dense:
    r"""Represent the microclusters by each other, min :math:`\|X - XZ\|_{2,1} + \lambda \|Z\|_F^2`, and relate them.

    Parameters
    ----------
    ensemble : Ensemble
    lam : float, default=100.0
        Price of large coefficients.
    alpha : int, default=2
        The similarity is the cosine of the rows of U Σ^½ of Z to the power 2 ``alpha``.
    n_iter : int, default=5
        Rounds of reweighted least squares.

    Returns
    -------
    Dense

    Notes
    -----
    In the row space X = S Vᵀ, column j of Z is V diag(s² / (s² + λ/d_j)) V_jᵀ, so a round costs no more than the
    entries of V.

    References
    ----------
    Zhou, Zheng & Pan (2019), Ensemble clustering based on dense representation, Neurocomputing 357.
    https://doi.org/10.1016/j.neucom.2019.04.078

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])
    >>> dense_representation(ensemble, alpha=1).similarity.round(2)
    array([[1.  , 0.44, 0.11, 0.  ],
           [0.44, 1.  , 0.44, 0.  ],
           [0.11, 0.44, 1.  , 0.11],
           [0.  , 0.  , 0.11, 1.  ]])
    """
    lam = check_positive("lam", lam)
    space = row_space(ensemble)
    Z = representation_coordinates(space, lam, check_integer("n_iter", n_iter))
    return cosine_power(left_factor(space, Z), space.coordinates.T, alpha)


def representation_coordinates(space: RowSpace, lam: float, n_iter: int) -> np.ndarray:
    """Coordinates VᵀZ of the representation in the row space, shape (n_dimensions, n_microclusters)."""
    power = (space.scale**2)[:, None]
    importance = np.ones(space.basis.shape[0])
    for _ in range(n_iter):
        share = power / (power + lam / importance)
        error = np.sum(power * ((1 - share) * space.basis.T) ** 2, axis=0)
        importance = 0.5 / np.sqrt(error + _SMOOTHING)
    return share * space.basis.T
