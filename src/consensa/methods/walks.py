"""Random walks over the microclusters: probability trajectories, and walks to seed regions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from consensa._validation import as_cluster_numbers, check_n_clusters, is_auto
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate_pieces, random_walker, transfer_cut
from consensa.relate import co_association, trajectories

if TYPE_CHECKING:
    import numpy as np

    from consensa._types import Count, Linkage, NClusters, Positive, RandomState, TrajectorySimilarity
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram, SpectralCut
    from consensa.partition.random_walker import RandomWalkerCut
    from consensa.relate.trajectory import Trajectories

__all__ = ["PTA", "PTGP", "SRW"]


class TrajectoryConsensus(ConsensusClusterer):
    """Base of the methods on random walks between elite neighbours."""

    n_neighbors: int | str | None
    n_steps: int | None
    similarity: str
    cap: int | None

    def _walk(self, ensemble: Ensemble) -> Trajectories:
        self.trajectories_ = trajectories(ensemble, self.n_neighbors, self.n_steps, cap=self.cap)
        return self.trajectories_

    @property
    def trajectory_similarity_(self) -> np.ndarray:
        """Similarity of the walks of all pairs of microclusters (PTS), computed on request."""
        check_is_fitted(self, "ensemble_")
        return self.trajectories_.similarity(self.similarity).similarity


@dataclass(eq=False, repr=False)
class PTA(TrajectoryConsensus):
    """Probability trajectory accumulation: agglomerative clustering on the similarity of random walks.

    Microclusters are linked to their elite neighbours; those from which random walkers take similar ways are joined.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_neighbors : int, "all" or None, default=None
        K, how many of its strongest links a microcluster keeps (ties are all kept); None for
        floor(sqrt(n_microclusters) / 2), at least 1. The paper advises 5 to 20, or from sqrt(n_microclusters) / 5 to
        sqrt(n_microclusters).
    n_steps : int or None, default=None
        T, length of the walks; None for floor(sqrt(n_microclusters) / 2), at least 1. The advice is that for K.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their members.
    similarity : {"cosine", "dice", "tanimoto"}, default="cosine"
        How two walks are compared (Eq. 12 leaves it open; published with the cosine); see
        :meth:`~consensa.relate.Trajectories.similarity`.
    size_weighted : bool, default=False
        Weigh microclusters by their number of objects in average linkage. The published method counts each once.
    cap : int or None, default=None
        Largest K and T where they are not given; the published code has 20, the paper none.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        A link counts the base clusterings in which both ends have a label and share a cluster.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    trajectories_ : Trajectories (the graph of elite neighbours and the walks over it)
    trajectory_similarity_ : ndarray of shape (n_microclusters, n_microclusters)
        Similarity of the walks, computed whenever it is asked for.
    ensemble_ : Ensemble

    See Also
    --------
    PTGP : Graph partitioning with the same similarity and no matrix of the microclusters.

    Notes
    -----
    Needs half a matrix of n_microclusters x n_microclusters (3.4 GiB for 30,000) and O(t n_links n_microclusters) time,
    where t <= T is the number of steps that cannot be left to the slowest modes
    (:class:`~consensa.relate.Trajectories`); a run that would take long is announced by a
    :class:`~consensa.ConsensaWarning` with the time first. Groups of different connected
    components have similarity 0; they merge last, by average linkage on their co-association (the published code leaves
    that order to chance). A microcluster that shares no cluster with any other is such a component.

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5),
    Algorithm 2. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import PTA
    >>> partitions = [
    ...     [1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 3, 1, 3, 3, 3, 3],
    ...     [1, 1, 1, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3],
    ...     [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3],
    ... ]
    >>> PTA(n_clusters=2, n_neighbors=2, n_steps=3).fit_predict(partitions)
    array([1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], dtype=int32)
    """

    n_clusters: NClusters = 2
    n_neighbors: int | str | None = None
    n_steps: Count | None = None
    linkage: Linkage = "average"
    _: KW_ONLY
    similarity: TrajectorySimilarity = "cosine"
    size_weighted: bool = False
    cap: Count | None = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        walks = self._walk(ensemble)
        sizes = ensemble.sizes if self.size_weighted else None
        reserve = co_association(ensemble)
        return agglomerate_pieces(walks.by_component(self.similarity), walks.components, reserve, sizes, self.linkage)


@dataclass(eq=False, repr=False)
class PTGP(TrajectoryConsensus):
    """Probability trajectory based graph partitioning.

    Microclusters and clusters form a bipartite graph; an edge is the mean similarity between the random walks from the
    microcluster and those from the microclusters in the cluster. A transfer cut partitions it.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_neighbors : int, "all" or None, default=None
        As for :class:`PTA`, like ``n_steps`` and ``cap``.
    n_steps : int or None, default=None
    similarity : {"cosine", "dice", "tanimoto"}, default="cosine"
        As for :class:`PTA`; all but the cosine need a matrix of the microclusters.
    size_weighted : bool, default=False
        Weigh microclusters by their number of objects in the means, the cut and k-means. The published method counts
        each once.
    cap : int or None, default=None
    exact_transfer : bool, default=False
        As for :class:`~consensa.LWGP`.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)
        A link counts the base clusterings in which both ends have a label and share a cluster.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : TransferCut
    trajectories_ : Trajectories
    trajectory_similarity_ : ndarray of shape (n_microclusters, n_microclusters)
        Computed whenever it is asked for; with the cosine the method itself does without.
    ensemble_ : Ensemble

    See Also
    --------
    PTA : Hierarchical clustering with the same similarity.

    Notes
    -----
    Takes O(t n_links n_microclusters) time with t as for :class:`PTA`, and memory for n_microclusters x
    n_base_clusters; a run that would take long is announced by a :class:`~consensa.ConsensaWarning` first.
    A microcluster that shares no cluster with any other is a connected component of its own.

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5),
    Algorithm 3. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import PTGP
    >>> PTGP(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    n_neighbors: int | str | None = None
    n_steps: Count | None = None
    _: KW_ONLY
    similarity: TrajectorySimilarity = "cosine"
    size_weighted: bool = False
    cap: Count | None = None
    exact_transfer: bool = False
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        wanted = [1] if is_auto(self.n_clusters) else as_cluster_numbers(self.n_clusters)  # errors before the walks
        check_n_clusters(wanted, ensemble.n_base_clusters, "base clusters (columns of the graph)")
        graph = self._walk(ensemble).to_clusters(self.similarity, size_weighted=self.size_weighted)
        sizes = ensemble.sizes if self.size_weighted else None
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        return transfer_cut(graph, sizes, exact_transfer=self.exact_transfer, **seeding)


@dataclass(eq=False, repr=False)
class SRW(ConsensusClusterer):
    """Random walker consensus (SRW-style): every object joins the seed region that a random walk reaches first.

    Microclusters are linked to their most similar neighbours; the largest ones, joined by average linkage into k
    regions, are seeds, and the others are shared out among them by the probabilities of random walks.

    The exact published procedure is not known to us beyond its idea (a random walker on a graph of the ensemble with
    small neighbourhoods). This is a variant of that idea and does not claim to give the published numbers. Exact on
    microclusters: with all objects as vertices, linked between neighbouring microclusters, the objects of a
    microcluster have equal probabilities.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_neighbors : int, default=10
        How many of its most similar microclusters each one is linked to; equally similar ones all stay.
    beta : float, default=30
        How steeply the weight of a link, exp(-beta (1 - a)), falls with the co-association a of its ends.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : RandomWalkerCut
        ``seeds(k)`` are the seed regions, ``probabilities(k)`` those of the walks.
    ensemble_ : Ensemble

    References
    ----------
    Abdala, Wattuya & Jiang (2010), Ensemble clustering via random walker consensus strategy, ICPR.
    https://doi.org/10.1109/ICPR.2010.354

    Examples
    --------
    >>> from consensa import SRW
    >>> SRW(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    n_neighbors: Count = 10
    beta: Positive = 30.0
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> RandomWalkerCut:
        return random_walker(ensemble, self.n_neighbors, self.beta)
