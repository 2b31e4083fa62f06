"""Evidence for and against pairs, spread along trusted links until the two agree (SDGCA)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consensa._validation import check_fraction
from consensa.relate.cluster_walks import enhanced_co_association, propagated_similarity
from consensa.relate.coassociation import co_association
from consensa.relate.learned import check_learning_budget, sum_labelled
from consensa.relate.relation import Dense
from consensa.relate.spreading import (
    PairWeights,
    Spreader,
    as_pairs,
    pair_values,
    symmetrised,
    transposed,
    trusted_links,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble import Ensemble

__all__ = ["guided_co_association"]

_AGAINST = 0.8  # dissimilarity from which a pair counts as evidence, and the least that any evidence counts
_ROUNDS = 300
_GROWTH, _LARGEST_PENALTY = 1.1, 1e6
_TOLERANCE = 1e-3
_MATRICES = 21  # of the microclusters, at the peak: measured


class _Evidence(NamedTuple):
    """What is known for (S) or against (D) pairs, while it is spread."""

    known: np.ndarray  # 0 where nothing is known
    values: np.ndarray  # solve the system
    allowed: np.ndarray  # the nearest that keeps what is known and the bounds
    multiplier: np.ndarray


def guided_co_association(
    ensemble: Ensemble, weights: np.ndarray | None = None, *, eta: float = 0.85, support: float = 0.95
) -> Dense:
    r"""Correct a weighted co-association by sparse evidence for and against pairs.

    Evidence *for* a pair is its weighted co-association W, scaled into [0.8, 1], where the plain one is at least
    ``support``; evidence *against* it is the mean dissimilarity of the clusters that hold the two objects, by walks of
    20 steps over the clusters, where that is at least 0.8. Both are spread along the links, the pairs with a
    co-association of at least ``eta``, each at the price of the other:

    .. math:: \min_{S, D} \mathrm{tr}(S L S^T) + \mathrm{tr}(D L D^T) + \langle S, D \rangle,\quad 0 \le S, D \le 1

    with what is known kept. Where S >= D the similarity becomes 1 - (1 - S + D)(1 - W), elsewhere (1 + S - D) W.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters; the paper takes :func:`~consensa.weigh.normalised_entropy_weights`. None for 1.
    eta : float, default=0.85
        Co-association from which a pair is a link, in (0, 1].
    support : float, default=0.95
        Co-association from which a pair has evidence for it, in (0, 1].

    Returns
    -------
    Dense
        In [0, 1].

    Notes
    -----
    W is divided by its largest entry and is 1 for an object with itself. Alternating directions with growing penalties
    (times 1.1 in a round, at most 300 rounds), as published. All steps are those of the n x n problem over the objects,
    whose matrices treat the objects of a microcluster alike. A clustering that lacks a label of a pair is no evidence
    against it.

    References
    ----------
    Zhang, Jia, Song & Wang (2025), Similarity and dissimilarity guided co-association matrix construction for ensemble
    clustering, IEEE TKDE. https://doi.org/10.48550/arXiv.2411.00904

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 2], [0, 1, 1, 2, 2]])
    >>> guided_co_association(ensemble, eta=0.75, support=0.75).similarity.round(2)
    array([[1.  , 0.99, 0.98, 0.  , 0.  ],
           [0.99, 1.  , 0.99, 0.  , 0.  ],
           [0.98, 0.99, 1.  , 0.25, 0.  ],
           [0.  , 0.  , 0.25, 1.  , 0.99],
           [0.  , 0.  , 0.  , 0.99, 1.  ]])
    """
    eta, support = check_fraction("eta", eta), check_fraction("support", support)
    check_learning_budget(ensemble.n_microclusters, _MATRICES, "The guided co-association")
    shares = pair_values(co_association(ensemble))
    W = pair_values(co_association(ensemble, weights))
    W = as_pairs(W / W.max(), 1.0)
    against = as_pairs(trusted_links(_dissimilarity(ensemble), _AGAINST), 0.0)
    backed = as_pairs(trusted_links(shares, support), 1.0) > 0
    favour = np.where(backed & (against == 0), _AGAINST + (1 - _AGAINST) * W, 0.0)
    S, D = _spread(favour, against, Spreader(trusted_links(shares, eta), ensemble.sizes), PairWeights(ensemble.sizes))
    guided = np.where(S >= D, 1 - (1 - S + D) * (1 - W), (1 + S - D) * W)
    return Dense(np.clip(guided[:-1], 0.0, 1.0))


def _dissimilarity(ensemble: Ensemble) -> np.ndarray:
    """Mean over the clusterings of how far the clusters of two rows are apart."""
    near = enhanced_co_association(ensemble, propagated_similarity(ensemble)).similarity
    root = np.sqrt(ensemble.n_observed)
    return sum_labelled(ensemble, np.ones(ensemble.n_partitions)) / root[:, None] / root - near


def _spread(
    favour: np.ndarray, against: np.ndarray, spreader: Spreader, weights: PairWeights
) -> tuple[np.ndarray, np.ndarray]:
    """Solve for S and D in turn, each with the other as its price."""
    nothing = np.zeros_like(favour)
    S, D = (_Evidence(known, nothing, nothing, nothing) for known in (favour, against))
    penalty = 1.0
    for _ in range(_ROUNDS):
        before = S.values, D.values
        solve = spreader.solver(2 * penalty)
        S = _step(S, D.values, solve, penalty)
        D = _step(D, S.values, solve, penalty)
        gaps = S.values - S.allowed, D.values - D.allowed
        S, D = (
            part._replace(multiplier=part.multiplier + penalty * gap) for part, gap in zip((S, D), gaps, strict=True)
        )
        penalty = min(_GROWTH * penalty, _LARGEST_PENALTY)
        if max(map(weights.norm, (S.values - before[0], D.values - before[1], *gaps))) < _TOLERANCE:
            break
    return symmetrised(np.clip(S.values, 0.0, 1.0)), symmetrised(np.clip(D.values, 0.0, 1.0))


def _step(part: _Evidence, other: np.ndarray, solve: Callable[[np.ndarray], np.ndarray], penalty: float) -> _Evidence:
    """Spread one kind of evidence with the other as its price, then keep what is known and the bounds."""
    values = solve(2 * penalty * part.allowed - transposed(other) - part.multiplier)
    free = np.clip(part.multiplier / (2 * penalty) + values, 0.0, 1.0)
    allowed = symmetrised(np.where(part.known > 0, part.known, free))
    return part._replace(values=values, allowed=allowed)
