"""k-HyperEdge medoids: k base clusters that stand for all others, grown into a clustering of the objects (CEHM)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._validation import check_integer
from consensa.partition import _kernels_counts as kernels
from consensa.partition.canonical import canonical_order
from consensa.partition.components import best_columns
from consensa.partition.count_kmeans import count_labels
from consensa.relate.jaccard import cluster_jaccard

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["hyperedge_medoids", "medoid_clusters"]

_DIGITS = 10  # sums that differ by less are equal


def hyperedge_medoids(ensemble: Ensemble, n_clusters: int, *, max_rounds: int = 100) -> tuple[np.ndarray, np.ndarray]:
    r"""Grow the medoids of the base clusters into a clustering of the microclusters.

    The medoids are ``n_clusters`` base clusters (:func:`medoid_clusters`); objects in exactly one of them start in its
    group, the others are free. An object costs :math:`\sum_{c \ni i} 1 - |c \cap g| / |c|` in a group g, over the base
    clusters c that hold it. The surest objects, by the difference of their two smallest costs, are assigned first, in
    steps of max(√n, free / k) objects with costs computed anew; when all are assigned, all are assigned again until
    nothing changes.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
        At most the number of microclusters.
    max_rounds : int, default=100
        Largest number of times that all objects are assigned again: the groups may change in a cycle.

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
        Every cluster has a microcluster.
    medoids : ndarray of shape (n_medoids,)
        Numbers of the base clusters that are medoids, fewer than ``n_clusters`` if there are fewer base clusters.

    Notes
    -----
    Microclusters stand for their objects: objects that are as sure as the last one of a step go with it, so that no
    step parts objects with equal labels, and the order of the objects does not matter. The larger a group, the less its
    objects cost, so that small groups can be emptied, and the published steps then end with fewer than k. Here the
    objects of a group that would be left empty stay where they are; a group that has no object to begin with gets the
    microcluster that costs least in it.

    References
    ----------
    Li, Wang, Zhang, Qian, Jin, Yan & Du (2025), k-HyperEdge medoids for clustering ensemble, AAAI 39(17).
    https://doi.org/10.1609/aaai.v39i17.34010

    Examples
    --------
    >>> from consensa import Ensemble
    >>> hyperedge_medoids(Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]), 2)
    (array([0, 0, 1, 1]), array([0, 1]))
    """
    max_rounds = check_integer("max_rounds", max_rounds)
    medoids = medoid_clusters(ensemble, n_clusters)
    inside = np.zeros((ensemble.n_microclusters, n_clusters), bool)
    inside[:, : medoids.size] = ensemble.incidence[:, medoids].toarray() > 0
    alone = inside.sum(axis=1) == 1
    labels = np.where(alone, inside.argmax(axis=1), -1)
    labels = _grow(ensemble, labels, n_clusters)
    for _ in range(max_rounds):
        before, labels = labels, _keep_groups(np.argmin(_costs(ensemble, labels, n_clusters), axis=1), labels)
        if np.array_equal(before, labels):
            break
    if np.unique(labels).size < n_clusters:
        labels = best_columns(-_costs(ensemble, labels, n_clusters))
    return labels, medoids


def medoid_clusters(ensemble: Ensemble, n_medoids: int, *, max_rounds: int = 100) -> np.ndarray:
    """Choose base clusters to which all others are near in Jaccard distance (k-medoids).

    The start is greedy: every medoid in turn is the cluster that lowers the sum of distances most. Then, again and
    again, the medoid and the other cluster are exchanged that lower it most, until no exchange does. Of equal clusters
    the one that is first in :func:`canonical_order` is taken.

    Parameters
    ----------
    ensemble : Ensemble
    n_medoids : int
    max_rounds : int, default=100

    Returns
    -------
    ndarray of shape (min(n_medoids, n_base_clusters),)

    References
    ----------
    Schubert & Rousseeuw (2021), Fast and eager k-medoids clustering, Information Systems 101.
    https://doi.org/10.1016/j.is.2021.101804

    Examples
    --------
    >>> from consensa import Ensemble
    >>> medoid_clusters(Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]), 2)
    array([0, 1])
    """
    n_c = ensemble.n_base_clusters
    check_dense_budget(
        5 * 8 * n_c**2,
        f"The {n_c} x {n_c} Jaccard distance of the base clusters",
        "Use fewer base clusterings, or LWGP, which does without it.",
    )
    columns = canonical_order(ensemble).columns
    distance = 1 - cluster_jaccard(ensemble).toarray()[np.ix_(columns, columns)]
    np.fill_diagonal(distance, 0.0)
    medoids = _greedy_medoids(distance, min(n_medoids, n_c))
    for _ in range(max_rounds):
        gains = _exchange_gains(distance, medoids).round(_DIGITS)
        gains[:, medoids] = 0.0
        out, new = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[out, new] <= 0:
            break
        medoids[out] = new
    return columns[medoids]


def _greedy_medoids(distance: np.ndarray, n_medoids: int) -> np.ndarray:
    nearest = np.full(len(distance), np.inf)
    chosen: list[int] = []
    for _ in range(n_medoids):
        total = np.minimum(nearest, distance).sum(axis=1)
        total[chosen] = np.inf
        chosen.append(int(np.argmin(total.round(_DIGITS))))
        nearest = np.minimum(nearest, distance[chosen[-1]])
    return np.array(chosen)


def _exchange_gains(distance: np.ndarray, medoids: np.ndarray) -> np.ndarray:
    """By how much the sum of distances falls if a medoid is exchanged for a cluster, shape (n_medoids, n_clusters)."""
    to_medoids = distance[:, medoids]
    owner = np.argmin(to_medoids, axis=1)
    first = to_medoids[np.arange(owner.size), owner][:, None]
    to_medoids[np.arange(owner.size), owner] = np.inf
    second = np.minimum(to_medoids.min(axis=1), 1.0)[:, None]  # no Jaccard distance is larger, if there is no other
    gains = np.empty((medoids.size, len(distance)))
    gains[:] = np.maximum(first - distance, 0.0).sum(axis=0)  # what all gain that the new one is nearer to
    # those who lose their medoid go to the new one or to the second nearest instead
    change = first - np.minimum(second, distance) - np.maximum(first - distance, 0.0)
    for medoid in range(medoids.size):
        gains[medoid] += change[owner == medoid].sum(axis=0)
    return gains


def _grow(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Assign more and more microclusters, the surest first, until all have a group."""
    sizes = ensemble.sizes
    n, n_assigned = int(sizes.sum()), int(sizes[labels >= 0].sum())
    step = max(int(np.sqrt(n)), -(-(n - n_assigned) // n_clusters))
    while n_assigned < n:
        costs = _costs(ensemble, labels, n_clusters)
        two = np.partition(costs, 1, axis=1)[:, :2] if n_clusters > 1 else np.zeros((len(costs), 2))
        margin = (two[:, 1] - two[:, 0]).round(_DIGITS)
        order = np.argsort(-margin, kind="stable")
        last = int(np.searchsorted(np.cumsum(sizes[order]), n_assigned + min(step, n - n_assigned)))
        labels = _keep_groups(np.where(margin >= margin[order[last]], np.argmin(costs, axis=1), -1), labels)
        n_assigned = int(sizes[labels >= 0].sum())
    return labels


def _keep_groups(labels: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Leave the rows of a group where they were that would be left empty."""
    lost = np.setdiff1d(before[before >= 0], labels)
    return np.where(np.isin(before, lost), before, labels)


def _costs(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """What an object of every microcluster costs in every group, shape (n_microclusters, k); -1 has no group."""
    counts = count_labels(ensemble, np.where(labels < 0, n_clusters, labels), n_clusters + 1)[:n_clusters]
    table = np.ascontiguousarray((1 - counts / ensemble.cluster_sizes).T)
    out = np.empty((ensemble.n_microclusters, n_clusters))
    kernels.row_costs(ensemble.labels, ensemble.offsets, table, np.zeros(len(out)), np.zeros(n_clusters), out)
    return out.round(_DIGITS)
