"""Voting: clusters of all base clusterings are matched with those of one of them, and objects follow the majority."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from consensa._validation import check_choice
from consensa.partition import _kernels_counts as kernels
from consensa.partition.components import best_columns
from consensa.partition.count_kmeans import count_labels

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["collect_votes", "merge_votes", "reference_labels", "vote"]

VOTES = ("plurality", "cumulative")


def vote(
    ensemble: Ensemble, order: np.ndarray, n_clusters: int, voting: str = "plurality"
) -> tuple[np.ndarray, np.ndarray]:
    """Let the base clusterings vote for a cluster of every microcluster.

    Parameters
    ----------
    ensemble : Ensemble
    order : ndarray of shape (n_partitions,)
        Numbers of the base clusterings; the first with at least ``n_clusters`` clusters is the reference.
    n_clusters : int
    voting : {"plurality", "cumulative"}, default="plurality"
        See :func:`collect_votes`.

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
    votes : ndarray of shape (n_microclusters, n_clusters)
        Share of the votes that every cluster got.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> vote(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]]), [0, 1, 2], 2)[0]
    array([0, 0, 1])
    """
    votes = merge_votes(collect_votes(ensemble, order, n_clusters, voting), ensemble.sizes, n_clusters)
    return best_columns(votes), votes


def collect_votes(ensemble: Ensemble, order: np.ndarray, n_clusters: int, voting: str) -> np.ndarray:
    """Share of the base clusterings that put every microcluster into every cluster of the reference; rows sum to 1.

    "plurality": clusters are matched one to one with those of the votes so far, clustering after clustering, as well as
    possible; those left over join the cluster that they overlap most. "cumulative": a cluster divides its vote among
    the clusters of the reference as its objects are divided.
    """
    check_choice("voting", voting, VOTES)
    reference, used = reference_labels(ensemble, order, n_clusters)
    n_columns = int(reference.max()) + 1
    if voting == "cumulative":
        return _divided_votes(ensemble, reference, n_columns)
    votes = np.eye(n_columns + 1)[reference, :n_columns]  # label -1: the last row, which has no vote
    n_voted = (reference >= 0).astype(float)
    for m in order:
        if used != [m]:
            members = ensemble.labels[:, m]
            known = members >= 0
            weight = (ensemble.sizes / np.maximum(n_voted, 1))[:, None] * votes
            overlap = np.zeros((int(np.diff(ensemble.offsets)[m]), n_columns))
            np.add.at(overlap, members[known], weight[known])
            votes[known, _match(overlap)[members[known]]] += 1
            n_voted += known
    return votes / n_voted[:, None]


def reference_labels(ensemble: Ensemble, order: np.ndarray, n_clusters: int) -> tuple[np.ndarray, list[int]]:
    """Return the first base clustering with at least k clusters; if there is none, the first ones intersected.

    ``order`` numbers the base clusterings, the most wanted first. The labels of the microclusters are coded 0, 1, ...,
    -1 for none; returned too are the base clusterings they come from.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> reference_labels(ensemble, [1, 0], 2)
    (array([0, 1, 1]), [1])
    >>> reference_labels(ensemble, [1, 0], 3)
    (array([0, 1, 2]), [1, 0])
    """
    n_in = np.diff(ensemble.offsets)
    for m in order:
        if n_in[m] >= n_clusters:
            return ensemble.labels[:, m].astype(np.int64), [int(m)]
    for stop in range(2, len(order) + 1):
        used = [int(m) for m in order[:stop]]
        rows = ensemble.labels[:, used]
        known = (rows >= 0).any(axis=1)
        distinct, codes = np.unique(rows[known], axis=0, return_inverse=True)
        if len(distinct) >= n_clusters:
            break
    labels = np.full(len(rows), -1, np.int64)
    labels[known] = codes.ravel()
    return labels, used


def merge_votes(votes: np.ndarray, sizes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Merge columns until ``n_clusters`` are left, always the two whose merging loses least information on the objects.

    References
    ----------
    Slonim & Tishby (1999), Agglomerative information bottleneck, NIPS 12.
    """
    columns = [np.asarray(column) for column in (votes * (sizes / sizes.sum())[:, None]).T]
    if len(columns) > n_clusters:
        own = [_own_information(column) for column in columns]
        loss = np.full((len(columns), len(columns)), np.inf)
        for a in range(1, len(columns)):
            loss[a, :a] = _merging_losses(columns, own, a, range(a))
        for _ in range(len(columns) - n_clusters):
            b, a = (int(i) for i in np.unravel_index(np.argmin(np.round(loss, 12)), loss.shape))
            columns[a] = columns[a] + columns[b]
            own[a] = _own_information(columns[a])
            loss[b], loss[:, b] = np.inf, np.inf
            columns[b] = np.empty(0)
            alive = [c for c in range(len(columns)) if columns[c].size and c != a]
            for c, value in zip(alive, _merging_losses(columns, own, a, alive), strict=True):
                loss[max(a, c), min(a, c)] = value
    kept = np.stack([column for column in columns if column.size], axis=1)
    return kept / (sizes / sizes.sum())[:, None]


def _divided_votes(ensemble: Ensemble, reference: np.ndarray, n_columns: int) -> np.ndarray:
    counts = count_labels(ensemble, np.where(reference < 0, n_columns, reference), n_columns + 1)[:n_columns]
    met = counts.sum(axis=0)
    # a cluster that meets no cluster of the reference divides its vote evenly
    table = np.divide(counts, met, out=np.full(counts.shape, 1 / n_columns), where=met > 0).T
    votes = np.empty((ensemble.n_microclusters, n_columns))
    nothing = np.zeros(ensemble.n_microclusters)
    kernels.row_costs(ensemble.labels, ensemble.offsets, table.copy(), nothing, np.zeros(n_columns), votes)
    return votes / ensemble.n_observed[:, None]


def _match(overlap: np.ndarray) -> np.ndarray:
    """Column of every row: one to one where possible, the largest overlap for the rows left over."""
    matched = np.argmax(overlap, axis=1)
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    matched[rows] = columns
    return matched


def _own_information(column: np.ndarray) -> float:
    return float(np.sum(xlogy(column, column)) - xlogy(column.sum(), column.sum()))


def _merging_losses(columns: list[np.ndarray], own: list[float], a: int, others: range | list[int]) -> np.ndarray:
    return np.array([own[a] + own[c] - _own_information(columns[a] + columns[c]) for c in others])
