"""Labels in which objects that no cluster can claim belong to none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import ranks_by_size
from consensa.evaluate.outliers import RowOutlierScores, row_outlier_scores
from consensa.partition.labelling import Labeller

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble import Ensemble

__all__ = ["Marked", "mark_outliers"]


@dataclass(frozen=True, eq=False)
class MarkedRule:
    """Labels rows, and marks those with a score above the limit by -1."""

    rule: Callable[[np.ndarray], np.ndarray]
    scores: RowOutlierScores
    limit: float
    ranks: np.ndarray  # numbers of the clusters without the marked objects

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.ranks.size)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32)."""
        labels = np.asarray(self.rule(codes), np.int32)
        claimed = self.scores(codes, labels) <= self.limit
        return np.where(claimed & (labels >= 0), np.append(self.ranks, -1)[labels], -1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Marked(Labeller):
    """Labels any rows as another labeller does, but those that no cluster can claim by -1."""

    inner: Labeller
    scores: RowOutlierScores
    limit: float
    ranks: np.ndarray

    @property
    def n_clusters(self) -> int:  # type: ignore[override]
        """Labels are below this."""
        return self.inner.n_clusters

    @property
    def unmarked(self) -> Labeller:
        """The labeller that gives every row a cluster, under the same numbers."""
        return replace(self, limit=np.inf)

    @property
    def of_fit(self) -> MarkedRule:
        """A function that labels rows of the fit."""
        return MarkedRule(self.inner.of_fit, self.scores, self.limit, self.ranks)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels of rows (n x M, int32, -1 = missing)."""
        return MarkedRule(self.inner, self.scores, self.limit, self.ranks)(codes)


def mark_outliers(labeller: Labeller, ensemble: Ensemble) -> tuple[Any, Marked]:
    """Give objects whose :func:`~consensa.evaluate.outlier_scores` exceed the limit the label -1.

    No cluster is emptied, since its objects have a score of 1 on average. Clusters are numbered again by size.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LWEA
    >>> labels = np.array([[0] * 20, [0] * 19 + [1], [0] * 10 + [1] * 9 + [2], [0] * 9 + [1] * 10 + [2]]).T
    >>> model = LWEA(1).fit(labels)
    >>> mark_outliers(model.labeller(), model.ensemble_)[0][-2:]
    array([ 0, -1], dtype=int32)
    """
    scores, limit = row_outlier_scores(labeller.of_fit, ensemble)
    unranked = MarkedRule(labeller.of_fit, scores, limit, np.arange(labeller.n_clusters, dtype=np.int32))
    if ensemble.leads is not None:
        labels, numbered = ensemble.number(unranked)
        return labels, Marked(labeller, scores, limit, numbered.ranks)
    found = unranked(ensemble.labels)
    kept = found >= 0
    _, first, codes = np.unique(found[kept], return_index=True, return_inverse=True)
    ranks = ranks_by_size(np.bincount(codes, ensemble.sizes[kept]), np.flatnonzero(kept)[first]).astype(np.int32)
    return ensemble.to_objects(np.append(ranks, np.int32(-1))[found]), Marked(labeller, scores, limit, ranks)
