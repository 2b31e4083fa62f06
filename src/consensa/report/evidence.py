"""Clusters, objects and base clusterings in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.report.text import clean_all

if TYPE_CHECKING:
    from consensa.evaluate import PartitionReliability
    from consensa.report.subject import Subject

__all__ = ["base_clusterings", "cluster_names", "cluster_table", "confidence_summary"]

_MAX_CLUSTERS = 120
_MAX_BASE = 240
_ID_BYTES = 6000
_NAME_BYTES = 20_000


def cluster_names(subject: Subject) -> dict[str, str]:
    """Names that the user gave to clusters, by their labels."""
    given = subject.model.cluster_names_ or {}
    words = clean_all(given.values(), _ID_BYTES)
    return {str(label): word for label, word in zip(given, words, strict=True)}


def cluster_table(subject: Subject) -> dict[str, Any]:
    """Size, cohesion, confidence, nearest cluster and the most typical object of each of the largest clusters.

    ``nearest`` is -1 where no other cluster shares anything; ``consensus`` is None for a cluster of one object.
    """
    shown = min(subject.n_clusters, _MAX_CLUSTERS)
    mean = subject.evidence.confidence_sums / subject.sizes
    cohesion = subject.counts.consensus()
    between = subject.counts.between()
    np.fill_diagonal(between, 0.0)
    nearest = between.argmax(axis=1)
    affinity = between[np.arange(subject.n_clusters), nearest]
    typical = subject.evidence.typical[:shown]
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

    ``counts`` in 20 bins from 0 to 1; ``least``: id, cluster, confidence and the cluster that comes next, of the first
    object of every distinct label row with so little.
    """
    evidence = subject.evidence
    return {
        "counts": evidence.histogram.tolist(),
        "least": {
            "id": clean_all(subject.id_of(evidence.least), _ID_BYTES),
            "cluster": subject.labels[evidence.least].tolist(),
            "confidence": [_round(value) for value in evidence.least_confidence],
            "second": _second(subject, evidence.least).tolist(),
        },
    }


def base_clusterings(found: PartitionReliability, names: Any) -> dict[str, Any]:
    """Reliability of the base clusterings, the best and the worst of them where there are very many.

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


def _second(subject: Subject, objects: np.ndarray) -> np.ndarray:
    """The other cluster that each of some objects meets most often; -1 if it meets none."""
    order = np.argsort(objects)
    codes = subject.ensemble.codes_of(objects[order])
    meeting = subject.shared.scores(subject.counts.sums / subject.sizes[:, None], codes)
    meeting[np.arange(order.size), subject.labels[objects[order]]] = 0.0
    second = np.empty(order.size, np.int64)
    second[order] = np.where(meeting.max(axis=1) > 1e-9, meeting.argmax(axis=1), -1)
    return second


def _round(value: float) -> float:
    return round(float(value), 3)
