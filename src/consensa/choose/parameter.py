"""Choosing a parameter without labels: the candidate whose clustering agrees most with the ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa.evaluate.scores import microcluster_anmi

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["agreement_scores"]


def agreement_scores(
    cluster: Callable[[float], Cut], candidates: Sequence[float], ensemble: Ensemble, n_clusters: Sequence[int]
) -> dict[float, float]:
    """Score every candidate by the agreement (ANMI) of its clusterings with the base clusterings.

    Parameters
    ----------
    cluster : callable
        Takes a candidate and returns a cut of the microclusters.
    candidates : sequence of float
    ensemble : Ensemble
    n_clusters : sequence of int
        With several, the score is the mean over them.

    Returns
    -------
    dict of float by candidate
        Rounded to 1e-10, so that equal clusterings have equal scores.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> from consensa.weigh import entropy_weights
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> def cluster(theta):
    ...     return agglomerate(co_association(ensemble, entropy_weights(ensemble, theta)), ensemble.sizes)
    >>> agreement_scores(cluster, [0.2, 1.0], ensemble, [2])
    {0.2: 0.8431801927, 1.0: 0.8431801927}
    """
    scores = {}
    for candidate in candidates:
        tree = cluster(candidate)
        agreement = [microcluster_anmi(tree.cut(k), ensemble) for k in n_clusters]
        scores[candidate] = round(float(np.mean(agreement)), 10)
    return scores
