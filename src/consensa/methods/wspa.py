"""Weighted similarity partitioning: objects related by their probabilities in locally adaptive clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.soft import SoftConsensus, combine_posteriors, partition_soft
from consensa.relate.posteriors import posterior_similarity, unit_graph

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from consensa._random import RandomState
    from consensa.methods.base import Cut
    from consensa.relate.posteriors import SoftEnsemble

__all__ = ["WSPA", "wspa"]

_RELATIONS = {
    "metis": posterior_similarity,
    "tcut": unit_graph,
    "spectral": posterior_similarity,
    "average": posterior_similarity,
}


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
    n_partitions : int, default=20
        Number of base clusterings, when ``inverse_h`` is None.
    inverse_h : sequence of float or None, default=None
        The values of 1/h, one per base clustering; None for ``n_partitions`` values from 1 to 20.
    standardize : bool, default=True
        Give every feature mean 0 and variance 1 first: h, and the 1 in the posteriors, have the unit of the features.
    imbalance : float or None, default=None
        For METIS: by what share a cluster may exceed the mean size; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10
        Number of starts of every base clustering and of the partitioner.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first sample.
    n_clusters_ : int
        Number of clusters found.
    choice_ : KChoice or None
        How it was chosen, if it was.
    feature_weights_ : ndarray of shape (n_clusters, n_features)
        In which features every consensus cluster lives: the weights of the base clusters its objects lie in, averaged.
        Rows sum to 1; :meth:`top_features` shows them by name.
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster.
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
        The base clusterings.
    generator_ : LACPartitions
        Fitted on the (standardised) features.
    n_features_in_ : int

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
    >>> iris = load_iris(as_frame=True)
    >>> model = WSPA(n_clusters=3, partitioner="tcut", random_state=0).fit(iris.data)
    >>> model.labels_.shape
    (150,)
    >>> list(model.top_features(1)[0])
    ['petal ...']
    """

    def _consensus(self, ensemble: SoftEnsemble, random_state: RandomState) -> Cut:
        return _partition(
            ensemble,
            partitioner=self.partitioner,
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=random_state,
        )


def wspa(
    posteriors: Iterable[Any],
    n_clusters: Any,
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
        See :class:`WSPA`.
    imbalance : float or None, default=None
        For METIS: by what share a cluster may exceed the mean size; None for 0.001 up to 8 clusters, 0.03 for more.
    n_init : int, default=10
        Number of starts of the partitioner.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object.

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

    def consensus(ensemble: SoftEnsemble) -> Cut:
        return _partition(
            ensemble, partitioner=partitioner, imbalance=imbalance, n_init=n_init, random_state=random_state
        )

    return combine_posteriors(posteriors, n_clusters, consensus)


def _partition(ensemble: SoftEnsemble, **options: Any) -> Cut:
    return partition_soft(ensemble, _RELATIONS, **options)
