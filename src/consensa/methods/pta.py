"""Probability trajectory accumulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from consensa._validation import check_choice
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate_pieces
from consensa.relate import co_association, trajectories

if TYPE_CHECKING:
    import numpy as np

    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["PTA"]


class PTA(ConsensusClusterer):
    """Probability trajectory accumulation: agglomerative clustering on the similarity of random walks.

    Microclusters are linked to their elite neighbours; those from which random walkers take similar ways are joined.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one dendrogram. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    n_neighbors : int, "all" or None, default=None
        K, how many of its strongest links a microcluster keeps (ties are all kept); None for
        floor(sqrt(n_microclusters) / 2), at least 1.
    n_steps : int or None, default=None
        T, length of the walks; None for floor(sqrt(n_microclusters) / 2), at least 1.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest similarity of their microclusters.
    size_weighted : bool, default=False
        Weigh microclusters by their number of objects in average linkage. The published method counts each once.
    cap : int or None, default=None
        Largest K and T where they are not given; the published code has 20, the paper none.
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
    dendrogram_ : Dendrogram
        The tree over the microclusters.
    trajectories_ : Trajectories
        The graph of elite neighbours and the walks over it.
    trajectory_similarity_ : ndarray of shape (n_microclusters, n_microclusters)
        Cosine of the walks, computed whenever it is asked for.
    ensemble_ : Ensemble

    See Also
    --------
    PTGP : Graph partitioning with the same similarity and no matrix of the microclusters.

    Notes
    -----
    Needs two matrices of n_microclusters x n_microclusters and O(T n_links n_microclusters) time; a run that would take
    long is announced by a :class:`~consensa.ConsensaWarning` with the time first. Groups of different connected
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

    def __init__(
        self,
        n_clusters: Any = 2,
        n_neighbors: int | str | None = None,
        n_steps: int | None = None,
        linkage: str = "average",
        *,
        size_weighted: bool = False,
        cap: int | None = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.linkage = linkage
        self.size_weighted = size_weighted
        self.cap = cap
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        check_choice("linkage", self.linkage, ("average", "complete", "single"))
        self.trajectories_ = trajectories(ensemble, self.n_neighbors, self.n_steps, cap=self.cap)
        sizes = ensemble.sizes if self.size_weighted else None
        similarity, pieces = self.trajectories_.similarity(), self.trajectories_.components
        self.dendrogram_ = agglomerate_pieces(similarity, pieces, co_association(ensemble), sizes, self.linkage)
        return self.dendrogram_

    @property
    def trajectory_similarity_(self) -> np.ndarray:
        """Similarity of the walks of all pairs of microclusters (PTS), computed on request."""
        check_is_fitted(self, "ensemble_")
        return self.trajectories_.similarity().similarity
