"""Several cuts of one ensemble, of which the one that agrees most with it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa.evaluate.scores import microcluster_anmi
from consensa.partition.cut import Cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Rule

__all__ = ["BestOfCuts"]


class BestOfCuts(Cut):
    """Several ways to cut the same ensemble; for every number of clusters the one that agrees most with it is taken.

    Parameters
    ----------
    cuts : mapping of str to Cut
        Of equally good ones the first is taken.
    ensemble : Ensemble

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3 (supra-consensus). https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> cuts = {link: agglomerate(co_association(ensemble), ensemble.sizes, link) for link in ("single", "average")}
    >>> choice = BestOfCuts(cuts, ensemble)
    >>> choice.chosen(2), choice.scores(2)
    ('single', {'single': 0.8431801927, 'average': 0.8431801927})
    """

    def __init__(self, cuts: Mapping[str, Cut], ensemble: Ensemble) -> None:
        self.cuts = dict(cuts)
        self._ensemble = ensemble
        self._found: dict[int, tuple[dict[str, float], np.ndarray]] = {}

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each microcluster has."""
        return self._ensemble.sizes

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters that all of them can be cut into."""
        return min(cut.n_clusters_max for cut in self.cuts.values())

    def scores(self, n_clusters: int) -> dict[str, float]:
        """Return the agreement (ANMI) of every cut, by name."""
        return dict(self._compare(n_clusters)[0])

    def chosen(self, n_clusters: int) -> str:
        """Return the name of the cut that agrees most."""
        scores = self._compare(n_clusters)[0]
        return max(scores, key=lambda name: scores[name])

    def cut_for(self, n_clusters: int) -> Cut:
        """Return the cut that agrees most."""
        return self.cuts[self.chosen(n_clusters)]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return its labels of the microclusters."""
        return self._compare(n_clusters)[1].copy()

    def rule(self, n_clusters: int) -> Rule | None:
        """Return what labels rows that were not in the fit: the rule of the cut that agrees most."""
        return self.cut_for(n_clusters).rule(n_clusters)

    def _compare(self, n_clusters: int) -> tuple[dict[str, float], np.ndarray]:
        self.check(n_clusters)
        if n_clusters not in self._found:
            labels = {name: np.asarray(cut.cut(n_clusters)) for name, cut in self.cuts.items()}
            scores = {name: round(microcluster_anmi(found, self._ensemble), 10) for name, found in labels.items()}
            best = max(scores, key=lambda name: scores[name])
            self._found[n_clusters] = scores, labels[best]
        return self._found[n_clusters]
