"""The default pool: k-means at two scales and linkage, so that round clusters and those of any shape are seen."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._random import draw_seeds
from consensa.generate.base import LabellingGenerator
from consensa.generate.kmeans import KMeansPartitions, check_k_range, default_k_range
from consensa.generate.linkage import LinkagePartitions

if TYPE_CHECKING:
    from consensa._types import Count, KRange, RandomState

__all__ = ["MultiscalePartitions"]

_FINER = 3  # how many times as many clusters the fine members have at most
_LARGEST_FINE_K = 150  # the pairs of all base clusters have to be counted
_FINE_ROWS = 16  # per cluster: fine members are there to tell neighbours, not to find the best centres
_FINE_ITERATIONS = 5


@dataclass(eq=False, repr=False)
class MultiscalePartitions(LabellingGenerator):
    """Base clusterings of several kinds: a quarter coarse k-means, a quarter fine k-means, a half linkage.

    k-means sees round clusters and cuts others up, linkage follows clusters of any shape but fails where they overlap.
    Fine clusterings say which objects are neighbours. Which of them to believe is left to the consensus.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included: drawn uniformly for coarse k-means
        (:class:`KMeansPartitions`), with uniform logarithms for linkage (:class:`LinkagePartitions`), and from the
        upper third for fine k-means. None for 2 to s = min(floor(sqrt(n_samples)), 100), and s to min(3 s, 150) for
        the fine ones.
    sample_size : int, default=200000
        Members are fitted on rows from at most that many, and the others then assigned.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    generators_ : list of fitted generators

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113
    Gagolewski, Bartoszuk & Cena (2016), Genie: a new, fast, and outlier-resistant hierarchical clustering algorithm,
    Information Sciences 363. https://doi.org/10.1016/j.ins.2016.05.003

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import MultiscalePartitions
    >>> pool = MultiscalePartitions(8, random_state=0)
    >>> pool.fit_transform(load_iris().data).shape
    (150, 8)
    >>> pool.get_feature_names_out().tolist()
    ['coarse0', 'coarse1', 'fine0', 'fine1', 'linkage0', 'linkage1', 'linkage2', 'linkage3']
    """

    _fitted = "generators_"
    _scale_free: ClassVar[bool] = False  # each of the generators divides the scale out
    n_partitions: Count = 100
    k_range: KRange = None
    _: KW_ONLY
    sample_size: Count = 200_000
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        generators = self._make_generators(min(X.shape[0], self.sample_size))
        labels = np.hstack([generator.fit_transform(X) for generator in generators])
        self.generators_ = generators
        return labels

    def _make_generators(self, n_samples: int) -> list[Any]:
        """Return the generators of the three kinds, as far as they have members."""
        coarse, fine = self._k_ranges(n_samples)
        n_linkage, n_fine = self.n_partitions // 2, self.n_partitions // 4
        shared = {"sample_size": self.sample_size, "n_jobs": self.n_jobs, "verbose": self.verbose}
        seeds = draw_seeds(self.random_state, 3)
        kinds = [
            (self.n_partitions - n_linkage - n_fine, KMeansPartitions(k_range=coarse)),
            (
                n_fine,
                KMeansPartitions(k_range=fine, rows_per_cluster=_FINE_ROWS, max_iter=_FINE_ITERATIONS),
            ),
            (n_linkage, LinkagePartitions(k_range=coarse)),
        ]
        return [
            kind.set_params(n_partitions=count, random_state=seed, **shared)
            for (count, kind), seed in zip(kinds, seeds, strict=True)
            if count > 0
        ]

    def _k_ranges(self, n_samples: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the smallest and the largest number of clusters of coarse and of fine members."""
        if self.k_range is not None:
            low, high = check_k_range(self.k_range, n_samples)
            return (low, high), (high - (high - low) // 3, high)
        low, high = default_k_range(n_samples)
        return (low, high), (high, max(high, min(_FINER * high, _LARGEST_FINE_K, n_samples // 2)))

    def model_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the generators."""
        check_is_fitted(self, self._fitted)
        return {
            f"part{p}_{name}": values
            for p, generator in enumerate(self.generators_)
            for name, values in generator.model_arrays().items()
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        unfitted = self._make_generators(self.sample_size)
        self.generators_ = [
            generator.restore(
                {name.split("_", 1)[1]: values for name, values in arrays.items() if name.startswith(f"part{p}_")}
            )
            for p, generator in enumerate(unfitted)
        ]
        self.n_features_in_ = self.generators_[0].n_features_in_
        return self

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, self._fitted)
        return [number for generator in self.generators_ for number in generator.cluster_numbers()]

    def n_drawn_clusters(self, n_samples: int) -> int:
        """Return how many clusters all members will have together."""
        return sum(generator.n_drawn_clusters(n_samples) for generator in self._make_generators(n_samples))

    def _assign(self, X: np.ndarray) -> np.ndarray:
        return np.hstack([generator.transform(X) for generator in self.generators_])

    def _member_names(self) -> list[str]:
        kinds = ("coarse", "fine", "linkage") if len(self.generators_) == 3 else ("coarse", "linkage")
        counts = [(kind, generator.n_partitions) for kind, generator in zip(kinds, self.generators_, strict=False)]
        return [f"{kind}{m}" for kind, count in counts for m in range(count)]
