"""Low-rank representation of microclusters by their weighted clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from consensa._budget import check_dense_budget
from consensa._magnitude import even_rows
from consensa._messages import warn
from consensa._validation import check_choice, check_cluster_weights, check_growth, check_positive
from consensa.relate.coassociation import co_association
from consensa.relate.cosine import cosine_power
from consensa.relate.pursuit import dictionary_pursuit, outlier_pursuit

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.relate.pursuit import Pursuit
    from consensa.relate.relation import Dense

__all__ = ["LowRank", "RowSpace", "check_decomposition", "left_factor", "low_rank_representation", "row_space"]

_SMALLEST_WEIGHT = 2.0**-40  # relative to the largest
_SMALLEST_SINGULAR = 1e-4  # relative to the largest; smaller ones do not enter H


@dataclass(frozen=True, eq=False)
class RowSpace:
    """The weighted microcluster-cluster matrix, by its singular values and the vectors on the microclusters.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> space = row_space(Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]]))
    >>> space.coordinates.shape, round(space.lambda_low, 4), round(space.lambda_high, 4)
    ((4, 4), 0.6814, 1.0)
    """

    basis: np.ndarray  # V (n_microclusters x n_dimensions), orthonormal columns
    scale: np.ndarray  # S, the positive singular values, falling

    @property
    def coordinates(self) -> np.ndarray:
        """S Vᵀ: the microclusters as columns, lengths and angles as in the full matrix."""
        return self.scale[:, None] * self.basis.T

    @cached_property
    def lambda_low(self) -> float:
        """At or below this price every column is error and the representation is 0."""
        X = self.coordinates
        return float(1 / np.linalg.norm(X / np.linalg.norm(X, axis=0), 2))

    @cached_property
    def lambda_high(self) -> float:
        """From this price on no column is error and the representation is known in closed form."""
        return float(np.linalg.norm(self.basis, axis=1).max())


@dataclass(frozen=True, eq=False)
class LowRank:
    """A low-rank representation Z of the microclusters, and how it was found.

    Parameters
    ----------
    embedding : ndarray of shape (n_microclusters, rank)
        H = U Σ^½ of Z = U Σ Vᵀ.
    space : RowSpace
        What was represented.
    lam : float
        Price of a column that is not explained.
    objective : float
        Nuclear norm of Z plus ``lam`` times the sum of ``errors``.
    errors : ndarray of shape (n_microclusters,)
        How much of every microcluster was left out as error.
    residuals : ndarray of shape (n_iter, 2)
        Largest violation of the constraints after every iteration; without rows for the closed form.
    gap : float
        Relative duality gap.
    converged : bool
        Whether the iteration reached its end; one that did not has warned.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])
    >>> found = low_rank_representation(ensemble, relative_lambda=0.5)
    >>> found.embedding.shape, found.converged
    ((4, 1), True)
    """

    embedding: np.ndarray
    space: RowSpace
    lam: float
    objective: float
    errors: np.ndarray
    residuals: np.ndarray
    gap: float
    converged: bool

    @property
    def n_iter(self) -> int:
        """Number of iterations; 0 for the closed form."""
        return int(self.residuals.shape[0])

    def similarity(self, alpha: int = 2) -> Dense:
        """Cosine of the rows of H to the power 2 ``alpha``."""
        return cosine_power(self.embedding, self.space.coordinates.T, alpha)


def row_space(ensemble: Ensemble, weights: np.ndarray | None = None) -> RowSpace:
    """Decompose the weighted microcluster-cluster matrix X = diag(w) Zᵀ by a thin singular value decomposition.

    A weight below 2⁻⁴⁰ of the largest counts as that.

    Notes
    -----
    A microcluster with missing labels is scaled up as in :func:`~consensa.relate.co_association`: its column has the
    length it would have if its other labels were there and like the present ones.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> space = row_space(Ensemble([[0, 0, 1, 1], [0, 0, 1, 2]]))
    >>> space.scale.round(4)
    array([1.7321, 1.4142, 1.    ])
    """
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    if not w.any():
        msg = "all cluster weights are 0, so no object is linked to any cluster. Give at least one positive weight."
        raise ValueError(msg)
    check_decomposition(ensemble)
    w = even_rows(w[None])[0]  # their squares count, and of these only the ratios
    w = np.maximum(w, _SMALLEST_WEIGHT * w.max())
    X = co_association(ensemble, w**2).factor.toarray() * np.sqrt(ensemble.n_filled)
    basis, scale, _ = scipy.linalg.svd(X, full_matrices=False, overwrite_a=True, check_finite=False)
    kept = scale > max(X.shape) * np.finfo(float).eps * scale[0]
    return RowSpace(basis[:, kept], scale[kept])


def check_decomposition(ensemble: Ensemble) -> None:
    """Refuse a matrix whose decomposition, with both sides and what LAPACK works in, does not fit into the budget."""
    n, n_c = ensemble.n_microclusters, ensemble.n_base_clusters
    m = min(n, n_c)
    check_dense_budget(
        8 * (n * n_c + n * m + m * n_c + 4 * m**2),
        f"The decomposition of the {n} x {n_c} matrix of microclusters and clusters",
        "LWEA and LWGP do without it.",
    )


def low_rank_representation(
    ensemble: Ensemble,
    weights: np.ndarray | None = None,
    *,
    relative_lambda: float = 1.0,
    lam: float | None = None,
    solver: str = "closed",
    rho: float = 2.3,
) -> LowRank:
    r"""Represent the microclusters by each other, with low rank and few outliers.

    :math:`\min \|Z\|_* + \lambda \|E\|_{2,1}` subject to :math:`X = P^T X Z + E` and :math:`P^T X X^T P = I`, in the
    row space of the weighted microcluster-cluster matrix X, where the constraint can be met.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters; None for 1.
    relative_lambda : float, default=1.0
        In (0, 1]: where lambda stands between the value at which everything is error (0) and that from which on
        nothing is (1).
    lam : float or None, default=None
        Lambda itself, instead of ``relative_lambda``; the paper searches 0.01, 0.1, 1, 10, 100, 200 and 500.
    solver : {"closed", "published"}, default="closed"
        "closed" is the optimum for the dictionary P = I in the row space: :math:`(X^T X)^{1/2}`, without iterations,
        where nothing is error, and a convex problem without a dictionary below that lambda. "published" runs the
        alternating scheme of the paper, which also learns P.
    rho : float, default=2.3
        Growth of the penalty in every iteration of the published scheme, above 1; the paper has 2.3 and 3.5.

    Returns
    -------
    LowRank

    Notes
    -----
    The dictionaries that meet the constraint are the rotations of one basis of the row space, and the optimum is the
    same for all of them. So the data do not determine P, and the left singular vectors of Z, by which the clusters are
    found, turn with it: a slow scheme (rho near 1) converges with a P that is arbitrary, a fast one stops before P has
    moved much. From a
    lambda of at most 1 on nothing is error, so that the values 1 to 500 of the paper give one solution; at 0.01 and
    0.1, mostly, everything is error at the optimum, and "closed" refuses them.

    The listing of the scheme is an image in the paper; start (all 0, a penalty of 1e-6) and end (no residual above
    1e-8) are those of low-rank representation, on which it builds.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324, Problem 7 and Algorithm 2. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])
    >>> low_rank_representation(ensemble).similarity(alpha=1).similarity.round(2)
    array([[1.  , 0.15, 0.02, 0.  ],
           [0.15, 1.  , 0.16, 0.  ],
           [0.02, 0.16, 1.  , 0.04],
           [0.  , 0.  , 0.04, 1.  ]])
    >>> low_rank_representation(ensemble, solver="published", lam=10).n_iter
    41
    """
    check_choice("solver", solver, ("closed", "published"))
    growth = check_growth("rho", rho)
    space = row_space(ensemble, weights)
    price = _price(space, relative_lambda, lam)
    if solver == "published":
        return _from_pursuit(space, price, dictionary_pursuit(space.coordinates, price, rho=growth))
    if price >= space.lambda_high:
        return _closed_form(space, price)
    return _from_pursuit(space, price, outlier_pursuit(space.coordinates, price))


def _price(space: RowSpace, relative_lambda: float, lam: float | None) -> float:
    """Lambda as given, or by its place in the window of the ensemble."""
    share = check_positive("relative_lambda", relative_lambda)
    if share > 1:
        msg = (
            f"relative_lambda={relative_lambda} is not allowed: it must be in (0, 1]; from 1 on the solution does "
            "not change."
        )
        raise ValueError(msg)
    if lam is None:
        return space.lambda_low + share * max(space.lambda_high - space.lambda_low, 0.0)
    if share != 1:
        msg = f"lam={lam} and relative_lambda={relative_lambda} are both given: give one of them."
        raise ValueError(msg)
    return check_positive("lam", lam)


def left_factor(space: RowSpace, coordinates: np.ndarray) -> np.ndarray:
    """H = U Σ^½ of Z = U Σ Wᵀ, from the coordinates of Z in the row space."""
    U, values, _ = scipy.linalg.svd(coordinates, full_matrices=False, check_finite=False)
    kept = values > _SMALLEST_SINGULAR * values[0]
    return np.asarray(space.basis @ (U[:, kept] * np.sqrt(values[kept])))


def _closed_form(space: RowSpace, lam: float) -> LowRank:
    kept = space.scale > _SMALLEST_SINGULAR * space.scale[0]
    return LowRank(
        embedding=space.basis[:, kept] * np.sqrt(space.scale[kept]),
        space=space,
        lam=lam,
        objective=float(space.scale.sum()),
        errors=np.zeros(space.basis.shape[0]),
        residuals=np.empty((0, 2)),
        gap=0.0,
        converged=True,
    )


def _from_pursuit(space: RowSpace, lam: float, run: Pursuit) -> LowRank:
    if not run.low_rank.any():
        msg = f"at lambda={lam:.6g} every microcluster is error and the representation is 0; use a larger lambda."
        raise ValueError(msg)
    if not run.converged:
        warn(
            f"the low-rank representation did not converge: after {run.residuals.shape[0]} iterations the constraints "
            f"are violated by up to {run.residuals[-1].max():.1e} and the relative duality gap is {run.gap:.1e}."
        )
    return LowRank(
        embedding=left_factor(space, run.low_rank),
        space=space,
        lam=lam,
        objective=run.objective,
        errors=np.linalg.norm(run.errors, axis=0),
        residuals=run.residuals,
        gap=run.gap,
        converged=run.converged,
    )
