"""Consensus by non-negative matrix factorisation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition.factorise import factorise
from consensa.partition.search import SearchCut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["NMFConsensus"]


class NMFConsensus(ConsensusClusterer):
    """Non-negative factorisation of the co-association matrix.

    The co-association of all objects is approximated by Q S Qᵀ with Q >= 0 and nearly orthogonal and S diagonal; the
    largest entry of a row of Q S^1/2 is the cluster. The matrix is never formed: it is Z Zᵀ / M.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    n_init : int, default=5
        Number of starts, each from k-means on the label rows; the one with the smallest loss is kept.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
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
    ensemble_ : Ensemble

    Notes
    -----
    Microclusters stand for their objects exactly: with N their sizes, N^1/2 Ã N^1/2 is factored. With missing labels
    the co-association is that of :func:`consensa.relate.co_association`. A column of Q that is the largest of no object
    gets the microcluster that loses least, so that there are always k clusters.

    References
    ----------
    Li, Ding & Jordan (2007), Solving consensus and semi-supervised clustering problems using nonnegative matrix
    factorization, ICDM. https://doi.org/10.1109/ICDM.2007.98

    Examples
    --------
    >>> from consensa import NMFConsensus
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> NMFConsensus(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        n_init: int = 5,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        search = partial(factorise, ensemble, n_init=self.n_init)
        return SearchCut.seeded(search, self.random_state)
