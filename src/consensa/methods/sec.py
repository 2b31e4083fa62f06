"""Spectral ensemble clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._validation import check_choice
from consensa.methods.base import ConsensusClusterer
from consensa.partition import normalised_cut
from consensa.partition.count_kmeans import CountCut, count_kmeans
from consensa.partition.geometry import SpectralGeometry
from consensa.relate import co_association

if TYPE_CHECKING:
    import numpy as np

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
    max_iter : int, default=100
        Largest number of iterations of each start.
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
        max_iter: int = 100,
        init: str = "spectral",
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.init = init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> CountCut:
        geometry = SpectralGeometry(ensemble)
        self.object_weights_ = ensemble.to_objects(geometry.scale, fill=0)
        spectral = check_choice("init", self.init, ("spectral", "k-means++", "random")) == "spectral"
        options: dict[str, Any] = {"n_init": self.n_init, "max_iter": self.max_iter}
        options["init"] = "k-means++" if spectral else self.init

        def search(n_clusters: int, rng: np.random.Generator) -> np.ndarray:
            start = None
            if spectral:
                graph = co_association(ensemble)
                start = normalised_cut(graph, ensemble.sizes, n_init=1, random_state=rng).cut(n_clusters)
            return count_kmeans(ensemble, geometry, n_clusters, start=start, random_state=rng, **options)[0]

        return CountCut.of(search, self.random_state)
