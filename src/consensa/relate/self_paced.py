"""Self-paced learning of a similarity of microclusters, from easy pairs to difficult ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa._groups import segment_sums
from consensa._rows import squared_distances
from consensa._validation import check_integer, check_n_clusters, check_positive
from consensa.relate.learned import check_learning_budget, place_by_laplacian, sum_labelled, sum_together
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["SelfPaced", "self_paced_similarity"]

_PACES = (0.9, 0.8, 0.7, 0.6, 0.5)
_ROUNDS, _LAST_ROUNDS = 5, 20
_SMALLEST_WEIGHT = 1e-8  # of a clustering that is met exactly, so that its inverse stays finite


@dataclass(frozen=True, eq=False)
class SelfPaced(Dense):
    """A learned similarity of microclusters.

    Parameters
    ----------
    similarity : ndarray of shape (n_microclusters, n_microclusters)
        In [0, 1].
    partition_errors : ndarray of shape (n_partitions,)
        α: how far every base clustering is from it, sums to 1; a clustering counts by the inverse.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> learned = self_paced_similarity(Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]), 2)
    >>> learned.partition_errors.round(2)
    array([0., 0., 1.])
    """

    partition_errors: np.ndarray


def self_paced_similarity(ensemble: Ensemble, n_clusters: int, gamma: float = 0.5) -> SelfPaced:
    """Learn a similarity that is near all base clusterings on the pairs they agree on and has k components.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
        Number of connected components aimed at.
    gamma : float, default=0.5
        Price of every pair that is similar at all.

    Returns
    -------
    SelfPaced

    Notes
    -----
    Alternates between the similarity S, the weights W of the pairs, the weights of the clusterings and the smooth
    coordinates Y of the objects, while the pace q falls from 0.9 to 0.5: pairs on which the clusterings disagree come
    in later and count less. Pairs on which all agree are fixed. A pair that is met exactly has weight 1 (a published
    port sets 0). On microclusters with their sizes the result is that of all objects.

    With missing labels, which the paper does not treat, a clustering counts for the pairs that it labels, and pairs
    that none labels are not similar.

    References
    ----------
    Zhou, Du, Liu, Shen, Fan & Li (2021), Self-paced clustering ensemble, IEEE TNNLS 32(4).
    https://doi.org/10.1109/TNNLS.2020.2984814

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> self_paced_similarity(ensemble, 2).similarity.round(2)
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    check_n_clusters([check_integer("n_clusters", n_clusters)], ensemble.n_microclusters, "microclusters")
    learner = _Learner(ensemble, n_clusters, check_positive("gamma", gamma))
    for pace in _PACES:
        learner.learn(pace, _LAST_ROUNDS if pace == _PACES[-1] else _ROUNDS)
    return SelfPaced(learner.S, learner.errors)


class _Learner:
    """The state of the alternating optimisation, over microclusters."""

    def __init__(self, ensemble: Ensemble, n_clusters: int, gamma: float) -> None:
        check_learning_budget(ensemble.n_microclusters, 10, "Self-paced learning")
        self.ensemble, self.n_clusters, self.gamma = ensemble, n_clusters, gamma
        self.labelled = (ensemble.labels >= 0).astype(float)
        ones = np.ones(ensemble.n_partitions)
        together, known = sum_together(ensemble, ones), sum_labelled(ensemble, ones)
        self.fixed = (together == 0) | (together == known)
        self.S = np.divide(together, known, out=np.zeros_like(together), where=known > 0)
        self.fixed_values = np.where(self.fixed, self.S, 0.0)
        self.errors = np.full(ensemble.n_partitions, 1 / ensemble.n_filled)
        self.smoothness = 1.0
        self.points = place_by_laplacian(self.S, ensemble.sizes, n_clusters).points

    def learn(self, pace: float, n_rounds: int) -> None:
        """Choose the weights of the pairs by the pace, then alternate between everything else."""
        limit = 2 * pace * (1 - pace) * self.ensemble.n_filled**2
        loss = self._loss()
        W = np.ones_like(loss)
        np.divide(limit / 2, loss, out=W, where=loss > limit / 2)
        for n_done in range(n_rounds):
            self._renew_similarity(W)
            placed = place_by_laplacian(self.S, self.ensemble.sizes, self.n_clusters)
            self._renew_errors(W)
            if placed.n_components < self.n_clusters:
                self.points, self.smoothness = placed.points, 2 * self.smoothness
            elif placed.n_components > self.n_clusters:
                self.smoothness /= 2  # and the points stay
            else:
                self.points = placed.points
                if n_done > 0:
                    return

    def _loss(self) -> np.ndarray:
        """Weighted squared distance of every pair from the clusterings that label it."""
        inverse = 1 / self.errors
        together, known = sum_together(self.ensemble, inverse), sum_labelled(self.ensemble, inverse)
        return np.maximum(known * self.S**2 - 2 * together * self.S + together, 0.0)

    def _renew_similarity(self, W: np.ndarray) -> None:
        inverse = 1 / self.errors
        S, known = sum_together(self.ensemble, inverse), sum_labelled(self.ensemble, inverse)
        S -= self.smoothness / 2 * squared_distances(self.points) / W**2
        np.divide(S, known, out=S, where=known > 0)
        S[np.sqrt(self.gamma) > S * W * np.sqrt(known)] = 0.0
        np.minimum(S, 1.0, out=S)
        np.copyto(S, self.fixed_values, where=self.fixed)
        self.S = (S + S.T) / 2

    def _renew_errors(self, W: np.ndarray) -> None:
        """Distance of the similarity from every clustering, over all pairs of objects that it labels."""
        sizes = self.ensemble.sizes.astype(float)
        pairs = W**2 * sizes[:, None] * sizes
        labelled = np.einsum("ui,ui->i", (pairs * self.S**2) @ self.labelled, self.labelled)
        inside = (pairs * (1 - 2 * self.S)) @ self.ensemble.incidence
        of_cluster = self.ensemble.incidence.multiply(inside).sum(axis=0)
        squared = labelled + segment_sums(np.asarray(of_cluster).ravel(), self.ensemble.offsets)
        distance = np.sqrt(np.maximum(squared, 0.0))
        total = float(distance.sum())
        if total > 0:
            shares = np.maximum(distance / total, _SMALLEST_WEIGHT)
            self.errors = shares / shares[np.diff(self.ensemble.offsets) > 0].sum()
