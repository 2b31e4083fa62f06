"""Smoothing a similarity along the links that can be trusted (the self-enhancement of EC-CMS)."""

from __future__ import annotations

import numpy as np

from consensa._validation import check_fraction, check_positive, check_sizes
from consensa.relate.learned import check_learning_budget
from consensa.relate.relation import Dense, Factored
from consensa.relate.spreading import PairWeights, Spreader, as_pairs, pair_values, symmetrised, trusted_links

__all__ = ["smoothed_similarity"]

_ROUNDS = 100
_TOLERANCE = 1e-2  # relative change of every matrix, as published
_MATRICES = 17  # of the microclusters, at the peak: measured


def smoothed_similarity(
    relation: Dense | Factored,
    evidence: Dense | Factored | None = None,
    sizes: np.ndarray | None = None,
    *,
    alpha: float = 0.75,
    lam: float = 0.01,
) -> Dense:
    r"""Smooth a similarity along the pairs that can be trusted.

    Pairs with evidence of at least ``alpha`` are links and keep their similarity; all other similarities may change at
    a price, so that linked objects become similar to the same others:

    .. math::
        \min_{C, E} \mathrm{tr}(C^T L C) + \tfrac{\lambda}{2} \|E\|^2
        \quad\text{with}\quad W = C + E,\; E_{ij} = 0 \text{ on links},\; 0 \le C \le 1,\; C = C^T

    with the given similarity W and the Laplacian L of the links, weighted by their evidence.

    Parameters
    ----------
    relation : Dense or Factored
        The similarity W of microclusters, in [0, 1].
    evidence : Dense or Factored, default=None
        How far a pair can be trusted, in [0, 1]: EC-CMS takes the plain co-association of objects whose similarity is
        weighted. None for the similarity itself.
    sizes : ndarray of shape (n_rows,), default=None
        How many objects every row stands for; None for 1.
    alpha : float, default=0.75
        Evidence from which a pair is a link, in (0, 1].
    lam : float, default=0.01
        Price of a change.

    Returns
    -------
    Dense
        In [0, 1].

    Notes
    -----
    Alternating directions with fixed penalties of 1 from the published starting point, until no matrix changes by more
    than 1 % or for 100 rounds; then C and its transpose are averaged and cut to [0, 1]. All steps are those of the
    n x n problem over the objects, whose matrices treat the objects of a microcluster alike. The linear system falls
    into the components of the links. An object is as similar to itself as can be (1), and free, as published. The sums
    of the links grow with the number of objects and ``lam`` does not: the same objects given twice are smoothed more.

    References
    ----------
    Jia, Tao, Wang & Wang (2024), Ensemble clustering via co-association matrix self-enhancement, IEEE TNNLS 35(8).
    https://doi.org/10.1109/TNNLS.2023.3249207

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    >>> smoothed_similarity(co_association(ensemble), sizes=ensemble.sizes).similarity.round(2)
    array([[1.  , 0.75, 0.75, 0.14],
           [0.75, 1.  , 0.75, 0.15],
           [0.75, 0.75, 1.  , 0.15],
           [0.14, 0.15, 0.15, 1.  ]])
    """
    alpha, lam = check_fraction("alpha", alpha), check_positive("lam", lam)
    check_learning_budget(relation.n_rows, _MATRICES, "Smoothing a similarity")
    counts = check_sizes(sizes, relation.n_rows)
    similarity = pair_values(relation)
    links = trusted_links(similarity if evidence is None else pair_values(evidence), alpha)
    smooth = _smooth(as_pairs(similarity, 1.0), links, counts, lam)
    return Dense(np.clip(symmetrised(smooth)[:-1], 0.0, 1.0))


def _smooth(W: np.ndarray, links: np.ndarray, sizes: np.ndarray, lam: float) -> np.ndarray:
    """Alternate between C, E and a symmetric copy F of C; their multipliers are U and V."""
    weights, solve = PairWeights(sizes), Spreader(links, sizes).solver(2.0)
    kept = as_pairs(links, 0.0) > 0
    C, E, F, V = (np.zeros_like(W) for _ in range(4))
    U = W
    for _ in range(_ROUNDS):
        before = C, E, F
        C = solve(W - E + U + F - V)
        E = np.where(kept, 0.0, (W - C + U) / (1 + lam))
        F = np.clip(symmetrised(C + V), 0.0, 1.0)
        steps = W - C - E, C - F
        settled = all(
            weights.norm(new - old) <= _TOLERANCE * weights.norm(old)
            for new, old in zip((C, E, F), before, strict=True)
        ) and all(
            weights.norm(step) <= _TOLERANCE * weights.norm(total) for step, total in zip(steps, (U, V), strict=True)
        )
        U, V = U + steps[0], V + steps[1]
        if settled:
            break
    return C
