"""Similarities spread along the pairs that can be trusted: EC-CMS and SDGCA."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from consensa._validation import check_positive
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association, guided_co_association, smoothed_similarity
from consensa.weigh import entropy_weights, normalised_entropy_weights

if TYPE_CHECKING:
    from consensa._types import Fraction, NClusters, Positive
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["ECCMS", "SDGCA"]

_ALPHAS = (0.6, 0.7, 0.8, 0.9, 1.0)
_ETAS = (0.65, 0.75, 0.85, 0.95)


@dataclass(eq=False, repr=False)
class ECCMS(ConsensusClusterer):
    """Ensemble clustering via co-association matrix self-enhancement (EC-CMS).

    Pairs of objects that nearly all base clusterings keep together can be trusted. The locally weighted co-association
    is smoothed along them, so that objects which belong together become similar to the same others; average linkage
    joins the objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    alpha : float or "auto", default=0.75
        Co-association from which a pair is trusted, in (0, 1]. "auto" takes the value from 0.6, 0.7, ..., 1 whose
        clustering agrees most with the base clusterings; it costs six times as much. With ``n_clusters="auto"`` alpha
        comes first, by the mean agreement over five candidates for k, then k.
    lam : float, default=0.01 (price of a change to a pair that is not trusted)
    theta : float, default=0.4 (how slowly the weight of a cluster falls with its uncertainty)
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    alpha_ : float (the value used)
    alpha_scores_ : dict of float
        Agreement with the base clusterings for every alpha tried; empty unless ``alpha="auto"``.
    ensemble_ : Ensemble

    See Also
    --------
    LWEA : The same without the smoothing.
    consensa.relate.smoothed_similarity : The smoothing itself, for any similarity.

    Notes
    -----
    The paper tunes ``alpha`` and ``lam`` for every data set; the defaults are those of the authors' demonstration.
    The smoothing is the stronger the more objects there are, so that all given twice can be clustered otherwise.
    Several matrices of n_microclusters x n_microclusters. Exact on microclusters.

    References
    ----------
    Jia, Tao, Wang & Wang (2024), Ensemble clustering via co-association matrix self-enhancement, IEEE TNNLS 35(8).
    https://doi.org/10.1109/TNNLS.2023.3249207

    Examples
    --------
    >>> from consensa import ECCMS
    >>> ECCMS(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    alpha: float | str = 0.75
    lam: Positive = 0.01
    theta: Positive = 0.4
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = entropy_weights(ensemble, self.theta)
        weighted, shares = co_association(ensemble, self.cluster_weights_), co_association(ensemble)

        def cluster(alpha: float) -> Dendrogram:
            smooth = smoothed_similarity(weighted, shares, ensemble.sizes, alpha=alpha, lam=self.lam)
            return agglomerate(smooth, ensemble.sizes)

        self.alpha_, self.alpha_scores_ = self._by_agreement(cluster, self.alpha, _ALPHAS, ensemble)
        return cluster(self.alpha_)


@dataclass(eq=False, repr=False)
class SDGCA(ConsensusClusterer):
    """Similarity and dissimilarity guided co-association.

    Sparse evidence for pairs (the base clusterings keep them together) and against them (their clusters are far apart)
    is spread along trusted pairs and corrects a weighted co-association in which coarse clusterings do not count less
    than fine ones; average linkage joins the objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    eta : float or "auto", default=0.85
        Co-association from which a pair is trusted, in (0, 1]; above 1 the weighted co-association is left as it is.
        "auto" takes the value from 0.65, 0.75, 0.85, 0.95 whose clustering agrees most with the base clusterings; it
        costs five times as much. With ``n_clusters="auto"`` eta comes first, by the mean agreement over five candidates
        for k, then k.
    support : float, default=0.95 (co-association from which a pair has evidence for it, in (0, 1])
    theta : float, default=0.06 (how slowly the weight of a cluster falls with its normalised uncertainty)
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_, dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,)
    eta_ : float (the value used)
    eta_scores_ : dict of float
        Agreement with the base clusterings for every eta tried; empty unless ``eta="auto"``.
    ensemble_ : Ensemble

    See Also
    --------
    ECCMS : Spreads the similarity itself, without evidence against pairs.
    consensa.relate.guided_co_association : The similarity itself.
    consensa.weigh.normalised_entropy_weights : The weights.

    Notes
    -----
    The authors set ``eta``, ``support`` and ``theta`` by hand for each of twelve data sets; the defaults are the
    medians of their values. Several matrices of n_microclusters x n_microclusters, and an inverse for the trusted pairs
    in every round. Exact on microclusters.

    References
    ----------
    Zhang, Jia, Song & Wang (2025), Similarity and dissimilarity guided co-association matrix construction for ensemble
    clustering, IEEE TKDE. https://doi.org/10.48550/arXiv.2411.00904

    Examples
    --------
    >>> from consensa import SDGCA
    >>> SDGCA(n_clusters=2).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    eta: float | str = 0.85
    support: Fraction = 0.95
    theta: Positive = 0.06
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> Dendrogram:
        self.cluster_weights_ = normalised_entropy_weights(ensemble, self.theta)

        def cluster(eta: float) -> Dendrogram:
            if check_positive("eta", eta) > 1:
                return agglomerate(co_association(ensemble, self.cluster_weights_), ensemble.sizes)
            guided = guided_co_association(ensemble, self.cluster_weights_, eta=eta, support=self.support)
            return agglomerate(guided, ensemble.sizes)

        self.eta_, self.eta_scores_ = self._by_agreement(cluster, self.eta, _ETAS, ensemble)
        return cluster(self.eta_)
