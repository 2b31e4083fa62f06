"""Clusters, objects and base clusterings in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa.evaluate import cluster_consensus
from consensa.relate import co_association
from consensa.report.blocks import block_means
from consensa.report.text import clean_all

if TYPE_CHECKING:
    from consensa.evaluate import PartitionReliability
    from consensa.report.subject import Subject

__all__ = ["base_clusterings", "cluster_table", "confidence_summary"]

_MAX_CLUSTERS = 120
_MAX_BASE = 240
_N_BINS = 20
_N_LEAST = 25
_ID_BYTES = 6000
_NAME_BYTES = 20_000


def cluster_table(subject: Subject) -> dict[str, Any]:
    """Size, cohesion, confidence, nearest cluster and the most typical object of every cluster.

    Parameters
    ----------
    subject : Subject

    Returns
    -------
    dict of lists, one entry for each of the largest clusters
        ``nearest`` is -1 where no other cluster shares anything; ``consensus`` is None for a cluster of one object.
    """
    shown = min(subject.n_clusters, _MAX_CLUSTERS)
    known = subject.labels >= 0
    mean = np.bincount(subject.labels[known], subject.confidence[known]) / subject.sizes
    cohesion = cluster_consensus(subject.labels, subject.ensemble)
    between = _cluster_means(subject)
    np.fill_diagonal(between, 0.0)
    nearest = between.argmax(axis=1)
    affinity = between[np.arange(subject.n_clusters), nearest]
    typical = _most_confident(subject)[:shown]
    return {
        "n_left_out": subject.n_clusters - shown,
        "size": subject.sizes[:shown].tolist(),
        "consensus": [
            _round(value) if size > 1 else None for value, size in zip(cohesion[:shown], subject.sizes, strict=False)
        ],
        "confidence": [_round(value) for value in mean[:shown]],
        "nearest": np.where(affinity > 0, nearest, -1)[:shown].tolist(),
        "nearest_value": [_round(value) for value in affinity[:shown]],
        "typical": clean_all(subject.id_of(typical), _ID_BYTES),
    }


def confidence_summary(subject: Subject) -> dict[str, Any]:
    """Histogram of the confidence, and the objects with the lowest.

    Parameters
    ----------
    subject : Subject

    Returns
    -------
    dict
        ``counts`` in 20 bins from 0 to 1; ``least``: id, cluster, confidence and the cluster that comes next.
    """
    known = np.flatnonzero(subject.labels >= 0)
    values = subject.confidence[known]
    counts = np.histogram(values, _N_BINS, (0, 1))[0]
    least = known[np.argsort(values, kind="stable")[:_N_LEAST]]
    return {
        "counts": counts.tolist(),
        "least": {
            "id": clean_all(subject.id_of(least), _ID_BYTES),
            "cluster": subject.labels[least].tolist(),
            "confidence": [_round(value) for value in subject.confidence[least]],
            "second": _second(subject, least).tolist(),
        },
    }


def base_clusterings(found: PartitionReliability, names: Any) -> dict[str, Any]:
    """Reliability of the base clusterings, the best and the worst of them where there are very many.

    Parameters
    ----------
    found : PartitionReliability
    names : sequence of n_partitions names

    Returns
    -------
    dict of lists
        In the order of the agreement with the consensus; ``ranks`` is that agreement for up to 240 of all of them.
    """
    order = np.argsort(-found.nmi, kind="stable")
    n = order.size
    even = order[np.unique(np.linspace(0, n - 1, min(n, _MAX_BASE)).round().astype(int))]
    kept = order if n <= _MAX_BASE else np.concatenate([order[: _MAX_BASE // 2], order[-(_MAX_BASE // 2) :]])
    return {
        "n_left_out": int(n - kept.size),
        "mean_nmi": _round(found.nmi.mean()),
        "ranks": [_round(value) for value in found.nmi[even]],
        "name": clean_all([names[m] for m in kept], _NAME_BYTES),
        "n_clusters": found.n_clusters[kept].tolist(),
        **{
            field: [_round(value) for value in getattr(found, field)[kept]]
            for field in ("nmi", "ari", "eci", "crowd_agreement", "missing")
        },
    }


def _members(subject: Subject) -> sp.csr_array:
    """How many objects of every microcluster lie in every cluster."""
    known = subject.labels >= 0
    shape = (subject.n_clusters, subject.ensemble.n_microclusters)
    pairs = (subject.labels[known], subject.ensemble.row_map[known])
    return sp.csr_array(sp.coo_array((np.ones(pairs[0].size), pairs), shape=shape))


def _cluster_means(subject: Subject) -> np.ndarray:
    """Mean co-association of every two clusters."""
    return block_means(_members(subject), co_association(subject.ensemble).factor)


def _second(subject: Subject, rows: np.ndarray) -> np.ndarray:
    """The other cluster that each of some objects meets most often; -1 if it meets none."""
    factor = co_association(subject.ensemble).factor
    sums = sp.csr_array(_members(subject) @ factor)
    meeting = (factor[subject.ensemble.row_map[rows]] @ sums.T).toarray() / subject.sizes
    meeting[np.arange(rows.size), subject.labels[rows]] = 0.0
    return np.where(meeting.max(axis=1) > 1e-9, meeting.argmax(axis=1), -1)


def _most_confident(subject: Subject) -> np.ndarray:
    """The first object of the highest confidence in every cluster."""
    order = np.lexsort((-subject.confidence, subject.labels))
    ordered = subject.labels[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-2) != 0)
    return order[first[ordered[first] >= 0]]


def _round(value: float) -> float:
    return round(float(value), 3)
