"""Clustering ensemble by structured hypergraph learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import structured_cut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition.structured import StructuredCut

__all__ = ["CESHL"]


class CESHL(ConsensusClusterer):
    """Structured hypergraph learning (CESHL-style): memberships are changed until k components are left.

    Objects are the nodes and clusters the hyperedges of a hypergraph. A hypergraph near the given one is learned that
    falls into exactly k components, which are the clusters. Needs memory for all pairs of microclusters and clusters.

    The exact published formulas are not known to us beyond their aim. This is a variant of that aim, described at
    :func:`consensa.partition.structured_cut`, and does not claim to give the published numbers.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters, not more than base clusters; several give a dict of labels, each learned for itself.
    lam : float, default=0.1
        First weight of the structure; it grows while there are too few components.
    max_rounds : int, default=50
        Largest number of rounds. If k components are not reached by then, k-means on the embedding decides.
    n_init : int, default=10
        Starts of k-means in that case.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    structure_ : StructuredCut
        ``learn(k)`` is the learned hypergraph.
    ensemble_ : Ensemble

    Notes
    -----
    Exact on microclusters: objects with equal labels get equal memberships.

    References
    ----------
    Zhou, Wang, Du & Li (2022), Clustering ensemble via structured hypergraph learning, Information Fusion 78.
    https://doi.org/10.1016/j.inffus.2021.09.003

    Examples
    --------
    >>> from consensa import CESHL
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> CESHL(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        lam: float = 0.1,
        max_rounds: int = 50,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.max_rounds = max_rounds
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> StructuredCut:
        self.structure_ = structured_cut(
            ensemble,
            self.lam,
            max_rounds=self.max_rounds,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        return self.structure_
