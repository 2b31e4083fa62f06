"""Ensemble clustering by matrix completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._random import as_generator
from consensa._validation import check_choice, check_integer
from consensa.methods.base import ConsensusClusterer, Cut
from consensa.partition import agglomerate, normalised_cut
from consensa.relate import Dense, co_association, completed_co_association

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["ECMC"]

_TRACE = 1e-3  # share of the co-association: enough to order what the completed matrix leaves at 0


class ECMC(ConsensusClusterer):
    """Ensemble clustering by matrix completion: unreliable pairs are forgotten and filled in by low rank.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels from one completed matrix.
    partitioner : {"spectral", "average", "complete", "single"}, default="spectral"
        Normalised cut of the completed matrix, as published, or linkage on it.
    low : float, default=0.2
        Pairs with a co-association of at most ``low`` are apart.
    high : float, default=0.8
        Pairs with a co-association of at least ``high`` are together; those between are unknown.
    trade_off : float or None, default=None
        Price of an error in a known pair; None for 1 over the root of the number of objects. The labels depend much
        on it.
    max_rounds : int, default=200
        Largest number of rounds of the completion.
    n_init : int, default=10
        Starts of k-means in the normalised cut.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
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
    dendrogram_ : Dendrogram
        The tree over the microclusters; only with linkage.
    ensemble_ : Ensemble

    See Also
    --------
    EAC : Linkage on the co-association as it is.
    consensa.relate.completed_co_association : The completed matrix itself.

    Notes
    -----
    The objective is the published one; limits, solver settings and the default ``trade_off`` are the usual ones, not
    taken from the paper. Objects without a single reliable partner have no link in the completed matrix; with base
    clusterings of many different k they are many, and any cut would set them apart one by one. So a thousandth of the
    co-association itself is mixed in, which is not published: it decides only where nothing reliable is known. Several
    matrices of n_microclusters x n_microclusters and some leading eigenvectors in every round. Exact on microclusters.

    References
    ----------
    Yi, Yang, Jin & Jain (2012), Robust ensemble clustering by matrix completion, ICDM.
    https://doi.org/10.1109/ICDM.2012.123

    Examples
    --------
    >>> from consensa import ECMC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> ECMC(n_clusters=2, high=0.7, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        partitioner: str = "spectral",
        *,
        low: float = 0.2,
        high: float = 0.8,
        trade_off: float | None = None,
        max_rounds: int = 200,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.low = low
        self.high = high
        self.trade_off = trade_off
        self.max_rounds = max_rounds
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Cut:
        check_choice("partitioner", self.partitioner, ("spectral", "average", "complete", "single"))
        n_init, rng = check_integer("n_init", self.n_init), as_generator(self.random_state)
        completed = completed_co_association(ensemble, self.low, self.high, self.trade_off, max_rounds=self.max_rounds)
        shares = co_association(ensemble).to_dense().similarity
        similarity = Dense((1 - _TRACE) * completed.similarity + _TRACE * shares)
        if self.partitioner == "spectral":
            k_means: dict[str, Any] = {"n_init": n_init, "random_state": rng, "hashes": ensemble.hashes}
            extra = 1 - similarity.similarity.diagonal()
            return normalised_cut(similarity, ensemble.sizes, extra_diagonal=extra, **k_means)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.partitioner)
        return self.dendrogram_
