"""Distances from label rows to clusters that depend on counts only: the utilities of KCC, and that of SEC."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from consensa._validation import check_choice

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["UTILITIES", "Geometry", "SpectralGeometry", "UtilityGeometry", "make_utility"]

UTILITIES = ("u_c", "u_h", "u_cos", "nu_c", "nu_h", "nu_cos")
_EPS = np.finfo(float).eps  # of the published code: keeps the logarithm of a label that a cluster lacks finite


class Geometry(Protocol):
    """How far label rows are from clusters that are known by their counts of base clusters alone.

    The distance of row i from cluster j is ``constant[i] + scale[i] * bias[j]`` plus the entries ``table[c, j]`` of
    the base clusters c of the row.
    """

    @property
    def scale(self) -> np.ndarray:
        """One number per row."""

    @property
    def constant(self) -> np.ndarray:
        """One number per row."""

    @property
    def mass(self) -> np.ndarray:
        """How much each row weighs when seeds are drawn."""

    def tables(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``table`` (n_base_clusters x k) and ``bias`` (k) for counts (k x n_base_clusters)."""

    def loss(self, counts: np.ndarray) -> float:
        """Sum of the distances of all objects from the clusters that they make up."""


@dataclass(frozen=True, eq=False)
class UtilityGeometry:
    """A utility function of KCC as a distance of rows from clusters: squared Euclidean, Kullback-Leibler or cosine."""

    ensemble: Ensemble
    shape: str  # "c", "h" or "cos"
    weights: np.ndarray  # of every base clustering

    @cached_property
    def scale(self) -> np.ndarray:
        """Zeros: the whole distance is in the table."""
        return np.zeros(self.ensemble.n_microclusters)

    @property
    def constant(self) -> np.ndarray:
        """Zeros."""
        return self.scale

    @property
    def mass(self) -> np.ndarray:
        """The number of objects of every row."""
        return self.ensemble.sizes.astype(float)

    def tables(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the distance from every base cluster to every cluster, and no bias."""
        shares = cluster_shares(counts, self.ensemble)
        owner = self.ensemble.owner
        if self.shape == "h":
            gaps = -np.log2(shares + _EPS)
        else:
            squares = sum_by_owner(shares**2, self.ensemble)[:, owner]
            gaps = 1.0 - 2.0 * shares + squares if self.shape == "c" else 1.0 - shares / np.sqrt(squares)
        return np.ascontiguousarray((self.weights[owner] * gaps).T), np.zeros(len(counts))

    def loss(self, counts: np.ndarray) -> float:
        """Sum of the distances of all objects from their clusters."""
        return float(np.sum(counts * self.tables(counts)[0].T))


@dataclass(frozen=True, eq=False)
class SpectralGeometry:
    """The weighted k-means that equals the normalised cut of the co-association (SEC).

    Parameters
    ----------
    ensemble : Ensemble

    Examples
    --------
    >>> from consensa import Ensemble
    >>> SpectralGeometry(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])).scale
    array([3., 5., 5.])
    """

    ensemble: Ensemble

    @cached_property
    def scale(self) -> np.ndarray:
        """Weight of an object of every row: the sizes of its clusters, summed."""
        return (self.ensemble.incidence @ self.ensemble.cluster_sizes).astype(float)

    @cached_property
    def constant(self) -> np.ndarray:
        """Weight times squared norm of every row."""
        return self.ensemble.n_observed / self.scale

    @property
    def mass(self) -> np.ndarray:
        """Weight of all objects of every row."""
        return self.ensemble.sizes * self.scale

    def tables(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return -2 times the weighted means, and their squared norms."""
        means = counts / (counts @ self.ensemble.cluster_sizes)[:, None]
        return np.ascontiguousarray(-2.0 * means.T), np.sum(means**2, axis=1)

    def loss(self, counts: np.ndarray) -> float:
        """Weighted sum of squared distances from the weighted means."""
        spread = np.sum(counts.astype(float) ** 2, axis=1) / (counts @ self.ensemble.cluster_sizes)
        return float(self.ensemble.sizes @ self.constant - spread.sum())


def make_utility(ensemble: Ensemble, utility: str) -> UtilityGeometry:
    """Build the distance that belongs to a utility function of KCC.

    Parameters
    ----------
    ensemble : Ensemble
    utility : {"u_c", "u_h", "u_cos", "nu_c", "nu_h", "nu_cos"}
        Those with "nu" divide the weight of every base clustering by its own value of the function.

    Returns
    -------
    UtilityGeometry

    References
    ----------
    Wu, Liu, Xiong, Cao & Chen (2015), K-means-based consensus clustering: a unified view, IEEE TKDE 27(1).
    https://doi.org/10.1109/TKDE.2014.2316512

    Examples
    --------
    >>> from consensa import Ensemble
    >>> make_utility(Ensemble([[0, 0, 1, 1], [0, 1, 2, 3]]), "nu_c").weights
    array([2., 4.])
    """
    normalised, _, shape = check_choice("utility", utility, UTILITIES).rpartition("u_")
    if not normalised:
        return UtilityGeometry(ensemble, shape, np.ones(ensemble.n_partitions))
    shares = cluster_shares(ensemble.cluster_sizes[None, :], ensemble)
    if shape == "h":
        size = -sum_by_owner(shares * np.log2(np.maximum(shares, _EPS)), ensemble)[0]
    else:
        size = sum_by_owner(shares**2, ensemble)[0] ** (1.0 if shape == "c" else 0.5)
    # a base clustering of one cluster has no entropy, and no say whatever its weight
    return UtilityGeometry(ensemble, shape, np.divide(1.0, size, out=np.ones(size.size), where=size > 0))


def cluster_shares(counts: np.ndarray, ensemble: Ensemble) -> np.ndarray:
    """Share of every base cluster among the labelled objects of every cluster; all objects' share where none is."""
    everyone = ensemble.cluster_sizes / sum_by_owner(ensemble.cluster_sizes[None, :], ensemble)[0, ensemble.owner]
    observed = sum_by_owner(counts, ensemble)[:, ensemble.owner]
    start = np.broadcast_to(everyone, counts.shape).copy()
    return np.divide(counts, observed, out=start, where=observed > 0)


def sum_by_owner(values: np.ndarray, ensemble: Ensemble) -> np.ndarray:
    """Sum columns (one per base cluster) over the clusters of every base clustering."""
    ends = np.concatenate([np.zeros((len(values), 1), values.dtype), np.cumsum(values, axis=1)], axis=1)
    return ends[:, ensemble.offsets[1:]] - ends[:, ensemble.offsets[:-1]]
