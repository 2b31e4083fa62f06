"""Ensemble clustering by propagation of cluster-wise similarities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._random import as_generator
from consensa._validation import check_choice, check_integer
from consensa.methods.base import ConsensusClusterer, Cut
from consensa.partition import agglomerate, meta_clusters
from consensa.relate import enhanced_co_association, propagated_similarity

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["ECPCS"]


class ECPCS(ConsensusClusterer):
    """Ensemble clustering by propagation of cluster-wise similarities: random walks over the clusters.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels.
    consensus : {"hc", "mc"}, default="hc"
        "hc": linkage on a co-association in which different clusters count by their similarity (ECPCS-HC). "mc":
        normalised cut of the clusters into meta-clusters, for which the objects vote (ECPCS-MC); it only counts and
        never relates objects to objects.
    n_steps : int, default=20
        Length of the walks.
    linkage : {"average", "complete", "single"}, default="average"
        Linkage of "hc"; published is average.
    n_init : int, default=10
        Starts of k-means in the normalised cut of "mc".
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means in "mc".
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
    cluster_similarity_ : ndarray of shape (n_base_clusters, n_base_clusters)
        Similarity of the base clusters by their walks.
    dendrogram_ : Dendrogram
        The tree over the microclusters; only with "hc".
    ensemble_ : Ensemble

    See Also
    --------
    CTS : Similarities of clusters by walks of two steps.
    PTA : Walks over the microclusters.

    Notes
    -----
    "hc" needs two matrices of n_microclusters x n_microclusters, "mc" only those of the base clusters. In "mc" ties of
    the vote go to the largest meta-cluster (published: at random), a meta-cluster without any vote takes the
    microcluster that comes nearest to it, with a warning, and over two base clusterings the walks are lazy, because
    otherwise walks from different clusterings never meet. n_clusters may not exceed the number of base clusters in
    "mc".

    References
    ----------
    Huang, Wang, Peng, Lai & Kwoh (2021), Enhanced ensemble clustering via fast propagation of cluster-wise
    similarities, IEEE Trans. SMC: Systems 51(1). https://doi.org/10.1109/TSMC.2018.2876202

    Examples
    --------
    >>> from consensa import ECPCS
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> ECPCS(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> ECPCS(n_clusters=2, consensus="mc", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        consensus: str = "hc",
        *,
        n_steps: int = 20,
        linkage: str = "average",
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_steps = n_steps
        self.linkage = linkage
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> Cut:
        groups = check_choice("consensus", self.consensus, ("hc", "mc")) == "mc"
        check_choice("linkage", self.linkage, ("average", "complete", "single"))
        n_init, rng = check_integer("n_init", self.n_init), as_generator(self.random_state)
        lazy = groups and ensemble.n_partitions == 2
        self.cluster_similarity_ = propagated_similarity(ensemble, self.n_steps, lazy=lazy)
        if groups:
            return meta_clusters(
                ensemble, "spectral", similarity=self.cluster_similarity_, n_init=n_init, random_state=rng
            )
        similarity = enhanced_co_association(ensemble, self.cluster_similarity_)
        self.dendrogram_ = agglomerate(similarity, ensemble.sizes, self.linkage)
        return self.dendrogram_
