"""Objects that stay where they are: rows are read when they are needed, chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from consensa._threads import row_ranges, thread_map
from consensa.ensemble import sampling
from consensa.ensemble.chunks import Block
from consensa.ensemble.coding import Coder, LabelSets, Prepared, slice_rows
from consensa.ensemble.distinct import DistinctRows
from consensa.ensemble.microclusters import MicroclusterTable
from consensa.ensemble.missing import check_missing, warn_lonely
from consensa.ensemble.objects import Objects, RowSum, sum_in_memory
from consensa.ensemble.pairs import PairCounts
from consensa.ensemble.sums import LabelCounts, LeadCounts, Together

if TYPE_CHECKING:
    from collections.abc import Callable

    import scipy.sparse as sp

__all__ = ["InChunks", "Once", "Renumbered", "read_chunks"]

S = TypeVar("S", bound=RowSum)

_CODED_ROWS = 1 << 15  # codes of so many rows at a time: they stay in the cache of the processor
_MAPPED_ROWS = 1 << 17  # the more rows at a time, the more of them are equal


def read_chunks(chunks: Any, missing: int | None, *, sample: bool) -> tuple[np.ndarray, InChunks, sp.csr_array | None]:
    """Find the microclusters of a label matrix in chunks: their sizes, the objects, and the overlaps of a sample.

    The first pass collects the labels of every column, the second the distinct rows, which stand in the order of their
    first object. With ``sample``, if there are more of them than a method that samples can use (200,000), those with
    the smallest hashes are kept, and the overlaps of the clusters are counted over all rows instead (otherwise None).
    """
    check_missing([], missing)
    sets = chunks.reduce("labels", partial(LabelSets, missing), _add_labels, _as_it_is)
    if not sets.names:
        msg = "no chunk holds any row; give at least one object."
        raise ValueError(msg)
    chunks.learn(sets.lengths)
    coder = Coder(sets.names, sets.finish(), missing, sets.lengths)
    warn_lonely(sets.names, coder.vocabularies, sets.hidden)
    limit = sampling.SAMPLE_ABOVE if sample else chunks.max_microclusters
    new = partial(_new_counts, coder.offsets, limit, sample=sample)
    total = chunks.reduce("counts", new, AddRows(coder), coder.prepare)
    distinct = total.parts[0]
    table = distinct.finish()
    leads = total.parts[2] if distinct.is_sample else None
    objects = InChunks(chunks, coder, sum(sets.lengths.values()), table.rows, table.firsts, leads)
    return table.sizes, objects, total.parts[1].finish() if distinct.is_sample else None


@dataclass(frozen=True, eq=False)
class InChunks(Objects):
    """Objects in chunks of rows, read again in every pass."""

    chunks: Any
    coder: Coder
    n_rows: int
    rows: np.ndarray  # the microclusters, or a sample of them
    first_objects: np.ndarray  # of every microcluster
    leads: LeadCounts | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects, those without any label included."""
        return self.n_rows

    @cached_property
    def table(self) -> MicroclusterTable:
        """The microclusters, to look rows up."""
        return MicroclusterTable.of(self.rows)

    def row_map(self) -> Any:
        """Microcluster of every object, found in a pass; -1 for none, or for a row that is not in the sample."""
        function = LookUp(self.table, np.arange(self.rows.shape[0]), -1, strict=self.leads is None)
        return self.map_codes("microclusters", function, np.int32 if self.n_rows < 2**31 else np.int64)

    def firsts(self) -> np.ndarray:
        """First object of every microcluster."""
        return self.first_objects

    def spread(self, values: np.ndarray, fill: float) -> Any:
        """Hand the value of every microcluster to its objects, in a pass over the chunks."""
        values = np.asarray(values)
        found = LookUp(self.table, values, values.dtype.type(fill), strict=self.leads is None)
        return self.map_codes("assign", found, values.dtype)

    def map_codes(self, stage: str, function: Callable[[np.ndarray], np.ndarray], dtype: Any) -> Any:
        """Compute one number per object from its label row, in a pass over the chunks; lazy on dask."""
        return self.chunks.map_rows(stage, MapCodes(self.coder, function, dtype), dtype)

    def codes_of(self, objects: np.ndarray) -> np.ndarray:
        """Label rows of some objects, collected in a pass over the chunks."""
        new = partial(PickedRows, len(self.coder.names))
        picked: PickedRows = self.chunks.reduce("rows", new, PickRows(self.coder, objects), self.coder.prepare)
        return picked.finish(objects)

    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray) -> S:
        """Add up something over all objects, in a pass over the chunks if the microclusters are only a sample."""
        if self.leads is None:
            return sum_in_memory(self.rows, sizes, new)
        total: S = self.chunks.reduce("sums", new, AddRows(self.coder), self.coder.prepare)
        return total

    def number(self, rule: Any) -> tuple[Any, Renumbered]:
        """Label all objects by a rule for label rows; see :meth:`Ensemble.number`."""
        new = partial(LabelCounts, rule.n_labels)
        if self.chunks.lazy:
            counts = self.chunks.reduce("number", new, CountLabels(self.coder, rule), self.coder.prepare)
            numbered = Renumbered(rule, counts.ranks())
            return self.map_codes("assign", numbered, np.int32), numbered
        labels = self.map_codes("assign", Once(rule), np.int32)
        total = new()
        pieces = row_ranges(labels.size, 1 << 20)
        for start, stop in pieces:
            total.add_labels(labels[start:stop], start)
        ranks = total.ranks()
        for start, stop in pieces:
            labels[start:stop] = np.append(ranks, np.int32(-1))[labels[start:stop]]
        return labels, Renumbered(rule, ranks)


@dataclass(frozen=True)
class AddRows:
    """Adds rows of a prepared chunk to a sum over rows: equal rows once, with their number."""

    coder: Coder

    def __call__(self, total: Any, prepared: Prepared, start: int, stop: int) -> None:
        table = MicroclusterTable(len(self.coder.names))
        for first, last in _pieces(start, stop):
            objects = np.arange(first, last) + prepared.block.start
            table.add(self.coder.codes(prepared, first, last), np.ones(last - first, np.int64), objects)
        total.add(table.rows, table.sizes, table.firsts)


@dataclass(frozen=True)
class CountLabels:
    """Counts the labels that a rule gives to rows of a prepared chunk."""

    coder: Coder
    rule: Any

    def __call__(self, total: LabelCounts, prepared: Prepared, start: int, stop: int) -> None:
        for first, last in _pieces(start, stop, _MAPPED_ROWS):
            labels = Once(self.rule)(self.coder.codes(prepared, first, last))
            total.add_labels(labels, prepared.block.start + first)


class PickedRows:
    """Label rows of some objects by their numbers, as a mergeable sum."""

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self._rows: dict[int, np.ndarray] = {}

    def put(self, number: int, row: np.ndarray) -> None:
        """Keep the row of an object."""
        self._rows[number] = row

    def merge(self, other: PickedRows) -> None:
        """Add the rows of other chunks."""
        self._rows |= other._rows

    def finish(self, objects: np.ndarray) -> np.ndarray:
        """Return the rows in the order of the numbers, shape (n, n_columns)."""
        rows = [self._rows[int(number)] for number in objects]
        return np.array(rows, np.int32).reshape(len(rows), self._n_columns)


@dataclass(frozen=True)
class PickRows:
    """Picks the rows of some objects, whose numbers rise, out of a prepared chunk."""

    coder: Coder
    objects: np.ndarray

    def __call__(self, total: PickedRows, prepared: Prepared, start: int, stop: int) -> None:
        first, last = np.searchsorted(self.objects, np.array([start, stop]) + prepared.block.start)
        for number in self.objects[first:last]:
            row = int(number) - prepared.block.start
            total.put(int(number), self.coder.codes(prepared, row, row + 1)[0])


@dataclass(frozen=True)
class MapCodes:
    """Applies a function of label rows to a chunk, piece by piece."""

    coder: Coder
    function: Callable[[np.ndarray], np.ndarray]
    dtype: Any

    def __call__(self, block: Block) -> np.ndarray:
        prepared = self.coder.prepare(block)
        out = np.empty(len(block.data), self.dtype)

        def work(piece: tuple[int, int]) -> None:
            out[slice(*piece)] = self.function(self.coder.codes(prepared, *piece))

        thread_map(work, row_ranges(len(block.data), _MAPPED_ROWS))
        return out


@dataclass(frozen=True)
class Once:
    """A rule that is asked only once for equal rows."""

    rule: Any

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32)."""
        table = MicroclusterTable(codes.shape[1])
        ids = table.add(codes)
        return np.append(self.rule(table.rows), -1)[ids]


@dataclass(frozen=True)
class LookUp:
    """Hands out the values of microclusters; ``strict``: a row that is none of them is an error."""

    table: MicroclusterTable
    values: np.ndarray
    fill: Any
    strict: bool = True

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        ids = self.table.find(codes)
        found = self.values[ids]
        absent = ids < 0
        if absent.any():
            if self.strict and (codes[absent] >= 0).any():
                msg = (
                    "a row of labels turned up that the earlier passes have not seen: the source has changed in the "
                    "meantime. Run again on data that stay as they are."
                )
                raise ValueError(msg)
            found[absent] = self.fill
        return found


@dataclass(frozen=True)
class Renumbered:
    """A rule whose labels get other numbers."""

    rule: Any
    ranks: np.ndarray

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the number of every row (n x M, int32)."""
        return np.append(self.ranks, np.int32(-1))[Once(self.rule)(codes)]


def _new_counts(offsets: np.ndarray, limit: int, *, sample: bool) -> Together:
    distinct = DistinctRows(offsets.size - 1, limit, sample=sample)
    return Together(distinct, PairCounts(offsets), LeadCounts(offsets)) if sample else Together(distinct)


def _add_labels(total: LabelSets, block: Block, start: int, stop: int) -> None:
    total.add(Block(block.index, block.start + start, slice_rows(block.data, start, stop)))


def _as_it_is(block: Block) -> Block:
    return block


def _pieces(start: int, stop: int, size: int = _CODED_ROWS) -> list[tuple[int, int]]:
    return [(start + first, start + last) for first, last in row_ranges(stop - start, size)]
