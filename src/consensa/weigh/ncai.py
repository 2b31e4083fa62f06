"""Crowd agreement of base clusterings (NCAI): how much each agrees with all the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._validation import check_choice
from consensa.ensemble import as_ensemble

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["crowd_agreement"]

_ROUNDING = 1e-12  # the agreement of independent clusterings is 0, not what rounding leaves of it


def crowd_agreement(partitions: Any, *, average: str = "max") -> np.ndarray:
    """Normalised crowd agreement index: mean NMI of every base clustering with the others, the largest set to 1.

    Parameters
    ----------
    partitions : label matrix, list of label vectors, or Ensemble
    average : {"max", "sqrt"}, default="max"
        What the mutual information is divided by: the larger of the two entropies, as in the authors' code, or their
        geometric mean.

    Returns
    -------
    ndarray of shape (n_partitions,)
        In [0, 1]. All 1 if there is a single base clustering, or if none agrees with any other.

    Notes
    -----
    Two clusterings are compared on the objects that both label. A clustering with one cluster agrees with none.
    Clusterings that occur twice reinforce each other.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity
    link analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> crowd_agreement([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 0]])
    array([1., 1., 0.])
    """
    check_choice("average", average, ("max", "sqrt"))
    agreement = _pairwise_nmi(as_ensemble(partitions), average)
    np.fill_diagonal(agreement, 0.0)
    total = agreement.sum(axis=1)
    return total / total.max() if total.max() > 0 else np.ones(total.size)


def _pairwise_nmi(ensemble: Ensemble, average: str) -> np.ndarray:
    """NMI of every two base clusterings from the overlaps of their clusters, shape (n_partitions, n_partitions)."""
    owner, shape = ensemble.owner, (ensemble.n_partitions, ensemble.n_partitions)
    O = ensemble.overlap.tocoo()
    cluster, other = O.coords
    seen = np.zeros((ensemble.n_base_clusters, ensemble.n_partitions))  # members that another clustering labels
    np.add.at(seen, (cluster, owner[other]), O.data)
    total = np.zeros(shape)
    np.add.at(total, owner, seen)
    pair = owner[cluster], owner[other]
    share = O.data / total[pair]
    expected = seen[cluster, pair[1]] * seen[other, pair[0]] / total[pair] ** 2
    shared = np.zeros(shape)
    np.add.at(shared, pair, share * np.log(share / expected))
    known = np.divide(seen, total[owner], out=np.zeros_like(seen), where=seen > 0)
    entropy = np.zeros(shape)
    np.add.at(entropy, owner, -known * np.log(np.where(known > 0, known, 1.0)))
    scale = np.maximum(entropy, entropy.T) if average == "max" else np.sqrt(np.clip(entropy * entropy.T, 0.0, None))
    out = np.divide(shared, scale, out=np.zeros(shape), where=scale > 0)
    return np.where(out < _ROUNDING, 0.0, np.minimum(out, 1.0))
