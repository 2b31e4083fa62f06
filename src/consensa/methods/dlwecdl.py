"""Divergence-based locally weighted ensemble clustering with dictionary learning, and its twin with entropy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, auto_range, check_choice, is_auto
from consensa.evaluate.choice import agreement_scores
from consensa.evaluate.choose_k import few_candidates
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate, normalised_cut
from consensa.relate import low_rank_representation
from consensa.weigh import divergence_weights, entropy_weights

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram, SpectralCut

__all__ = ["DLWECDL", "ELWECDL", "THETA_GRID"]

THETA_GRID = tuple(round(0.2 + 0.1 * step, 1) for step in range(19))
_WEIGHTS = {"divergence": divergence_weights, "entropy": entropy_weights}


class _LowRankConsensus(ConsensusClusterer):
    """Weights, low-rank representation, angles, cut: what DLWECDL and ELWECDL share."""

    weights: str
    theta: float | str
    relative_lambda: float
    learn_dictionary: bool
    alpha: int
    partitioner: str
    use_sizes: bool
    random_state: RandomState

    def _consensus(self, ensemble: Ensemble) -> SpectralCut | Dendrogram:
        seed = draw_seeds(self.random_state, 1)[0]
        self.theta_: Any = self.theta
        self.theta_scores_: dict[float, float] = {}
        if isinstance(self.theta, str) and self.theta == "auto":

            def cluster(theta: float) -> SpectralCut | Dendrogram:
                return self._recipe(ensemble, theta, seed)

            self.theta_scores_ = agreement_scores(cluster, THETA_GRID, ensemble, self._numbers(ensemble))
            self.theta_ = max(THETA_GRID, key=self.theta_scores_.__getitem__)
        return self._recipe(ensemble, self.theta_, seed)

    def _numbers(self, ensemble: Ensemble) -> list[int]:
        """The numbers of clusters that theta is judged by: those asked for, or a few of the candidates."""
        if not is_auto(self.n_clusters):
            return as_cluster_numbers(self.n_clusters)
        return few_candidates(ensemble, auto_range(self.n_clusters))

    def _recipe(self, ensemble: Ensemble, theta: float, seed: int) -> SpectralCut | Dendrogram:
        self.cluster_weights_ = _WEIGHTS[check_choice("weights", self.weights, tuple(_WEIGHTS))](ensemble, theta)
        self.representation_ = low_rank_representation(
            ensemble,
            self.cluster_weights_,
            relative_lambda=self.relative_lambda,
            learn_dictionary=self.learn_dictionary,
        )
        similarity = self.representation_.similarity(self.alpha)
        sizes = ensemble.sizes if self.use_sizes else None
        if check_choice("partitioner", self.partitioner, ("ncut", "average")) == "average":
            return agglomerate(similarity, sizes, "average")
        return normalised_cut(similarity, sizes, random_state=seed, hashes=ensemble.hashes)


class DLWECDL(_LowRankConsensus):
    """Divergence-based locally weighted ensemble clustering with dictionary learning.

    Microclusters are represented by each other, with low rank, in terms of clusters weighted by how they compare
    with the clusters they cross; a normalised cut partitions the angles of that representation.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one decomposition. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    weights : {"divergence", "entropy"}, default="divergence"
        Weights of the clusters.
    theta : float or "auto", default=1.0
        How slowly the weight of a cluster falls. "auto" takes the value from 0.2, 0.3, ..., 2 whose clustering
        agrees most with the base clusterings; it costs 20 times as much. With ``n_clusters="auto"`` theta comes
        first, by the mean agreement over five candidates for k, then k.
    relative_lambda : float, default=1.0
        In (0, 1]: how readily microclusters are left out as errors; at 1 none is, and the representation is known
        in closed form.
    learn_dictionary : bool, default=False
        Run the published alternating scheme that also updates the dictionary; see
        :func:`~consensa.relate.low_rank_representation`.
    alpha : int, default=2
        The similarity is the cosine to the power 2 ``alpha``.
    partitioner : {"ncut", "average"}, default="ncut"
        Normalised cut as published, or average linkage on the similarity.
    use_sizes : bool, default=False
        Count every microcluster as many times as it has objects; published without.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means in the normalised cut.
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
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Weight of every cluster; divergence weights are scaled so that the largest is 1.
    theta_ : float
        The value used.
    theta_scores_ : dict of float
        Agreement with the base clusterings for every theta tried; empty unless ``theta="auto"``.
    representation_ : LowRank
        The representation with its objective, residuals and errors.
    ensemble_ : Ensemble

    See Also
    --------
    ELWECDL : The same with entropy weights.
    DREC : A dense instead of a low-rank representation, without weights.

    Notes
    -----
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
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> DLWECDL(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        weights: str = "divergence",
        theta: float | str = 1.0,
        relative_lambda: float = 1.0,
        learn_dictionary: bool = False,
        alpha: int = 2,
        partitioner: str = "ncut",
        use_sizes: bool = False,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.weights = weights
        self.theta = theta
        self.relative_lambda = relative_lambda
        self.learn_dictionary = learn_dictionary
        self.alpha = alpha
        self.partitioner = partitioner
        self.use_sizes = use_sizes
        self.random_state = random_state
        self.missing = missing


class ELWECDL(_LowRankConsensus):
    """Entropy-based locally weighted ensemble clustering with dictionary learning: DLWECDL with entropy weights.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one decomposition. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    theta : float or "auto", default=1.0
        How slowly the weight of a cluster falls with its uncertainty. "auto" takes the value from 0.2, 0.3, ..., 2
        whose clustering agrees most with the base clusterings; it costs 20 times as much. With
        ``n_clusters="auto"`` theta comes first, by the mean agreement over five candidates for k, then k.
    relative_lambda : float, default=1.0
        In (0, 1]: how readily microclusters are left out as errors; at 1 none is, and the representation is known
        in closed form.
    learn_dictionary : bool, default=False
        Run the published alternating scheme that also updates the dictionary; see
        :func:`~consensa.relate.low_rank_representation`.
    alpha : int, default=2
        The similarity is the cosine to the power 2 ``alpha``.
    partitioner : {"ncut", "average"}, default="ncut"
        Normalised cut as published, or average linkage on the similarity.
    use_sizes : bool, default=False
        Count every microcluster as many times as it has objects; published without.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means in the normalised cut.
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
    cluster_weights_ : ndarray of shape (n_base_clusters,)
        Ensemble-driven cluster index of every cluster.
    theta_ : float
        The value used.
    theta_scores_ : dict of float
        Agreement with the base clusterings for every theta tried; empty unless ``theta="auto"``.
    representation_ : LowRank
        The representation with its objective, residuals and errors.
    ensemble_ : Ensemble

    See Also
    --------
    DLWECDL : The same with divergence weights.

    References
    ----------
    Xu, Wu, Li & Nan (2022), Divergence-based locally weighted ensemble clustering with dictionary learning and
    L2,1-norm, Entropy 24(10), 1324. https://doi.org/10.3390/e24101324

    Examples
    --------
    >>> from consensa import ELWECDL
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> ELWECDL(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    weights = "entropy"

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        theta: float | str = 1.0,
        relative_lambda: float = 1.0,
        learn_dictionary: bool = False,
        alpha: int = 2,
        partitioner: str = "ncut",
        use_sizes: bool = False,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.relative_lambda = relative_lambda
        self.learn_dictionary = learn_dictionary
        self.alpha = alpha
        self.partitioner = partitioner
        self.use_sizes = use_sizes
        self.random_state = random_state
        self.missing = missing
