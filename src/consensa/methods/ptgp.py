"""Probability trajectory based graph partitioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from consensa._validation import as_cluster_numbers, check_integer, check_n_clusters, is_auto
from consensa.methods.base import ConsensusClusterer
from consensa.partition import transfer_cut
from consensa.relate import trajectories

if TYPE_CHECKING:
    import numpy as np

    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import SpectralCut

__all__ = ["PTGP"]


class PTGP(ConsensusClusterer):
    """Probability trajectory based graph partitioning.

    Microclusters and clusters form a bipartite graph; an edge is the mean similarity between the random walks from the
    microcluster and those from the microclusters in the cluster. A transfer cut partitions it.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one decomposition. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    n_neighbors : int, "all" or None, default=None
        K, how many of its strongest links a microcluster keeps (ties are all kept); None for
        floor(sqrt(n_microclusters) / 2), at least 1.
    n_steps : int or None, default=None
        T, length of the walks; None for floor(sqrt(n_microclusters) / 2), at least 1.
    size_weighted : bool, default=False
        Weigh microclusters by their number of objects in the means, the cut and k-means. The published method counts
        each once.
    cap : int or None, default=None
        Largest K and T where they are not given; the published code has 20, the paper none.
    n_init : int, default=10
        Starts of k-means in the embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing. A link counts the base clusterings
        in which both ends have a label and share a cluster.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    choice_ : KChoice or None
        How it was chosen, if it was.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    transfer_cut_ : SpectralCut
        The decomposition of the graph.
    trajectories_ : Trajectories
        The graph of elite neighbours and the walks over it.
    trajectory_similarity_ : ndarray of shape (n_microclusters, n_microclusters)
        Cosine of the walks, computed whenever it is asked for; the method itself does without.
    ensemble_ : Ensemble

    See Also
    --------
    PTA : Hierarchical clustering with the same similarity.

    Notes
    -----
    Takes O(T n_links n_microclusters) time, and memory for n_microclusters x n_base_clusters; a run that would take
    long is announced by a :class:`~consensa.ConsensaWarning` with the time first. A microcluster that shares no
    cluster with any other is a connected component of its own.

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5),
    Algorithm 3. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import PTGP
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> PTGP(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        n_neighbors: int | str | None = None,
        n_steps: int | None = None,
        *,
        size_weighted: bool = False,
        cap: int | None = None,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.size_weighted = size_weighted
        self.cap = cap
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        wanted = [1] if is_auto(self.n_clusters) else as_cluster_numbers(self.n_clusters)  # errors before the walks
        check_n_clusters(wanted, ensemble.n_base_clusters, "base clusters (columns of the graph)")
        check_integer("n_init", self.n_init)
        self.trajectories_ = trajectories(ensemble, self.n_neighbors, self.n_steps, cap=self.cap)
        self.transfer_cut_ = transfer_cut(
            self.trajectories_.to_clusters(size_weighted=self.size_weighted),
            ensemble.sizes if self.size_weighted else None,
            n_init=self.n_init,
            random_state=self.random_state,
            hashes=ensemble.hashes,
        )
        return self.transfer_cut_

    @property
    def trajectory_similarity_(self) -> np.ndarray:
        """Similarity of the walks of all pairs of microclusters (PTS), computed on request."""
        check_is_fitted(self, "ensemble_")
        return self.trajectories_.similarity().similarity
