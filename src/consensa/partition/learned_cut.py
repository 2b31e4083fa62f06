"""Cuts of similarities that are learned anew for every number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._random import draw_seed
from consensa._validation import check_integer
from consensa.partition.cut import Cut
from consensa.partition.normalised_cut import normalised_cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._random import RandomState
    from consensa.relate.relation import Dense

__all__ = ["LearnedCut"]


class LearnedCut(Cut):
    """Learn a similarity for k clusters, then cut it along its components, or by a normalised cut if they are not k.

    Parameters
    ----------
    learn : callable
        From the number of clusters to a :class:`~consensa.relate.Dense` relation.
    sizes : ndarray of shape (n_rows,)
        How many objects each row stands for.
    n_init : int, default=10
        Starts of k-means in the normalised cut.
    random_state : int, RandomState, Generator or None, default=None

    Examples
    --------
    >>> from functools import partial
    >>> from consensa import Ensemble
    >>> from consensa.relate import self_paced_similarity
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> LearnedCut(partial(self_paced_similarity, ensemble), ensemble.sizes).cut(2)
    array([0, 0, 1, 1])
    """

    sizes: np.ndarray

    def __init__(
        self, learn: Callable[[int], Dense], sizes: np.ndarray, *, n_init: int = 10, random_state: RandomState = None
    ) -> None:
        self._learn = learn
        self.sizes = sizes
        self._n_init = check_integer("n_init", n_init)
        self._seed = draw_seed(random_state)
        self._labels: dict[int, np.ndarray] = {}

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,); kept for the next time."""
        self.check(n_clusters)
        if n_clusters not in self._labels:
            seed = np.random.default_rng([self._seed, n_clusters])
            cut = normalised_cut(self._learn(n_clusters), self.sizes, n_init=self._n_init, random_state=seed)
            self._labels[n_clusters] = cut.cut(n_clusters)
        return self._labels[n_clusters].copy()
