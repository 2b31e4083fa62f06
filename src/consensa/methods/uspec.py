"""U-SPEC and U-SENC: spectral clustering through representatives, and ensembles of it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._magnitude import in_units
from consensa._validation import check_n_clusters
from consensa.ensemble import Ensemble
from consensa.generate import USPECPartitions
from consensa.generate.uspec import link_to_anchors
from consensa.methods.ensemble_clustering import GeneratedEnsemble
from consensa.methods.features import FeatureClusterer, hand_on
from consensa.methods.mdec import MDECConsensus

if TYPE_CHECKING:
    from consensa._types import Count, KRange, NClusters, RandomState

__all__ = ["USENC", "USPEC"]


@dataclass(eq=False, repr=False)
class USPEC(FeatureClusterer):
    """Ultra-scalable spectral clustering.

    Every object is linked to its nearest few of some thousand representatives; a transfer cut of that sparse graph is a
    spectral clustering in time and memory linear in the number of objects. It sees rings, moons and other shapes that
    k-means cannot. Equal representatives count once; one that no object is linked to is left out of the graph. Features
    are not scaled: scale them first where their units differ.

    Parameters
    ----------
    n_clusters : int, default=8 (number of clusters)
    n_representatives : int, default=1000
        The centres of k-means on ten times as many random objects; never more than there are objects.
    n_neighbors : int, default=5
        Representatives that every object is linked to; found approximately, group by group.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Gaussian kernel of the distance, as wide as the mean distance; or the cosine, for texts.
    n_init : int, default=3 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32 (numbered by size, then by first object)
    n_clusters_ : int
    choice_ : None
    confidence_ : ndarray of shape (n_samples,) (how clearly objects belong to their clusters)
        How much nearer every object is to the centre of its cluster than to the next one, in the embedding.
    cut_ : AnchorCut (the graph of objects and representatives)
    representatives_ : ndarray of shape (n_representatives, n_features)
    sigma_ : float (width of the kernel)
    ensemble_ : Ensemble

    See Also
    --------
    USENC : Many such clusterings, combined.

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6).
    https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa import USPEC
    >>> X, truth = make_moons(500, noise=0.05, random_state=0)
    >>> model = USPEC(n_clusters=2, n_representatives=100, random_state=0).fit(X)
    >>> bool((model.labels_ == truth).all() or (model.labels_ != truth).all())
    True
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _layout: ClassVar[dict[str, Any]] = {"order": "C"}
    n_clusters: Count = 8
    _: KW_ONLY
    n_representatives: Count = 1000
    n_neighbors: Count = 5
    metric: Literal["euclidean", "cosine"] = "euclidean"
    n_init: Count = 3
    random_state: RandomState = None

    def _fit(self, X: np.ndarray) -> None:
        parameters = self.get_params(deep=False)
        k = int(parameters.pop("n_clusters"))
        self.graph_ = link_to_anchors(X, **parameters)
        self.cut_ = self.graph_.cut
        check_n_clusters([k], self.cut_.n_clusters_max, self.cut_.limit)
        self.labels_ = self.cut_.cut(k)
        self.ensemble_ = Ensemble(self.labels_.reshape(-1, 1))
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.representatives_ = in_units(self.graph_.anchors.points, self.graph_.exponent)
        self.sigma_ = float(in_units(np.array(self.graph_.sigma), self.graph_.exponent))

    def _predict(self, X: np.ndarray) -> np.ndarray:
        """Label new objects by the representatives near them."""
        return self.graph_.clusters(self.n_clusters).assign(np.ascontiguousarray(X))

    @property
    def confidence_(self) -> np.ndarray:
        """How much nearer every object is to the centre of its cluster than to the next, in the embedding: 0 to 1."""
        check_is_fitted(self, "labels_")
        cut = self.graph_.cut
        return cut.anchor_rule(self.n_clusters).clearness(cut.matrix)


@dataclass(eq=False, repr=False)
class USENC(GeneratedEnsemble):
    """Ultra-scalable ensemble clustering: many clusterings by :class:`USPEC`, combined by a transfer cut.

    Every base clustering has its own representatives and its own random number of clusters. Time and memory grow
    linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=8
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_partitions : int, default=20 (base clusterings)
    k_range : tuple of two int or None, default=None
        As for :class:`~consensa.generate.USPECPartitions`, like the next three.
    n_representatives : int, default=1000
    n_neighbors : int, default=5
    metric : {"euclidean", "cosine"}, default="euclidean"
    weighted : bool, default=False
        Weigh the clusters by their uncertainty, as LWGP does; the published method counts them all the same.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : TransferCut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : USPECPartitions
    consensus_ : MDECConsensus
    ensemble_ : Ensemble

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6),
    Algorithm 2. https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa import USENC
    >>> X, truth = make_moons(500, noise=0.05, random_state=0)
    >>> labels = USENC(n_clusters=2, n_partitions=10, n_representatives=100, random_state=0).fit_predict(X)
    >>> bool((labels == truth).all() or (labels != truth).all())
    True
    """

    n_clusters: NClusters = 8
    _: KW_ONLY
    n_partitions: Count = 20
    k_range: KRange = None
    n_representatives: Count = 1000
    n_neighbors: Count = 5
    metric: Literal["euclidean", "cosine"] = "euclidean"
    weighted: bool = False
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _make_generator(self, seed: int) -> Any:
        return hand_on(self, USPECPartitions, random_state=seed)

    def _make_consensus(self, seed: int) -> Any:
        return hand_on(self, MDECConsensus, consensus="bg", theta=0.4, random_state=seed)
