"""The Ensemble: many clusterings of the same objects, as distinct label rows and exact counts."""

from __future__ import annotations

import numbers
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
import scipy.sparse as sp

from consensa import _kernels
from consensa._messages import warn
from consensa._threads import n_threads, row_ranges, thread_map
from consensa.labels import Vocabulary, read_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.labels import Column

__all__ = ["Ensemble", "MicroclusterTable", "as_ensemble", "count_overlaps"]

T = TypeVar("T")

_CHUNK_ROWS = 1 << 16
_DENSE_OVERLAP_CLUSTERS = 4096  # up to here the counts are summed in an n_c x n_c array (128 MiB)


class Ensemble:
    """Many clusterings of the same objects: the one primitive that every method rests on.

    Objects with the same label in every base clustering form a *microcluster*. The ensemble keeps the distinct
    label rows in the order of their first object, how many objects share each of them, and (computed when first
    asked for) the incidence of microclusters and clusters and the exact overlap counts of all clusters.
    An ensemble cannot be changed.

    Parameters
    ----------
    partitions : array or frame of shape (n_objects, n_partitions), or list of n_partitions label vectors
        Base clusterings. Labels are integers, strings or categories and mean nothing outside their column.
        NaN, None and null are missing labels.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if there is none, so that -1 is a cluster like any other.

    Attributes
    ----------
    labels : ndarray of shape (n_microclusters, n_partitions), int32
        Distinct label rows, coded 0, 1, ... in every column; -1 = missing.
    sizes : ndarray of shape (n_microclusters,), int64
        How many objects share each row.
    row_map : ndarray of shape (n_objects,), int32 or int64
        The microcluster of every object; -1 for an object without any label.
    offsets : ndarray of shape (n_partitions + 1,), int64
        Cluster ids of base clustering m are ``offsets[m] .. offsets[m + 1] - 1``.
    names : tuple of str
        Column names, or the numbers of the columns.

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5)
    (microclusters, Definitions 1-2). https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 1, 2, 2, 2, 3, 3]])
    >>> ensemble.row_map
    array([0, 0, 0, 1, 2, 2, 3, 3], dtype=int32)
    >>> ensemble.sizes
    array([3, 1, 2, 2])
    >>> ensemble.overlap.toarray()
    array([[4, 0, 3, 1, 0],
           [0, 4, 0, 2, 2],
           [3, 0, 3, 0, 0],
           [1, 2, 0, 3, 0],
           [0, 2, 0, 0, 2]])
    """

    labels: np.ndarray
    sizes: np.ndarray
    row_map: np.ndarray
    offsets: np.ndarray
    names: tuple[str, ...]
    vocabularies: tuple[Vocabulary, ...]

    def __init__(self, partitions: Any, *, missing: int | None = -1) -> None:
        n_objects, columns = read_columns(partitions)
        _check_missing(columns, missing)
        vocabularies = tuple(Vocabulary.of(column, missing) for column in columns)
        _warn_lonely(columns, vocabularies)
        table = MicroclusterTable(len(columns))
        row_map = np.empty(n_objects, np.int32 if n_objects < 2**31 else np.int64)
        for start, stop in row_ranges(n_objects, _CHUNK_ROWS):
            row_map[start:stop] = table.add(_encode(columns, vocabularies, start, stop))
        _warn_unlabelled(row_map)
        self._store(
            labels=table.rows,
            sizes=table.sizes,
            row_map=row_map,
            offsets=np.concatenate([[0], np.cumsum([v.labels.size for v in vocabularies])]).astype(np.int64),
            names=tuple(column.name for column in columns),
            vocabularies=vocabularies,
        )

    def _store(self, **values: Any) -> None:
        self.__dict__.update({name: _frozen(value) for name, value in values.items()})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._store(**state)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        msg = f"an Ensemble cannot be changed ({name}); build a new one."
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> NoReturn:
        msg = f"an Ensemble cannot be changed ({name}); build a new one."
        raise AttributeError(msg)

    def __repr__(self) -> str:
        return (
            f"Ensemble(n_objects={self.n_objects}, n_partitions={self.n_partitions}, "
            f"n_base_clusters={self.n_base_clusters}, n_microclusters={self.n_microclusters})"
        )

    @property
    def n_objects(self) -> int:
        """Number of objects, those without any label included."""
        return int(self.row_map.size)

    @property
    def n_partitions(self) -> int:
        """Number of base clusterings, M."""
        return int(self.labels.shape[1])

    @property
    def n_microclusters(self) -> int:
        """Number of distinct label rows, Ñ (objects without any label do not count)."""
        return int(self.labels.shape[0])

    @property
    def n_base_clusters(self) -> int:
        """Number of clusters in all base clusterings together, n_c."""
        return int(self.offsets[-1])

    @cached_property
    def owner(self) -> np.ndarray:
        """Base clustering that every cluster belongs to, shape (n_base_clusters,)."""
        return _frozen(np.repeat(np.arange(self.n_partitions), np.diff(self.offsets)))

    @cached_property
    def n_observed(self) -> np.ndarray:
        """In how many base clusterings each microcluster has a label, shape (n_microclusters,)."""
        return _frozen(np.count_nonzero(self.labels >= 0, axis=1))

    @cached_property
    def hashes(self) -> np.ndarray:
        """64-bit hash of every distinct label row, shape (n_microclusters,); chooses reproducible samples."""
        out = np.empty(self.n_microclusters, np.uint64)
        _kernels.hash_rows(self.labels, out)
        return _frozen(out)

    @cached_property
    def incidence(self) -> sp.csr_array:
        """Which clusters each microcluster lies in: CSR of ones, shape (n_microclusters, n_base_clusters)."""
        present = self.labels >= 0
        columns = (self.labels + self.offsets[:-1])[present]
        pointers = np.concatenate([[0], np.cumsum(self.n_observed)])
        shape = (self.n_microclusters, self.n_base_clusters)
        return _frozen(sp.csr_array((np.ones(columns.size, np.int64), columns, pointers), shape=shape))

    @cached_property
    def overlap(self) -> sp.csr_array:
        """Number of common objects of every two clusters: symmetric CSR, int64, exact."""
        return _frozen(count_overlaps(self, self.sizes))

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of objects in every cluster, shape (n_base_clusters,), int64."""
        return _frozen(np.asarray(self.incidence.T @ self.sizes))

    def encode(self, partitions: Any) -> np.ndarray:
        """Code new objects by the labels of this ensemble.

        Parameters
        ----------
        partitions : label matrix of shape (n_new, n_partitions), list of label vectors, or Ensemble
            Labels by the same base clusterings, in the same order.

        Returns
        -------
        ndarray of shape (n_new, n_partitions), int32
            -1 where a label is missing or was never seen.

        Examples
        --------
        >>> import numpy as np
        >>> Ensemble([["a", "b"], [7, 9]]).encode(np.array([["b", 9], ["c", 7]], dtype=object))
        array([[ 1,  1],
               [-1,  0]], dtype=int32)
        """
        if isinstance(partitions, Ensemble):
            return self._translate(partitions)
        n_new, columns = read_columns(partitions)
        self._check_n_columns(len(columns))
        return _encode(columns, self.vocabularies, 0, n_new)

    def _translate(self, other: Ensemble) -> np.ndarray:
        """Codes of the objects of another ensemble in the words of this one."""
        self._check_n_columns(other.n_partitions)
        rows = np.empty(other.labels.shape, np.int32)
        for m, (known, words) in enumerate(zip(self.vocabularies, other.vocabularies, strict=True)):
            rows[:, m] = np.append(known.encode(words.labels), -1)[other.labels[:, m]]
        return other.to_objects(rows)

    def _check_n_columns(self, n_columns: int) -> None:
        if n_columns != self.n_partitions:
            msg = (
                f"X has {n_columns} features, but this ensemble is expecting {self.n_partitions} features as input: "
                "one column per base clustering, in the same order."
            )
            raise ValueError(msg)

    def to_objects(self, values: np.ndarray, fill: float = -1) -> np.ndarray:
        """Hand the value of every microcluster to its objects; objects without any label get ``fill``.

        Examples
        --------
        >>> import numpy as np
        >>> Ensemble([[0, 0, 5]]).to_objects(np.array([10, 20]))
        array([10, 10, 20])
        """
        spread = np.asarray(values)[self.row_map]
        if self.row_map.size and self.row_map.min() < 0:
            spread[self.row_map < 0] = fill
        return spread


class MicroclusterTable:
    """Distinct label rows, found by hashing while chunks of rows come in.

    Rows are numbered in the order in which they first appear. Equal hashes are verified.

    Parameters
    ----------
    n_columns : int
        Number of base clusterings.
    """

    def __init__(self, n_columns: int) -> None:
        self._n_used = 0
        self._table = np.full(2048, -1, np.int32)
        self._rows = np.empty((1024, n_columns), np.int32)
        self._hashes = np.empty(1024, np.uint64)
        self._sizes = np.zeros(1024, np.int64)

    @property
    def rows(self) -> np.ndarray:
        """Distinct rows so far, int32."""
        return self._rows[: self._n_used].copy()

    @property
    def sizes(self) -> np.ndarray:
        """How often each distinct row came, int64."""
        return self._sizes[: self._n_used].copy()

    def add(self, codes: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Add rows (n x M, int32), each ``weights`` times, and return the number of each; -1 without any label."""
        ids = np.empty(codes.shape[0], np.int64)
        hashes = np.empty(codes.shape[0], np.uint64)
        _kernels.hash_rows(codes, hashes)
        if weights is None:
            weights = np.ones(codes.shape[0], np.int64)
        done = 0
        while True:
            done, self._n_used = _kernels.insert_rows(
                codes,
                hashes,
                weights,
                done,
                self._table,
                self._rows,
                self._hashes,
                self._sizes,
                self._n_used,
                ids,
            )
            if done == codes.shape[0]:
                return ids
            self._grow()

    def _grow(self) -> None:
        capacity = 2 * self._rows.shape[0]
        self._rows = np.resize(self._rows, (capacity, self._rows.shape[1]))
        self._hashes = np.resize(self._hashes, capacity)
        self._sizes = np.concatenate([self._sizes, np.zeros(self._sizes.size, np.int64)])
        self._table = np.full(2 * capacity, -1, np.int32)
        _kernels.refill_table(self._hashes, self._n_used, self._table)


def as_ensemble(partitions: Any, *, missing: int | None = -1) -> Ensemble:
    """Return the ensemble itself, or build one from a label matrix.

    Examples
    --------
    >>> as_ensemble([[0, 0, 1], [1, 0, 0]])
    Ensemble(n_objects=3, n_partitions=2, n_base_clusters=4, n_microclusters=3)
    """
    return partitions if isinstance(partitions, Ensemble) else Ensemble(partitions, missing=missing)


def count_overlaps(ensemble: Ensemble, weights: np.ndarray) -> sp.csr_array:
    """Sum integer weights of microclusters over every pair of clusters: ZᵀWZ, exactly.

    Parameters
    ----------
    ensemble : Ensemble
    weights : ndarray of shape (n_microclusters,), int64
        The sizes give the numbers of common objects.

    Returns
    -------
    csr_array of shape (n_base_clusters, n_base_clusters), int64
        Symmetric; without explicit zeros unless a weight is zero.
    """
    n_clusters = ensemble.n_base_clusters
    if n_clusters > _DENSE_OVERLAP_CLUSTERS:
        Z = ensemble.incidence
        weighted = sp.csr_array((np.repeat(weights, ensemble.n_observed), Z.indices, Z.indptr), shape=Z.shape)
        counts = sp.csr_array(Z.T @ weighted)
        counts.sort_indices()
        return counts
    n_pieces = min(n_threads(), 1 + ensemble.n_microclusters // _CHUNK_ROWS)
    pieces = row_ranges(ensemble.n_microclusters, -(-ensemble.n_microclusters // n_pieces))

    def count(piece: tuple[int, int]) -> np.ndarray:
        out = np.zeros((n_clusters, n_clusters), np.int64)
        _kernels.add_overlaps(ensemble.labels, ensemble.offsets, weights, *piece, out)
        return out

    upper: Sequence[np.ndarray] = thread_map(count, pieces)
    total = upper[0] if len(upper) == 1 else np.sum(upper, axis=0)
    return sp.csr_array(total + np.triu(total, 1).T)


def _frozen(value: T) -> T:
    """Make an array, or the arrays of a sparse one, read-only."""
    arrays = (value.data, value.indices, value.indptr) if isinstance(value, sp.csr_array) else (value,)
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return value


def _encode(columns: Sequence[Column], vocabularies: Sequence[Vocabulary], start: int, stop: int) -> np.ndarray:
    codes = np.empty((stop - start, len(columns)), np.int32)
    for m, (column, vocabulary) in enumerate(zip(columns, vocabularies, strict=True)):
        absent = None if column.absent is None else column.absent[start:stop]
        codes[:, m] = vocabulary.encode(column.values[start:stop], absent)
    return codes


def _check_missing(columns: Sequence[Column], missing: Any) -> None:
    if missing is not None and (not isinstance(missing, numbers.Integral) or isinstance(missing, bool)):
        msg = (
            f"missing={missing!r} is not allowed: give the integer that stands for a missing label, or None if no "
            "label is missing. NaN, None and null are always missing."
        )
        raise ValueError(msg)
    names = [column.name for column in columns if column.absent is not None]
    if missing is None and names:
        msg = (
            f"missing=None says that no label is missing, but column {names[0]} holds NaN, None or null. "
            "Pass missing=-1 (the default), or fill these entries."
        )
        raise ValueError(msg)


def _warn_lonely(columns: Sequence[Column], vocabularies: Sequence[Vocabulary]) -> None:
    """Warn where -1 beside a single label may well be a label itself."""
    for column, vocabulary in zip(columns, vocabularies, strict=True):
        if vocabulary.missing == -1 and vocabulary.labels.size == 1 and column.values.dtype.kind == "i":
            hidden = column.values == -1
            if hidden.any() if column.absent is None else (hidden & ~column.absent).any():
                warn(
                    f"column {column.name} holds only {vocabulary.labels[0]} and -1; -1 was read as a missing label. "
                    "Pass missing=None if -1 is a cluster."
                )


def _warn_unlabelled(row_map: np.ndarray) -> None:
    n_unlabelled = int(np.count_nonzero(row_map < 0))
    if n_unlabelled == row_map.size:
        msg = f"none of the {row_map.size} objects has a label in any base clustering; there is nothing to combine."
        raise ValueError(msg)
    if n_unlabelled:
        warn(
            f"{n_unlabelled} of {row_map.size} objects have no label in any base clustering; "
            "they get label -1 and confidence 0."
        )
