"""What sets the clusters apart: mean features of every cluster, for the features that differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges
from consensa.report.text import clean_all

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["cluster_moments", "feature_profile"]

_MAX_FEATURES = 30
_MAX_CLUSTERS = 40
_CHUNK_VALUES = 1 << 22
_NAME_BYTES = 4000


def feature_profile(subject: Subject) -> dict[str, Any] | None:
    """Mean of the most telling features in every cluster.

    Parameters
    ----------
    subject : Subject

    Returns
    -------
    dict or None
        None without features. ``features``: name, share of the variance that lies between the clusters, mean and
        standard deviation; ``means`` by features and clusters; ``scores``: the same as standard deviations from the
        overall mean.
    """
    if subject.features is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance, means = cluster_moments(subject.features, subject.labels, subject.sizes)
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
    features: np.ndarray, labels: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance of every feature over the labelled objects, and its mean in every cluster.

    Parameters
    ----------
    features : ndarray of shape (n_objects, n_features)
    labels : ndarray of shape (n_objects,), int
    sizes : ndarray of shape (n_clusters,)

    Returns
    -------
    mean, variance : ndarray of shape (n_features,)
    means : ndarray of shape (n_clusters, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> mean, variance, means = cluster_moments(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]), np.array([2, 1]))
    >>> mean, variance.round(2), means.ravel()
    (array([3.]), array([2.67]), array([2., 5.]))
    """
    n_clusters, n_features = sizes.size, features.shape[1]
    sums, squares = np.zeros((n_clusters, n_features)), np.zeros(n_features)
    known = labels >= 0
    centre = features[np.argmax(known)].astype(float)  # against cancellation, where values lie far from 0
    for start, stop in row_ranges(labels.size, max(1, _CHUNK_VALUES // max(n_features, 1))):
        rows = np.flatnonzero(known[start:stop])
        values = features[start:stop][rows] - centre
        code = labels[start:stop][rows]
        member = sp.csr_array((np.ones(rows.size), (code, np.arange(rows.size))), shape=(n_clusters, rows.size))
        sums += member @ values
        squares += np.einsum("ij,ij->j", values, values)
    total = sizes.sum()
    offset = sums.sum(axis=0) / total
    variance = np.maximum(squares / total - offset**2, 0.0)
    return centre + offset, variance, centre + sums / sizes[:, None]


def _short(values: np.ndarray) -> list[float | None]:
    """Round to five significant digits; None where the numbers of the features are too large to be summed."""
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values]
