"""An Ensemble whose objects stay where they are: counts and microclusters in memory, rows read when needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from consensa._threads import row_ranges, thread_map
from consensa.ensemble import Ensemble, RowSum, check_missing, warn_lonely, warn_unlabelled
from consensa.microclusters import MicroclusterTable
from consensa.partition.kmeans import SAMPLE_ABOVE
from consensa.scale.chunks import Block, as_chunks
from consensa.scale.distinct import DistinctRows
from consensa.scale.vocabulary import Coder, LabelSets, Prepared, slice_rows
from consensa.sums import LabelCounts, LeadCounts, PairCounts, Together

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ChunkedEnsemble"]

S = TypeVar("S", bound=RowSum)

_CODED_ROWS = 1 << 15  # codes of so many rows at a time: they stay in the cache of the processor
_MAPPED_ROWS = 1 << 17  # the more rows at a time, the more of them are equal


class ChunkedEnsemble(Ensemble):
    """An ensemble of a label matrix in chunks; methods use it like any other.

    The first pass collects the labels of every column, the second the distinct rows (microclusters). If there are
    more of them than a method that samples can use (200,000), it keeps those with the smallest hashes and counts the
    overlaps of the clusters over all rows instead. Labels of the objects come out chunk by chunk.

    Parameters
    ----------
    source : Chunks, or anything :func:`as_chunks` takes
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.
    sample : bool, default=False
        Whether the method needs only sums over all rows and a sample of the distinct ones. Without, more
        microclusters than ``max_microclusters`` of the chunks are an error.

    Attributes
    ----------
    labels, sizes : ndarray
        The distinct rows, or the sample of them, by first object, and their exact numbers of objects.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.scale import ChunkedEnsemble, as_chunks
    >>> partitions = np.array([[1, 1], [1, 1], [2, 1], [2, 3]])
    >>> ensemble = ChunkedEnsemble(as_chunks(partitions, chunk_rows=3))
    >>> ensemble.sizes, ensemble.to_objects(np.array([7, 8, 9]))
    (array([2, 1, 1]), array([7, 7, 8, 9]))
    """

    chunks: Any
    coder: Coder

    def __init__(self, source: Any, *, missing: int | None = -1, sample: bool = False) -> None:
        check_missing([], missing)
        chunks = as_chunks(source)
        sets = chunks.reduce("labels", partial(LabelSets, missing), _add_labels, _as_it_is)
        if not sets.names:
            msg = "no chunk holds any row; give at least one object."
            raise ValueError(msg)
        chunks.learn(sets.lengths)
        coder = Coder(sets.names, sets.finish(), missing, sets.lengths)
        warn_lonely(sets.names, coder.vocabularies, sets.hidden)
        limit = SAMPLE_ABOVE if sample else chunks.max_microclusters
        new = partial(_new_counts, coder.offsets, limit, sample=sample)
        total = chunks.reduce("counts", new, AddRows(coder), coder.prepare)
        n_objects = sum(sets.lengths.values())
        self._keep(chunks, coder, n_objects, total)
        warn_unlabelled(n_objects - self.n_labelled, n_objects)

    def _keep(self, chunks: Any, coder: Coder, n_objects: int, total: Together) -> None:
        distinct = total.parts[0]
        table = distinct.finish()
        self._store(
            chunks=chunks,
            coder=coder,
            _n_objects=n_objects,
            labels=table.rows,
            sizes=table.sizes,
            offsets=coder.offsets,
            names=coder.names,
            vocabularies=coder.vocabularies,
            _leads=total.parts[2] if distinct.is_sample else None,
        )
        if distinct.is_sample:
            self._store(overlap=total.parts[1].finish())

    @property
    def n_objects(self) -> int:
        """Number of objects, those without any label included."""
        return int(self.__dict__["_n_objects"])

    @property
    def row_map(self) -> np.ndarray:  # type: ignore[override]
        """The objects are not in memory: their microclusters are found chunk by chunk."""
        msg = "the objects of a chunked ensemble are not in memory; use to_objects."
        raise AttributeError(msg)

    @property
    def is_chunked(self) -> bool:
        """Whether the objects are not in memory: always."""
        return True

    @property
    def is_sample(self) -> bool:
        """Whether the microclusters are only a sample of all."""
        return self.leads is not None

    @property
    def leads(self) -> LeadCounts | None:
        """Counts over all objects, where the microclusters are only a sample of all; None where they are all."""
        found: LeadCounts | None = self.__dict__["_leads"]
        return found

    @property
    def n_labelled(self) -> int:
        """Number of objects with any label."""
        return super().n_labelled if self.leads is None else int(self.leads.counts.sum())

    @cached_property
    def table(self) -> MicroclusterTable:
        """The microclusters, to look rows up."""
        table = MicroclusterTable(self.n_partitions)
        table.add(self.labels)
        return table

    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray | None = None) -> S:
        """Add up something over all objects, in a pass over the chunks if the microclusters are only a sample."""
        if not self.is_sample:
            return super().sum_rows(new, sizes)
        total: S = self.chunks.reduce("sums", new, AddRows(self.coder), self.coder.prepare)
        return total

    def to_objects(self, values: np.ndarray, fill: float = -1) -> np.ndarray:
        """Hand the value of every microcluster to its objects; objects without any label get ``fill``.

        Returns
        -------
        ndarray of shape (n_objects,), or a lazy dask array if the chunks come from dask
        """
        values = np.asarray(values)
        return self.map_codes("assign", LookUp(self.table, values, values.dtype.type(fill)), values.dtype)

    def number(self, rule: Any) -> tuple[np.ndarray, Renumbered]:
        """Label all objects by a rule for label rows, numbered by falling size, then by first object.

        Parameters
        ----------
        rule : callable
            Takes codes (n x M, int32), returns labels below ``rule.n_labels``, -1 for rows without any label.

        Returns
        -------
        labels : ndarray of shape (n_objects,), int32, or a lazy dask array if the chunks come from dask
        numbered : Renumbered
            The rule that gives these labels.
        """
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

    def map_codes(self, stage: str, function: Callable[[np.ndarray], np.ndarray], dtype: Any) -> np.ndarray:
        """Compute one number per object from its label row: ``function`` takes codes (n x M, int32)."""
        mapped: np.ndarray = self.chunks.map_rows(stage, MapCodes(self.coder, function, dtype), dtype)
        return mapped


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
        table = MicroclusterTable(codes.shape[1])
        ids = table.add(codes)
        return np.append(self.rule(table.rows), -1)[ids]


@dataclass(frozen=True)
class LookUp:
    """Hands out the values of microclusters."""

    table: MicroclusterTable
    values: np.ndarray
    fill: Any

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        ids = self.table.find(codes)
        found = self.values[ids]
        absent = ids < 0
        if absent.any():
            if (codes[absent] >= 0).any():
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
