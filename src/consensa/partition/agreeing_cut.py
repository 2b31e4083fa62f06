"""Several cuts of one ensemble, of which for every number of clusters the one that agrees most with it is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa._stored import check_fits
from consensa.ensemble.sampling import sample_objects
from consensa.evaluate.member_agreement import member_agreement
from consensa.partition.cut import Cut, StoredCut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Rule
    from consensa.partition.dendrogram import Dendrogram

__all__ = ["AgreeingCut"]

_N_ROWS = 4000  # microclusters on which the agreement is measured
_N_COMPARED = 1000  # the same where many numbers of clusters are compared
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class AgreeingCut(StoredCut):
    """Two cuts, of which the one with the greater mean agreement with the base clusterings counts.

    Agreement is the mutual information, corrected for chance (:mod:`consensa.evaluate.member_agreement`).

    Parameters
    ----------
    first, second : Cut
        Of equally good ones the first counts.
    ensemble : Ensemble

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> single = agglomerate(co_association(ensemble), ensemble.sizes, "single")
    >>> average = agglomerate(co_association(ensemble), ensemble.sizes, "average")
    >>> AgreeingCut(single, average, ensemble).cut(2)
    array([0, 0, 1, 1])
    """

    first: Cut
    second: Cut
    ensemble: Ensemble

    limit = "microclusters (distinct label rows) that were compared"

    def __post_init__(self) -> None:
        self.__dict__["_compared"] = {}
        self.__dict__["_chosen"] = {}  # cuts of both and their comparison cost more than what is kept here

    def check_parts(self) -> None:
        """Refuse cuts of other rows."""
        fits = all(cut.sizes.shape == (self.ensemble.n_microclusters,) for cut in (self.first, self.second))
        check_fits(fits, "the rows of its cuts")

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each microcluster has."""
        return self.first.sizes

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return min(self.first.n_clusters_max, self.second.n_clusters_max)

    @property
    def tree(self) -> Dendrogram | None:
        """The tree of the first cut."""
        return self.first.tree

    @property
    def tree_rows(self) -> np.ndarray:
        """The microclusters that are its leaves."""
        return self.first.tree_rows

    def cut_for(self, n_clusters: int) -> Cut:
        """Return the cut that counts for a number of clusters."""
        return self._choose([n_clusters], self.__dict__["_chosen"], _N_ROWS)[0]

    def _choose(self, n_clusters: Sequence[int], chosen: dict[int, Cut], n_rows: int) -> list[Cut]:
        """Return the cuts that count for numbers of clusters; those not chosen yet are compared at once."""
        new = [k for k in n_clusters if k not in chosen]
        if new:
            for k in new:
                self.check(k)
            rows, counts = sample_objects(self.ensemble, n_rows)
            cuts = [cut.cut_rows(new, rows, counts) for cut in (self.first, self.second)]
            chosen.update(dict.fromkeys(new, self.first))
            differ = [place for place in range(len(new)) if not np.array_equal(cuts[0][place], cuts[1][place])]
            if differ:
                compared = [found[place] for found in cuts for place in differ]
                agreement = member_agreement(compared, self.ensemble, rows, counts).mean(axis=1).reshape(2, -1)
                better = agreement[1] > agreement[0] + _EQUAL
                chosen.update({new[place]: self.second for place, other in zip(differ, better, strict=True) if other})
        return [chosen[k] for k in n_clusters]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of all microclusters for a number of clusters, shape (n_microclusters,)."""
        return self.cut_for(n_clusters).cut(n_clusters)

    def rule(self, n_clusters: int) -> Rule | None:
        """Return what labels any label rows: the rule of the cut that counts."""
        return self.cut_for(n_clusters).rule(n_clusters)

    def cut_rows(self, n_clusters: Sequence[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
        """Cut some of the microclusters into several numbers of clusters, each by the cut that counts for it."""
        if len(n_clusters) == 1:
            return self.cut_for(n_clusters[0]).cut_rows(n_clusters, rows, weights)
        # cut at once they may differ by rows set apart for empty clusters, so that no later cut relies on these
        chosen = self._choose(n_clusters, self.__dict__["_compared"], _N_COMPARED)
        found: dict[int, np.ndarray] = {}
        for cut in (self.first, self.second):
            own = [k for k, one in zip(n_clusters, chosen, strict=True) if one is cut]
            found.update(zip(own, cut.cut_rows(own, rows, weights), strict=True) if own else ())
        return [found[k] for k in n_clusters]
