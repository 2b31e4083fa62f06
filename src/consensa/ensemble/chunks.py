"""Row chunks of a label matrix, whatever holds it: read again for every pass, folded into mergeable sums."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from consensa._threads import n_threads, row_ranges, thread_map
from consensa._validation import check_integer
from consensa.ensemble import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from consensa.ensemble.labels import Vocabulary

__all__ = ["CHUNK_ROWS", "Block", "Chunks", "Mergeable", "RowChunks", "as_chunks", "is_chunked", "no_progress"]

CHUNK_ROWS = 1 << 19
MAX_MICROCLUSTERS = 200_000
_THREAD_ROWS = 1 << 14  # a smaller piece is not worth a thread


class Mergeable(Protocol):
    """A sum over rows: parts of it, over any rows in any order, merge into the same whole, bit by bit."""

    def merge(self, other: Any) -> None:
        """Add another part to this one."""


A = TypeVar("A", bound=Mergeable)


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a label matrix."""

    index: int  # of the chunk
    start: int  # first row, -1 if not yet known
    data: Any  # anything that can be read as a label matrix

    @property
    def stop(self) -> int:
        """Row after the last."""
        return self.start + len(self.data)

    def __str__(self) -> str:
        if self.start < 0:  # not known before the first pass
            return f"chunk {self.index}"
        return f"chunk {self.index} (rows {self.start} to {self.stop - 1})"


def no_progress(stage: str, n_done: int, n_rows: int | None) -> None:
    """Say nothing of the progress of a pass."""


class RowChunks(ABC):
    """A label matrix in chunks of rows, and the two things that can be done with it: fold its rows, or map them."""

    lazy: bool  # whether mapped rows are computed only when they are asked for
    max_microclusters: int
    words: tuple[tuple[str, ...], tuple[Vocabulary, ...]] | None = None  # names and labels, if the rows hold codes

    @abstractmethod
    def learn(self, lengths: dict[int, int]) -> None:
        """Take note of the rows of every chunk, after the first pass."""

    @abstractmethod
    def reduce(self, stage: str, new: Callable[[], A], feed: Callable[[A, Any, int, int], None], prepare: Any) -> A:
        """Fold all rows into one sum.

        ``prepare`` turns a :class:`Block` into what ``feed(total, prepared, start, stop)`` takes, which adds rows of
        it, counted from its first, to a sum that ``new`` made. ``stage`` says what is being done, for the progress.
        """

    @abstractmethod
    def map_rows(self, stage: str, function: Callable[[Any], np.ndarray], dtype: Any) -> Any:
        """Compute one number per row, shape (n_rows,): ``function`` takes a :class:`Block`."""


class Chunks(RowChunks):
    """A label matrix in chunks of rows, read from the start in every pass; made by :func:`as_chunks`.

    Parameters
    ----------
    read : callable
        Returns a fresh iterator over chunks whenever it is called; it is told the number of rows of a chunk.
    n_rows : int or None
        Number of rows, None if it is known only after the first pass.
    chunk_rows : int
        Rows of a chunk, where the source leaves the choice.
    max_microclusters : int
        Largest number of distinct rows that methods which need them all may collect.
    progress : callable
        Called as ``progress(stage, n_done, n_rows)`` at the start of every pass and after every chunk.
    new_array : callable
        Makes the arrays for labels and confidence from ``(n_rows, dtype)``.
    words : pair of tuples, default=None
        Names of the columns and the vocabularies behind the rows, where these hold codes.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.scale import as_chunks
    >>> chunks = as_chunks(np.zeros((5, 2), np.uint8), chunk_rows=2)
    >>> [str(block) for block in chunks.blocks()]
    ['chunk 0 (rows 0 to 1)', 'chunk 1 (rows 2 to 3)', 'chunk 2 (rows 4 to 4)']
    """

    lazy = False

    def __init__(
        self,
        read: Callable[[int], Iterable[Any]],
        n_rows: int | None = None,
        *,
        chunk_rows: int = CHUNK_ROWS,
        max_microclusters: int = MAX_MICROCLUSTERS,
        progress: Callable[[str, int, int | None], None] = no_progress,
        new_array: Callable[[int, Any], np.ndarray] = np.empty,
        words: tuple[tuple[str, ...], tuple[Vocabulary, ...]] | None = None,
    ) -> None:
        self._read = read
        self.n_rows = n_rows
        self.chunk_rows = check_integer("chunk_rows", chunk_rows)
        self.max_microclusters = check_integer("max_microclusters", max_microclusters)
        self.progress = progress
        self.new_array = new_array
        self.words = words

    def __repr__(self) -> str:
        rows = "unknown" if self.n_rows is None else self.n_rows
        return f"{type(self).__name__}(n_rows={rows}, chunk_rows={self.chunk_rows})"

    def with_rows(self, chunk_rows: int) -> Chunks:
        """Return the same rows in chunks of another length."""
        return Chunks(self._read, self.n_rows, chunk_rows=chunk_rows)

    def blocks(self) -> Iterator[Block]:
        """Read the chunks one after the other; empty ones are left out."""
        index, start = 0, 0
        found = iter(self._read(self.chunk_rows))
        while True:
            try:
                data = next(found)
            except StopIteration:
                break
            except Exception as error:
                raise unreadable(index, start, self._last_row(start), error) from error
            block = Block(index, start, as_rows(data, index, start))
            if len(block.data):
                yield block
            start = block.stop
            index += 1
        self.n_rows = start

    def reduce(self, stage: str, new: Callable[[], A], feed: Callable[[A, Any, int, int], None], prepare: Any) -> A:
        """Fold all rows into one sum; see :meth:`RowChunks.reduce`."""
        totals = [new()]
        self.progress(stage, 0, self.n_rows)
        for block in self.blocks():
            prepared = prepare(block)
            pieces = row_ranges(len(block.data), _piece(len(block.data)))
            totals += [new() for _ in range(len(pieces) - len(totals))]
            jobs = [(total, prepared, *piece) for total, piece in zip(totals, pieces, strict=False)]
            thread_map(lambda job: feed(*job), jobs)
            self.progress(stage, block.stop, self.n_rows)
        for other in totals[1:]:
            totals[0].merge(other)
        return totals[0]

    def map_rows(self, stage: str, function: Callable[[Any], np.ndarray], dtype: Any) -> np.ndarray:
        """Compute one number per row, shape (n_rows,): ``function`` takes a :class:`Block`."""
        values = self.new_array(self._known_rows(), dtype)
        self.progress(stage, 0, self.n_rows)
        for block in self.blocks():
            values[block.start : block.stop] = function(block)
            self.progress(stage, block.stop, self.n_rows)
        return values

    def learn(self, lengths: dict[int, int]) -> None:
        """Take note of the rows of every chunk, after the first pass."""
        self.n_rows = sum(lengths.values())

    def _known_rows(self) -> int:
        if self.n_rows is None:
            for _ in self.blocks():
                pass
        return int(self.n_rows or 0)

    def _last_row(self, start: int) -> int | None:
        return None if self.n_rows is None else min(start + self.chunk_rows, self.n_rows) - 1


def as_chunks(
    source: Any,
    chunk_rows: int = CHUNK_ROWS,
    *,
    max_microclusters: int = MAX_MICROCLUSTERS,
    progress: Callable[[str, int, int | None], None] = no_progress,
    new_array: Callable[[int, Any], np.ndarray] = np.empty,
) -> RowChunks:
    """Read a label matrix chunk by chunk, so that it need not fit into memory.

    Parameters
    ----------
    source : array, numpy.memmap, path, Zarr array, callable, iterable of chunks, dask array or dask data frame
        A path ends in ``.npy``, ``.parquet`` or ``.zarr`` (a folder of Parquet files is one data set). A callable
        returns a fresh iterator over chunks every time; an iterable must allow several passes. Chunks are label
        matrices of the same columns. Memory maps are read with plain file access, so that their pages do not count
        as memory of the process.
    chunk_rows : int, default=524288
        Rows of a chunk, where the source leaves the choice. The answer does not depend on it.
    max_microclusters : int, default=200000
        Largest number of distinct rows that methods which need them all may collect.
    progress : callable, default=no_progress
        Called as ``progress(stage, n_done, n_rows)`` at the start of a pass and after every chunk; ``n_rows`` may be
        None in the first pass.
    new_array : callable, default=numpy.empty
        Makes the arrays for labels and confidence from ``(n_rows, dtype)``: a memory map on disk, for example, where
        four bytes per object are too many. dask does without, its labels are lazy.

    Returns
    -------
    Chunks or DaskChunks
        For the ``fit`` of any consensus method.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LWGP
    >>> from consensa.scale import as_chunks
    >>> partitions = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> LWGP(2, random_state=0).fit_predict(as_chunks(partitions, chunk_rows=4))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    options: dict[str, Any] = {"max_microclusters": max_microclusters, "progress": progress}
    if isinstance(source, RowChunks):
        return source
    if sources.is_dask(source):
        from consensa.ensemble.on_dask import DaskChunks

        return DaskChunks(source, **options)
    read, n_rows = _reader(source)
    return Chunks(read, n_rows, chunk_rows=chunk_rows, new_array=new_array, **options)


def is_chunked(source: Any) -> bool:
    """Whether a label matrix comes in chunks by itself: Chunks, dask, Zarr, or a callable."""
    return isinstance(source, RowChunks) or any(
        kind(source) for kind in (sources.is_dask, sources.is_zarr, sources.is_factory)
    )


def as_rows(data: Any, index: int, start: int) -> Any:
    """Return a chunk whose length is its number of rows."""
    if isinstance(data, (list, tuple)) or not hasattr(data, "__len__"):
        data = np.asarray(data) if len(np.shape(data)) == 2 else data
    if not hasattr(data, "shape") or len(data.shape) != 2:
        shape = getattr(data, "shape", type(data).__name__)
        msg = (
            f"chunk {index} (from row {start} on) is no label matrix: got {shape}; give arrays or frames of shape "
            "(rows, n_partitions)."
        )
        raise ValueError(msg)
    return data


def unreadable(index: int, start: int, last: int | None, error: Exception) -> ValueError:
    """Say which chunk could not be read; finished parts of earlier chunks stay as they are."""
    rows = f"from row {start} on" if last is None else f"rows {start} to {last}"
    return ValueError(
        f"chunk {index} ({rows}) could not be read: {type(error).__name__}: {error}. Repair or replace this part of "
        "the source and run again."
    )


def _reader(source: Any) -> tuple[Callable[[int], Iterable[Any]], int | None]:
    if isinstance(source, (str, os.PathLike)):
        return sources.from_path(source)
    if isinstance(source, np.ndarray):
        return sources.from_array(source)
    if sources.is_zarr(source):
        return sources.from_slices(source)
    if sources.is_factory(source):
        return sources.Pieces(source), None
    if hasattr(source, "__next__"):
        msg = (
            "an iterator can be read only once, but several passes over the chunks are needed. Give a callable that "
            "returns a fresh iterator, for example as_chunks(lambda: read_chunks(path)), or a list of chunks."
        )
        raise ValueError(msg)
    if hasattr(source, "iloc") or hasattr(source, "columns"):
        return sources.from_frame(source)
    if hasattr(source, "__iter__"):
        return sources.Pieces(source), None
    msg = (
        f"{type(source).__name__} cannot be read in chunks: give an array, a path to .npy, .parquet or .zarr, a Zarr "
        "array, a callable that returns an iterator over chunks, or a dask array or data frame."
    )
    raise ValueError(msg)


def _piece(n_rows: int) -> int:
    n_pieces = min(n_threads(), -(-n_rows // _THREAD_ROWS))
    return -(-n_rows // n_pieces)
