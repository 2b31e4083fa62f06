"""Label matrices as users have them, turned into small integer codes.

Every kind of input (array, frame, list of vectors; integers, strings, categories) becomes a list of clean
columns, and every column gets a :class:`Vocabulary` that maps its labels to 0, 1, 2, ... and missing to -1.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._frames import as_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa._types import LabelMatrix, LabelVector

__all__ = ["Column", "Vocabulary", "as_label_vector", "code_vector", "encode_columns", "label_columns", "read_columns"]

_LOOKUP_SPREAD = 4  # an integer column is coded by table look-up while its range is at most this times its length
_EXACT_BITS = 53  # of double precision, which the whole numbers of other libraries go through


class Column(NamedTuple):
    """One base clustering: an integer or string vector, and where its labels are missing (None: nowhere)."""

    name: str
    values: np.ndarray
    absent: np.ndarray | None

    def hides_minus_one(self) -> bool:
        """Whether -1 occurs, as a number."""
        return self.values.dtype.kind == "i" and bool(np.any((self.values == -1) & ~self.gaps(None)))

    def rows(self, start: int, stop: int) -> Column:
        """Return some of the rows."""
        return Column(self.name, self.values[start:stop], None if self.absent is None else self.absent[start:stop])

    def gaps(self, missing: int | None) -> np.ndarray:
        """Where there is no label."""
        absent = np.zeros(self.values.size, bool) if self.absent is None else self.absent
        return absent if missing is None or self.values.dtype.kind not in "iu" else absent | (self.values == missing)


@dataclass(frozen=True)
class Vocabulary:
    """The distinct labels of one base clustering; the code of a label is its place in sorted order.

    Parameters
    ----------
    labels : ndarray of shape (n_labels,)
        Sorted distinct labels, integers or strings.
    missing : int or None
        The integer that stands for "no label".

    Examples
    --------
    >>> import numpy as np
    >>> Vocabulary(np.array([2, 5, 9]), -1).encode(np.array([9, 2, -1, 7]))
    array([ 2,  0, -1, -1], dtype=int32)
    """

    labels: np.ndarray
    missing: int | None

    @classmethod
    def of(cls, column: Column, missing: int | None) -> Vocabulary:
        """Collect the distinct labels of a column."""
        values = column.values if column.absent is None else column.values[~column.absent]
        labels = _distinct(values)
        if missing is not None and labels.dtype.kind in "iu":
            labels = labels[labels != missing]
        return cls(labels, missing)

    def encode(self, values: np.ndarray, absent: np.ndarray | None = None) -> np.ndarray:
        """Return the codes (int32) of a vector; missing and never seen labels become -1."""
        if self.labels.size == 0:
            return np.full(values.shape, -1, np.int32)
        if values.dtype.kind in "iu" and self.table is not None:
            first, table = self.table
            last = first + table.size - 1
            inside = (values >= first) & (values <= last)
            if inside.all():
                codes = table[values.astype(np.intp, copy=False) - first]
            else:
                places = np.where(inside, values.astype(np.intp, copy=False) - first, 0)
                codes = np.where(inside, table[places], np.int32(-1))
        else:
            codes = self._search(values)
        if absent is not None:
            codes[absent] = -1
        return codes

    @cached_property
    def table(self) -> tuple[int, np.ndarray] | None:
        """Codes of all integers between the smallest and the largest label, where that is a short table."""
        if self.labels.dtype.kind not in "iu" or self.labels.size == 0:
            return None
        first, last = int(self.labels[0]), int(self.labels[-1])
        if last - first > 64 * self.labels.size + 65536 or not -(2**62) < first <= last < 2**62:
            return None
        table = np.full(last - first + 1, -1, np.int32)
        table[self.labels.astype(np.int64) - first] = np.arange(self.labels.size, dtype=np.int32)
        return first, table

    def _search(self, values: np.ndarray) -> np.ndarray:
        if (values.dtype.kind in "iu") != (self.labels.dtype.kind in "iu"):
            return np.full(values.shape, -1, np.int32)  # numbers are never the same label as strings
        labels = self.labels
        if {labels.dtype.kind, values.dtype.kind} == {"i", "u"}:  # numpy would compare these as floats
            labels, values = labels.astype(object), values.astype(object)
        places = np.searchsorted(labels, values)
        places[places == labels.size] = 0
        return np.where(labels[places] == values, places, -1).astype(np.int32)


def read_columns(partitions: LabelMatrix) -> tuple[int, list[Column]]:
    """Take a label matrix of any kind apart into clean columns; return the number of objects, and the columns.

    Examples
    --------
    >>> n_objects, columns = read_columns([[0, 0, 1], ["a", None, "b"]])
    >>> n_objects, columns[1].absent
    (3, array([False,  True, False]))
    """
    names, vectors = _split(partitions)
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1:
        msg = (
            f"the label vectors have different lengths ({sorted(lengths)}). All base clusterings must label the "
            "same objects; use -1, NaN or None where an object has no label."
        )
        raise ValueError(msg)
    if not vectors:
        n_rows = len(partitions) if isinstance(partitions, Sized) else 0
        msg = (
            f"found a label matrix with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required. "
            "Give at least one base clustering."
        )
        raise ValueError(msg)
    n_objects = lengths.pop()
    if n_objects == 0:
        msg = (
            f"found a label matrix with 0 sample(s) (shape=(0, {len(vectors)})) while a minimum of 1 is required. "
            "Give at least one object."
        )
        raise ValueError(msg)
    return n_objects, [_clean(name, vector) for name, vector in zip(names, vectors, strict=True)]


def as_label_vector(labels: LabelVector, name: str = "labels", missing: int | None = None) -> np.ndarray:
    """Code one vector of labels as 0..k-1 (int32), -1 where the label is NaN, None, null or ``missing``.

    Examples
    --------
    >>> as_label_vector(["b", "a", None])
    array([ 1,  0, -1], dtype=int32)
    """
    return code_vector(labels, name, missing)[0]


def code_vector(labels: LabelVector, name: str, missing: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Code one vector of labels as :func:`as_label_vector` does; return the codes, and the labels behind them."""
    vector = _to_numpy(labels)
    if vector.ndim != 1:
        msg = f"{name} has shape {vector.shape}; expected a vector with one label per object."
        raise ValueError(msg)
    column = _clean(name, vector)
    vocabulary = Vocabulary.of(column, missing)
    return vocabulary.encode(column.values, column.absent), vocabulary.labels


def _split(partitions: Any) -> tuple[list[str], list[np.ndarray]]:
    """Names and raw vectors of the base clusterings, whatever holds them."""
    if isinstance(partitions, (list, tuple)):
        return _split_list(partitions)
    if type(partitions).__module__.startswith("scipy.sparse"):
        msg = "a sparse label matrix was passed, but dense data is required. Use .toarray() and -1 for missing labels."
        raise ValueError(msg)
    frame = _as_frame(partitions)
    if frame is not None:
        return [str(name) for name in frame.columns], [_from_series(frame[:, m]) for m in range(frame.shape[1])]
    array = partitions if isinstance(partitions, np.ma.MaskedArray) else np.asarray(partitions)
    if array.ndim == 2:
        return [str(m) for m in range(array.shape[1])], [array[:, m] for m in range(array.shape[1])]
    msg = (
        f"expected a 2D array of labels (n_objects x n_partitions), got an array of shape {array.shape}. "
        "Reshape your data with array.reshape(-1, 1) if it is a single clustering, or pass a list of label vectors."
    )
    raise ValueError(msg)


def _split_list(vectors: list[Any] | tuple[Any, ...]) -> tuple[list[str], list[np.ndarray]]:
    arrays = [_to_numpy(vector) for vector in vectors]
    shapes = {array.ndim for array in arrays}
    if shapes - {1}:
        msg = (
            "a list must hold one label vector per base clustering (1-D, one label per object); "
            f"got entries with {sorted(shapes)} dimensions. Reshape your data, or pass an array of shape "
            "(n_objects, n_partitions)."
        )
        raise ValueError(msg)
    if arrays and len(arrays) > len(arrays[0]) and len(arrays[0]) > 0:
        msg = (
            f"got a list of {len(arrays)} vectors of length {len(arrays[0])}: a list holds one vector per base "
            "clustering, and there would be more clusterings than objects. If the rows are objects, pass "
            "numpy.asarray(partitions); if this is meant, pass numpy.asarray(partitions).T."
        )
        raise ValueError(msg)
    return [str(m) for m in range(len(arrays))], arrays


def _as_frame(data: Any) -> Any:
    """Return a narwhals frame when the input is a data frame of any library, else None."""
    frame = as_frame(data, "the frame")
    if frame is not None and not hasattr(frame, "columns"):
        msg = (
            "expected a 2D frame or array of labels (n_objects x n_partitions), got a Series. Reshape your data: "
            "pass series.to_frame() if it is a single clustering."
        )
        raise ValueError(msg)  # the same error as for a 1-D array
    return frame


def _to_numpy(vector: Any) -> np.ndarray:
    if isinstance(vector, np.ndarray):
        return vector
    if isinstance(vector, (list, tuple)):
        plain = all(isinstance(label, (int, np.integer, float, np.floating)) for label in vector)
        array = np.asarray(vector) if plain and len(vector) else np.array([*vector], dtype=object)
        exact = array.dtype.kind != "f" or not any(isinstance(label, (int, np.integer)) for label in vector)
        return array if exact else np.array([*vector], dtype=object)
    if hasattr(vector, "to_numpy"):
        import narwhals as nw

        series = nw.from_native(vector, series_only=True, pass_through=True)
        return _from_series(series) if isinstance(series, nw.Series) else np.asarray(vector)
    return np.asarray(vector)


def _from_series(series: Any) -> np.ndarray:
    """Vector of a narwhals series; integers with nulls stay integers (as floats, large ones would be rounded)."""
    if series.dtype.is_integer() and series.null_count():
        return np.ma.MaskedArray(series.fill_null(0).to_numpy(), series.is_null().to_numpy())
    return np.asarray(series.to_numpy())


def _clean(name: str, vector: np.ndarray) -> Column:
    """Make a raw vector an integer or string vector; anything else is an error that says what came."""
    values = np.asarray(vector)
    hidden = np.ma.getmaskarray(vector) if isinstance(vector, np.ma.MaskedArray) else None
    if hidden is not None and hidden.any() and values.dtype.kind in "fO":
        values = np.where(hidden, np.nan, values)  # what lies under a mask is nobody's label
    values, absent = _clean_values(name, values)
    if hidden is not None and hidden.any():
        absent = hidden if absent is None else absent | hidden
    return Column(name, values, absent)


def _clean_values(name: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    kind = values.dtype.kind
    if kind in "iuUS":
        return values, None
    if kind == "b":
        return values.astype(np.int8), None
    if kind == "f":
        return _from_floats(name, values)
    if kind in "OT":
        return _from_objects(name, values)
    what = ": Complex data not supported" if kind == "c" else f" has dtype {values.dtype}"
    msg = f"column {name}{what}. Labels are integers, strings or categories."
    raise ValueError(msg)


def _from_floats(name: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    absent = np.isnan(values)
    known = np.where(absent, 0, values)
    wrong = (np.floor(known) != known) | np.isinf(known)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        msg = (
            f"column {name} holds {float(values[row])!r} in row {row}: labels are names of clusters, not measurements, "
            "so they must be whole numbers, strings or categories. If these are features, generate clusterings first "
            "(EnsembleClustering, or consensa.generate.KMeansPartitions)."
        )
        raise ValueError(msg)
    exact = min(np.finfo(values.dtype).nmant + 1, _EXACT_BITS)
    if np.any(np.abs(known.astype(float)) >= 2.0**exact):
        msg = (
            f"column {name} holds floating-point labels beyond 2**{exact}, which cannot tell neighbouring whole "
            "numbers apart. Pass such labels as integers or strings."
        )
        raise ValueError(msg)
    return known.astype(np.int64), absent if absent.any() else None


def _check_ends(name: str, texts: np.ndarray) -> None:
    """Refuse texts that end in NUL, which numpy cuts off, so that two labels would become one."""
    ends = {text[-1:] for text in texts.tolist()}
    if "\0" in ends or b"\0" in ends:
        msg = f"column {name} holds a label that ends in a NUL character, which is cut off in arrays. Rename it first."
        raise ValueError(msg)


def _from_objects(name: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    absent = np.fromiter((_is_null(label) for label in values), bool, values.size)
    known = values[~absent]
    mask = absent if absent.any() else None
    if all(isinstance(label, (str, bytes)) for label in known):
        _check_ends(name, known)
        text = np.full(values.size, "", dtype=object)
        text[~absent] = known
        return text.astype(str), mask
    if all(isinstance(label, (bool, int, np.bool_, np.integer)) for label in known):
        return _from_integers(name, known, absent), mask
    if all(isinstance(label, (bool, int, np.bool_, np.integer, float, np.floating)) for label in known):
        numbers = np.full(values.size, np.nan)
        numbers[~absent] = known.astype(float)
        return _from_floats(name, numbers)
    kinds = sorted({type(label).__name__ for label in known})
    if any(isinstance(label, (complex, np.complexfloating)) for label in known):
        msg = f"column {name}: Complex data not supported. Labels are integers, strings or categories."
        raise ValueError(msg)
    msg = (
        f"column {name} mixes labels of the types {', '.join(kinds)}; argument must be a string, a number or a "
        "category, and all labels of one clustering of the same kind. Convert the column first, for example with str()."
    )
    raise TypeError(msg) if kinds == ["dict"] else ValueError(msg)


def _from_integers(name: str, known: np.ndarray, absent: np.ndarray) -> np.ndarray:
    """Python integers as int64 (uint64 if they are too large for that), 0 where absent."""
    whole = np.zeros(absent.size, np.uint64 if known.size and known.min() >= 0 and known.max() >= 2**63 else np.int64)
    try:
        whole[~absent] = known
    except OverflowError:
        msg = (
            f"column {name} holds integers that do not fit into 64 bits. Pass such labels as strings, for example "
            "with str()."
        )
        raise ValueError(msg) from None
    return whole


def _is_null(label: Any) -> bool:
    if label is None:
        return True
    if isinstance(label, (float, np.floating)):
        return bool(np.isnan(label))
    return type(label).__name__ in {"NAType", "NaTType", "MaskedConstant"}


def label_columns(codes: np.ndarray, vocabularies: Sequence[Vocabulary]) -> list[Column]:
    """Return the labels behind codes (n x M, int32, -1 = missing)."""
    words = [np.append(vocabulary.labels, vocabulary.labels.dtype.type()) for vocabulary in vocabularies]
    return [Column(str(m), known[codes[:, m]], codes[:, m] < 0) for m, known in enumerate(words)]


def _distinct(values: np.ndarray) -> np.ndarray:
    """Sorted distinct entries; integers of a small range by a table of flags instead of a sort."""
    if values.dtype.kind in "iu" and values.size:
        first, last = int(values.min()), int(values.max())
        if last - first <= _LOOKUP_SPREAD * values.size + 1024 and -(2**62) < first <= last < 2**62:
            seen = np.zeros(last - first + 1, bool)
            seen[values.astype(np.intp, copy=False) - first] = True
            return (np.flatnonzero(seen) + first).astype(np.int64)
    return np.unique(values)


def encode_columns(columns: Sequence[Column], vocabularies: Sequence[Vocabulary]) -> np.ndarray:
    """Code all columns: n_rows x n_columns, int32, -1 = missing or never seen."""
    codes = np.empty((columns[0].values.size, len(columns)), np.int32)
    for m, (column, vocabulary) in enumerate(zip(columns, vocabularies, strict=True)):
        codes[:, m] = vocabulary.encode(column.values, column.absent)
    return codes
