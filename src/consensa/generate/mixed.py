"""Pools of several generators."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from consensa._random import draw_seeds
from consensa.generate.base import LabellingGenerator, label_new_data
from consensa.generate.kmeans import KMeansPartitions
from consensa.generate.rpcl import RPCLPartitions, trajectory_k_range

if TYPE_CHECKING:
    from consensa._types import Count, RandomState

__all__ = ["MixedPartitions"]


@dataclass(eq=False, repr=False)
class MixedPartitions(LabellingGenerator):
    """A pool of base clusterings from several generators, side by side.

    By default half the members are k-means and half rival penalised competitive learning, with 2 to
    min(sqrt(n_samples) / 2, 50) clusters: the pools of the papers on probability trajectories.

    Parameters
    ----------
    n_partitions : int, default=200 (base clusterings)
        Number of base clusterings, shared out evenly; earlier generators take what is left over.
    generators : list of generators or None, default=None
        Their ``n_partitions`` is set here, and so are ``random_state``, ``n_jobs`` and ``verbose`` where they are None
        or False. None for :class:`KMeansPartitions`, on all rows as published, and :class:`RPCLPartitions`.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    generators_ : list of fitted generators

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5),
    Section 5.2. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import MixedPartitions
    >>> pool = MixedPartitions(6, random_state=0)
    >>> pool.fit_transform(load_iris().data).shape
    (150, 6)
    >>> pool.get_feature_names_out()
    array(['kmeans0', 'kmeans1', 'kmeans2', 'rpcl0', 'rpcl1', 'rpcl2'], dtype=object)
    """

    _fitted = "generators_"
    _scale_free = False  # every generator takes care of itself
    n_partitions: Count = 200
    generators: list[Any] | None = None
    _: KW_ONLY
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        generators = self._make_generators(X.shape[0])
        labels = np.hstack([generator.fit_transform(X) for generator in generators])
        self.generators_ = generators
        return labels

    def _make_generators(self, n_samples: int) -> list[Any]:
        """Copies of the generators with their share of the members and seeds of their own."""
        given = self.generators
        if given is None:
            k_range = trajectory_k_range(n_samples)
            given = [KMeansPartitions(k_range=k_range, rows_per_cluster=None), RPCLPartitions(k_range=k_range)]
        n_partitions = int(self.n_partitions)
        if not 1 <= len(given) <= n_partitions:
            msg = (
                f"n_partitions={n_partitions} cannot be shared out to {len(given)} generators: give at least one "
                "generator, and at least one base clustering for each."
            )
            raise ValueError(msg)
        shares = [n_partitions // len(given) + (i < n_partitions % len(given)) for i in range(len(given))]
        generators = []
        for generator, share, seed in zip(given, shares, draw_seeds(self.random_state, len(given)), strict=True):
            copy = clone(generator).set_params(n_partitions=share)
            known = copy.get_params(deep=False)
            own = {"random_state": seed, "n_jobs": self.n_jobs, "verbose": self.verbose}
            unset = [name for name in own if known.get(name, 0) is None or known.get(name) is False]
            generators.append(copy.set_params(**{name: own[name] for name in unset}))
        return generators

    def _assign(self, X: np.ndarray) -> np.ndarray:
        return np.hstack([label_new_data(generator, X) for generator in self.generators_])

    def _member_names(self) -> list[str]:
        names = [name for generator in self.generators_ for name in generator.get_feature_names_out()]
        if len(set(names)) == len(names):
            return names
        kinds = [name.rstrip("0123456789") for name in names]  # several generators of one kind: counted together
        return [f"{kind}{kinds[:m].count(kind)}" for m, kind in enumerate(kinds)]
