"""How well the splits of a clustering are separated, on the graph of the ensemble: conductance, from counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.ensemble import Ensemble

__all__ = ["SampledLinks", "Splits", "conductance", "families", "least_size", "sampled_links", "splits_of"]

_SMALL = 0.005  # parts with a smaller share of the objects, and single objects, are no evidence of a split


@dataclass(frozen=True, eq=False)
class SampledLinks:
    r"""Objects of some microclusters and how strongly the ensemble links them: W = B Bᵀ, never formed.

    Row i of the factor B has :math:`\sqrt{w_c / m_i}` at the base clusters c of object i, which has :math:`m_i`
    labels. No object counts as linked with itself, so that a sample shows what all objects do.
    """

    places: np.ndarray  # base cluster of every label (n_rows x M), n_base_clusters where it is missing
    values: np.ndarray  # counts / sqrt(m) of every row
    own: np.ndarray  # link of the objects of a row with themselves, summed
    counts: np.ndarray  # objects of every row
    weights: np.ndarray  # of the base clusters, and 0 for a missing label

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Sum of the rows of B, before weighting: how many of the objects lie in every base cluster."""
        values = np.broadcast_to(self.values[rows, None], (rows.size, self.places.shape[1]))
        return np.bincount(self.places[rows].ravel(), values.ravel(), self.weights.size)

    def factor(self) -> sp.csr_array:
        """The rows of B, of one object each."""
        n_rows, n_members = self.places.shape
        values = np.repeat(self.values / self.counts, n_members) * np.sqrt(self.weights[self.places.ravel()])
        pointers = np.arange(0, n_rows * n_members + 1, n_members)
        return sp.csr_array((values, self.places.ravel(), pointers), shape=(n_rows, self.weights.size))


@dataclass(frozen=True, eq=False)
class Splits:
    """What the splits on the way to every number of clusters look like.

    Where several clusters came out of one, the least separated and the best separated two of them; NaN where all parts
    are small.
    """

    k: np.ndarray
    worst: np.ndarray  # conductance of the least separated two
    best: np.ndarray  # of the best separated two


def sampled_links(ensemble: Ensemble, weights: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> SampledLinks:
    """Return the links of the objects of some microclusters (rows), each counted as often as it says."""
    labels = ensemble.labels[rows]
    n_base = ensemble.n_base_clusters
    places = np.where(labels >= 0, labels + ensemble.offsets[:-1], n_base)
    observed = np.maximum(np.count_nonzero(labels >= 0, axis=1), 1)
    padded = np.append(weights, 0.0)
    own = counts * padded[places].sum(axis=1) / observed
    return SampledLinks(places, counts / np.sqrt(observed), own, counts, padded)


def splits_of(links: SampledLinks, labels: Sequence[np.ndarray], n_clusters: np.ndarray) -> Splits:
    r"""Measure the splits between clusterings into more and more clusters, nested or not.

    Clusters that have most of their objects from the same cluster of the clustering before are what it was split
    into. Of two such parts A and B the conductance is

    .. math:: \phi = cut(A, B) / \min(cut(A, A \cup B), cut(B, A \cup B)), \quad
        cut(A, B) = \sum_c w_c n_A(c) n_B(c) / M

    with :math:`n_A(c)` objects of A in base cluster c: counts suffice.

    Parameters
    ----------
    links : SampledLinks
    labels : sequence of ndarray of shape (n_rows,)
        Labels 0, 1, ... of the rows, of rising numbers of clusters.
    n_clusters : ndarray of int
        These numbers.

    Returns
    -------
    Splits
        Of all but the first clustering.

    References
    ----------
    Oveis Gharan & Trevisan (2014), Partitioning into expanders, SODA. https://doi.org/10.1137/1.9781611973402.93

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]])
    >>> links = sampled_links(ensemble, np.ones(5), np.arange(3), np.array([2, 2, 2]))
    >>> splits = splits_of(links, [np.zeros(3, int), np.array([0, 1, 1]), np.arange(3)], np.array([1, 2, 3]))
    >>> splits.worst
    array([0. , 0.5])
    """
    least = least_size(links.counts)
    found = [_pairs(links, before, after, least) for before, after in pairwise(labels)]
    worst, best = (np.array([pick(pairs, default=np.nan) for pairs in found]) for pick in (max, min))
    return Splits(n_clusters[1:], worst, best)


def _pairs(links: SampledLinks, before: np.ndarray, after: np.ndarray, least: float) -> list[float]:
    """Conductance between every two clusters that come from the same one, both of some size."""
    found = []
    for family in families(before, after, links.counts, least):
        members = [np.flatnonzero(after == cluster) for cluster in family]
        sums = np.stack([links.sums(rows) for rows in members])
        linked = (sums * links.weights) @ sums.T
        inside = np.diag(linked) - [links.own[rows].sum() for rows in members]
        found += [conductance(linked[a, b], inside[a], inside[b]) for a, b in combinations(range(family.size), 2)]
    return found


def least_size(counts: np.ndarray) -> float:
    """Return how many objects a part must have to be evidence of a split, given those of every row."""
    return max(_SMALL * float(counts.sum()), 2.0)


def families(before: np.ndarray, after: np.ndarray, counts: np.ndarray, least: float) -> list[np.ndarray]:
    """Return the clusters that come from the same cluster of the clustering before, where two or more do.

    Parameters
    ----------
    before, after : ndarray of int of shape (n_rows,)
        Labels 0, 1, ... of the rows.
    counts : ndarray of shape (n_rows,)
        Objects of every row.
    least : float
        Smaller clusters are left out.

    Returns
    -------
    list of ndarray of int
        Labels of ``after``.

    Examples
    --------
    >>> import numpy as np
    >>> families(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 2]), np.array([5, 5, 5, 5]), 2.0)
    [array([0, 1])]
    """
    n_before, n_after = int(before.max()) + 1, int(after.max()) + 1
    table = np.bincount(after * n_before + before, counts, n_before * n_after).reshape(n_after, n_before)
    parent, sizes = table.argmax(axis=1), table.sum(axis=1)
    order = np.argsort(parent, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(parent[order])) + 1)
    large = [family[sizes[family] >= least] for family in groups]
    return [family for family in large if family.size > 1]


def conductance(cut: float, one: float, other: float) -> float:
    """Return the share of the links of the less linked part that go to the other, given the links inside of both.

    Examples
    --------
    >>> conductance(1.0, 3.0, 9.0)
    0.25
    """
    return float(cut / (min(one, other) + cut)) if cut > 0 else 0.0
