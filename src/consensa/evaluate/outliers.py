"""Which objects no cluster can claim: those that find far less company in the base clusterings than a random one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import segment_sums
from consensa.ensemble import as_ensemble
from consensa.evaluate.cluster_counts import count_clusters, count_labelled_rows
from consensa.evaluate.contingency import object_labels
from consensa.relate.bipartite import transfer_to_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble
    from consensa.evaluate.cluster_counts import ClusterCounts

__all__ = ["RowOutlierScores", "ScoredRows", "outlier_limit", "outlier_scores", "row_outlier_scores"]

LEAST_LIMIT = 1.6  # five eighths of the company of a random object
FENCE = 2.0  # interquartile ranges of the logarithm above the upper quartile
_BINS = np.linspace(-12.0, 12.0, 4801)  # of the logarithm of the scores


def outlier_scores(labels: LabelVector, partitions: LabelMatrix) -> np.ndarray:
    """How little company every object finds in any cluster, where a random object has 1.

    In a base clustering an object finds itself among *s* objects of a cluster; 1 / *s* is large for an object that is
    nearly alone. Its mean over the base clusterings is divided by that of a random object of the same cluster, which is
    the number of base clusters that the cluster is spread over by its size. The score is the smallest such ratio over
    all clusters, and over the data as a whole; so neither a small cluster nor an object between two large ones scores
    high, but an object does that the base clusterings set apart, now with these objects, now with others.

    Parameters
    ----------
    labels : label vector of length n_objects
        A clustering of the objects of the ensemble; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble

    Returns
    -------
    ndarray of shape (n_objects,)
        0 for objects without a label.

    See Also
    --------
    outlier_limit : From which score on an object belongs nowhere.

    Examples
    --------
    >>> labels = [[0] * 9 + [0], [0] * 9 + [1], [0] * 5 + [1] * 4 + [2], [0] * 4 + [1] * 5 + [2]]
    >>> outlier_scores([0] * 10, labels).round(1)
    array([0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 3.4])
    """
    ensemble = as_ensemble(partitions)
    groups = object_labels(labels, ensemble)
    found = RowOutlierScores.of(count_clusters(labels, ensemble))
    codes = np.asarray(ensemble.codes_of(np.arange(ensemble.n_objects)))
    return found(codes, groups)


def outlier_limit(scores: np.ndarray, counts: np.ndarray | None = None) -> float:
    """From which score on objects belong nowhere: far above that of a random object, and far from most others.

    The limit is 1.6 or, where the scores spread more, two interquartile ranges of their logarithm above the upper
    quartile.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        From :func:`outlier_scores`; 0 does not count.
    counts : ndarray of shape (n,), int, default=None
        How many objects have each score; None for one each.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> outlier_limit(np.array([0.9, 1.0, 1.0, 1.1, 7.0])), round(outlier_limit(np.array([0.4, 0.8, 1.6, 3.0])), 1)
    (1.6, 25.9)
    """
    total = ScoreHistogram()
    total.put(np.asarray(scores), np.ones(len(scores), np.int64) if counts is None else counts)
    return total.finish()


@dataclass(frozen=True, eq=False)
class RowOutlierScores:
    """Scores of label rows, each on its own, from counts over all objects.

    The last column of the tables stands for the data as a whole.
    """

    offsets: np.ndarray
    inside: np.ndarray  # 1 / common objects, for rows of the cluster (n_base_clusters x (n_clusters + 1))
    outside: np.ndarray  # the same for rows that come to it
    expected: np.ndarray  # of a random object of the cluster, by base clustering (n_partitions x (n_clusters + 1))

    @classmethod
    def of(cls, counts: ClusterCounts) -> RowOutlierScores:
        """Make the tables from what clusters share with base clusters."""
        common = np.vstack([counts.common, counts.common.sum(axis=0)]).astype(float)
        spread = segment_sums((common > 0).astype(float), counts.offsets)
        labelled = segment_sums(common, counts.offsets)
        expected = np.divide(spread, labelled, out=np.ones_like(spread), where=labelled > 0)
        inside = 1.0 / np.maximum(common, 1.0)
        outside = 1.0 / (common + 1.0)
        outside[-1] = inside[-1]  # every object is part of the whole
        return cls(counts.offsets, inside.T.copy(), outside.T.copy(), expected.T.copy())

    def __call__(self, codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Return the score of every row (n x M, int32) of a cluster; 0 for rows of none."""
        known = groups >= 0
        out = np.zeros(groups.size)
        codes, own = codes[known], groups[known]
        seen = (codes >= 0).astype(float)
        ones = np.ones(int(self.offsets[-1]))
        found = transfer_to_rows(codes, self.offsets, ones, self.outside)
        place = np.arange(own.size)
        found[place, own] = transfer_to_rows(codes, self.offsets, ones, self.inside)[place, own]
        found /= (seen @ self.expected) / np.maximum(seen.sum(axis=1), 1.0)[:, None]
        out[known] = found.min(axis=1)
        return out


def row_outlier_scores(
    labeller: Callable[[np.ndarray], np.ndarray], ensemble: Ensemble
) -> tuple[RowOutlierScores, float]:
    """Return the scores as a function of label rows, and the limit: from sums over all objects, in chunks alike.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])
    >>> scores, limit = row_outlier_scores(lambda codes: codes[:, 0], ensemble)
    >>> scores(ensemble.labels, ensemble.labels[:, 0]).round(2), limit
    (array([0.83, 0.87, 0.87]), 1.6)
    """
    scores = RowOutlierScores.of(count_labelled_rows(labeller, ensemble))
    return scores, ensemble.sum_rows(partial(ScoreHistogram, labeller, scores)).finish()


@dataclass(frozen=True)
class ScoredRows:
    """The score of every label row, in the cluster that a labeller gives it."""

    labeller: Callable[[np.ndarray], np.ndarray]
    scores: RowOutlierScores

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the scores of rows (n x M, int32)."""
        return self.scores(codes, self.labeller(codes))


class ScoreHistogram:
    """Scores of label rows by their logarithm, as a mergeable sum."""

    def __init__(self, labeller: Any = None, scores: RowOutlierScores | None = None) -> None:
        self._labeller = labeller
        self._scores = scores
        self._counts = np.zeros(_BINS.size + 1, np.int64)

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:  # noqa: ARG002 - of all sums
        """Add label rows (n x M, int32), each ``sizes`` times."""
        assert self._scores is not None  # noqa: S101 - only an empty sum of numbers has none
        self.put(self._scores(labels, self._labeller(labels)), sizes)

    def put(self, scores: np.ndarray, sizes: np.ndarray) -> None:
        """Add scores, each ``sizes`` times; 0 does not count."""
        known = scores > 0
        place = np.searchsorted(_BINS, np.log(scores[known]))
        np.add.at(self._counts, place, sizes[known])

    def merge(self, other: ScoreHistogram) -> None:
        """Add the sum over other rows."""
        self._counts += other._counts

    def finish(self) -> float:
        """Return the limit."""
        total = np.cumsum(self._counts)
        low, high = (_BINS[min(np.searchsorted(total, q * total[-1]), _BINS.size - 1)] for q in (0.25, 0.75))
        return max(LEAST_LIMIT, float(np.exp(high + FENCE * (high - low))))
