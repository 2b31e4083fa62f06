"""Cluster-based similarity partitioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.balanced import BalancedConsensus
from consensa.partition import canonical_order, metis, normalised_cut
from consensa.relate import co_association

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.methods.base import Cut

__all__ = ["CSPA"]


class CSPA(BalancedConsensus):
    """Cluster-based similarity partitioning algorithm: METIS on the co-association graph.

    Two objects are as similar as the share of base clusterings that put them together; METIS cuts the graph of all
    pairs into parts of nearly equal size. Needs memory for all pairs of microclusters.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        METIS **forces clusters of nearly equal size** and needs the extra ``metis``; a normalised cut of the same
        similarity ("spectral") does not, and forms no matrix. "auto" is METIS, or with a warning the normalised cut
        where pymetis is not installed.
    imbalance : float or None, default=None
        For METIS: by what share a cluster may exceed the mean size; None for 0.001 up to 8 clusters, 0.03 for more.
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
    EAC : Linkage on the same similarity.
    SupraConsensus : The best of CSPA, HGPA and MCLA.

    Notes
    -----
    Microclusters are vertices with the weight of their objects, so METIS cannot split one to balance the parts; an
    edge weighs as much as all pairs of objects at its ends.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import CSPA
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> CSPA(n_clusters=2, partitioner="spectral", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def _consensus(self, ensemble: Ensemble) -> Cut:
        seeding: dict[str, Any] = {"n_init": self.n_init, "random_state": self.random_state}
        similarity = co_association(ensemble)
        if self.chosen_partitioner() == "spectral":
            return normalised_cut(similarity, ensemble.sizes, hashes=ensemble.hashes, **seeding)
        order = canonical_order(ensemble)
        graph = order.arrange(similarity)
        return order.restore(metis(graph, ensemble.sizes[order.rows], imbalance=self.imbalance, **seeding))
