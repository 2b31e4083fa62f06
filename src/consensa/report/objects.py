"""How sure the objects of a clustering are, in numbers of bounded size: from all objects, or from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble import Ensemble

__all__ = ["ObjectEvidence", "evidence_of_objects", "evidence_of_rows"]

N_BINS = 20
N_LEAST = 25
UNCERTAIN = 0.2
_PARTS = 2.0**30  # confidences are summed as whole numbers of this part, so that no order of the rows matters


@dataclass(frozen=True, eq=False)
class ObjectEvidence:
    """What a report says of the confidence of all objects."""

    histogram: np.ndarray  # objects by confidence, in 20 bins from 0 to 1
    confidence_sums: np.ndarray  # of every cluster
    n_uncertain: int  # objects with a confidence below 0.2
    least: np.ndarray  # up to 25 objects; of those with equal label rows the first, where labels go by rows
    least_confidence: np.ndarray
    typical: np.ndarray  # the first object of the highest confidence in every cluster


def evidence_of_objects(labels: np.ndarray, values: np.ndarray, n_clusters: int) -> ObjectEvidence:
    """Collect the evidence from a label (-1 for none) and a confidence for every object."""
    total = ConfidenceSums(n_clusters)
    total.put(labels, values, np.ones(labels.size, np.int64), np.arange(labels.size))
    return total.finish()


def evidence_of_rows(
    labeller: Callable[[np.ndarray], np.ndarray],
    confidence: Callable[[np.ndarray], np.ndarray],
    ensemble: Ensemble,
    n_clusters: int,
) -> ObjectEvidence:
    """Collect the evidence in a sum over the label rows: in memory and in chunks alike."""
    total = ensemble.sum_rows(partial(ConfidenceSums, n_clusters, labeller, confidence))
    return total.finish(ensemble.firsts if ensemble.leads is None else None)


class ConfidenceSums:
    """Confidences of label rows, as a mergeable sum; labeller and confidence take label rows, for :meth:`add`."""

    def __init__(self, n_clusters: int, labeller: Any = None, confidence: Any = None) -> None:
        self._labeller = labeller
        self._confidence = confidence
        self._histogram = np.zeros(N_BINS, np.int64)
        self._sums = np.zeros(n_clusters, np.int64)
        self._n_uncertain = 0
        self._least = np.empty((0, 2))  # confidence and first object
        self._best = np.full((n_clusters, 2), [-1.0, np.inf])

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows (n x M, int32), each ``sizes`` times, from object ``firsts`` on."""
        self.put(self._labeller(labels), self._confidence(labels), sizes, firsts)

    def put(self, groups: np.ndarray, values: np.ndarray, counts: np.ndarray, firsts: np.ndarray) -> None:
        """Add objects by their clusters and confidences, each ``counts`` times; a cluster of -1 does not count."""
        known = groups >= 0
        groups, values, counts, firsts = groups[known], values[known], counts[known], firsts[known]
        self._histogram += np.histogram(values, N_BINS, (0, 1), weights=counts)[0].astype(np.int64)
        np.add.at(self._sums, groups, np.rint(values * _PARTS).astype(np.int64) * counts)
        self._n_uncertain += int(counts[values < UNCERTAIN].sum())
        self._keep_least(np.column_stack([values, firsts]))
        order = np.lexsort((firsts, -values, groups))
        found, place = np.unique(groups[order], return_index=True)
        self._keep_best(found, np.column_stack([values, firsts])[order[place]])

    def merge(self, other: ConfidenceSums) -> None:
        """Add the sum over other rows."""
        self._histogram += other._histogram
        self._sums += other._sums
        self._n_uncertain += other._n_uncertain
        self._keep_least(other._least)
        self._keep_best(np.arange(self._sums.size), other._best)

    def finish(self, firsts: np.ndarray | None = None) -> ObjectEvidence:
        """Return the evidence; ``firsts`` are the objects behind numbers of rows, None if they are objects already."""
        least, best = self._least[:, 1].astype(np.int64), self._best[:, 1].astype(np.int64)
        return ObjectEvidence(
            self._histogram,
            self._sums / _PARTS,
            self._n_uncertain,
            least if firsts is None else firsts[least],
            self._least[:, 0],
            best if firsts is None else firsts[best],
        )

    def _keep_least(self, found: np.ndarray) -> None:
        every = np.concatenate([self._least, found])
        self._least = every[np.lexsort((every[:, 1], every[:, 0]))[:N_LEAST]]

    def _keep_best(self, groups: np.ndarray, found: np.ndarray) -> None:
        mine = self._best[groups]
        better = (found[:, 0] > mine[:, 0]) | ((found[:, 0] == mine[:, 0]) & (found[:, 1] < mine[:, 1]))
        self._best[groups[better]] = found[better]
