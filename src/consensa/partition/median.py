"""Median partitions: the clustering with the least sum of Mirkin distances to all base clusterings, by heuristics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._validation import check_choice
from consensa.partition import _kernels_counts as kernels
from consensa.partition._kernels_moves import improve
from consensa.partition.canonical import canonical_order
from consensa.partition.count_kmeans import count_labels
from consensa.partition.geometry import sum_by_owner
from consensa.partition.voting import reference_labels

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["median_partition", "mirkin_cost"]

HEURISTICS = ("boem", "bok")


def median_partition(
    ensemble: Ensemble, n_clusters: int, heuristic: str = "boem", *, exact: bool = True
) -> tuple[np.ndarray, int]:
    """Search the clustering with the least sum of Mirkin distances to the base clusterings.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
    heuristic : {"boem", "bok"}, default="boem"
        "bok": the best of the base clusterings. "boem": from there, the best move of one microcluster, again and
        again.
    exact : bool, default=True
        Exactly ``n_clusters`` clusters: base clusterings with more are merged down to them pair by pair at the least
        cost, those with fewer are left out (if all have fewer, the first ones are intersected), and no move empties a
        cluster. False: at most so many, base clusterings with fewer stay as they are.

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
    cost : int
        See :func:`mirkin_cost`.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> median_partition(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]]), 2)
    (array([0, 0, 1]), 3)
    """
    check_choice("heuristic", heuristic, HEURISTICS)
    n_in = np.diff(ensemble.offsets)
    if exact and n_in.max() < n_clusters:
        first = reference_labels(ensemble, np.argsort(-n_in, kind="stable"), n_clusters)[0]
        candidates = [first]
    else:
        candidates = [
            ensemble.labels[:, m].astype(np.int64) for m in np.flatnonzero(n_in >= (n_clusters if exact else 1))
        ]
    adapted = [_merge_down(ensemble, _complete(ensemble, labels), n_clusters) for labels in candidates]
    costs = [mirkin_cost(ensemble, labels) for labels in adapted]
    labels = adapted[int(np.argmin(costs))]
    if heuristic == "boem":
        counts = count_labels(ensemble, labels, n_clusters)
        own = np.arange(labels.size), labels
        cost = np.rint(_row_costs(ensemble, counts)).astype(np.int64)
        cost[own] += ensemble.sizes * ensemble.n_observed
        order = canonical_order(
            ensemble
        ).rows  # equally good moves abound, and the order of the objects must not decide
        moved = labels[order]
        improve(ensemble.labels[order], ensemble.sizes[order], moved, cost[order], int(exact))
        labels[order] = moved
    return labels, mirkin_cost(ensemble, labels)


def mirkin_cost(ensemble: Ensemble, labels: np.ndarray) -> int:
    """Count the pairs of objects that are together in one clustering and apart in the other, over all base clusterings.

    Parameters
    ----------
    ensemble : Ensemble
    labels : ndarray of shape (n_microclusters,), int64

    Returns
    -------
    int
        Pairs of which a base clustering lacks a label do not count for it.

    References
    ----------
    Filkov & Skiena (2004), Integrating microarray data by consensus clustering, International Journal on Artificial
    Intelligence Tools 13(4). https://doi.org/10.1142/S0218213004001867

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> mirkin_cost(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]]), np.array([0, 0, 1]))
    3
    """
    counts = count_labels(ensemble, labels, int(labels.max()) + 1)
    sizes = ensemble.cluster_sizes
    together = int(np.sum(sizes * (sizes - 1)))
    n_labels = int(ensemble.sizes @ ensemble.n_observed)
    inside = int(np.sum(sum_by_owner(counts, ensemble) ** 2)) - 2 * int(np.sum(counts**2)) + n_labels
    return (together + inside) // 2


def _row_costs(ensemble: Ensemble, counts: np.ndarray) -> np.ndarray:
    """What an object of every microcluster adds to the cost in every cluster, shape (n_microclusters, k)."""
    table = (sum_by_owner(counts, ensemble)[:, ensemble.owner] - 2 * counts).T.astype(float)
    out = np.empty((ensemble.n_microclusters, len(counts)))
    nothing = np.zeros(len(out))
    kernels.row_costs(
        ensemble.labels, ensemble.offsets, np.ascontiguousarray(table), nothing, np.zeros(len(counts)), out
    )
    return out


def _complete(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Put the microclusters without a label where they cost least."""
    unknown = labels < 0
    if not unknown.any():
        return labels
    k = int(labels.max()) + 1
    counts = count_labels(ensemble, np.where(unknown, k, labels), k + 1)[:k]
    return np.where(unknown, np.argmin(_row_costs(ensemble, counts), axis=1), labels)


def _merge_down(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Merge the two clusters whose merging costs least until at most ``n_clusters`` are left."""
    k = int(labels.max()) + 1
    if k <= n_clusters:
        return labels
    check_dense_budget(
        8 * (k * ensemble.n_base_clusters + 4 * k**2),
        f"Merging a base clustering of {k} clusters down to {n_clusters}",
        "Leave such base clusterings out; EAC, LWEA and LWGP take them.",
    )
    counts = count_labels(ensemble, labels, k)
    observed = sum_by_owner(counts, ensemble)
    cost = (observed @ observed.T - 2 * counts @ counts.T).astype(float)
    cost[np.triu_indices(k)] = np.inf
    target = np.arange(k)
    for _ in range(k - n_clusters):
        b, a = (int(i) for i in np.unravel_index(np.argmin(cost), cost.shape))
        whole = np.fmin(cost, cost.T)
        cost[a, :a] += whole[b, :a]
        cost[a + 1 :, a] += whole[b, a + 1 :]
        cost[b], cost[:, b] = np.inf, np.inf
        target[target == b] = a
    return np.unique(target, return_inverse=True)[1][labels]
