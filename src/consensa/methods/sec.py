"""Spectral ensemble clustering."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition.count_kmeans import count_kmeans
from consensa.partition.geometry import SpectralGeometry
from consensa.partition.search import SearchCut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["SEC"]


class SEC(ConsensusClusterer):
    """Spectral ensemble clustering.

    The normalised cut of the co-association matrix, as a weighted k-means on label rows that never forms the matrix:
    the weight of an object is the sum of the sizes of its clusters. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    n_init : int, default=10
        Number of starts; the one with the smallest loss is kept.
    init : {"spectral", "k-means++", "random"}, default="spectral"
        "spectral": one more start, from the eigenvectors that solve the relaxed problem, besides those of "k-means++".
        "random": rows drawn at random, as published.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
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
    object_weights_ : ndarray of shape (n_objects,)
        Degree of every object in the co-association graph: the sizes of its clusters, summed; 0 without any label.
    ensemble_ : Ensemble

    See Also
    --------
    KCC : k-means on label rows without weights.
    MDECConsensus : ``consensus="sc"`` cuts the weighted co-association by its eigenvectors.

    Notes
    -----
    Objects in small clusters have small weights and lie far out, so that the loss has many local minima; published
    figures with a single random start are low.

    References
    ----------
    Liu, Liu, Wu, Tao & Fu (2015), Spectral ensemble clustering, KDD. https://doi.org/10.1145/2783258.2783287

    Examples
    --------
    >>> from consensa import SEC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> SEC(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        n_init: int = 10,
        init: str = "spectral",
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.init = init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        geometry = SpectralGeometry(ensemble)
        self.object_weights_ = ensemble.to_objects(geometry.scale, fill=0)
        search = partial(count_kmeans, ensemble, geometry, n_init=self.n_init, init=self.init)
        return SearchCut.seeded(search, self.random_state)
