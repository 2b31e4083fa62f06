"""Graph and hypergraph partitioning, whose published form forces clusters of nearly equal size (METIS and its kin)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consensa._messages import warn
from consensa._random import draw_seed
from consensa._validation import check_choice
from consensa.methods.base import ConsensusClusterer
from consensa.partition import (
    BestOfCuts,
    canonical_order,
    hypergraph_cut,
    meta_clusters,
    metis,
    normalised_cut,
    transfer_cut,
)
from consensa.partition.hypergraph import require_mtkahypar
from consensa.partition.metis import require_pymetis
from consensa.relate import cluster_graph, co_association

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut
    from consensa.partition.meta_clusters import MetaClusterCut

__all__ = ["CSPA", "HGPA", "MCLA", "BalancedConsensus", "MetisConsensus", "SupraConsensus"]


class BalancedConsensus(ConsensusClusterer):
    """Base of the methods that leave the work to METIS or its kin, or to a cut that forces no sizes."""

    _balanced: ClassVar[str] = "metis"
    _free: ClassVar[str] = "spectral"
    partitioner: str
    n_init: int
    random_state: RandomState

    def chosen_partitioner(self) -> str:
        """Return the partitioner to use; "auto" is the published one, or the other where its package is missing."""
        wanted = check_choice("partitioner", self.partitioner, ("auto", self._balanced, self._free))
        if wanted == self._free:
            return wanted
        try:
            self._require()
        except ImportError as error:
            if wanted == self._balanced:
                raise
            instead = f'falls back on partitioner="{self._free}", which does not force clusters of equal size.'
            warn(f"{type(self).__name__} {instead} {error}")
            return self._free
        return self._balanced

    @staticmethod
    def _require() -> Any:
        return require_pymetis()

    def _seeding(self) -> dict[str, Any]:
        return {"n_init": self.n_init, "random_state": self.random_state}


@dataclass(eq=False, repr=False)
class MetisConsensus(BalancedConsensus):
    """The parameters of those that METIS cuts."""

    n_clusters: NClusters = 2
    _: KW_ONLY
    partitioner: str = "auto"
    imbalance: Positive | None = None
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1


class CSPA(MetisConsensus):
    """Cluster-based similarity partitioning algorithm: METIS on the co-association graph.

    Two objects are as similar as the share of base clusterings that put them together; METIS cuts the graph of all
    pairs into parts of nearly equal size. Needs memory for all pairs of microclusters. Microclusters are vertices with
    the weight of their objects, so METIS cannot split one to balance the parts; an edge weighs as much as all pairs of
    objects at its ends.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        METIS **forces clusters of nearly equal size** and needs the extra ``metis``; a normalised cut of the same
        similarity ("spectral") does not, and forms no matrix. "auto" is METIS, or with a warning the normalised cut
        where pymetis is not installed.
    imbalance : float or None, default=None
        By what share METIS may let a cluster exceed the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RestoredCut or SpectralCut
    ensemble_ : Ensemble

    See Also
    --------
    EAC : Linkage on the same similarity.
    SupraConsensus : The best of CSPA, HGPA and MCLA.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import CSPA
    >>> CSPA(n_clusters=2, partitioner="spectral").fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    def _consensus(self, ensemble: Ensemble) -> Cut:
        similarity = co_association(ensemble)
        if self.chosen_partitioner() == "spectral":
            return normalised_cut(similarity, ensemble.sizes, hashes=ensemble.hashes, **self._seeding())
        order = canonical_order(ensemble)
        graph = order.arrange(similarity)
        return order.restore(metis(graph, ensemble.sizes[order.rows], imbalance=self.imbalance, **self._seeding()))


@dataclass(eq=False, repr=False)
class HGPA(BalancedConsensus):
    """Hypergraph partitioning algorithm: parts of equal size that cut as few clusters as possible.

    Every cluster is a hyperedge of its objects, all weigh the same, and the hypergraph is cut into parts of nearly
    equal size through the fewest of them. No credit is given for a cluster that is only just cut, so it is the weakest
    of the three methods of its paper on noisy ensembles. Grows linearly with the number of objects. Microclusters are
    vertices with the weight of their objects, so that none is ever split to balance the parts.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    partitioner : {"auto", "hypergraph", "tcut"}, default="auto"
        Mt-KaHyPar ("hypergraph"; hMETIS in the paper) **forces clusters of nearly equal size** and needs the extra
        ``hypergraph``; a transfer cut, the normalised cut of the hypergraph, does not. "auto" is the former, or with
        a warning the latter where mtkahypar is not installed.
    objective : {"cut", "km1"}, default="cut"
        For Mt-KaHyPar: count the clusters that are cut, as in the paper, or the parts that every cluster falls into,
        less one.
    imbalance : float or None, default=None
        By what share Mt-KaHyPar may let a cluster exceed the mean; None for 0.05.
    n_init : int, default=5 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RestoredCut or TransferCut
    ensemble_ : Ensemble

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735
    Zhou, Huang & Schölkopf (2006), Learning with hypergraphs, NIPS 19 (normalised cut of a hypergraph).

    Examples
    --------
    >>> from consensa import HGPA
    >>> HGPA(n_clusters=2, partitioner="tcut").fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    _balanced: ClassVar[str] = "hypergraph"
    _free: ClassVar[str] = "tcut"
    n_clusters: NClusters = 2
    _: KW_ONLY
    partitioner: str = "auto"
    objective: Literal["cut", "km1"] = "cut"
    imbalance: Positive | None = None
    n_init: Count = 5
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Cut:
        graph = cluster_graph(ensemble)
        if self.chosen_partitioner() == "tcut":
            return transfer_cut(graph, ensemble.sizes, hashes=ensemble.hashes, **self._seeding())
        order = canonical_order(ensemble)
        options = {"objective": self.objective, "imbalance": self.imbalance, **self._seeding()}
        return order.restore(hypergraph_cut(order.arrange(graph).matrix, ensemble.sizes[order.rows], **options))

    @staticmethod
    def _require() -> Any:
        return require_mtkahypar()


class MCLA(MetisConsensus):
    """Meta-clustering algorithm: the clusters are grouped, and every object goes to the group that claims it most.

    Clusters are linked by their Jaccard similarity; METIS groups them into meta-clusters of nearly equal weight. An
    object belongs to the meta-cluster of which the largest share of clusters hold it. Grows linearly with the number of
    objects. Exact on microclusters. A meta-cluster that no object prefers is given the microcluster that comes nearest
    to it, with a warning, so that there are always ``n_clusters`` clusters.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
        Not more than base clusters.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        METIS forces meta-clusters of nearly equal weight (the sizes of their clusters add up), which pulls the
        clusters **towards equal size**, and needs the extra ``metis``; a normalised cut of the same graph
        ("spectral") does not. "auto" is METIS, or with a warning the normalised cut where pymetis is not installed.
    imbalance : float or None, default=None
        By what share METIS may let a meta-cluster outweigh the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : MetaClusterCut
        ``groups(k)`` are the meta-clusters of the clusters, ``association(k)`` how much they claim each microcluster.
    ensemble_ : Ensemble

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import MCLA
    >>> MCLA(n_clusters=2, partitioner="spectral").fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    def _consensus(self, ensemble: Ensemble) -> MetaClusterCut:
        return meta_clusters(ensemble, self.chosen_partitioner(), imbalance=self.imbalance, **self._seeding())


@dataclass(eq=False, repr=False)
class SupraConsensus(MetisConsensus):
    """Supra-consensus: the one of CSPA, HGPA and MCLA that agrees most with the base clusterings.

    All three run; the agreement is the mean NMI with the base clusterings (ANMI), which needs no truth.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
        Not more than base clusters.
    partitioner : {"auto", "balanced", "free"}, default="auto"
        "balanced": METIS and Mt-KaHyPar, which **force clusters of nearly equal size** and need the extras ``metis``
        and ``hypergraph``. "free": the spectral cut of each method, which does not. "auto": balanced, each method
        with a warning free where its package is not installed.
    imbalance : float or None, default=None
        By what share METIS and Mt-KaHyPar may let a cluster exceed the mean; None for the default of each.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : BestOfCuts
        ``chosen(k)`` is the name of the method taken for k clusters, ``scores(k)`` the agreement of all three.
    ensemble_ : Ensemble

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import SupraConsensus
    >>> model = SupraConsensus(n_clusters=2, partitioner="free", random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> model.labels_, model.cut_.chosen(2)
    (array([0, 0, 1, 1], dtype=int32), 'CSPA')
    """

    _balanced: ClassVar[str] = "balanced"
    _free: ClassVar[str] = "free"
    _: KW_ONLY
    partitioner: Literal["auto", "balanced", "free"] = "auto"

    def _consensus(self, ensemble: Ensemble) -> BestOfCuts:
        seed = draw_seed(self.random_state)
        members = [self._member(cls, seed) for cls in (CSPA, HGPA, MCLA)]
        cuts = {type(member).__name__: member._consensus(ensemble) for member in members}  # noqa: SLF001 - own kin
        return BestOfCuts(cuts, ensemble)

    def _member(self, cls: Any, seed: int) -> Any:
        named = {"auto": "auto", "balanced": cls._balanced, "free": cls._free}[self.partitioner]
        seeding: Any = {"n_init": self.n_init, "random_state": seed}
        return cls(self.n_clusters, partitioner=named, imbalance=self.imbalance, **seeding)
