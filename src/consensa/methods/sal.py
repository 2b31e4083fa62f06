"""Spectral angle linkage, the default."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from consensa.methods.base import ConsensusClusterer
from consensa.partition import AgreeingCut, sampled_trees, transfer_cut
from consensa.relate import Angles, cluster_graph
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive
    from consensa.ensemble import Ensemble

__all__ = ["SAL"]

_GINI_THRESHOLDS = (1.0, 0.5)  # how unequal clusters may be before the smallest must join another
_LEADING = 0.25  # eigenvalues above this are never left out: there are as many as clusters that can be told apart


@dataclass(eq=False, repr=False)
class SAL(ConsensusClusterer):
    """Spectral angle linkage: average linkage on the angles between objects in the spectrum of their clusters.

    Objects and weighted clusters form the bipartite graph of LWGP. A random walk of two and a half steps from objects
    to clusters and back brings objects together that share few clusters themselves but neighbours; in the leading
    eigenvectors of the graph, the place of an object after the walk is a vector, the squared cosine of two of them is
    their similarity, and average linkage joins the objects. Where it leaves handfuls of outliers and one large rest, a
    second tree counts, in which the smallest have to join others. There are no starts and no seed.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    theta : float, default=1.0 (how slowly the weight of a cluster falls with its uncertainty)
    n_components : int, default=64 (eigenvectors at least; those with an eigenvalue above 0.25 are never left out)
    max_microclusters : int, default=4000
        With more microclusters than this, the tree is that of a sample of so many, and all others go to the cluster
        that they are most similar to: time and memory then grow linearly with the objects.
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : AgreeingCut
        Two trees: plain average linkage (``cut_.first``), and one in which the smallest region has to join another
        while the Gini index of the sizes exceeds 0.5 (``cut_.second``). For every number of clusters the one counts
        that agrees more with the base clusterings (mean mutual information, corrected for chance).
    dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    ensemble_ : Ensemble

    See Also
    --------
    LWGP : k-means in the first singular vectors of the same graph.
    LWEA : Average linkage on the co-association itself.

    Notes
    -----
    A point of the grid of weightings, relations and partitioners that was found by a search, not in a paper. The
    similarity is K^2.5 with its rows and columns scaled to a diagonal of 1, squared, where K is the weighted
    co-association normalised as a graph is; the leading eigenvectors hold nearly all of it. Objects or base
    clusterings that all stand there twice, or in another order, change nothing but exact ties.

    References
    ----------
    Weights and graph: Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343
    Walks: Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5).
    https://doi.org/10.1109/TKDE.2015.2503753
    Outliers: Gagolewski, Bartoszuk & Cena (2016), Genie: a new, fast, and outlier-resistant hierarchical clustering
    algorithm, Information Sciences 363. https://doi.org/10.1016/j.ins.2016.05.003

    Examples
    --------
    >>> from consensa import SAL
    >>> SAL(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    theta: Positive = 1.0
    n_components: Count = 64
    max_microclusters: Count = 4000
    missing: int | None = -1

    def _needs_all_microclusters(self) -> bool:
        return False

    def _consensus(self, ensemble: Ensemble) -> AgreeingCut:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        graph = cluster_graph(ensemble, self.cluster_weights_)
        spectrum = transfer_cut(graph, ensemble.sizes)
        n_axes = spectrum.n_leading(self.n_components, _LEADING)
        # to and fro once is a factor of the eigenvalue, half of which each of two places already has
        axes = spectrum.axes(n_axes, power=0.75)
        angles = Angles(ensemble.offsets, graph.weights, axes)
        first, second = sampled_trees(ensemble, angles, self.max_microclusters, _GINI_THRESHOLDS)
        return AgreeingCut(first, second, ensemble)
