"""Microclusters represented by each other, with low rank or densely, and cut by the angles between them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

from consensa._random import draw_seeds
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate, normalised_cut
from consensa.relate import dense_representation, low_rank_representation
from consensa.relate.low_rank import check_decomposition
from consensa.weigh import divergence_weights, entropy_weights

if TYPE_CHECKING:
    import numpy as np

    from consensa._types import Count, Growth, NClusters, Positive, RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram, SpectralCut

__all__ = ["DLWECDL", "DREC", "ELWECDL", "THETA_GRID"]

THETA_GRID = tuple(round(0.2 + 0.1 * step, 1) for step in range(19))


class LowRankConsensus(ConsensusClusterer):
    """Weights, low-rank representation, angles, cut: what DLWECDL and ELWECDL share."""

    weights: str
    theta: float | str
    literal: bool
    solver: str
    relative_lambda: float
    lam: float | None
    rho: float
    alpha: int
    partitioner: str
    use_sizes: bool
    random_state: RandomState

    def _consensus(self, ensemble: Ensemble) -> SpectralCut | Dendrogram:
        check_decomposition(ensemble)  # before the weights, which are as large where the clusters are many
        seed = draw_seeds(self.random_state, 1)[0]

        def cluster(theta: float) -> SpectralCut | Dendrogram:
            return self._recipe(ensemble, theta, seed)

        self.theta_, self.theta_scores_ = self._by_agreement(cluster, self.theta, THETA_GRID, ensemble)
        return cluster(self.theta_)

    def _recipe(self, ensemble: Ensemble, theta: float, seed: int) -> SpectralCut | Dendrogram:
        self.cluster_weights_ = self._weigh(ensemble, theta)
        self.representation_ = low_rank_representation(
            ensemble,
            self.cluster_weights_,
            relative_lambda=self.relative_lambda,
            lam=self.lam,
            solver=self.solver,
            rho=self.rho,
        )
        similarity = self.representation_.similarity(self.alpha)
        sizes = ensemble.sizes if self.use_sizes else None
        if self.partitioner == "average":
            return agglomerate(similarity, sizes, "average")
        return normalised_cut(similarity, sizes, random_state=seed, hashes=ensemble.hashes)

    def _weigh(self, ensemble: Ensemble, theta: float) -> np.ndarray:
        if self.weights == "divergence":
            return divergence_weights(ensemble, theta, literal=self.literal)
        if self.literal:
            msg = "literal=True is the printed form of the divergence, and weights='entropy' has none; leave it out."
            raise ValueError(msg)
        return entropy_weights(ensemble, theta)


@dataclass(eq=False, repr=False)
class DLWECDL(LowRankConsensus):
    """Divergence-based locally weighted ensemble clustering with dictionary learning.

    Microclusters are represented by each other, with low rank, in terms of clusters weighted by how they compare
    with the clusters they cross; a normalised cut partitions the angles of that representation.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    weights : {"divergence", "entropy"}, default="divergence" (weights of the clusters)
    theta : float or "auto", default=1.0
        How slowly the weight of a cluster falls. "auto" takes the value from 0.2, 0.3, ..., 2 whose clustering
        agrees most with the base clusterings; it costs 20 times as much. With ``n_clusters="auto"`` theta comes
        first, by the mean agreement over five candidates for k, then k. The paper takes the best of the same values
        by the true classes.
    literal : bool, default=False
        Divergence as Eq. 4 is printed, instead of the reading that gives the numbers of Table 1; see
        :func:`~consensa.weigh.cluster_divergence`. Of divergence weights only.
    solver : {"closed", "published"}, default="closed"
        "closed" has **neither a noise term nor a learned dictionary**: the representation is the square root of the
        weighted co-association. "published" runs the alternating scheme with both; see Notes.
    relative_lambda : float, default=1.0
        In (0, 1]: how readily microclusters are left out as errors; at 1 none is.
    lam : float or None, default=None
        Lambda itself, instead of ``relative_lambda``; the paper searches 0.01, 0.1, 1, 10, 100, 200 and 500.
    rho : float, default=2.3
        How fast the published scheme goes; the paper has 2.3 and 3.5.
    alpha : int, default=2
        The similarity is the cosine to the power 2 ``alpha``. The paper prints no value; 2 is that of :class:`DREC`.
    partitioner : {"ncut", "average"}, default="ncut"
        Normalised cut as published, or average linkage on the similarity.
    use_sizes : bool, default=False
        Count every microcluster as many times as it has objects; published without.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SpectralCut ("ncut") or Dendrogram ("average")
    dendrogram_ : Dendrogram (only with "average")
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Weight of every cluster; divergence weights are scaled so that the largest is 1.
    theta_ : float (the value used)
    theta_scores_ : dict of float
        Agreement with the base clusterings for every theta tried; empty unless ``theta="auto"``.
    representation_ : LowRank (the representation with its objective, residuals and errors)
    ensemble_ : Ensemble

    See Also
    --------
    ELWECDL : The same with entropy weights.
    DREC : A dense instead of a low-rank representation, without weights.

    Notes
    -----
    The noise E and the dictionary P of the published model have no say in its optimum. From a lambda of at most 1 on,
    which is most of the published grid, E = 0; and the optimum is the same for every feasible P, so that the data do
    not determine it. What is left is the closed form, and the published scheme with the published ``rho`` ends there as
    well from a lambda of 10 on: its similarities differ by less than 1e-3. In other cases it ends elsewhere: at a
    lambda of 1 and below with some noise, with a ``rho`` near 1 at an arbitrary P, which turns the vectors that are
    clustered. With 0.01 and 0.1 everything is error at the optimum: "closed" mostly refuses them, "published" stops
    before it gets there. What the paper leaves open about the scheme is said at
    :func:`~consensa.relate.low_rank_representation`.

    The weights prefer small clusters (their logarithm falls with that of the size), the more so the smaller
    ``theta`` is. Where clusters overlap, small base clusters in the overlap can then decide too much; a larger
    ``theta`` brings the weights nearer to 1.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import DLWECDL
    >>> DLWECDL(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    weights: Literal["divergence", "entropy"] = "divergence"
    theta: float | str = 1.0
    literal: bool = False
    solver: Literal["closed", "published"] = "closed"
    relative_lambda: Positive = 1.0
    lam: Positive | None = None
    rho: Growth = 2.3
    alpha: Count = 2
    partitioner: Literal["ncut", "average"] = "ncut"
    use_sizes: bool = False
    random_state: RandomState = None
    missing: int | None = -1


@dataclass(eq=False, repr=False)
class ELWECDL(LowRankConsensus):
    """Entropy-based locally weighted ensemble clustering with dictionary learning: DLWECDL with entropy weights.

    The parameters and attributes that it shares with :class:`DLWECDL` are described there.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    theta : float or "auto", default=1.0
    solver : {"closed", "published"}, default="closed"
        "closed" has **neither a noise term nor a learned dictionary**, "published" has both; see :class:`DLWECDL`.
    relative_lambda : float, default=1.0
    lam : float or None, default=None
    rho : float, default=2.3
    alpha : int, default=2
    partitioner : {"ncut", "average"}, default="ncut"
    use_sizes : bool, default=False
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SpectralCut ("ncut") or Dendrogram ("average")
    dendrogram_ : Dendrogram
    cluster_weights_ : ndarray of shape (n_base_clusters,) (the ensemble-driven cluster index)
    theta_ : float
    theta_scores_ : dict of float
    representation_ : LowRank
    ensemble_ : Ensemble

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import ELWECDL
    >>> ELWECDL(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    weights = "entropy"
    literal = False
    n_clusters: NClusters = 2
    _: KW_ONLY
    theta: float | str = 1.0
    solver: Literal["closed", "published"] = "closed"
    relative_lambda: Positive = 1.0
    lam: Positive | None = None
    rho: Growth = 2.3
    alpha: Count = 2
    partitioner: Literal["ncut", "average"] = "ncut"
    use_sizes: bool = False
    random_state: RandomState = None
    missing: int | None = -1


@dataclass(eq=False, repr=False)
class DREC(ConsensusClusterer):
    """Ensemble clustering based on dense representation.

    Microclusters are represented by each other by a ridge regression that is robust to bad columns; a normalised cut
    partitions the angles of that representation.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    lam : float, default=100.0
        Price of large coefficients; the authors search 0.01 to 1000.
    alpha : int, default=2
        As for :class:`DLWECDL`, like ``use_sizes``.
    use_sizes : bool, default=False
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
    cut_ : SpectralCut
    ensemble_ : Ensemble

    See Also
    --------
    DLWECDL : Low rank instead of ridge, with weighted clusters.

    References
    ----------
    Zhou, Zheng & Pan (2019), Ensemble clustering based on dense representation, Neurocomputing 357.
    https://doi.org/10.1016/j.neucom.2019.04.078

    Examples
    --------
    >>> from consensa import DREC
    >>> DREC(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    lam: Positive = 100.0
    alpha: Count = 2
    use_sizes: bool = False
    n_init: Count = 10
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        similarity = dense_representation(ensemble, self.lam, alpha=self.alpha)
        sizes = ensemble.sizes if self.use_sizes else None
        seeding: Any = {"n_init": self.n_init, "random_state": self.random_state, "hashes": ensemble.hashes}
        return normalised_cut(similarity, sizes, **seeding)
