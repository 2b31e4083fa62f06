"""Weighted clusters in subspaces: LAC clusterings of features, combined by the probabilities of their clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.preprocessing import StandardScaler

from consensa._features import FeatureWeightsMixin
from consensa._magnitude import check_near, ordinary_scale, rows_at
from consensa._random import draw_seeds
from consensa._validation import auto_range, check_choice, check_integer, check_n_clusters, is_auto
from consensa.ensemble import Ensemble
from consensa.ensemble.numbering import number_by_size
from consensa.evaluate import consensus_feature_weights
from consensa.generate import KMeansPartitions, LACPartitions
from consensa.methods.choose_k import choose_k
from consensa.methods.features import FeatureClusterer, hand_on
from consensa.methods.saving import check_seed
from consensa.partition import normalised_cut, transfer_cut
from consensa.partition.agglomerate_rows import average_linkage
from consensa.partition.metis import metis, require_pymetis
from consensa.relate.posteriors import (
    SoftEnsemble,
    label_posteriors,
    posterior_graph,
    posterior_similarity,
    soft_ensemble,
    unit_graph,
    walk_cosine,
    walk_similarity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from consensa._types import Count, NClusters, Positive, RandomState
    from consensa.partition.cut import Cut

    Relations: TypeAlias = Mapping[str, Callable[[SoftEnsemble], Any]]

__all__ = ["PARTITIONERS", "WBPA", "WSPA", "wbpa", "wspa"]

PARTITIONERS = ("metis", "tcut", "spectral", "average")
_BY_ANGLE = dict(zip(PARTITIONERS, (posterior_similarity, unit_graph, *[posterior_similarity] * 2), strict=True))
_BY_CLUSTER = dict(zip(PARTITIONERS, (posterior_graph, posterior_graph, walk_similarity, walk_cosine), strict=True))
_WHAT = "distinct rows of posteriors"
_CHOOSER = "lwgp"  # whose cuts are judged where the number of clusters is chosen
_CHOOSER_PARTITIONS = 50


@dataclass(eq=False, repr=False)
class SoftConsensus(FeatureClusterer, FeatureWeightsMixin):
    """From features to LAC clusterings, to probabilities, to a relation of the objects, to a cut."""

    _layout: ClassVar[dict[str, Any]] = {"dtype": np.float64, "order": "C"}
    _relations: ClassVar[Relations]
    n_clusters: NClusters = 8
    _: KW_ONLY
    partitioner: Literal["metis", "tcut", "spectral", "average"] = "metis"
    n_partitions: Count = 20
    inverse_h: Any = None
    standardize: bool = True
    imbalance: Positive | None = None
    n_init: Count = 10
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit(self, X: np.ndarray) -> None:
        if self.partitioner == "metis":
            require_pymetis()
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        self._scaling = self._standards(X)
        Z = self._scaled(X)
        k = self._choose(Z, method_seed)
        self.generator_ = hand_on(self, LACPartitions, n_clusters=k, random_state=generator_seed)
        self.partitions_ = np.asarray(self.generator_.fit_transform(Z))
        self.ensemble_ = Ensemble(self.partitions_)
        self._soft = soft_ensemble(self.generator_.posteriors(Z))
        self.cut_ = self._consensus(method_seed)
        check_n_clusters([k], self._soft.n_rows, _WHAT)
        self.labels_ = number_by_size(self.cut_.cut(k), self._soft)
        self.n_clusters_ = int(self.labels_.max()) + 1
        weights = self.generator_.feature_weights_
        self.feature_weights_ = consensus_feature_weights(self.labels_, self.partitions_, weights)

    def _choose(self, Z: np.ndarray, seed: int) -> int:
        """The number of clusters, before the clusterings are made, which all have it: on k-means of many k."""
        self.choice_ = None
        if isinstance(self.n_clusters, str) and is_auto(self.n_clusters):
            partitions = KMeansPartitions(_CHOOSER_PARTITIONS, random_state=seed).fit_transform(Z)
            self.choice_ = choose_k(partitions, _CHOOSER, auto_range(self.n_clusters), random_state=seed)
            return self.choice_.n_clusters
        return check_integer("n_clusters", self.n_clusters)

    def _consensus(self, seed: int) -> Cut:
        options = {"imbalance": self.imbalance, "n_init": self.n_init, "random_state": seed}
        return _partition(self._soft, self._relations, self.partitioner, **options)

    def _consensus_again(self) -> Cut:
        """Make the cut of a loaded model that was saved without it."""
        check_seed(self)
        return self._consensus(draw_seeds(self.random_state, 2)[1])

    @property
    def _rows(self) -> SoftEnsemble:
        return self._soft

    def _standards(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int] | None:
        """Mean and standard deviation of X * 2**-exponent, and the exponent; None where features stay as they are."""
        if not self.standardize:
            return None
        even, exponent = ordinary_scale(X)
        scaler = StandardScaler().fit(even)
        return scaler.mean_, scaler.scale_, exponent

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        if self._scaling is None:
            return X
        mean, scale, exponent = self._scaling
        with np.errstate(over="ignore"):
            Z = (rows_at(X, exponent) - mean) / scale
        check_near(Z, X)
        return Z

    def _predict(self, X: np.ndarray) -> np.ndarray:
        posteriors = np.hstack(list(self.generator_.posteriors(self._scaled(X))))
        of_row = np.empty(self._soft.n_rows, np.int64)
        of_row[self._soft.row_map] = self.labels_
        return label_posteriors(self._soft, of_row, posteriors)


class WSPA(SoftConsensus):
    """Weighted similarity partitioning of locally adaptive clusterings.

    LAC clusters the features once for every value of h. Two objects are as similar as the angles between their
    posterior probabilities say, averaged over the clusterings, and the graph of all pairs is partitioned.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters, of the base clusterings and of the consensus. "auto" (or "auto:2:20") chooses it first, on
        50 k-means clusterings of many k; see :func:`~consensa.choose_k`.
    partitioner : {"metis", "tcut", "spectral", "average"}, default="metis"
        "metis", as published, cuts the graph of all pairs into clusters of nearly equal size; it needs the extra
        ``metis`` and memory that grows with the square of the number of distinct objects. For clusters of unequal
        size and for many objects: "tcut" (transfer cut of the graph between objects and clusters), "spectral"
        (normalised cut) or "average" (average linkage), all on the factor of the similarity, without its matrix.
    n_partitions : int, default=20 (base clusterings)
        As many as values in ``inverse_h``, where these are given.
    inverse_h : sequence of float or None, default=None
        The values of 1/h, one per base clustering; None for ``n_partitions`` values from 1 to 20, a grid of ours.
    standardize : bool, default=True
        Give every feature mean 0 and variance 1 first: h, and the 1 in the posteriors, have the unit of the features.
        **This is ours**: the paper does not say whether it scaled its features, and prints no values of h either.
    imbalance : float or None, default=None
        By what share METIS may let a cluster exceed the mean; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32 (numbered by size, then by first object)
    n_clusters_ : int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,) (how clearly objects belong to their clusters)
    cut_ : MetisCut, TransferCut, SpectralCut or Dendrogram
    dendrogram_ : Dendrogram (only with "average")
    feature_weights_ : ndarray of shape (n_clusters, n_features)
        In which features every consensus cluster lives: the weights of the base clusters its objects lie in, averaged.
        Rows sum to 1; :meth:`top_features` shows them by name.
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : LACPartitions (fitted on the features, standardised if asked for)
    ensemble_ : Ensemble

    See Also
    --------
    WBPA : Partitions the graph between objects and clusters instead.
    wspa : The same for soft clusterings that already exist.

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 4.1.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import WSPA
    >>> model = WSPA(n_clusters=3, partitioner="tcut", random_state=0).fit(load_iris(as_frame=True).data)
    >>> model.labels_.shape, list(model.top_features(1)[0])
    ((150,), ['petal ...'])
    """

    _relations: ClassVar[Relations] = _BY_ANGLE


class WBPA(SoftConsensus):
    """Weighted bipartite partitioning of locally adaptive clusterings.

    LAC clusters the features once for every value of h. Objects and clusters are the two sides of a graph, linked by
    the posterior probabilities of the clusters, and the graph is partitioned. Parameters and attributes are those of
    :class:`WSPA`; :func:`wbpa` does the same for soft clusterings that already exist.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
    partitioner : {"metis", "tcut", "spectral", "average"}, default="metis"
        "metis", as published, cuts the graph into parts of nearly equal size; it needs the extra ``metis``. For
        clusters of unequal size: "tcut" (transfer cut), "spectral" (normalised cut) or "average" (average linkage),
        the last two on the walks of two steps between objects. None of them needs a matrix of all pairs of objects.
    n_partitions : int, default=20 (base clusterings)
    inverse_h : sequence of float or None, default=None
    standardize : bool, default=True
        Ours, not the paper's; see :class:`WSPA`.
    imbalance : float or None, default=None
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32 (numbered by size, then by first object)
    n_clusters_ : int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_samples,) (how clearly objects belong to their clusters)
    cut_ : MetisCut, TransferCut, SpectralCut or Dendrogram
    dendrogram_ : Dendrogram
    feature_weights_ : ndarray of shape (n_clusters, n_features)
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : LACPartitions
    ensemble_ : Ensemble

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 4.2.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import WBPA
    >>> WBPA(n_clusters=3, partitioner="tcut", random_state=0).fit(load_iris().data).feature_weights_.shape
    (3, 4)
    """

    _relations: ClassVar[Relations] = _BY_CLUSTER


def wspa(
    posteriors: Iterable[Any],
    n_clusters: NClusters,
    partitioner: str = "metis",
    *,
    imbalance: float | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Combine soft clusterings of any origin through the mean cosine similarity of their probabilities.

    Parameters
    ----------
    posteriors : iterable of arrays of shape (n_objects, n_clusters of that clustering)
        At least 0, rows sum to 1; the widths may differ. From LAC, a Gaussian mixture, fuzzy c-means, a topic model,
        or one-hot for a hard clustering.
    n_clusters : int or "auto"
        Number of clusters; "auto" chooses it on the most probable clusters, see :func:`~consensa.choose_k`.
    partitioner : {"metis", "tcut", "spectral", "average"}, default="metis"
        See :class:`WSPA`, also for ``imbalance``.
    imbalance : float or None, default=None
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    ndarray of shape (n_objects,), int32
        Numbered by size, then by first object.

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 4.1.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import wspa
    >>> two = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    >>> three = np.array([[0.8, 0.1, 0.1], [0.8, 0.2, 0.0], [0.0, 0.5, 0.5], [0.1, 0.1, 0.8]])
    >>> wspa([two, three], 2, partitioner="tcut", random_state=0)
    array([0, 0, 1, 1], dtype=int32)
    """
    options = {"imbalance": imbalance, "n_init": n_init, "random_state": random_state}
    return _combine(posteriors, n_clusters, _BY_ANGLE, partitioner, **options)


def wbpa(
    posteriors: Iterable[Any],
    n_clusters: NClusters,
    partitioner: str = "metis",
    *,
    imbalance: float | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Combine soft clusterings of any origin through the graph of objects and clusters: :func:`wspa` in another way.

    Parameters
    ----------
    posteriors : iterable of arrays of shape (n_objects, n_clusters of that clustering)
    n_clusters : int or "auto"
    partitioner : {"metis", "tcut", "spectral", "average"}, default="metis"
        See :class:`WBPA`.
    imbalance : float or None, default=None
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    ndarray of shape (n_objects,), int32

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 4.2.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import wbpa
    >>> posteriors = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    >>> wbpa([posteriors], 2, partitioner="tcut", random_state=0)
    array([0, 0, 1, 1], dtype=int32)
    """
    options = {"imbalance": imbalance, "n_init": n_init, "random_state": random_state}
    return _combine(posteriors, n_clusters, _BY_CLUSTER, partitioner, **options)


def _combine(
    posteriors: Iterable[Any], n_clusters: NClusters, relations: Relations, partitioner: str, **options: Any
) -> np.ndarray:
    """From soft clusterings to labels, numbered by size; "auto" chooses k on the most probable clusters."""
    given = posteriors if hasattr(posteriors, "ndim") else list(posteriors)
    ensemble = soft_ensemble(given)
    if isinstance(n_clusters, str) and is_auto(n_clusters):
        hard = np.column_stack([np.argmax(P, axis=1) for P in given])
        n_clusters = choose_k(hard, _CHOOSER, auto_range(n_clusters), random_state=0).n_clusters
    k = check_integer("n_clusters", n_clusters)
    check_n_clusters([k], ensemble.n_rows, _WHAT)
    return number_by_size(_partition(ensemble, relations, partitioner, **options).cut(k), ensemble)


def _partition(ensemble: SoftEnsemble, relations: Relations, partitioner: str, **options: Any) -> Cut:
    """Hand a partitioner the relation that the method has for it."""
    relation = relations[check_choice("partitioner", partitioner, PARTITIONERS)](ensemble)
    if partitioner == "average":
        return average_linkage(relation, ensemble.sizes)
    if partitioner == "metis":
        return metis(relation, ensemble.sizes, **options)
    del options["imbalance"]
    cut = transfer_cut if partitioner == "tcut" else normalised_cut
    return cut(relation, ensemble.sizes, hashes=ensemble.hashes, **options)
