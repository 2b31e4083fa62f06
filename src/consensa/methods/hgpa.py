"""Hypergraph partitioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from consensa.methods.balanced import BalancedConsensus
from consensa.partition import canonical_order, hypergraph_cut, transfer_cut
from consensa.partition.hypergraph import require_mtkahypar
from consensa.relate import cluster_graph

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.methods.base import Cut

__all__ = ["HGPA"]


class HGPA(BalancedConsensus):
    """Hypergraph partitioning algorithm: parts of equal size that cut as few clusters as possible.

    Every cluster is a hyperedge of its objects, all weigh the same, and the hypergraph is cut into parts of nearly
    equal size through the fewest of them. No credit is given for a cluster that is only just cut, so it is the
    weakest of the three methods of its paper on noisy ensembles. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels.
    partitioner : {"auto", "hypergraph", "tcut"}, default="auto"
        Mt-KaHyPar ("hypergraph"; hMETIS in the paper) **forces clusters of nearly equal size** and needs the extra
        ``hypergraph``; a transfer cut, the normalised cut of the hypergraph, does not. "auto" is the former, or with
        a warning the latter where mtkahypar is not installed.
    objective : {"cut", "km1"}, default="cut"
        For Mt-KaHyPar: count the clusters that are cut, as in the paper, or the parts that every cluster falls into,
        less one.
    imbalance : float or None, default=None
        For Mt-KaHyPar: by what share a cluster may exceed the mean size; None for 0.05.
    n_init : int, default=5
        Number of partitionings that Mt-KaHyPar tries, or starts of k-means in the embedding of the transfer cut.
    random_state : int, RandomState, Generator or None, default=None
        Seed.
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
    ensemble_ : Ensemble

    See Also
    --------
    SupraConsensus : The best of CSPA, HGPA and MCLA.

    Notes
    -----
    Microclusters are vertices with the weight of their objects, so that none is ever split to balance the parts.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735
    Zhou, Huang & Schölkopf (2006), Learning with hypergraphs, NIPS 19 (normalised cut of a hypergraph).

    Examples
    --------
    >>> from consensa import HGPA
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> HGPA(n_clusters=2, partitioner="tcut", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _balanced: ClassVar[str] = "hypergraph"
    _free: ClassVar[str] = "tcut"

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        partitioner: str = "auto",
        objective: str = "cut",
        imbalance: float | None = None,
        n_init: int = 5,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.objective = objective
        self.imbalance = imbalance
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Cut:
        graph = cluster_graph(ensemble)
        if self.chosen_partitioner() == "tcut":
            return transfer_cut(
                graph,
                ensemble.sizes,
                n_init=self.n_init,
                random_state=self.random_state,
                hashes=ensemble.hashes,
            )
        order = canonical_order(ensemble)
        cut = hypergraph_cut(
            order.arrange(graph).matrix,
            ensemble.sizes[order.rows],
            objective=self.objective,
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        return order.restore(cut)

    @staticmethod
    def _require() -> Any:
        return require_mtkahypar()
