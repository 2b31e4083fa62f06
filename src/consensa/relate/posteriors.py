"""Objects related through soft clusterings: probabilities of clusters in place of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._rows import squared_lengths, unit_rows
from consensa._threads import row_ranges
from consensa.ensemble.microclusters import row_hashes
from consensa.relate.relation import Bipartite, Factored

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "SoftEnsemble",
    "posterior_graph",
    "posterior_similarity",
    "soft_ensemble",
    "unit_graph",
    "walk_cosine",
    "walk_similarity",
]

_ROW_SUM = 1e-4  # how far the probabilities of an object may be from 1 together; enough for float32


@dataclass(frozen=True, eq=False)
class SoftEnsemble:
    """Soft clusterings of the same objects; objects with equal probabilities everywhere are one row.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_base_clusters)
        Probabilities P(cluster | object), the base clusterings side by side.
    sizes : ndarray of shape (n_rows,), int64
        How many objects share each row.
    row_map : ndarray of shape (n_objects,), int64
        The row of every object.
    offsets : ndarray of shape (n_partitions + 1,), int64
        Columns of base clustering m are ``offsets[m] .. offsets[m + 1] - 1``.
    hashes : ndarray of shape (n_rows,), uint64
        Choose reproducible samples of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.relate import soft_ensemble
    >>> ensemble = soft_ensemble([np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]])])
    >>> ensemble.n_rows, ensemble.row_map
    (2, array([0, 1, 0]))
    """

    matrix: np.ndarray
    sizes: np.ndarray
    row_map: np.ndarray
    offsets: np.ndarray
    hashes: np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self.matrix.shape[0])

    @property
    def n_partitions(self) -> int:
        """Number of base clusterings."""
        return int(self.offsets.size - 1)

    def to_objects(self, values: np.ndarray) -> np.ndarray:
        """Hand the value of every row to its objects."""
        return np.asarray(values)[self.row_map]


def soft_ensemble(posteriors: Iterable[Any]) -> SoftEnsemble:
    """Put soft clusterings side by side and merge equal rows, which is exact for all that follows.

    Parameters
    ----------
    posteriors : iterable of n_partitions arrays of shape (n_objects, n_clusters of that base clustering)
        At least 0, rows sum to 1; from LAC, a Gaussian mixture, fuzzy c-means, a topic model, ... A one-hot matrix is
        a hard clustering.

    Returns
    -------
    SoftEnsemble

    Examples
    --------
    >>> import numpy as np
    >>> ensemble = soft_ensemble([np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]]), np.ones((3, 1))])
    >>> ensemble.matrix, ensemble.sizes
    (array([[0.9, 0.1, 1. ],
           [0.2, 0.8, 1. ]]), array([2, 1]))
    """
    if getattr(posteriors, "ndim", 3) != 3:
        msg = "one array was given, but posteriors must be a list of arrays of shape (n_objects, n_clusters)."
        raise ValueError(msg)
    parts: list[np.ndarray] = []
    for number, part in enumerate(posteriors):
        parts.append(_check_part(part, number, parts))
    if not parts:
        msg = "posteriors is empty; give at least one array of shape (n_objects, n_clusters)."
        raise ValueError(msg)
    offsets = np.concatenate([[0], np.cumsum([part.shape[1] for part in parts])]).astype(np.int64)
    A = np.empty((parts[0].shape[0], int(offsets[-1])))
    for m in range(len(parts) - 1, -1, -1):  # each is given free as soon as it is copied
        A[:, offsets[m] : offsets[m + 1]] = parts.pop()
    return _merge_rows(A, offsets)


def posterior_similarity(ensemble: SoftEnsemble) -> Factored:
    r"""Relate two objects by the mean cosine of their probabilities, Ψ of WSPA.

    :math:`\Psi = F F^T` with the rows of every base clustering divided by their length and by
    :math:`\sqrt{n\_partitions}`. With hard clusterings this is the co-association matrix.

    Parameters
    ----------
    ensemble : SoftEnsemble

    Returns
    -------
    Factored
        With a factor of shape (n_rows, n_base_clusters).

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Eq. 4.8-4.9.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> ensemble = soft_ensemble([np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])])
    >>> posterior_similarity(ensemble).to_dense().similarity.round(3)
    array([[1.   , 0.   , 0.707],
           [0.   , 1.   , 0.707],
           [0.707, 0.707, 1.   ]])
    """
    return Factored(_as_csr(_unit_rows(ensemble)))


def label_posteriors(ensemble: SoftEnsemble, labels: np.ndarray, posteriors: np.ndarray) -> np.ndarray:
    """Label new objects: as an object with the same probabilities, or by the largest mean similarity with a cluster.

    Given are the clusters 0, 1, ... of the rows of the ensemble, and the probabilities by the same base clusterings,
    side by side (n_new x n_base_clusters). Similarity is that of :func:`posterior_similarity`; equal ones to the
    smaller number.

    Examples
    --------
    >>> import numpy as np
    >>> ensemble = soft_ensemble([np.array([[0.9, 0.1], [0.2, 0.8]])])
    >>> label_posteriors(ensemble, np.array([0, 1]), np.array([[0.9, 0.1], [0.3, 0.7]]))
    array([0, 1], dtype=int32)
    """
    new = SoftEnsemble(posteriors, np.ones(len(posteriors)), np.arange(len(posteriors)), ensemble.offsets, np.empty(0))
    member = np.zeros((int(labels.max()) + 1, ensemble.n_rows))
    member[labels, np.arange(ensemble.n_rows)] = ensemble.sizes
    means = (member @ _unit_rows(ensemble)) / member.sum(axis=1, keepdims=True)
    found = np.argmax((_unit_rows(new) @ means.T).round(10), axis=1).astype(np.int32)
    known = {row.tobytes(): label for row, label in zip(ensemble.matrix, labels, strict=True)}
    for number, row in enumerate(posteriors):
        found[number] = known.get(row.tobytes(), found[number])
    return found


def unit_graph(ensemble: SoftEnsemble) -> Bipartite:
    """Link every object to every cluster by the factor of :func:`posterior_similarity`.

    Examples
    --------
    >>> import numpy as np
    >>> unit_graph(soft_ensemble([np.array([[0.5, 0.5]])])).matrix.round(3)
    array([[0.707, 0.707]])
    """
    return Bipartite(_unit_rows(ensemble))


def posterior_graph(ensemble: SoftEnsemble) -> Bipartite:
    """Link every object to every cluster by its probability, the graph of WBPA.

    Parameters
    ----------
    ensemble : SoftEnsemble

    Returns
    -------
    Bipartite
        With a matrix of shape (n_rows, n_base_clusters).

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM, Section 4.2.
    https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> import numpy as np
    >>> posterior_graph(soft_ensemble([np.array([[0.9, 0.1], [0.2, 0.8]])])).matrix
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """
    return Bipartite(ensemble.matrix)


def walk_similarity(ensemble: SoftEnsemble) -> Factored:
    r"""Relate two objects by the walks of two steps between them in the graph of WBPA.

    :math:`S = A\,\mathrm{diag}(A^T 1)^{-1} A^T`, so that meeting in a large cluster counts less.

    Examples
    --------
    >>> import numpy as np
    >>> walk_similarity(soft_ensemble([np.array([[1.0, 0.0], [0.5, 0.5]])])).to_dense().similarity.round(3)
    array([[0.667, 0.333],
           [0.333, 0.667]])
    """
    return Factored(_as_csr(_walk_rows(ensemble)))


def walk_cosine(ensemble: SoftEnsemble) -> Factored:
    """Scale :func:`walk_similarity` so that every object has similarity 1 with itself, as linkage wants it.

    Examples
    --------
    >>> import numpy as np
    >>> walk_cosine(soft_ensemble([np.array([[1.0, 0.0], [0.5, 0.5]])])).to_dense().similarity
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    F = _walk_rows(ensemble)
    return Factored(_as_csr(unit_rows(F, out=F)))


def _walk_rows(ensemble: SoftEnsemble) -> np.ndarray:
    """Columns divided by the root of their mass."""
    mass = ensemble.sizes @ ensemble.matrix
    return np.asarray(ensemble.matrix * np.divide(1.0, np.sqrt(mass), out=np.zeros(mass.size), where=mass > 0))


def _unit_rows(ensemble: SoftEnsemble) -> np.ndarray:
    """Rows of every base clustering divided by their length, and all by the root of the number of clusterings."""
    F = ensemble.matrix.copy()
    for start, stop in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        part = F[:, start:stop]
        part /= np.sqrt(squared_lengths(part) * ensemble.n_partitions)[:, None]
    return F


def _check_part(part: Any, number: int, earlier: list[np.ndarray]) -> np.ndarray:
    P = np.asarray(part, dtype=float)
    where = f"posteriors[{number}]"
    if P.ndim != 2 or 0 in P.shape:
        msg = f"{where} has shape {P.shape}; an array of shape (n_objects, n_clusters) is needed."
        raise ValueError(msg)
    if earlier and P.shape[0] != earlier[0].shape[0]:
        msg = (
            f"{where} has {P.shape[0]} rows, but posteriors[0] has {earlier[0].shape[0]}; one row per object is needed."
        )
        raise ValueError(msg)
    if not np.all(np.isfinite(P)) or P.min() < 0:
        msg = f"{where} holds NaN, infinite or negative values; probabilities of at least 0 are needed."
        raise ValueError(msg)
    sums = P.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1)))
    if abs(sums[worst] - 1) > _ROW_SUM:
        msg = f"row {worst} of {where} sums to {sums[worst]:.6g}, not to 1. Divide every row by its sum."
        raise ValueError(msg)
    return P


def _merge_rows(A: np.ndarray, offsets: np.ndarray) -> SoftEnsemble:
    """Find equal rows by a hash; merge them when the rows that share one are indeed equal."""
    n = A.shape[0]
    A += 0.0  # -0.0 becomes 0.0, so that equal numbers have equal bits
    hashes = row_hashes(A.view(np.int32))
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if first.size < n and _all_equal(A, first[inverse]):
        order = np.argsort(first)  # rows stand in the order of their first object
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        row_map, kept = rank[inverse], first[order]
        return SoftEnsemble(A[kept], np.bincount(row_map), row_map, offsets, hashes[kept])
    return SoftEnsemble(A, np.ones(n, np.int64), np.arange(n), offsets, hashes)


def _all_equal(A: np.ndarray, representative: np.ndarray) -> bool:
    pieces = row_ranges(A.shape[0], 65536)
    return all(np.array_equal(A[start:stop], A[representative[start:stop]]) for start, stop in pieces)


def _as_csr(F: np.ndarray) -> sp.csr_array:
    """Write a matrix as CSR; one without zeros directly, without the lists of coordinates scipy would make."""
    if not F.all():
        return sp.csr_array(F)
    n, d = F.shape
    index = np.int32 if n * d < 2**31 else np.int64
    columns = np.tile(np.arange(d, dtype=index), n)
    return sp.csr_array((F.ravel(), columns, np.arange(n + 1, dtype=index) * index(d)), shape=F.shape)
