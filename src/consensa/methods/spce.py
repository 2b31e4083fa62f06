"""Self-paced clustering ensemble."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa._validation import check_positive
from consensa.methods.base import ConsensusClusterer
from consensa.partition import LearnedCut
from consensa.relate import self_paced_similarity

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["SPCE"]


class SPCE(ConsensusClusterer):
    """Self-paced clustering ensemble: a similarity learned from easy pairs first, with k components.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several are learned one after the other and give a dict of labels.
    gamma : float, default=0.5
        Price of every pair that is similar at all.
    n_init : int, default=10
        Starts of k-means, where the learned similarity has not as many components as clusters are wanted.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing. A clustering counts for the
        pairs that it labels; the paper does not treat missing labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    ensemble_ : Ensemble

    See Also
    --------
    TRCE : Learns from normalised graphs, and weighs objects too.
    consensa.relate.self_paced_similarity : The learned similarity itself.

    Notes
    -----
    Several matrices of n_microclusters x n_microclusters and an eigenproblem of that size in every round. Exact on
    microclusters. The clusters are the connected components of the learned similarity; where these are not as many as
    wanted when the rounds are over, a normalised cut of it (or its smallest components joined).

    References
    ----------
    Zhou, Du, Liu, Shen, Fan & Li (2021), Self-paced clustering ensemble, IEEE TNNLS 32(4).
    https://doi.org/10.1109/TNNLS.2020.2984814

    Examples
    --------
    >>> from consensa import SPCE
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> SPCE(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        gamma: float = 0.5,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> LearnedCut:
        learn = partial(self_paced_similarity, ensemble, gamma=check_positive("gamma", self.gamma))
        return LearnedCut(learn, ensemble.sizes, n_init=self.n_init, random_state=self.random_state)
