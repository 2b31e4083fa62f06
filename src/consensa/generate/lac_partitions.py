"""One locally adaptive clustering for each of many values of h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import draw_seeds
from consensa._validation import check_integer, check_positive
from consensa.generate.base import PartitionGenerator, run_members
from consensa.generate.lac import WeightedClusters, lac

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa._random import RandomState

__all__ = ["LACPartitions"]

_INVERSE_H = (1.0, 20.0)  # first and last value of the default grid


class LACPartitions(PartitionGenerator):
    """Locally adaptive clusterings of the same data, one for every value of h on a grid.

    Every member clusters the features as they are; ``h`` has the unit of their squares. Standardise them first, as
    :class:`~consensa.WSPA` and :class:`~consensa.WBPA` do.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters of every member.
    n_partitions : int, default=20
        Number of members, when ``inverse_h`` is None.
    inverse_h : sequence of float or None, default=None
        The values of 1/h. None for ``n_partitions`` values from 1 to 20 in equal steps, which suits standardised
        features: there the spread of a cluster along a feature is mostly between 0 and 1, so that the grid reaches
        from nearly equal weights to nearly one feature per cluster.
    n_init : int, default=10
        Number of starts of every member.
    max_iter : int, default=100
        Largest number of iterations of each start.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    inverse_h_ : ndarray of shape (n_partitions,)
        The values of 1/h used.
    cluster_centers_, feature_weights_ : list of n_partitions ndarrays of shape (n_clusters, n_features)
    n_iter_ : int
        The most iterations that a member took.
    n_features_in_ : int

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM. https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import LACPartitions
    >>> generator = LACPartitions(3, inverse_h=[1, 4, 7], random_state=0)
    >>> generator.fit_transform(load_iris().data).shape
    (150, 3)
    >>> [P.shape for P in generator.posteriors(load_iris().data)]
    [(150, 3), (150, 3), (150, 3)]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_partitions: int = 20,
        *,
        inverse_h: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.inverse_h = inverse_h
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X, dtype=np.float64, order="C")
        self.inverse_h_ = _grid(self.inverse_h, self.n_partitions)
        seeds = draw_seeds(self.random_state, self.inverse_h_.size)
        tasks = [
            (X, self.n_clusters, float(1 / inverse), self.n_init, self.max_iter, seed)
            for inverse, seed in zip(self.inverse_h_, seeds, strict=True)
        ]
        self._members: list[WeightedClusters] = run_members(
            _cluster, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="LAC"
        )
        self.cluster_centers_ = [member.centers for member in self._members]
        self.feature_weights_ = [member.weights for member in self._members]
        self.n_iter_ = max(member.errors.size for member in self._members)
        return np.stack([member.labels for member in self._members], axis=1)

    def transform(self, X: Any) -> np.ndarray:
        """Label new data by the smallest weighted distance in every base clustering.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
        """
        X = self._read(X)
        return np.stack([member.assign(X) for member in self._members], axis=1)

    def posteriors(self, X: Any) -> Iterator[np.ndarray]:
        """Return the probabilities of the clusters of every base clustering (Eq. 4.6), one after the other.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        iterator over n_partitions ndarrays of shape (n_samples, n_clusters)
            Above 0; rows sum to 1.
        """
        X = self._read(X)
        return (member.posteriors(X) for member in self._members)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002 - scikit-learn's signature
        """Names of the base clusterings.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of n_partitions str
        """
        check_is_fitted(self, "inverse_h_")
        return np.array([f"lac{m}" for m in range(self.inverse_h_.size)], dtype=object)

    def _read(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "inverse_h_")
        return check_features(self, X, dtype=np.float64, order="C", reset=False)


def _grid(inverse_h: Any, n_partitions: Any) -> np.ndarray:
    """Return the values of 1/h: as given, or the default grid."""
    if inverse_h is None:
        return np.linspace(*_INVERSE_H, check_integer("n_partitions", n_partitions))
    if np.ndim(inverse_h) != 1 or len(inverse_h) == 0:
        msg = f"inverse_h={inverse_h!r} is not allowed: give a sequence of numbers greater than 0, one per member."
        raise ValueError(msg)
    return np.array([check_positive("inverse_h", value) for value in inverse_h])


def _cluster(X: np.ndarray, k: int, h: float, n_init: int, max_iter: int, seed: int) -> WeightedClusters:
    return lac(X, k, h, n_init=n_init, max_iter=max_iter, random_state=seed)
