"""Consensus functions that are searched anew for every number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._random import draw_seeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._random import RandomState

__all__ = ["SearchCut"]


@dataclass(frozen=True, eq=False)
class SearchCut:
    """Something that can be cut into any number of clusters, by a search of its own for each.

    Parameters
    ----------
    search : callable
        Takes ``n_clusters`` (and ``random_state``, if there is a seed) and returns the labels of the microclusters and
        something else.
    seed : int or None
        None for a search that draws no random numbers.

    Examples
    --------
    >>> import numpy as np
    >>> SearchCut(lambda n_clusters: (np.arange(3) % n_clusters, None)).cut(2)
    array([0, 1, 0])
    """

    search: Callable[..., tuple[np.ndarray, Any]]
    seed: int | None = None

    @classmethod
    def seeded(cls, search: Callable[..., tuple[np.ndarray, Any]], random_state: RandomState) -> SearchCut:
        """Draw the seed once, so that every number of clusters has its own numbers, whatever was cut before it."""
        return cls(search, draw_seeds(random_state, 1)[0])

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return a label for every microcluster."""
        if self.seed is None:
            return self.search(n_clusters=n_clusters)[0]
        rng = np.random.default_rng([self.seed, n_clusters])
        return self.search(n_clusters=n_clusters, random_state=rng)[0]
