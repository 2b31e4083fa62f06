"""Evidence accumulation clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["EAC"]


class EAC(ConsensusClusterer):
    """Evidence accumulation: agglomerative clustering on how often objects share a cluster.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one dendrogram. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    linkage : {"average", "complete", "single"}, default="average"
        Similarity of two groups: the mean, smallest or largest co-association of their members. Complete and single
        linkage need a matrix of the microclusters, average linkage does not.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

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
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : The same with clusters weighted by their uncertainty.

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113

    Examples
    --------
    >>> from consensa import EAC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> EAC(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(self, n_clusters: Any = 2, linkage: str = "average", *, missing: int | None = -1) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        similarity = co_association(ensemble)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_
