"""One locally adaptive clustering for each of many values of h."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from consensa._random import draw_seeds
from consensa._validation import check_positive
from consensa.generate.base import LabellingGenerator
from consensa.generate.lac import WeightedClusters, lac

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa._types import Count, RandomState

__all__ = ["LACPartitions"]

_INVERSE_H = (1.0, 20.0)  # first and last value of the default grid


@dataclass(eq=False, repr=False)
class LACPartitions(LabellingGenerator):
    """Locally adaptive clusterings of the same data, one for every value of h on a grid.

    Every member clusters the features as they are; ``h`` has the unit of their squares. Standardise them first, as
    :class:`~consensa.WSPA` and :class:`~consensa.WBPA` do.

    Parameters
    ----------
    n_clusters : int, default=8 (number of clusters of every member)
    n_partitions : int, default=20 (base clusterings)
        Number of members, when ``inverse_h`` is None.
    inverse_h : sequence of float or None, default=None
        The values of 1/h. None for ``n_partitions`` values from 1 to 20 in equal steps, which suits standardised
        features: there the spread of a cluster along a feature is mostly between 0 and 1, so that the grid reaches
        from nearly equal weights to nearly one feature per cluster.
    n_init : int, default=10 (starts, of which the best is kept)
    max_iter : int, default=100 (largest number of iterations of each start)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    inverse_h_ : ndarray of shape (n_partitions,) (the values of 1/h used)
    cluster_centers_, feature_weights_ : list of n_partitions ndarrays of shape (n_clusters, n_features)
    n_iter_ : int (the most iterations that a member took)

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

    _fitted = "cluster_centers_"
    _scale_free = False  # h has the unit of the squares; every member takes care of itself
    _layout: ClassVar[dict[str, Any]] = {"dtype": np.float64, "order": "C"}
    n_clusters: Count = 8
    n_partitions: Count = 20
    _: KW_ONLY
    inverse_h: Any = None
    n_init: Count = 10
    max_iter: Count = 100
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        self.inverse_h_ = _grid(self.inverse_h, self.n_partitions)
        seeds = draw_seeds(self.random_state, self.inverse_h_.size)
        tasks = [
            (X, self.n_clusters, float(1 / inverse), self.n_init, self.max_iter, seed)
            for inverse, seed in zip(self.inverse_h_, seeds, strict=True)
        ]
        self._members: list[WeightedClusters] = self._run(_cluster, tasks, "LAC")
        self.cluster_centers_ = [member.centers for member in self._members]
        self.feature_weights_ = [member.weights for member in self._members]
        self.n_iter_ = max(member.errors.size for member in self._members)
        return np.stack([member.labels for member in self._members], axis=1)

    def _assign(self, X: np.ndarray) -> np.ndarray:
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

    def _member_names(self) -> list[str]:
        return [f"lac{m}" for m in range(self.inverse_h_.size)]


def _grid(inverse_h: Any, n_partitions: int) -> np.ndarray:
    """Return the values of 1/h: as given, or the default grid."""
    if inverse_h is None:
        return np.linspace(*_INVERSE_H, n_partitions)
    if np.ndim(inverse_h) != 1 or len(inverse_h) == 0:
        msg = f"inverse_h={inverse_h!r} is not allowed: give a sequence of numbers greater than 0, one per member."
        raise ValueError(msg)
    return np.array([check_positive("inverse_h", value) for value in inverse_h])


def _cluster(X: np.ndarray, k: int, h: float, n_init: int, max_iter: int, seed: int) -> WeightedClusters:
    return lac(X, k, h, n_init=n_init, max_iter=max_iter, random_state=seed)
