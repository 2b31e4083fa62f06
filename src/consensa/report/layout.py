"""Places for the objects on a map of two dimensions, from the consensus and from the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import ranks_by_size
from consensa._threads import library_threads
from consensa.ensemble.microclusters import MicroclusterTable
from consensa.report.subject import spread_sample
from consensa.report.text import clean_all

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["consensus_layout", "feature_layout", "object_map"]

_MAX_ANCHORS = 500
_GRID = 1000  # places are whole numbers from 0 to this
_GOLDEN = np.pi * (3 - np.sqrt(5))
_ID_BYTES = 60_000


def object_map(subject: Subject) -> dict[str, Any]:
    """Place a sample of the objects.

    ``layouts`` with name, note and whole numbers ``x`` and ``y`` in 0..1000; ``cluster``, ``confidence`` (percent) and
    ``id`` of the objects shown.
    """
    sample = subject.sample
    layouts = [_layout("Consensus", *_spread(consensus_layout(subject), _row_numbers(subject)))]
    layouts[0]["note"] = (
        "Objects that the base clusterings often put together lie close (t-SNE of the co-association). Objects that "
        "all of them treat alike share one place and are spread a little around it."
    )
    if subject.features is not None and subject.columns is None:
        layouts.append(_layout("Features (PCA)", *feature_layout(subject.features.pick(sample))))
        layouts[1]["note"] = "The first two principal components of the standardised features."
    return {
        "n_shown": int(sample.size),
        "layouts": layouts,
        "cluster": subject.labels[sample].tolist(),
        "confidence": np.rint(100 * subject.sample_confidence).astype(int).tolist(),
        "id": clean_all(subject.id_of(sample), _ID_BYTES),
    }


def consensus_layout(subject: Subject) -> tuple[np.ndarray, np.ndarray]:
    """Place the sampled objects so that those the base clusterings often put together lie close.

    A t-SNE of up to 500 microclusters; the others stand between the three most like them.
    """
    _, first, place = np.unique(_row_numbers(subject), return_index=True, return_inverse=True)
    codes = np.unique(subject.labels[subject.sample][first], return_inverse=True)[1]
    sizes = np.bincount(codes)
    anchors = spread_sample(ranks_by_size(sizes, np.arange(sizes.size))[codes], -np.sort(-sizes), _MAX_ANCHORS)
    factor = subject.shared.factor(subject.sample_codes[first])
    likeness = np.clip((factor @ factor[anchors].T).toarray(), 0, 1)
    placed = _tsne(likeness[anchors])
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :3]
    weight = np.take_along_axis(likeness, nearest, axis=1) ** 2 + 1e-9
    found = (placed[nearest] * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
    found[anchors] = placed
    return found[place, 0], found[place, 1]


def _row_numbers(subject: Subject) -> np.ndarray:
    """Numbers of the distinct label rows of the sample, in the order of their first objects."""
    return MicroclusterTable(subject.ensemble.n_partitions).add(subject.sample_codes)


def _tsne(similarity: np.ndarray) -> np.ndarray:
    """Embed a similarity matrix, starting from its principal coordinates; these alone where there are few rows."""
    from sklearn.manifold import TSNE

    n = similarity.shape[0]
    start = _principal_coordinates(similarity)
    if n < 12:
        return start
    distance = np.clip(1 - (similarity + similarity.T) / 2, 0, None)
    np.fill_diagonal(distance, 0)
    spread = np.std(start[:, 0])
    start = (start / spread * 1e-4).astype(np.float32) if spread > 0 else start.astype(np.float32)
    with library_threads(1):  # sums in a fixed order, so that the map is the same on every machine
        model = TSNE(
            metric="precomputed",
            perplexity=min(30.0, (n - 1) / 4),
            init=start,
            learning_rate="auto",
            max_iter=400,
            random_state=0,
            n_jobs=1,
        )
        return np.asarray(model.fit_transform(distance), float)


def _principal_coordinates(similarity: np.ndarray) -> np.ndarray:
    """Classical scaling to two dimensions; directions are fixed by the sign of their largest entry."""
    centred = similarity - similarity.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    top = np.zeros((similarity.shape[0], 2))
    for axis in range(min(2, values.size)):
        vector = vectors[:, -1 - axis] * np.sqrt(max(values[-1 - axis], 0.0))
        top[:, axis] = vector * (np.sign(vector[np.argmax(np.abs(vector))]) or 1.0)
    return top


def feature_layout(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First two principal components of the sampled objects, features standardised.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = feature_layout(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))
    >>> bool(abs(x[2] - x[0]) > 2), y.round(6).tolist()
    (True, [0.0, 0.0, 0.0])
    """
    from sklearn.decomposition import PCA

    values = features.astype(float)
    largest = np.abs(values).max(axis=0)
    values /= np.where(largest > 0, largest, 1.0)  # so that no square overflows
    scale = values.std(axis=0)
    values = (values - values.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    n_components = min(2, *values.shape)
    placed = PCA(n_components, svd_solver="randomized" if min(values.shape) > 500 else "full", random_state=0)
    found = np.zeros((len(values), 2))
    if values.any():
        found[:, :n_components] = placed.fit_transform(values)
    return found[:, 0], np.where(np.abs(found[:, 1]) < 1e-9, 0.0, found[:, 1])


def _spread(places: tuple[np.ndarray, np.ndarray], rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spread objects of the same microcluster around their place like the seeds of a sunflower."""
    x, y = places
    order = np.argsort(rows, kind="stable")
    new = np.diff(rows[order], prepend=-2) != 0
    first = np.maximum.accumulate(np.where(new, np.arange(order.size), 0))
    turn = np.empty(order.size)
    turn[order] = np.arange(order.size) - first
    extent = max(np.ptp(x), np.ptp(y), 1e-9)
    radius = 0.008 * extent * np.sqrt(turn)
    return x + radius * np.cos(turn * _GOLDEN), y + radius * np.sin(turn * _GOLDEN)


def _layout(name: str, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    extent = max(np.ptp(x), np.ptp(y), 1e-12)
    low_x, low_y = (values.min() - (extent - np.ptp(values)) / 2 for values in (x, y))
    return {
        "name": name,
        "x": np.rint(_GRID * (x - low_x) / extent).astype(int).tolist(),
        "y": np.rint(_GRID * (y - low_y) / extent).astype(int).tolist(),
    }
