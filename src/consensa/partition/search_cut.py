"""Consensus functions that are searched anew for every number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._random import draw_seed
from consensa.partition.cut import Cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._random import RandomState

__all__ = ["SearchCut"]


@dataclass(frozen=True, eq=False)
class SearchCut(Cut):
    """Something that can be cut into any number of clusters, by a search of its own for each.

    The search takes ``n_clusters`` (and ``random_state``, if there is a seed) and returns the labels of the
    microclusters and something else.

    Examples
    --------
    >>> import numpy as np
    >>> SearchCut(np.ones(3), lambda n_clusters: (np.arange(3) % n_clusters, None)).cut(2)
    array([0, 1, 0])
    """

    sizes: np.ndarray
    search: Callable[..., tuple[np.ndarray, Any]]
    seed: int | None = None

    @classmethod
    def seeded(
        cls, sizes: np.ndarray, search: Callable[..., tuple[np.ndarray, Any]], random_state: RandomState
    ) -> SearchCut:
        """Draw the seed once, so that every number of clusters has its own numbers, whatever was cut before it."""
        return cls(sizes, search, draw_seed(random_state))

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return a label for every microcluster."""
        self.check(n_clusters)
        if self.seed is None:
            return self.search(n_clusters=n_clusters)[0]
        rng = np.random.default_rng([self.seed, n_clusters])
        return self.search(n_clusters=n_clusters, random_state=rng)[0]
