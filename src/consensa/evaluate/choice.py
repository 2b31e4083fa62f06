"""Choosing a parameter without labels: the candidate whose clustering agrees most with the ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.evaluate.scores import microcluster_anmi

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from consensa.ensemble import Ensemble

__all__ = ["AgreementChoice", "agreement_scores"]


def agreement_scores(
    cluster: Callable[[float], Any], candidates: Sequence[float], ensemble: Ensemble, n_clusters: Sequence[int]
) -> dict[float, float]:
    """Score every candidate by the agreement (ANMI) of its clusterings with the base clusterings.

    Parameters
    ----------
    cluster : callable
        Takes a candidate and returns something with ``cut(n_clusters)``, labels of the microclusters.
    candidates : sequence of float
    ensemble : Ensemble
    n_clusters : sequence of int
        With several, the score is the mean over them.

    Returns
    -------
    dict of float by candidate
        Rounded to 1e-10, so that equal clusterings have equal scores.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> from consensa.weigh import entropy_weights
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> def cluster(theta):
    ...     return agglomerate(co_association(ensemble, entropy_weights(ensemble, theta)), ensemble.sizes)
    >>> agreement_scores(cluster, [0.2, 1.0], ensemble, [2])
    {0.2: 0.8431801927, 1.0: 0.8431801927}
    """
    scores = {}
    for candidate in candidates:
        tree = cluster(candidate)
        agreement = [microcluster_anmi(tree.cut(k), ensemble) for k in n_clusters]
        scores[candidate] = round(float(np.mean(agreement)), 10)
    return scores


class AgreementChoice:
    """Several ways to cut the same ensemble; for every number of clusters the one that agrees most with it is taken.

    Parameters
    ----------
    cuts : mapping of str to object with ``cut(n_clusters)``
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
    >>> choice = AgreementChoice(cuts, ensemble)
    >>> choice.chosen(2), choice.scores(2)
    ('single', {'single': 0.8431801927, 'average': 0.8431801927})
    """

    def __init__(self, cuts: Mapping[str, Any], ensemble: Ensemble) -> None:
        self.cuts = dict(cuts)
        self._ensemble = ensemble
        self._found: dict[int, tuple[dict[str, float], np.ndarray]] = {}

    def scores(self, n_clusters: int) -> dict[str, float]:
        """Return the agreement (ANMI) of every cut, by name."""
        return dict(self._compare(n_clusters)[0])

    def chosen(self, n_clusters: int) -> str:
        """Return the name of the cut that agrees most."""
        scores = self._compare(n_clusters)[0]
        return max(scores, key=lambda name: scores[name])

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return its labels of the microclusters."""
        return self._compare(n_clusters)[1].copy()

    def _compare(self, n_clusters: int) -> tuple[dict[str, float], np.ndarray]:
        if n_clusters not in self._found:
            labels = {name: np.asarray(cut.cut(n_clusters)) for name, cut in self.cuts.items()}
            scores = {name: round(microcluster_anmi(found, self._ensemble), 10) for name, found in labels.items()}
            best = max(scores, key=lambda name: scores[name])
            self._found[n_clusters] = scores, labels[best]
        return self._found[n_clusters]
