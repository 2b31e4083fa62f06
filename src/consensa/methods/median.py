"""Median partition heuristics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition.median import median_partition
from consensa.partition.search import SearchCut

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["MedianPartition"]


class MedianPartition(ConsensusClusterer):
    """Median partition: the clustering with the least sum of Mirkin distances to the base clusterings, by heuristics.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    heuristic : {"boem", "bok"}, default="boem"
        "bok": the best of the base clusterings. "boem": from there, the best move of one element, again and again; the
        elements are microclusters, which an optimal median partition never splits.
    exact : bool, default=True
        Exactly ``n_clusters`` clusters. The published heuristics choose the number themselves: with False,
        ``n_clusters`` is only the largest number allowed.
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
    For an exact number, base clusterings with more clusters are merged down pair by pair at the least cost before the
    best is chosen, those with fewer are left out (if all have fewer, the finest ones are intersected first), and no
    move empties a cluster. A pair of objects counts in the base clusterings that label both. Draws no random numbers.

    References
    ----------
    Filkov & Skiena (2004), Integrating microarray data by consensus clustering, International Journal on Artificial
    Intelligence Tools 13(4). https://doi.org/10.1142/S0218213004001867

    Examples
    --------
    >>> from consensa import MedianPartition
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> MedianPartition(n_clusters=2).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self, n_clusters: Any = 2, heuristic: str = "boem", *, exact: bool = True, missing: int | None = -1
    ) -> None:
        self.n_clusters = n_clusters
        self.heuristic = heuristic
        self.exact = exact
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        return SearchCut(partial(median_partition, ensemble, heuristic=self.heuristic, exact=self.exact))
