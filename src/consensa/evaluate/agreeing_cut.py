"""Two cuts of one ensemble, of which the second stands in where the first one loses touch with the base clusterings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._validation import check_n_clusters
from consensa.evaluate.agreement import cuts_of_rows, member_agreement
from consensa.evaluate.sampling import sample_objects

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["AgreeingCut"]

_N_ROWS = 4000  # microclusters on which the agreement is measured


@dataclass(frozen=True, eq=False)
class AgreeingCut:
    """A cut with another one in reserve.

    Parameters
    ----------
    first, second : objects with ``cut(n_clusters)``
    ensemble : Ensemble
    share : float
        The first one counts as long as its mean agreement with the base clusterings is at least this share of that of
        the second one.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> single = agglomerate(co_association(ensemble), ensemble.sizes, "single")
    >>> average = agglomerate(co_association(ensemble), ensemble.sizes, "average")
    >>> AgreeingCut(single, average, ensemble, 0.85).cut(2)
    array([0, 0, 1, 1])
    """

    first: Any
    second: Any
    ensemble: Ensemble
    share: float

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return max(self._largest(self.first), self._largest(self.second))

    @property
    def dendrogram(self) -> Any:
        """The tree of the first cut."""
        return getattr(self.first, "dendrogram", self.first)

    def chosen(self, n_clusters: int) -> Any:
        """Return the cut that counts for a number of clusters."""
        check_n_clusters([n_clusters], self.n_clusters_max, "microclusters (distinct label rows) that were compared")
        able = [cut for cut in (self.first, self.second) if n_clusters <= self._largest(cut)]
        if len(able) == 1:
            return able[0]
        rows, counts = sample_objects(self.ensemble, _N_ROWS)
        cuts = [cuts_of_rows(cut, [n_clusters], rows, counts)[0] for cut in able]
        agreement = member_agreement(cuts, self.ensemble, rows, counts).mean(axis=1)
        return self.first if agreement[0] >= self.share * agreement[1] else self.second

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of all microclusters for a number of clusters, shape (n_microclusters,)."""
        return np.asarray(self.chosen(n_clusters).cut(n_clusters))

    def rule(self, n_clusters: int) -> Any:
        """Return what labels any label rows: a function of them."""
        return self.chosen(n_clusters).rule(n_clusters)

    def cut_rows(self, n_clusters: list[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
        """Cut some of the microclusters into several numbers of clusters: the first cut alone, to compare numbers."""
        return cuts_of_rows(self.first, n_clusters, rows, weights)

    def _largest(self, cut: Any) -> int:
        return int(getattr(cut, "n_clusters_max", self.ensemble.n_microclusters))
