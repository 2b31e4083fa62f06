"""Voting among base clusterings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition.search import SearchCut
from consensa.partition.voting import vote
from consensa.weigh.ncai import crowd_agreement

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["Voting"]


class Voting(ConsensusClusterer):
    """Voting: all clusters are translated into those of one base clustering, and objects follow the votes.

    The reference is the base clustering with at least k clusters that agrees best with the others. Its clusters are
    then merged until k are left, always the two whose merging loses least information on the objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    voting : {"cumulative", "plurality"}, default="cumulative"
        "cumulative": a cluster divides its vote among the clusters of the reference as its objects are divided.
        "plurality": clusters are matched one to one with those of the votes so far as well as possible (Hungarian
        method), starting with the clusterings that agree best with the others; clusters left over join the one that
        they overlap most.
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
    If no base clustering has k clusters, those that agree best are intersected until there are as many. A cluster that
    is voted away keeps the microcluster that loses the fewest votes, so that there are always k clusters. Missing
    labels do not vote. Draws no random numbers.

    References
    ----------
    Ayad & Kamel (2008), Cumulative voting consensus method for partitions with variable number of clusters, IEEE TPAMI
    30(1). https://doi.org/10.1109/TPAMI.2007.1138

    Dimitriadou, Weingessel & Hornik (2002), A combination scheme for fuzzy clustering, International Journal of Pattern
    Recognition and Artificial Intelligence 16(7). https://doi.org/10.1142/S0218001402002052

    Examples
    --------
    >>> from consensa import Voting
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> Voting(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(self, n_clusters: Any = 2, voting: str = "cumulative", *, missing: int | None = -1) -> None:
        self.n_clusters = n_clusters
        self.voting = voting
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        order = (-crowd_agreement(ensemble).round(10)).argsort(kind="stable")
        return SearchCut(partial(vote, ensemble, order, voting=self.voting))
