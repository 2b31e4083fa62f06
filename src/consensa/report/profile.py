"""What sets the clusters apart: mean features of every cluster, for the features that differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import membership
from consensa.report.text import clean_all

if TYPE_CHECKING:
    from collections.abc import Iterable

    from consensa.report.subject import Subject

__all__ = ["cluster_moments", "feature_profile"]

_MAX_FEATURES = 30
_MAX_CLUSTERS = 40
_NAME_BYTES = 4000


def feature_profile(subject: Subject) -> dict[str, Any] | None:
    """Mean of the most telling features in every cluster; None without features, and for tables with other columns.

    ``explained`` is the share of the variance that lies between the clusters; ``means`` stand by features and clusters,
    ``scores`` are the same as standard deviations from the overall mean.
    """
    if subject.features is None or subject.columns is not None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance, means = cluster_moments(subject.features.blocks(), subject.labels, subject.sizes)
        between = subject.sizes @ (means - mean) ** 2 / subject.sizes.sum()
        explained = np.divide(between, variance, out=np.zeros_like(between), where=variance > 0)
    explained = np.clip(np.nan_to_num(explained), 0, 1)
    best = np.argsort(-explained, kind="stable")[:_MAX_FEATURES]
    shown = means[:_MAX_CLUSTERS, best].T
    deviation = np.sqrt(variance[best])
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.nan_to_num((shown - mean[best][:, None]) / np.where(deviation > 0, deviation, 1.0)[:, None])
    names = subject.feature_names
    return {
        "n_features": int(mean.size),
        "n_clusters": int(shown.shape[1]),
        "names": clean_all([f"feature {j}" if names is None else names[j] for j in best], _NAME_BYTES),
        "explained": _short(explained[best]),
        "mean": _short(mean[best]),
        "deviation": _short(deviation),
        "means": [_short(row) for row in shown],
        "scores": [np.round(np.clip(row, -99, 99), 2).tolist() for row in scores],
    }


def cluster_moments(
    features: Iterable[tuple[int, np.ndarray]], labels: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance of every feature over the labelled objects, and its mean in every cluster.

    Features come in blocks of rows, each with the number of its first row.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = [(0, np.array([[1.0], [3.0]])), (2, np.array([[5.0]]))]
    >>> mean, variance, means = cluster_moments(blocks, np.array([0, 0, 1]), np.array([2, 1]))
    >>> mean, variance.round(2), means.ravel()
    (array([3.]), array([2.67]), array([2., 5.]))
    """
    n_clusters = sizes.size
    centre: np.ndarray | None = None
    for start, block in features:
        rows = np.flatnonzero(labels[start : start + len(block)] >= 0)
        if not rows.size:
            continue
        if centre is None:  # against cancellation, where values lie far from 0
            centre = block[rows[0]].astype(float)
            sums, squares = np.zeros((n_clusters, centre.size)), np.zeros(centre.size)
        values = block[rows] - centre
        code = labels[start : start + len(block)][rows]
        sums += membership(code, n_clusters, np.ones(rows.size)) @ values
        squares += np.einsum("ij,ij->j", values, values)
    assert centre is not None  # noqa: S101 - every clustering has an object with a label
    total = sizes.sum()
    offset = sums.sum(axis=0) / total
    variance = np.maximum(squares / total - offset**2, 0.0)
    return centre + offset, variance, centre + sums / sizes[:, None]


def _short(values: np.ndarray) -> list[float | None]:
    """Round to five significant digits; None where the numbers of the features are too large to be summed."""
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values]
