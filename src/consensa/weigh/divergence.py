"""Divergence of clusters from the clusters they cross, and the weights made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._groups import segment_sums
from consensa._validation import check_positive
from consensa.ensemble.pairs import map_overlaps

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.ensemble.pairs import Stripe

__all__ = ["cluster_divergence", "divergence_weights"]

_SMALLEST_LOG = -700.0  # exp of it is still a normal number, so no weight becomes 0


def cluster_divergence(ensemble: Ensemble, *, literal: bool = False) -> np.ndarray:
    r"""Signed divergence of every cluster from the clusters of the other clusterings that it crosses.

    :math:`D(C_i) = \sum_j p_{ij} \log (p_{ji} / p_{ij})` with :math:`p_{ij} = |C_i \cap C_j| / |C_i|`. The fraction
    is :math:`|C_i| / |C_j|`: large clusters that cross small ones have D > 0, small ones that cross large ones D < 0.

    Parameters
    ----------
    ensemble : Ensemble
    literal : bool, default=False
        False: natural logarithms, and a clustering that does not split :math:`C_i` adds nothing; this gives the
        numbers of the paper's Table 1. True: the paper's Eq. 4 as printed, in bits and with every clustering.

    Returns
    -------
    ndarray of shape (n_base_clusters,)
        In nats, or in bits if ``literal``.

    Notes
    -----
    Missing labels count as in :func:`~consensa.weigh.cluster_uncertainty`: the shares of :math:`C_i` in clustering m
    are taken among the members that m has labelled, those of :math:`C_j` among the members that the clustering of
    :math:`C_i` has labelled, and the sum is scaled up by M over the number of clusterings that labelled any member.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324, Eq. 4. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import Ensemble
    >>> cluster_divergence(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]])).round(4)
    array([0.6931, 0.    , 0.    , 0.    , 0.    ])
    """
    return _divergence(ensemble, ensemble.n_partitions, literal=literal)


def _divergence(ensemble: Ensemble, n_scaled: int, *, literal: bool) -> np.ndarray:
    """Divergence of every cluster, scaled up to a number of clusterings."""
    n_seen = _n_seen(ensemble)
    widths = np.diff(ensemble.offsets) if n_seen.shape[1] > 1 else np.ones(1, int)
    logs = np.log(np.maximum(n_seen, 1))

    def divergence(stripe: Stripe, common: np.ndarray) -> np.ndarray:
        mine = slice(stripe.start, stripe.stop)
        here = np.repeat(np.maximum(n_seen[mine], 1), widths, axis=1)
        term = (
            common / here * (np.repeat(logs[mine], widths, axis=1) - logs[:, min(stripe.partition, logs.shape[1] - 1)])
        )
        return np.asarray((term if literal else np.where(common == here, 0.0, term)).sum(axis=1))

    n_counted = np.count_nonzero(n_seen, axis=1) * (ensemble.n_partitions // n_seen.shape[1])
    total = np.concatenate(map_overlaps(ensemble, divergence)) * (n_scaled / n_counted)
    return np.asarray(total / np.log(2) if literal else total)


def _n_seen(ensemble: Ensemble) -> np.ndarray:
    """How many objects of every cluster each clustering labels (n_c x M), or one column where every one labels all."""
    offsets, sizes = ensemble.offsets, ensemble.cluster_sizes
    if np.all(segment_sums(sizes[None], offsets) == ensemble.n_labelled):
        return sizes[:, None]
    return np.vstack(map_overlaps(ensemble, lambda _, common: segment_sums(common, offsets)))


def divergence_weights(
    ensemble: Ensemble, theta: float = 1.0, *, literal: bool = False, floor: float | None = None
) -> np.ndarray:
    r"""Weights :math:`\exp(-D(C_i) / (\theta M))` from the divergence, scaled so that the largest is 1.

    Parameters
    ----------
    ensemble : Ensemble
    theta : float, default=1.0
        How slowly the weight falls with the divergence; the paper searches 0.2 to 2.
    literal : bool, default=False
        Use the divergence as printed in the paper; see :func:`cluster_divergence`.
    floor : float, default=None
        Mean divergence per clustering below which a cluster gains no more weight, for example -1; None for none.

    Returns
    -------
    ndarray of shape (n_base_clusters,)
        In (0, 1].

    Notes
    -----
    The divergence of small clusters is negative without bound, so the formula of the paper gives weights above 1,
    easily 1e8 times the others. The largest exponent is therefore subtracted before exponentiation; no method that
    uses these weights depends on their common scale.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324, Eq. 3-4. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import Ensemble
    >>> divergence_weights(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]])).round(4)
    array([0.7071, 1.    , 1.    , 1.    , 1.    ])
    """
    theta = check_positive("theta", theta)
    divergence = _divergence(ensemble, ensemble.n_filled, literal=literal) / ensemble.n_filled
    if floor is not None:
        divergence = np.maximum(divergence, floor)
    return np.exp(np.maximum((divergence.min() - divergence) / theta, _SMALLEST_LOG))
