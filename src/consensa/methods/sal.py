"""Spectral angle linkage, the default."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from consensa._validation import check_integer
from consensa.methods.base import ConsensusClusterer
from consensa.partition import FallbackCut, sampled_tree, spectrum_noise, transfer_cut
from consensa.relate import Angles, SharedClusters, cluster_graph
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, Positive
    from consensa.ensemble import Ensemble
    from consensa.partition import TransferCut

__all__ = ["SAL"]

_MOST = 100  # singular vectors; with 50 or 200 the consensus of the pools is worse
_LEAST_AGREEMENT = 0.8  # published pools have 0.82 and more, data on which the tree fails 0.75 and less
_RESERVE_THETA = 0.4  # as in LWEA
_NOISY = 0.4  # published pools have levels below 0.35, with a fifth of the labels wrong above 0.45


@dataclass(eq=False, repr=False)
class SAL(ConsensusClusterer):
    """Spectral angle linkage: average linkage on the angles between objects in the spectrum of their clusters.

    Objects and weighted clusters form the bipartite graph of LWGP. Its leading singular vectors, each scaled by the
    root of its singular value, place the objects; the squared cosine of two places is their similarity, and average
    linkage joins the objects. Where that tree loses touch with the base clusterings, the tree of LWEA stands in. There
    are no starts and no seed.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    theta : float, default=1.0 (how slowly the weight of a cluster falls with its uncertainty)
    n_components : int or "auto", default="auto"
        Number of singular vectors; more only where singular values are equal. "auto" takes 100, but in an ensemble
        with much noise only those that stand above it.
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
    cut_ : FallbackCut
        The tree (``cut_.first``) and the one that stands in (``cut_.second``), each of the microclusters, or of a
        sample of them with what labels the others.
    dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    noise_ : SpectrumNoise
        How many singular vectors stand above noise, and how much noise there is beside them, from 0 to 1.
    ensemble_ : Ensemble

    See Also
    --------
    LWGP : k-means in the first singular vectors of the same graph.
    LWEA : Average linkage on the co-association itself.

    Notes
    -----
    A point of the grid of weightings, relations and partitioners that was found by a search on published pools of
    base clusterings, not in a paper. Where clusterings differ because they look at different things, vectors with small
    singular values help, as they keep apart what only few clusterings keep apart. Where labels are wrong at random
    they carry nothing else; above a noise level of 0.4 they are left out. A cut of the tree is given up where its mean
    agreement with the base clusterings is below 0.8 of that of the cut by LWEA, as happens with very few clusters.

    References
    ----------
    Weights and graph: Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import SAL
    >>> SAL(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    theta: Positive = 1.0
    n_components: int | str = "auto"
    max_microclusters: Count = 4000
    missing: int | None = -1

    def _needs_all_microclusters(self) -> bool:
        return False

    def _consensus(self, ensemble: Ensemble) -> FallbackCut:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        graph = cluster_graph(ensemble, self.cluster_weights_)
        spectrum = transfer_cut(graph, ensemble.sizes)
        axes = spectrum.axes(self._n_vectors(spectrum, ensemble), power=-0.25)
        angles = Angles(ensemble.offsets, graph.weights, axes)
        shared = SharedClusters(ensemble.offsets, entropy_weights(ensemble, _RESERVE_THETA))
        tree = sampled_tree(ensemble, angles, self.max_microclusters)
        reserve = sampled_tree(ensemble, shared, self.max_microclusters)
        return FallbackCut(tree, reserve, ensemble, _LEAST_AGREEMENT)

    def _n_vectors(self, spectrum: TransferCut, ensemble: Ensemble) -> int:
        automatic = isinstance(self.n_components, str) and self.n_components == "auto"
        most = _MOST if automatic else check_integer("n_components", self.n_components, otherwise=", or 'auto'")
        self.noise_ = spectrum_noise(
            spectrum.eigenvalues(most),
            spectrum.eigenvalue_sum(),
            n_objects=ensemble.n_labelled,
            n_partitions=ensemble.n_filled,
            n_base_clusters=ensemble.n_base_clusters,
        )
        noisy = automatic and self.noise_.level > _NOISY
        return max(self.noise_.n_signal, 2) if noisy else most
