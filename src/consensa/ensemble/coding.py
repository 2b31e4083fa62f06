"""First pass: the labels of every column, and from them the codes of any chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa.ensemble import _kernels_codes as kernels
from consensa.ensemble.labels import Column, Vocabulary, encode_columns, read_columns
from consensa.ensemble.missing import check_missing

if TYPE_CHECKING:
    from consensa.ensemble.chunks import Block

__all__ = ["Coder", "LabelSets", "Prepared", "slice_rows"]

_MARKED_BYTES = 2  # integers of up to so many bytes are collected by marking a table of all values


class LabelSets:
    """The distinct labels of every column, as a mergeable sum.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.ensemble.chunks import Block
    >>> sets = LabelSets(-1)
    >>> sets.add(Block(0, 0, np.array([[3, 7], [-1, 8]])))
    >>> sets.add(Block(1, 2, np.array([[1, 7]])))
    >>> [vocabulary.labels.tolist() for vocabulary in sets.finish()]
    [[1, 3], [7, 8]]
    """

    def __init__(self, missing: int | None) -> None:
        self.missing = missing
        self.names: tuple[str, ...] = ()
        self.labels: list[np.ndarray] = []
        self.hidden: list[bool] = []  # whether the number for missing labels occurs in an integer column
        self.lengths: dict[int, int] = {}

    def add(self, block: Block) -> None:
        """Add the labels of a chunk."""
        if _is_short(block.data):
            names, found = _marked(block.data, self.missing)
        else:
            names, found = self._collected(block)
        self._join(names, found, str(block))
        self.lengths[block.index] = self.lengths.get(block.index, 0) + len(block.data)

    def merge(self, other: LabelSets) -> None:
        """Add the labels of other chunks."""
        if other.names:
            where = f"one of the chunks {', '.join(map(str, sorted(other.lengths)[:5]))}"
            self._join(other.names, list(zip(other.labels, other.hidden, strict=True)), where)
        for index, length in other.lengths.items():
            self.lengths[index] = self.lengths.get(index, 0) + length

    def finish(self) -> tuple[Vocabulary, ...]:
        """Return the vocabulary of every column."""
        return tuple(Vocabulary(labels, self.missing) for labels in self.labels)

    def _collected(self, block: Block) -> tuple[tuple[str, ...], list[tuple[np.ndarray, bool]]]:
        columns = _read_block(block, self.missing)
        found = [(Vocabulary.of(column, self.missing).labels, column.hides_minus_one()) for column in columns]
        return tuple(column.name for column in columns), found

    def _join(self, names: tuple[str, ...], found: list[tuple[np.ndarray, bool]], where: str) -> None:
        if not self.names:
            self.names = names
            self.labels, self.hidden = [labels for labels, _ in found], [hidden for _, hidden in found]
            return
        check_same_columns(self.names, names, where)
        for m, (labels, hidden) in enumerate(found):
            self.labels[m] = _union(self.labels[m], labels, names[m], where)
            self.hidden[m] = self.hidden[m] or hidden


class Prepared(NamedTuple):
    """A chunk made ready for coding: an integer matrix, or clean columns."""

    block: Block
    data: np.ndarray | list[Column]


class Coder:
    """Turns chunks into codes; a label that the first pass has not seen is an error that says where.

    ``lengths`` are the rows of every chunk, which must not change; None to take any.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        vocabularies: tuple[Vocabulary, ...],
        missing: int | None,
        lengths: dict[int, int] | None = None,
    ) -> None:
        self.lengths = lengths or {}
        self.names = names
        self.vocabularies = vocabularies
        self.missing = missing
        self.offsets = np.concatenate([[0], np.cumsum([v.labels.size for v in vocabularies])]).astype(np.int64)
        self._tables: Any = _look_up_tables(vocabularies)

    def prepare(self, block: Block) -> Prepared:
        """Check the columns of a chunk and clean them."""
        data = block.data
        expected = self.lengths.get(block.index, 0 if self.lengths else len(data))
        if len(data) != expected:
            msg = (
                f"{block} has {len(data)} rows, but {expected} in the first pass over the data: the source has changed "
                "in the meantime. Run again on data that stay as they are."
            )
            raise ValueError(msg)
        if isinstance(data, np.ndarray) and data.dtype.kind in "iu" and self._tables and data.dtype != np.uint64:
            check_same_columns(self.names, tuple(map(str, range(data.shape[1]))), str(block), by_name=False)
            return Prepared(block, data)
        columns = _read_block(block, self.missing)
        check_same_columns(self.names, tuple(column.name for column in columns), str(block))
        return Prepared(block, columns)

    def codes(self, prepared: Prepared, start: int, stop: int) -> np.ndarray:
        """Code rows of a prepared chunk, counted from its first: (stop - start) x n_partitions, int32."""
        if isinstance(prepared.data, np.ndarray):
            codes = np.empty((stop - start, len(self.vocabularies)), np.int32)
            values = np.ascontiguousarray(prepared.data[start:stop])
            lowest, bounds, table = self._tables
            missing = np.array([] if self.missing is None else [self.missing], np.int64)
            unknown = kernels.encode_rows(values, lowest, bounds, table, missing, codes)
            if unknown >= 0:
                raise self._unknown(prepared, start + unknown)
            return codes
        columns = [column.rows(start, stop) for column in prepared.data]
        codes = encode_columns(columns, self.vocabularies)
        for column, coded in zip(columns, codes.T, strict=True):
            strange = (coded < 0) & ~column.gaps(self.missing)
            if strange.any():
                raise self._unknown(prepared, start + int(np.argmax(strange)))
        return codes

    def _unknown(self, prepared: Prepared, row: int) -> ValueError:
        return ValueError(
            f"{prepared.block} holds in row {prepared.block.start + row} a label that the first pass over the data has "
            "not seen: the source has changed in the meantime. Run again on data that stay as they are."
        )


def slice_rows(data: Any, start: int, stop: int) -> Any:
    """Take consecutive rows of an array or frame."""
    if isinstance(data, np.ndarray):
        return data[start:stop]
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    return frame[start:stop].to_native() if isinstance(frame, nw.DataFrame) else data[start:stop]


def check_same_columns(expected: tuple[str, ...], found: tuple[str, ...], where: str, *, by_name: bool = True) -> None:
    """Refuse a chunk with other columns than the first."""
    if len(expected) != len(found):
        msg = f"{where} has {len(found)} columns, but the chunks before it have {len(expected)}: all need the same."
        raise ValueError(msg)
    if by_name and expected != found:
        m = next(m for m in range(len(found)) if expected[m] != found[m])
        msg = f"{where} has the column {found[m]!r} where the chunks before it have {expected[m]!r}: all need the same."
        raise ValueError(msg)


def _read_block(block: Block, missing: int | None) -> list[Column]:
    try:
        _, columns = read_columns(block.data)
        check_missing(columns, missing)
    except ValueError as error:
        msg = f"{block}: {error}"
        raise ValueError(msg) from None
    return columns


def _is_short(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype.kind in "iu" and data.dtype.itemsize <= _MARKED_BYTES


def _marked(data: np.ndarray, missing: int | None) -> tuple[tuple[str, ...], list[tuple[np.ndarray, bool]]]:
    limits = np.iinfo(data.dtype)
    seen = np.zeros((data.shape[1], int(limits.max) - int(limits.min) + 1), bool)
    kernels.mark_labels(np.ascontiguousarray(data), int(limits.min), seen)
    found = []
    for column in seen:
        labels = np.flatnonzero(column) + int(limits.min)
        found.append((labels if missing is None else labels[labels != missing], bool(np.any(labels == -1))))
    return tuple(map(str, range(data.shape[1]))), found


def _union(a: np.ndarray, b: np.ndarray, name: str, where: str) -> np.ndarray:
    if not b.size or not a.size:
        return a if a.size else b
    if (a.dtype.kind in "iu") != (b.dtype.kind in "iu"):
        msg = (
            f"column {name} holds numbers in some chunks and strings in {where}; all labels of one clustering must be "
            "of the same kind."
        )
        raise ValueError(msg)
    if {a.dtype.kind, b.dtype.kind} == {"i", "u"}:  # numpy would turn these into floats
        kind = np.int64 if max(int(a.max()), int(b.max())) < 2**63 else np.uint64
        if kind is np.uint64 and min(int(a.min()), int(b.min())) < 0:
            msg = f"column {name} holds integers that do not fit into 64 bits together. Pass such labels as strings."
            raise ValueError(msg)
        a, b = a.astype(kind), b.astype(kind)
    return np.union1d(a, b)


def _look_up_tables(vocabularies: tuple[Vocabulary, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Codes of all columns in one table, if all of them are integers of a short range."""
    tables = [vocabulary.table for vocabulary in vocabularies]
    short = [(0, np.empty(0, np.int32)) if v.labels.size == 0 else t for v, t in zip(vocabularies, tables, strict=True)]
    if any(each is None for each in short):
        return None
    parts = [each for each in short if each is not None]
    lowest = np.array([first for first, _ in parts], np.int64)
    bounds = np.concatenate([[0], np.cumsum([table.size for _, table in parts])]).astype(np.int64)
    return lowest, bounds, np.concatenate([table for _, table in parts])
