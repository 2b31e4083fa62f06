"""Hybrid bipartite graph formulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.balanced import BalancedConsensus
from consensa.partition import canonical_order, metis, transfer_cut
from consensa.relate import cluster_graph

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.methods.base import Cut

__all__ = ["HBGF"]


class HBGF(BalancedConsensus):
    """Hybrid bipartite graph formulation: objects and clusters are partitioned together.

    Every object is linked to the clusters it lies in, and the graph of both is cut, by METIS or by its spectrum.
    Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels.
    partitioner : {"spectral", "metis", "auto"}, default="spectral"
        The spectral cut is k-means on the objects and clusters placed by the leading singular vectors; tables that
        compare with HBGF agree with it. METIS **forces clusters of nearly equal size** and needs the extra ``metis``.
        "auto" is METIS, or with a warning the spectral cut where pymetis is not installed.
    imbalance : float or None, default=None
        For METIS: by what share a part may exceed the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10
        Number of partitionings that METIS tries, or starts of k-means in the spectral embedding.
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
    LWGP : The same graph with weights, k-means on the objects alone.

    References
    ----------
    Fern & Brodley (2004), Solving cluster ensemble problems by bipartite graph partitioning, ICML.
    https://doi.org/10.1145/1015330.1015414

    Examples
    --------
    >>> from consensa import HBGF
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> HBGF(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        partitioner: str = "spectral",
        imbalance: float | None = None,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        super().__init__(
            n_clusters,
            partitioner=partitioner,
            imbalance=imbalance,
            n_init=n_init,
            random_state=random_state,
            missing=missing,
        )

    def _consensus(self, ensemble: Ensemble) -> Cut:
        seeding: dict[str, Any] = {"n_init": self.n_init, "random_state": self.random_state}
        graph = cluster_graph(ensemble)
        if self.chosen_partitioner() == "spectral":
            return transfer_cut(graph, ensemble.sizes, both_sides=True, **seeding)
        order = canonical_order(ensemble)
        cut = metis(order.arrange(graph), ensemble.sizes[order.rows], imbalance=self.imbalance, **seeding)
        return order.restore(cut)
