"""Random walker consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import random_walker

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition.random_walker import RandomWalkerCut

__all__ = ["SRW"]


class SRW(ConsensusClusterer):
    """Random walker consensus (SRW-style): every object joins the seed region that a random walk reaches first.

    Microclusters are linked to their most similar neighbours; the largest ones, joined by average linkage into k
    regions, are seeds, and the others are shared out among them by the probabilities of random walks.

    The exact published procedure is not known to us beyond its idea (a random walker on a graph of the ensemble with
    small neighbourhoods). This is a variant of that idea and does not claim to give the published numbers.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels.
    n_neighbors : int, default=10
        How many of its most similar microclusters each one is linked to; equally similar ones all stay.
    beta : float, default=30
        How steeply the weight of a link, exp(-beta (1 - a)), falls with the co-association a of its ends.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    walker_ : RandomWalkerCut
        ``seeds(k)`` are the seed regions, ``probabilities(k)`` those of the walks.
    ensemble_ : Ensemble

    Notes
    -----
    Exact on microclusters: with all objects as vertices, linked between neighbouring microclusters, the objects of a
    microcluster have equal probabilities.

    References
    ----------
    Abdala, Wattuya & Jiang (2010), Ensemble clustering via random walker consensus strategy, ICPR.
    https://doi.org/10.1109/ICPR.2010.354

    Examples
    --------
    >>> from consensa import SRW
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> SRW(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self, n_clusters: Any = 2, *, n_neighbors: int = 10, beta: float = 30.0, missing: int | None = -1
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.beta = beta
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> RandomWalkerCut:
        self.walker_ = random_walker(ensemble, self.n_neighbors, self.beta)
        return self.walker_
