"""From a cut to labels: of the objects of an ensemble, and of label rows that were not in the fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._stored import check_fits, numbers_below
from consensa._validation import check_cluster_weights
from consensa.ensemble.chunked import LookUp, Renumbered
from consensa.ensemble.numbering import numbers_by_size
from consensa.relate.nearness import GroupRule, SharedClusters, group_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["LabelledRows", "LabelledSample", "Labeller", "label_objects", "vote_rule"]


class Labeller(ABC):
    """Labels any label rows as a fitted model does, int32, below ``n_clusters``; -1 for a row without any label."""

    n_clusters: int

    @property
    def unmarked(self) -> Labeller:
        """The labeller that gives every row with a label a cluster."""
        return self

    @property
    @abstractmethod
    def of_fit(self) -> Callable[[np.ndarray], np.ndarray]:
        """A function that labels rows of the fit, and may travel to a worker."""

    @abstractmethod
    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels of rows (n x M, int32, -1 = missing)."""


@dataclass(frozen=True, eq=False)
class LabelledRows(Labeller):
    """All rows of the fit are known and keep their labels; others are labelled by the rule of the cut, or by a vote."""

    cut: Cut
    cut_labels: np.ndarray  # of the microclusters
    numbers: np.ndarray  # the same, by size
    ensemble: Ensemble
    weights: np.ndarray | None  # of the base clusters in the vote

    def __post_init__(self) -> None:
        shape = (self.ensemble.n_microclusters,)
        check_fits(self.cut_labels.shape == self.numbers.shape == shape, "the labels of its rows")

    @cached_property
    def n_clusters(self) -> int:  # type: ignore[override]
        """Labels are below this."""
        return int(self.numbers.max()) + 1

    @property
    def of_fit(self) -> LookUp:
        """A function that labels rows of the fit."""
        return LookUp(self.ensemble.table, self.numbers, np.int32(-1))

    @cached_property
    def _rule(self) -> Callable[[np.ndarray], np.ndarray]:
        rule = self.cut.rule(self.n_clusters)
        if rule is None:
            return vote_rule(self.numbers, self.ensemble, self.weights)
        check_fits(numbers_below(self.cut_labels, rule.n_labels), "the labels of its rows")
        ranks = np.arange(rule.n_labels, dtype=np.int32)
        ranks[self.cut_labels] = self.numbers
        return Renumbered(rule, ranks)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels of rows (n x M, int32, -1 = missing)."""
        rows = self.ensemble.table.find(codes)
        labels = self.numbers[rows]
        other = rows < 0
        if other.any():
            labels[other] = self._rule(codes[other])
        return labels


@dataclass(frozen=True, eq=False)
class LabelledSample(Labeller):
    """Only a sample of the rows of the fit is known: the rule of the cut, finally numbered, labels all rows alike."""

    rule: Callable[[np.ndarray], np.ndarray]
    n_clusters: int

    @property
    def of_fit(self) -> Callable[[np.ndarray], np.ndarray]:
        """A function that labels rows of the fit."""
        return self.rule

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels of rows (n x M, int32, -1 = missing)."""
        return np.asarray(self.rule(codes), np.int32)


def label_objects(
    cut: Cut, n_clusters: int, ensemble: Ensemble, weights: np.ndarray | None = None
) -> tuple[Any, Labeller]:
    """Cut a consensus and hand the labels to the objects, numbered by falling size, then by first object.

    Parameters
    ----------
    cut : Cut
        Of the microclusters of the ensemble.
    n_clusters : int
    ensemble : Ensemble
    weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the base clusters in the vote on rows that were not in the fit, for a cut without a rule.

    Returns
    -------
    labels : ndarray of shape (n_objects,), int32, or a lazy dask array
        -1 for objects without any label.
    labeller : Labeller
        Labels any rows in the same way.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 1, 1, 1], [0, 0, 1, 1, 2]])
    >>> labels, labeller = label_objects(agglomerate(co_association(ensemble), ensemble.sizes), 2, ensemble)
    >>> labels, labeller(np.array([[0, 1], [-1, 2]], np.int32))
    (array([1, 1, 0, 0, 0], dtype=int32), array([1, 0], dtype=int32))
    """
    if ensemble.leads is not None:
        rule = cut.rule(n_clusters)
        if rule is None:
            msg = f"{type(cut).__name__} has no rule for rows beyond a sample; give it all microclusters."
            raise ValueError(msg)
        labels, numbered = ensemble.number(rule)
        return labels, LabelledSample(numbered, n_clusters)
    cut_labels = cut.cut(n_clusters)
    numbers = numbers_by_size(cut_labels, ensemble.sizes)
    return ensemble.to_objects(numbers), LabelledRows(cut, cut_labels, numbers, ensemble, weights)


def vote_rule(labels: np.ndarray, ensemble: Ensemble, weights: np.ndarray | None = None) -> GroupRule:
    """Return the rule of cuts that have none: a row goes to the cluster whose members it meets most often.

    That is the largest mean co-association, where a meeting in every base cluster counts by its weight (None: 1); equal
    ones to the smaller number.

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> vote_rule(np.array([0, 1, 1]), Ensemble([[0, 1, 1], [0, 1, 2]]))(np.array([[0, 2], [1, -1]], np.int32))
    array([0, 1])
    """
    w = check_cluster_weights(weights, ensemble.n_base_clusters)
    shared = SharedClusters(ensemble.offsets, w / (w.max() or 1.0))
    return group_rule(shared, ensemble.labels, ensemble.sizes, labels)
