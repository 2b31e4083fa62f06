"""Similarities of label rows whose mean over the members of a group needs no matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy.sparse as sp

from consensa._rows import GUARD, unit_rows
from consensa._threads import row_ranges
from consensa.relate.bipartite import transfer_to_rows
from consensa.relate.cosine import unit_cosine_power
from consensa.relate.relation import Factored

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.relate.relation import Dense

__all__ = ["DIGITS", "Angles", "GroupRule", "Nearness", "SharedClusters", "group_rule"]

_SCORED_ROWS, _SCORED_CELLS = 1 << 14, 1 << 20  # at a time, the latter with all groups
_SUMMED_ROWS = 64
DIGITS = 10  # of scores, beyond which they are equal
_MARGIN = 1e-9  # of bounds, more than the rounding of scores
_LEADING = 4  # eigenvectors of a group: with more, more work for all rows; with fewer, more rows are left open


class Nearness(Protocol):
    """A similarity of label rows, whose mean over the members of a group needs no matrix."""

    @property
    def offsets(self) -> np.ndarray:
        """Offsets of the clusters that label rows are made of, shape (n_partitions + 1,)."""

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Return what is to be known of a group of weighted label rows."""

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, up to a factor for every row; shape (n_rows, n_groups)."""

    def ranking(self, groups: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Return what gives label rows the group of the largest score, rounded; of equal ones the first."""

    def sums(self, members: np.ndarray, masses: np.ndarray, labels: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Sum of masses times similarity over the members of groups 0, 1, ..., each with one at least.

        Of the label rows in ``codes`` to ``members``, up to a factor for every row; shape (n_rows, n_groups).
        """


@dataclass(frozen=True)
class Angles:
    """Squared cosine between label rows, each placed at the weighted mean of the axes of its clusters.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)
    axes : ndarray of shape (n_base_clusters, n_dimensions)

    Examples
    --------
    >>> import numpy as np
    >>> angles = Angles(np.array([0, 2, 3]), np.ones(3), np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]))
    >>> angles.similarity(np.array([[0, -1], [1, -1], [0, 0]], np.int32)).similarity.round(2)
    array([[1. , 0. , 0.5],
           [0. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """

    offsets: np.ndarray
    weights: np.ndarray
    axes: np.ndarray

    def places(self, codes: np.ndarray) -> np.ndarray:
        """Return the places of label rows, moved to length 1."""
        return unit_rows(transfer_to_rows(codes, self.offsets, self.weights, self.axes), guard=GUARD)

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""
        return unit_cosine_power(self.places(codes))

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Mean of g gᵀ over the places g: (h·g)² is hᵀ (g gᵀ) h, so its mean needs no more."""
        places = self.places(codes)
        return np.asarray((places * (masses / masses.sum())[:, None]).T @ places)

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, shape (n_rows, n_groups)."""
        places = self.places(codes)
        return np.column_stack([((places @ moment) * places).sum(axis=1) for moment in groups])

    def sums(self, members: np.ndarray, masses: np.ndarray, labels: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Sum of masses times similarity over the members of groups: of many groups cheaper than their moments."""
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(int(labels.max()) + 1))
        theirs, own = self.places(members[order]).T, self.places(codes)
        found = np.empty((codes.shape[0], starts.size))
        for start, stop in row_ranges(codes.shape[0], _SUMMED_ROWS):
            cosines = own[start:stop] @ theirs
            np.square(cosines, out=cosines)
            cosines *= masses[order]
            np.add.reduceat(cosines, starts, axis=1, out=found[start:stop])
        return found

    def ranking(self, groups: np.ndarray) -> MomentRanking:
        """Return what gives label rows the group of the largest score."""
        values, vectors = np.linalg.eigh(groups)
        n_leading = min(_LEADING, values.shape[1])
        directions = vectors[:, :, -n_leading:].transpose(1, 0, 2).reshape(values.shape[1], -1)
        rest = values[:, -n_leading - 1] if n_leading < values.shape[1] else np.zeros(len(values))
        return MomentRanking(self, groups, directions, values[:, -n_leading:], rest)


@dataclass(frozen=True)
class SharedClusters:
    """Mean weight of the clusters that two label rows share: the weighted co-association.

    Parameters
    ----------
    offsets : ndarray of shape (n_partitions + 1,), int64
    weights : ndarray of shape (n_base_clusters,)

    Examples
    --------
    >>> import numpy as np
    >>> shared = SharedClusters(np.array([0, 2, 4]), np.array([1.0, 0.5, 1.0, 1.0]))
    >>> shared.similarity(np.array([[0, 0], [1, 0], [1, 1]], np.int32)).similarity.round(2)
    array([[1.  , 0.5 , 0.  ],
           [0.5 , 0.75, 0.25],
           [0.  , 0.25, 0.75]])
    """

    offsets: np.ndarray
    weights: np.ndarray

    def similarity(self, codes: np.ndarray) -> Dense:
        """Relate label rows (n x M, int32, -1 = missing) to each other."""
        return Factored(self.factor(codes)).to_dense()

    def group(self, codes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Mean of the rows of the factor B, as S = B Bᵀ."""
        return np.asarray(self.factor(codes).T @ (masses / masses.sum()))

    def scores(self, groups: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Mean similarity of label rows to groups, up to a factor for every row; shape (n_rows, n_groups)."""
        return transfer_to_rows(codes, self.offsets, np.sqrt(self.weights), groups.T)

    def sums(self, members: np.ndarray, masses: np.ndarray, labels: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Sum of masses times similarity over the members of groups, up to a factor for every row."""
        each = [labels == group for group in range(int(labels.max()) + 1)]
        groups = np.array([self.group(members[own], masses[own]) * masses[own].sum() for own in each])
        return self.scores(groups, codes)

    def ranking(self, groups: np.ndarray) -> ScoreRanking:
        """Return what gives label rows the group of the largest score."""
        return ScoreRanking(self, groups)

    def factor(self, codes: np.ndarray) -> sp.csr_array:
        """Return B of S = B Bᵀ for label rows, shape (n_rows, n_base_clusters)."""
        known = codes >= 0
        clusters = (codes + self.offsets[:-1])[known]
        n_known = np.count_nonzero(known, axis=1)
        values = np.sqrt(self.weights[clusters] / np.repeat(n_known, n_known))
        ends = np.concatenate([[0], np.cumsum(n_known)])
        return sp.csr_array((values, clusters, ends), shape=(codes.shape[0], self.weights.size))


@dataclass(frozen=True, eq=False)
class ScoreRanking:
    """The group of the largest score, from all scores."""

    nearness: Nearness
    groups: np.ndarray

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the group of every label row."""
        return np.asarray(np.argmax(self.nearness.scores(self.groups, codes).round(DIGITS), axis=1))


@dataclass(frozen=True, eq=False)
class MomentRanking:
    """The group of the largest hᵀ G h: bounds from a few eigenvectors of every G leave one for nearly all places h.

    With the leading eigenvectors v and values λ, hᵀ G h is at least Σ λ (v·h)², and at most that and the next value
    times what is left of the length of h. Where several groups remain, their scores decide.
    """

    angles: Angles
    groups: np.ndarray  # (n_groups, d, d)
    directions: np.ndarray  # (d, n_groups * n_leading)
    values: np.ndarray  # (n_groups, n_leading)
    rest: np.ndarray  # (n_groups,): the next value

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the group of every label row."""
        places = self.angles.places(codes)
        parts = (places @ self.directions).reshape(len(places), *self.values.shape) ** 2
        lowest = np.einsum("ngr,gr->ng", parts, self.values)
        beyond = np.einsum("np,np->n", places, places)[:, None] - parts.sum(axis=2)
        highest = lowest + np.maximum(self.rest, 0.0) * np.maximum(beyond, 0.0)
        left = highest >= lowest.max(axis=1, keepdims=True) - _MARGIN
        found = np.argmax(left, axis=1)
        open_rows = np.flatnonzero(left.sum(axis=1) > 1)
        scores = np.full((open_rows.size, len(self.groups)), -np.inf)
        for group in np.flatnonzero(left[open_rows].any(axis=0)):
            here = np.flatnonzero(left[open_rows, group])
            own = places[open_rows[here]]
            scores[here, group] = ((own @ self.groups[group]) * own).sum(axis=1).round(DIGITS)
        if open_rows.size:
            found[open_rows] = np.argmax(scores, axis=1)
        return found


def group_rule(nearness: Nearness, codes: np.ndarray, masses: np.ndarray, labels: np.ndarray) -> GroupRule:
    """Return the rule that gives a label row to the group with whose members it is most similar on average.

    Given are the label rows of the members, how many objects each stands for, and their groups 0, 1, ..., none of them
    empty. Equally similar groups: the smaller number.

    Examples
    --------
    >>> import numpy as np
    >>> members = np.array([[0, 0], [1, 1]], np.int32)
    >>> shared = SharedClusters(np.array([0, 2, 4]), np.ones(4))
    >>> group_rule(shared, members, np.ones(2), np.array([0, 1]))(np.array([[1, -1], [-1, -1]], np.int32))
    array([ 1, -1])
    """
    members = [labels == group for group in range(int(labels.max()) + 1)]
    known = np.array([nearness.group(codes[each], masses[each]) for each in members])
    return GroupRule(nearness, known, codes[:0], np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class GroupRule:
    """Labels of label rows by the group of greatest mean similarity, each row on its own."""

    nearness: Nearness
    groups: np.ndarray  # what the nearness knows of every group
    apart_rows: np.ndarray  # label rows whose label is given
    apart_labels: np.ndarray

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.groups.shape[0])

    @cached_property
    def _ranking(self) -> Callable[[np.ndarray], np.ndarray]:
        return self.nearness.ranking(self.groups)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        labels = np.empty(codes.shape[0], np.int64)
        n_rows = max(min(_SCORED_ROWS, _SCORED_CELLS // self.n_labels), 1)
        for start, stop in row_ranges(codes.shape[0], n_rows):
            labels[start:stop] = self._ranking(codes[start:stop])
        for row, label in zip(self.apart_rows, self.apart_labels, strict=True):
            labels[(codes == row).all(axis=1)] = label
        labels[(codes < 0).all(axis=1)] = -1
        return labels
