"""Tri-level robust learning of a similarity: clusterings, pairs and objects are weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa._rows import squared_distances
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_integer, check_n_clusters, check_positive
from consensa.relate import _kernels_rows as kernels
from consensa.relate.learned import check_learning_budget, place_by_laplacian
from consensa.relate.relation import Dense

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["TriLevel", "tri_level_similarity"]

_ROUNDS = 10
_QUANTILE = 0.1  # share of the objects that count fully at first
_GROWTH = 1.1  # of the limit up to which they do
_SMALLEST_WEIGHT = 1e-8
_TINY = 1e-300
_ROWS = 256


@dataclass(frozen=True, eq=False)
class TriLevel(Dense):
    """A learned similarity of microclusters.

    Parameters
    ----------
    similarity : ndarray of shape (n_microclusters, n_microclusters)
        Of two objects; symmetric, at least 0.
    partition_errors : ndarray of shape (n_partitions,)
        α: how far every base clustering is from the consensus, sums to 1; a clustering counts by the inverse.
    row_weights : ndarray of shape (n_microclusters,)
        How much an object counts, in (0, 1]; little if the clusterings contradict each other about it.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> learned = tri_level_similarity(Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]), 2)
    >>> int(learned.partition_errors.argmax())
    2
    """

    partition_errors: np.ndarray
    row_weights: np.ndarray


def tri_level_similarity(ensemble: Ensemble, n_clusters: int, gamma: float = 0.01) -> TriLevel:
    """Learn a similarity that is near the graphs of all base clusterings and has k components, robust to bad input.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
        Number of connected components aimed at.
    gamma : float, default=0.01
        How near the similarity stays to the consensus of the graphs.

    Returns
    -------
    TriLevel

    Notes
    -----
    The graph of a clustering has rows that sum to 1. The divergences of its rows from the consensus B weigh the
    clusterings and the objects; B and the similarity S are renewed row by row, in closed form up to one root each.
    The divergences are summed over all base clusterings, which is evidently meant (the published code uses the last
    one throughout). On microclusters with their sizes the result is that of all objects.

    With missing labels, which the paper does not treat, an object counts in the clusterings that label it.

    References
    ----------
    Zhou, Du, Shen & Li (2021), Tri-level robust clustering ensemble with multiple graph learning, AAAI 35(12).
    https://doi.org/10.1609/aaai.v35i12.17327

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    >>> (tri_level_similarity(ensemble, 2).similarity > 0).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 1],
           [0, 0, 1, 1]])
    """
    check_n_clusters([check_integer("n_clusters", n_clusters)], ensemble.n_microclusters, "microclusters")
    learner = _Learner(ensemble, n_clusters, check_positive("gamma", gamma))
    for n_done in range(_ROUNDS):
        if learner.renew() and n_done > 0:
            break
    return TriLevel(learner.S, learner.errors, learner.row_weights)


class _Learner:
    """The state of the alternating optimisation, over microclusters."""

    def __init__(self, ensemble: Ensemble, n_clusters: int, gamma: float) -> None:
        check_learning_budget(ensemble.n_microclusters, 9, "Tri-level learning")
        self.ensemble, self.n_clusters, self.gamma = ensemble, n_clusters, gamma
        self.sizes = ensemble.sizes.astype(float)
        self.inverse_sizes = 1 / ensemble.cluster_sizes
        self.errors = np.full(ensemble.n_partitions, 1 / ensemble.n_filled)
        graph = self._combined(np.ones(ensemble.n_partitions)) / ensemble.n_observed[:, None]
        self.S = self.B = (graph + graph.T) / 2
        self.divergences = self._row_divergences()
        self.row_weights = np.ones(ensemble.n_microclusters)
        self.limit = 0.0
        self.smoothness = 1.0
        self.points = place_by_laplacian(self.S, ensemble.sizes, n_clusters).points

    def renew(self) -> bool:
        """Renew everything once; tell whether the similarity has as many components as wanted."""
        self._renew_row_weights()
        distances = squared_distances(self.points)
        targets = self._combined(1 / self.errors) * (self.row_weights**2)[:, None]
        self.B = nearest_rows(targets, self.smoothness * distances, self.sizes)
        distances *= self.smoothness / (2 * self.gamma)
        np.subtract(self.B, distances, out=distances)
        S = project_rows(distances, self.sizes)
        self.S = (S + S.T) / 2
        self._renew_errors()
        placed = place_by_laplacian(self.S, self.ensemble.sizes, self.n_clusters)
        if placed.n_components > self.n_clusters:
            self.smoothness /= 2  # and the points stay
            return False
        self.points = placed.points
        if placed.n_components < self.n_clusters:
            self.smoothness *= 2
        return placed.n_components == self.n_clusters

    def _renew_row_weights(self) -> None:
        totals = self.divergences @ (1 / self.errors)
        if self.limit == 0.0:
            self.limit = 2 * _weighted_quantile(totals, self.ensemble.sizes, _QUANTILE)
        else:
            self.limit *= _GROWTH
        self.row_weights = np.ones(totals.size)
        np.divide(self.limit / 2, totals, out=self.row_weights, where=totals > self.limit / 2)

    def _renew_errors(self) -> None:
        self.divergences = self._row_divergences()
        distance = np.sqrt((self.sizes * self.row_weights**2) @ self.divergences)
        total = float(distance.sum())
        if total > 0:
            shares = np.maximum(distance / total, _SMALLEST_WEIGHT)
            self.errors = shares / shares[np.diff(self.ensemble.offsets) > 0].sum()

    def _combined(self, weights: np.ndarray) -> np.ndarray:
        """Weighted sum of the graphs of the clusterings, shape (n_microclusters, n_microclusters)."""
        Z = self.ensemble.incidence
        scaled = Z.multiply(weights[self.ensemble.owner] * self.inverse_sizes).tocsr()
        return np.asarray((scaled @ Z.T).toarray(), dtype=float)

    def _row_divergences(self) -> np.ndarray:
        """Divergence of B from the rows of every clustering, shape (n_microclusters, n_partitions); 0 if unlabelled."""
        Z = self.ensemble.incidence
        logs = np.log(np.maximum(self.B, _TINY)) * self.sizes
        inside = np.asarray(logs @ Z)
        rows = np.repeat(np.arange(Z.shape[0]), np.diff(Z.indptr))
        share = self.inverse_sizes[Z.indices]
        found = np.zeros((Z.shape[0], self.ensemble.n_partitions))
        found[rows, self.ensemble.owner[Z.indices]] = np.log(share) - share * inside[rows, Z.indices]
        return np.maximum(found, 0.0)


def nearest_rows(targets: np.ndarray, prices: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Rows C / (p + θ) with θ > 0 such that every row sums to 1, columns counted ``sizes`` times."""
    out = np.empty_like(targets)
    pieces = row_ranges(targets.shape[0], _ROWS)
    thread_map(lambda piece: kernels.nearest_rows(targets, prices, sizes, *piece, out), pieces)
    return out


def project_rows(rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Project every row on the simplex: at least 0, sum 1 with columns counted ``sizes`` times."""
    out = rows.copy()
    thread_map(lambda piece: kernels.project_rows(out, sizes, *piece), row_ranges(rows.shape[0], _ROWS))
    return out


def _weighted_quantile(values: np.ndarray, sizes: np.ndarray, share: float) -> float:
    """Value below which a share of the objects lies; the smallest positive one instead of 0."""
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(sizes[order]), share * sizes.sum())
    found = float(values[order[min(int(reached), order.size - 1)]])
    positive = values[values > 0]
    return found if found > 0 or positive.size == 0 else float(positive.min())
