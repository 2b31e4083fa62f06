"""The nearest objects of every object by co-association, as a sparse graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._messages import warn
from consensa._threads import n_threads, row_ranges, thread_map
from consensa._validation import check_cluster_weights, check_integer
from consensa.relate import _kernels_neighbors as kernels
from consensa.relate.cluster_lists import cluster_lists

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["nearest_objects"]

_CHUNK_ROWS = 1 << 10
_SPEED = 5e8  # additions per second and thread, for the announcement of long runs
_LONG = 600.0  # seconds


def nearest_objects(ensemble: Ensemble, weights: np.ndarray | None = None, n_neighbors: int = 15) -> sp.csr_array:
    """Link every object to others that it meets most often: a graph of at most n x K links, never n x n.

    All objects of a microcluster are equally near to each other, so the K links of an object are shared between its own
    microcluster and the nearest others, in the ratio of the co-association with itself and with the nearest other one.
    Thus two large microclusters that often meet are linked, and two that never meet are not.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the clusters, at least 0; None for 1.
    n_neighbors : int, default=15
        K, links from every object to others.

    Returns
    -------
    csr_array of shape (n_objects, n_objects), float64
        Co-association of both ends, greater than 0; no diagonal. Row i holds the links from object i, fewer than K
        where it does not meet so many others and none for an object without any label. Not symmetric.

    Notes
    -----
    Equal microclusters are chosen by a hash of both label rows, objects of a large one in turn, so that no object is
    in everybody's list: within the own microcluster those 1, 2, 4, 8, ... places further on (then 3, 5, 6, 7, 9, ...),
    in another one those that follow a place given by the hash, and from one microcluster about K times its size at
    most. Only the K nearest other microclusters are looked at. Nothing in the labels could tell such objects apart.

    The time grows with the sum of the squared numbers of microclusters in all clusters, the memory with n x K.

    See Also
    --------
    elite_neighbors : Links between microclusters, by counts.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> nearest_objects(Ensemble([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]), n_neighbors=2).toarray()
    array([[0. , 1. , 0.5, 0. , 0. ],
           [1. , 0. , 0.5, 0. , 0. ],
           [0. , 0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0. , 1. ],
           [0. , 0. , 0.5, 1. , 0. ]])
    """
    K = check_integer("n_neighbors", n_neighbors)
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    n, n_objects = ensemble.n_microclusters, ensemble.n_objects
    near, own = _nearest_microclusters(ensemble, w, K)
    n_unlabelled = n_objects - ensemble.n_labelled
    objects = np.argsort(ensemble.row_map, kind="stable")[n_unlabelled:]
    begins = np.concatenate([[0], np.cumsum(ensemble.sizes)[:-1]])
    members = kernels.Members(objects, begins, ensemble.sizes, ensemble.hashes)
    links = kernels.Links(np.full((n_objects, K), -1, np.int64), np.zeros((n_objects, K)))
    thread_map(lambda rows: kernels.spread_links(members, near, own, *rows, links), row_ranges(n, _CHUNK_ROWS))
    linked = links.targets >= 0
    pointers = np.concatenate([[0], np.cumsum(np.count_nonzero(linked, axis=1))])
    graph = sp.csr_array((links.values[linked], links.targets[linked], pointers), shape=(n_objects, n_objects))
    graph.sort_indices()
    return graph


def _nearest_microclusters(ensemble: Ensemble, w: np.ndarray, K: int) -> tuple[kernels.NearRows, np.ndarray]:
    """The K nearest others of every microcluster, and the nearness to itself."""
    n = ensemble.n_microclusters
    lists = cluster_lists(ensemble)
    _announce(np.diff(lists.starts), n)
    scale = 1 / np.sqrt(ensemble.n_observed)
    near = kernels.NearRows(np.empty((n, K), np.int32), np.zeros((n, K)))
    thread_map(
        lambda rows: kernels.nearest_microclusters(lists, w, scale, ensemble.hashes, *rows, near),
        row_ranges(n, _CHUNK_ROWS),
    )
    own = np.asarray(ensemble.incidence @ w) * (scale * scale)
    return near, np.round(own, 10)


def _announce(lengths: np.ndarray, n_microclusters: int) -> None:
    """Warn before a count that takes long."""
    seconds = float(lengths.astype(np.float64) @ lengths) / (_SPEED * n_threads())
    if seconds > _LONG:
        warn(
            f"the graph of the nearest objects of {n_microclusters} microclusters will take about {seconds / 60:.0f} "
            "minutes; base clusterings with more clusters take less, and consensa.tl.consensus does without the graph "
            "for n_neighbors=None."
        )
