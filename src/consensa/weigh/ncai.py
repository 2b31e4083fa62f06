"""Agreement of every base clustering with the others, and the cluster weights made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._groups import segment_sums
from consensa._validation import check_choice, check_positive
from consensa.ensemble import as_ensemble
from consensa.ensemble.pairs import map_overlaps

if TYPE_CHECKING:
    from consensa._types import LabelMatrix
    from consensa.ensemble import Ensemble
    from consensa.ensemble.pairs import Stripe

__all__ = ["crowd_agreement", "crowd_weights"]

_ROUNDING = 1e-12  # the agreement of independent clusterings is 0, not what rounding leaves of it


def crowd_agreement(partitions: LabelMatrix, *, average: str = "max") -> np.ndarray:
    r"""Normalised crowd agreement index (NCAI): how well every base clustering agrees with the others.

    The mean NMI of a clustering with all others, divided by the largest such mean.

    Parameters
    ----------
    partitions : label matrix, list of label vectors, or Ensemble
    average : {"max", "sqrt", "mean"}, default="max"
        What the mutual information is divided by: the larger, the geometric or the arithmetic mean of the two
        entropies. The published code divides by the larger one.

    Returns
    -------
    ndarray of shape (n_partitions,)
        In [0, 1], the largest is 1. A clustering of one cluster agrees with no other (0); if no two clusterings
        agree at all, or if there is only one, all are 1.

    Notes
    -----
    Computed from the overlaps of the clusters, without the objects. With missing labels, two clusterings are compared
    on the objects that both label.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> crowd_agreement([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]).round(4)
    array([1.    , 1.    , 0.4748])
    """
    check_choice("average", average, ("max", "sqrt", "mean"))
    ensemble = as_ensemble(partitions)
    agreement = _mutual_agreement(ensemble, average)
    np.fill_diagonal(agreement, 0.0)
    crowd = agreement.sum(axis=1)
    largest = float(crowd.max())
    return crowd / largest if largest > 0 else np.ones(ensemble.n_partitions)


def crowd_weights(ensemble: Ensemble, beta: float = 2.0, *, average: str = "max") -> np.ndarray:
    """Weigh every cluster by the crowd agreement of its clustering to the power ``beta``.

    Parameters
    ----------
    ensemble : Ensemble
    beta : float, default=2.0
        How much more the clusterings count that agree with the others.
    average : {"max", "sqrt", "mean"}, default="max"
        Kind of NMI; see :func:`crowd_agreement`.

    Returns
    -------
    ndarray of shape (n_base_clusters,)
        Scaled so that the mean over the clusterings is 1: an object that has all its labels has similarity 1 with
        itself.

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity link
    analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> from consensa import Ensemble
    >>> crowd_weights(Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])).round(4)
    array([1.3481, 1.3481, 1.3481, 1.3481, 0.3039, 0.3039])
    """
    influence = crowd_agreement(ensemble, average=average) ** check_positive("beta", beta)
    return np.asarray((influence / influence.mean())[ensemble.owner])


def _mutual_agreement(ensemble: Ensemble, average: str) -> np.ndarray:
    """NMI of all pairs of clusterings, shape (n_partitions, n_partitions); 0 where either has no entropy."""
    n_partitions = ensemble.n_partitions

    def sums(_: Stripe, common: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return segment_sums(common, ensemble.offsets), segment_sums(_xlogx(common), ensemble.offsets)

    counts, logs = (np.vstack(parts) for parts in zip(*map_overlaps(ensemble, sums), strict=True))
    n_seen = counts.astype(float)
    n_both, joint, apart = (np.zeros((n_partitions, n_partitions)) for _ in range(3))
    for total, of_cluster in ((n_both, n_seen), (joint, logs), (apart, _xlogx(counts))):
        np.add.at(total, ensemble.owner, of_cluster)  # not reduceat: a clustering may have no cluster at all
    # sum of c log(c n / (s t)) over the clusters of two clusterings, c of the n objects in both, s and t in each
    shared = (joint - apart - apart.T) / np.maximum(n_both, 1) + np.log(np.maximum(n_both, 1))
    share = n_seen / np.maximum(n_both, 1)[ensemble.owner]
    information = -share * np.log(np.where(share > 0, share, 1.0))
    entropy = np.zeros((n_partitions, n_partitions))
    np.add.at(entropy, ensemble.owner, information)
    scale = {
        "max": np.maximum(entropy, entropy.T),
        "sqrt": np.sqrt(entropy * entropy.T),
        "mean": (entropy + entropy.T) / 2,
    }[average]
    split = np.minimum(entropy, entropy.T) > 0
    out = np.divide(shared, scale, out=np.zeros_like(shared), where=split)
    return np.where(out < _ROUNDING, 0.0, np.minimum(out, 1.0))


def _xlogx(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))
