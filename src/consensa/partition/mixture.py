"""Mixture of independent label distributions, fitted to label rows by EM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from consensa._random import draw_seeds
from consensa._threads import thread_map
from consensa._validation import check_integer, check_positive
from consensa.partition import _kernels_counts as kernels
from consensa.partition.components import best_columns
from consensa.partition.count_kmeans import count_labels, intrinsic_order, seed_rows
from consensa.partition.cut import Cut
from consensa.partition.geometry import make_utility, sum_by_owner

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["Mixture", "MixtureCut", "fit_mixture"]


@dataclass(frozen=True, eq=False)
class Mixture:
    """A fitted mixture of k components."""

    responsibilities: np.ndarray  # of every component for every microcluster; rows sum to 1
    weights: np.ndarray  # share of every component
    profiles: np.ndarray  # probability of every label in every component, (k x n_base_clusters)
    log_likelihood: float  # of all objects, by the natural logarithm
    bic: float  # Bayesian information criterion; smaller is better


def fit_mixture(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    smoothing: float = 0.01,
    n_init: int = 10,
    max_iter: int = 200,
    tol: float = 1e-6,
    random_state: RandomState = None,
) -> Mixture:
    """Fit a mixture in whose components the labels by different base clusterings are independent.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
    smoothing : float, default=0.01
        What is added to every count of a label.
    n_init : int, default=10
        Number of starts, each from the microclusters nearest to k seeds; the one with the largest likelihood is kept.
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when the log-likelihood grows by less than this share.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    Mixture

    Examples
    --------
    >>> from consensa import Ensemble
    >>> fit_mixture(Ensemble([[0, 0, 0, 1, 1], [0, 0, 0, 2, 2]]), 2, random_state=0).weights.round(2)
    array([0.6, 0.4])
    """
    check_positive("smoothing", smoothing)
    check_positive("tol", tol)
    check_integer("max_iter", max_iter)
    n_trials = 2 + int(np.log(n_clusters))
    order = intrinsic_order(ensemble)
    seeds = draw_seeds(random_state, check_integer("n_init", n_init))

    def run(seed: int) -> Mixture:
        draws = np.random.default_rng(seed).random((n_clusters, n_trials))
        rows = seed_rows(ensemble, make_utility(ensemble, "u_c"), draws, order, greedy=True)
        return _climb(ensemble, _first_counts(ensemble, rows), smoothing, max_iter, tol)

    fitted = thread_map(run, seeds)
    return max(fitted, key=lambda mixture: mixture.log_likelihood)


@dataclass(frozen=True, eq=False)
class MixtureCut(Cut):
    """Mixtures of any number of components, fitted when they are asked for."""

    ensemble: Ensemble
    seed: int
    options: dict[str, float]
    _fitted: dict[int, Mixture] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each microcluster has."""
        return self.ensemble.sizes

    def mixture(self, n_clusters: int) -> Mixture:
        """Return the mixture with so many components."""
        if n_clusters not in self._fitted:
            rng = np.random.default_rng([self.seed, n_clusters])
            self._fitted[n_clusters] = fit_mixture(self.ensemble, n_clusters, random_state=rng, **self.options)  # type: ignore[arg-type]
        return self._fitted[n_clusters]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the most probable component of every microcluster."""
        return best_columns(self.mixture(n_clusters).responsibilities)


def _first_counts(ensemble: Ensemble, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts and sizes of the clusters of the rows nearest to each seed."""
    table = -np.asarray(ensemble.incidence[rows].toarray(), dtype=float).T
    labels = np.empty(ensemble.n_microclusters, np.int64)
    nothing = np.zeros(ensemble.n_microclusters)
    kernels.cheapest(
        ensemble.labels, ensemble.offsets, np.ascontiguousarray(table), nothing, np.zeros(rows.size), labels, nothing
    )
    labels[rows] = np.arange(rows.size)
    return count_labels(ensemble, labels, rows.size), np.bincount(labels, ensemble.sizes, rows.size)


def _climb(
    ensemble: Ensemble, start: tuple[np.ndarray, np.ndarray], smoothing: float, max_iter: int, tol: float
) -> Mixture:
    """Alternate expectation and maximisation until the likelihood stands still."""
    counts, sizes = start
    n_objects = float(ensemble.sizes.sum())
    per_partition = np.diff(ensemble.offsets)
    before = -np.inf
    logits = np.empty((ensemble.n_microclusters, sizes.size))
    ones = np.ones(ensemble.n_microclusters)
    for _ in range(max_iter):
        observed = sum_by_owner(counts, ensemble) + smoothing * per_partition
        profiles = (counts + smoothing) / observed[:, ensemble.owner]
        weights = np.maximum(sizes / n_objects, 1e-300)
        kernels.row_costs(
            ensemble.labels, ensemble.offsets, np.ascontiguousarray(np.log(profiles).T), ones, np.log(weights), logits
        )
        total = logsumexp(logits, axis=1, keepdims=True)
        responsibilities = np.exp(logits - total)
        likelihood = float(ensemble.sizes @ total[:, 0])
        if likelihood - before < tol * abs(likelihood):
            break
        before = likelihood
        shared = ensemble.sizes[:, None] * responsibilities
        counts, sizes = (ensemble.incidence.T @ shared).T, shared.sum(axis=0)
    n_free = sizes.size - 1 + sizes.size * int(np.maximum(per_partition - 1, 0).sum())
    return Mixture(responsibilities, weights, profiles, likelihood, n_free * np.log(n_objects) - 2.0 * likelihood)
