"""k-means on label rows, for every distance that depends on counts only (KCC, SEC)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._random import as_generator, draw_seed
from consensa._threads import thread_map
from consensa._validation import check_choice, check_integer
from consensa.partition import _kernels_counts as kernels
from consensa.partition.canonical import canonical_order
from consensa.partition.normalised_cut import normalised_cut
from consensa.relate.coassociation import co_association

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition.geometry import Geometry

__all__ = ["count_kmeans", "count_labels", "fill_empty", "seed_rows"]

INITS = ("k-means++", "random", "spectral")
_TOLERANCE = 1e-10


def count_kmeans(
    ensemble: Ensemble,
    geometry: Geometry,
    n_clusters: int,
    *,
    n_init: int = 10,
    max_iter: int = 100,
    init: str = "k-means++",
    random_state: RandomState = None,
) -> tuple[np.ndarray, float]:
    """Cluster the microclusters of an ensemble, each counting as many times as it has objects.

    Parameters
    ----------
    ensemble : Ensemble
    geometry : Geometry
        The distance.
    n_clusters : int
        At most the number of microclusters.
    n_init : int, default=10
        Number of starts; the one with the smallest loss is kept.
    max_iter : int, default=100
        Largest number of iterations of each start.
    init : {"k-means++", "random", "spectral"}, default="k-means++"
        Seeds drawn by distance from those before (greedy k-means++), or rows drawn by their number of objects alone.
        "spectral": one more start besides those of "k-means++", from the normalised cut of the co-association.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    labels : ndarray of shape (n_microclusters,), int64
        Every cluster has a microcluster.
    loss : float

    Notes
    -----
    Assignments need the labels of a row and a table of k x n_base_clusters; the table needs exact counts, which are
    sums over rows. So the answer does not depend on the number of threads or on chunks of rows.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition.geometry import make_utility
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]])
    >>> labels, loss = count_kmeans(ensemble, make_utility(ensemble, "u_c"), 2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2]), round(loss, 4)
    (True, 1.3333)
    """
    check_integer("n_init", n_init)
    check_integer("max_iter", max_iter)
    greedy = check_choice("init", init, INITS) != "random"
    n_trials = 2 + int(np.log(n_clusters)) if greedy else 1
    rng = as_generator(random_state)
    seed = draw_seed(rng)
    draws = rng.random((n_init, n_clusters, n_trials))
    order = intrinsic_order(ensemble)

    def run(draw: np.ndarray | None) -> tuple[float, np.ndarray]:
        if draw is None:
            counts = count_labels(ensemble, _relaxed(ensemble, n_clusters, seed), n_clusters)
        else:
            counts = _row_counts(ensemble, seed_rows(ensemble, geometry, draw, order, greedy=greedy))
        return _iterate(ensemble, geometry, counts, max_iter, order)

    starts = [None, *draws] if init == "spectral" else [*draws]
    loss, labels = min(thread_map(run, starts), key=lambda found: found[0])
    return labels, loss


def count_labels(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Count the objects that every cluster shares with every base cluster: (k x n_base_clusters), int64."""
    counts = np.zeros((n_clusters, ensemble.n_base_clusters), np.int64)
    kernels.add_counts(ensemble.labels, ensemble.offsets, ensemble.sizes, labels, counts)
    return counts


def fill_empty(labels: np.ndarray, worth: np.ndarray, n_clusters: int, order: np.ndarray | None = None) -> None:
    """Give every empty cluster the microcluster with the largest ``worth`` that does not leave another one empty.

    Of equal ones the first in ``order``, by default that of the rows.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if empty.size:
        places = np.arange(labels.size) if order is None else order
        candidates = iter(places[np.argsort(-worth[places], kind="stable")])
        for cluster in empty:
            row = next(row for row in candidates if sizes[labels[row]] > 1)
            sizes[labels[row]] -= 1
            labels[row] = cluster


def intrinsic_order(ensemble: Ensemble) -> np.ndarray:
    """Order microclusters by what does not change with the order of rows or columns: the sizes of their clusters.

    Where these are equal, by :func:`canonical_order`.
    """
    share = ensemble.cluster_sizes / ensemble.n_objects
    table = np.stack([share, share**2], axis=1)
    along = np.empty((ensemble.n_microclusters, 2))
    kernels.row_costs(ensemble.labels, ensemble.offsets, table, np.zeros(len(along)), np.zeros(2), along)
    order = canonical_order(ensemble).rows
    return order[np.lexsort((ensemble.sizes[order], *np.round(along[order].T[::-1], 9)))]


def seed_rows(
    ensemble: Ensemble, geometry: Geometry, draws: np.ndarray, order: np.ndarray, *, greedy: bool
) -> np.ndarray:
    """Choose distinct microclusters as seeds, shape (k,), by uniform numbers ``draws`` (k x n_trials).

    ``greedy`` draws by mass x distance and keeps the best of the trials (k-means++), otherwise by mass alone;
    probabilities are added up in the given order.
    """
    chosen = np.empty(len(draws), np.int64)
    distance = np.ones(ensemble.n_microclusters)
    nearest = np.full(ensemble.n_microclusters, np.inf)
    for j, draw in enumerate(draws):
        reach = np.cumsum((geometry.mass * distance)[order])
        trials = order[np.minimum(np.searchsorted(reach, draw * reach[-1], side="right"), order.size - 1)]
        if greedy:
            gaps = np.minimum(nearest[:, None], _distances(ensemble, geometry, trials))
            best = int(np.argmin(ensemble.sizes[order] @ gaps[order])) if j else 0
            chosen[j], nearest = trials[best], gaps[:, best]
            distance = np.maximum(nearest, 0.0)
        else:
            chosen[j] = trials[0]
        distance[chosen[: j + 1]] = 0.0
    return chosen


def _relaxed(ensemble: Ensemble, n_clusters: int, seed: int) -> np.ndarray:
    graph = co_association(ensemble)
    return normalised_cut(graph, ensemble.sizes, n_init=1, random_state=seed, hashes=ensemble.hashes).cut(n_clusters)


def _distances(ensemble: Ensemble, geometry: Geometry, rows: np.ndarray) -> np.ndarray:
    """Distance of all microclusters from some of them, in the shape (n_microclusters, n_rows)."""
    table, bias = geometry.tables(_row_counts(ensemble, rows))
    out = np.empty((ensemble.n_microclusters, rows.size))
    kernels.row_costs(ensemble.labels, ensemble.offsets, table, geometry.scale, bias, out)
    return out + geometry.constant[:, None]


def _row_counts(ensemble: Ensemble, rows: np.ndarray) -> np.ndarray:
    return np.asarray(ensemble.incidence[rows].toarray()) * ensemble.sizes[rows, None]


def _iterate(
    ensemble: Ensemble, geometry: Geometry, counts: np.ndarray, max_iter: int, order: np.ndarray
) -> tuple[float, np.ndarray]:
    """Assign and count again until the loss falls no more."""
    lowest = np.inf
    kept = np.empty(0, np.int64)
    for _ in range(max_iter):
        table, bias = geometry.tables(counts)
        labels = np.empty(ensemble.n_microclusters, np.int64)
        cost = np.empty(labels.size)
        kernels.cheapest(ensemble.labels, ensemble.offsets, table, geometry.scale, bias, labels, cost)
        fill_empty(labels, ensemble.sizes * (cost + geometry.constant), len(counts), order)
        counts = count_labels(ensemble, labels, len(counts))
        loss = geometry.loss(counts)
        if loss >= lowest - _TOLERANCE * abs(lowest) and kept.size:
            break
        lowest, kept = loss, labels
    return lowest, kept
