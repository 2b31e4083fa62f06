"""How clusters split from one number of clusters to the next: the tree over k that clustree draws."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import ranks_by_size
from consensa.ensemble.sampling import sample_objects

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["cluster_splits"]

_N_ROWS = 2000
_MAX_LABELS = 2_000_000
_MOST_CLUSTERS, _BEYOND, _MOST_LEVELS = 30, 4, 10


def cluster_splits(subject: Subject) -> dict[str, Any] | None:
    """Cut the same consensus into several numbers of clusters, and count what each has in common with the next.

    ``k``; ``sizes`` of the clusters and ``belongs``, the cluster of the report that holds most of each, by level;
    ``tables``: common objects of every level (rows) and the next. None where cutting again would take long. Sizes are
    those of a sample where there are many distinct label rows.
    """
    numbers = _numbers(subject)
    if len(numbers) < 2:
        return None
    ensemble = subject.ensemble
    rows, counts = sample_objects(ensemble, _N_ROWS)
    levels = [_by_size(labels, counts) for labels in subject.model.cut_.cut_rows(numbers, rows, counts)]
    assert subject.labeller is not None  # noqa: S101 - or there are no numbers
    final = np.asarray(subject.labeller.unmarked(ensemble.labels[rows]))
    return {
        "k": numbers,
        "chosen": subject.n_clusters,
        "sizes": [np.bincount(labels, counts).astype(int).tolist() for labels in levels],
        "belongs": [_common(labels, final, counts).argmax(axis=1).tolist() for labels in levels],
        "tables": [_common(one, two, counts).tolist() for one, two in pairwise(levels)],
    }


def _numbers(subject: Subject) -> list[int]:
    """Numbers of clusters to show: those that were asked for, or from 2 to some beyond the one of the report."""
    k, ensemble = subject.n_clusters, subject.ensemble
    if subject.labeller is None or k > _MOST_CLUSTERS or ensemble.labels.size > _MAX_LABELS:
        return []
    limit = min(subject.model.cut_.n_clusters_max, ensemble.n_microclusters, ensemble.n_base_clusters)
    if isinstance(subject.model.labels_, dict):
        wanted = sorted({*subject.model.labels_, k})
        return [each for each in wanted if each <= limit][:_MOST_LEVELS]
    first = max(2, min(k, limit) + _BEYOND - _MOST_LEVELS + 1)
    return list(range(first, min(k + _BEYOND, limit) + 1))


def _by_size(labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(ranks_by_size(np.bincount(codes, counts), first)[codes])


def _common(one: np.ndarray, two: np.ndarray, counts: np.ndarray) -> np.ndarray:
    table = np.zeros((int(one.max()) + 1, max(int(two.max()) + 1, 1)), np.int64)
    kept = two >= 0
    np.add.at(table, (one[kept], two[kept]), counts[kept])
    return table
