"""The Ensemble: many clusterings of the same objects, as distinct label rows and exact counts."""

from __future__ import annotations

import numbers
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from consensa import _kernels
from consensa._messages import warn
from consensa._threads import n_threads, row_ranges, thread_map
from consensa.labels import Vocabulary, read_columns
from consensa.microclusters import MicroclusterTable
from consensa.sums import PairCounts, incidence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.labels import Column
    from consensa.sums import LeadCounts

__all__ = ["Ensemble", "RowSum", "as_ensemble", "check_missing", "warn_lonely", "warn_unlabelled"]

T = TypeVar("T")

_CHUNK_ROWS = 1 << 16


class RowSum(Protocol):
    """A mergeable sum over label rows, such as those of ``consensa.sums``."""

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows (n x M, int32), each ``sizes`` times; ``firsts`` are the numbers of their first objects."""

    def merge(self, other: Any) -> None:
        """Add the sum over other rows."""


S = TypeVar("S", bound=RowSum)


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
        check_missing(columns, missing)
        vocabularies = tuple(Vocabulary.of(column, missing) for column in columns)
        hidden = [
            v.labels.size == 1 and column.hides_minus_one() for column, v in zip(columns, vocabularies, strict=True)
        ]
        warn_lonely([column.name for column in columns], vocabularies, hidden)
        table = MicroclusterTable(len(columns))
        row_map: np.ndarray = np.empty(n_objects, np.int32 if n_objects < 2**31 else np.int64)
        for start, stop in row_ranges(n_objects, _CHUNK_ROWS):
            row_map[start:stop] = table.add(_encode(columns, vocabularies, start, stop))
        warn_unlabelled(int(np.count_nonzero(row_map < 0)), n_objects)
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

    def _repr_html_(self) -> str:
        from consensa.report.notebook import ensemble_summary

        return ensemble_summary(self)

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
        return _frozen(incidence_of(self.labels, self.offsets))

    @cached_property
    def overlap(self) -> sp.csr_array:
        """Number of common objects of every two clusters: symmetric CSR, int64, exact."""
        return _frozen(self.sum_rows(partial(PairCounts, self.offsets)).finish())

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of objects in every cluster, shape (n_base_clusters,), int64."""
        return _frozen(np.asarray(self.incidence.T @ self.sizes))

    @property
    def n_labelled(self) -> int:
        """Number of objects with any label."""
        return int(self.sizes.sum())

    @property
    def is_chunked(self) -> bool:
        """Whether the objects are not in memory, so that their labels come out chunk by chunk."""
        return False

    @property
    def leads(self) -> LeadCounts | None:
        """Counts over all objects, where the microclusters are only a sample of all; None where they are all."""
        return None

    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray | None = None) -> S:
        """Add up something over all objects, the one door for every sum over rows.

        Parameters
        ----------
        new : callable
            Makes an empty mergeable sum, such as those of ``consensa.sums``.
        sizes : ndarray of shape (n_microclusters,), int64, default=None
            How often every microcluster counts; None for its number of objects.

        Returns
        -------
        The sum, the same for any number of threads.

        Examples
        --------
        >>> from consensa.sums import PairCounts
        >>> ensemble = Ensemble([[0, 0, 1]])
        >>> ensemble.sum_rows(lambda: PairCounts(ensemble.offsets)).finish().toarray()
        array([[2, 0],
               [0, 1]])
        """
        counts = self.sizes if sizes is None else sizes
        n_pieces = min(n_threads(), 1 + self.n_microclusters // _CHUNK_ROWS)
        pieces = row_ranges(self.n_microclusters, -(-self.n_microclusters // n_pieces))

        def add(piece: tuple[int, int]) -> S:
            total = new()
            total.add(self.labels[slice(*piece)], counts[slice(*piece)], np.arange(*piece))
            return total

        total, *others = thread_map(add, pieces)
        for other in others:
            total.merge(other)
        return total

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
        """Hand the value of every microcluster to its objects.

        Parameters
        ----------
        values : ndarray of shape (n_microclusters, ...)
        fill : float, default=-1
            For objects without any label.

        Returns
        -------
        ndarray of shape (n_objects, ...)

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


def as_ensemble(partitions: Any, *, missing: int | None = -1) -> Ensemble:
    """Return the ensemble itself, or build one from a label matrix.

    Examples
    --------
    >>> as_ensemble([[0, 0, 1], [1, 0, 0]])
    Ensemble(n_objects=3, n_partitions=2, n_base_clusters=4, n_microclusters=3)
    """
    return partitions if isinstance(partitions, Ensemble) else Ensemble(partitions, missing=missing)


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


def check_missing(columns: Sequence[Column], missing: Any) -> None:
    """Check the parameter itself, and that nothing is missing where it says so."""
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


def warn_lonely(names: Sequence[str], vocabularies: Sequence[Vocabulary], hidden: Sequence[bool]) -> None:
    """Warn where -1 (``hidden``: it occurs) beside a single label may well be a label itself."""
    for name, vocabulary, found in zip(names, vocabularies, hidden, strict=True):
        if vocabulary.missing == -1 and vocabulary.labels.size == 1 and found:
            warn(
                f"column {name} holds only {vocabulary.labels[0]} and -1; -1 was read as a missing label. "
                "Pass missing=None if -1 is a cluster."
            )


def warn_unlabelled(n_unlabelled: int, n_objects: int) -> None:
    """Warn of objects without any label; it is an error if there are no others."""
    if n_unlabelled == n_objects:
        msg = f"none of the {n_objects} objects has a label in any base clustering; there is nothing to combine."
        raise ValueError(msg)
    if n_unlabelled:
        warn(
            f"{n_unlabelled} of {n_objects} objects have no label in any base clustering; "
            "they get label -1 and confidence 0."
        )
