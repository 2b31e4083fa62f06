"""The same passes on dask: partial sums on the workers, merged in a tree; labels stay lazy."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from consensa._validation import check_integer
from consensa.ensemble.chunks import MAX_MICROCLUSTERS, Block, Mergeable, RowChunks, as_rows, no_progress, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DaskChunks"]

A = TypeVar("A", bound=Mergeable)

_MERGED_AT_A_TIME = 8


class DaskChunks(RowChunks):
    """A dask array or data frame of labels; its chunks or partitions are the chunks.

    Every pass is one graph: the scheduler runs it, and repeats what a lost worker had done.

    Parameters
    ----------
    source : dask array of shape (n_objects, n_partitions), or dask data frame
    max_microclusters : int, default=200000
    progress : callable, default=no_progress

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from consensa import LWGP
    >>> partitions = da.from_array(np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]]), chunks=(4, 2))
    >>> labels = LWGP(2, random_state=0).fit(partitions).labels_
    >>> labels.chunks, labels.compute()
    (((4, 2),), array([0, 0, 0, 1, 1, 1], dtype=int32))
    """

    lazy = True

    def __init__(
        self,
        source: Any,
        *,
        max_microclusters: int = MAX_MICROCLUSTERS,
        progress: Callable[[str, int, int | None], None] = no_progress,
    ) -> None:
        self.max_microclusters = check_integer("max_microclusters", max_microclusters)
        self.progress = progress
        if getattr(source, "ndim", None) != 2:
            msg = f"expected a dask array or data frame of shape (n_objects, n_partitions), got {source!r}."
            raise ValueError(msg)
        if hasattr(source, "rechunk"):
            source = source.rechunk({1: -1})
            known = [int(n) if n == n else -1 for n in source.chunks[0]]  # noqa: PLR0124 - dask marks unknown by NaN
        else:
            known = [-1] * source.npartitions
        self._parts = list(np.ravel(source.to_delayed()))
        self._lengths = known

    @property
    def n_rows(self) -> int | None:
        """Number of rows, None before the first pass over a source that does not know it."""
        return None if min(self._lengths, default=0) < 0 else sum(self._lengths)

    def learn(self, lengths: dict[int, int]) -> None:
        """Take note of the rows of every chunk, after the first pass."""
        self._lengths = [lengths.get(index, 0) for index in range(len(self._parts))]

    def reduce(self, stage: str, new: Callable[[], A], feed: Callable[[A, Any, int, int], None], prepare: Any) -> A:
        """Fold all rows into one sum; see :meth:`Chunks.reduce`."""
        from dask.delayed import delayed

        fold, merge = delayed(_fold), delayed(_merge)
        how = delayed((new, feed, prepare), traverse=False)  # sent once, not with every task
        level = [fold(how, index, start, part) for index, (start, part) in enumerate(self._starts())]
        while len(level) > 1:
            level = [merge(level[i : i + _MERGED_AT_A_TIME]) for i in range(0, len(level), _MERGED_AT_A_TIME)]
        self.progress(stage, 0, self.n_rows)
        total: A = self._compute(level[0])
        self.progress(stage, self.n_rows or 0, self.n_rows)
        return total

    def map_rows(self, stage: str, function: Callable[[Any], np.ndarray], dtype: Any) -> Any:  # noqa: ARG002 - lazy
        """Return a lazy dask array with one number per row: ``function`` takes a :class:`Block`."""
        from dask.array import concatenate, from_delayed
        from dask.delayed import delayed

        apply, how = delayed(_apply), delayed(function, traverse=False)
        pieces = [
            from_delayed(apply(how, index, start, part), (self._lengths[index],), dtype)
            for index, (start, part) in enumerate(self._starts())
        ]
        return concatenate(pieces)

    def _starts(self) -> list[tuple[int, Any]]:
        if self.n_rows is None:
            return [(-1, part) for part in self._parts]
        starts = np.concatenate([[0], np.cumsum(self._lengths)[:-1]])
        return [(int(start), part) for start, part in zip(starts, self._parts, strict=True)]

    def _compute(self, task: Any) -> Any:
        try:
            total = task.compute()
        except Exception:
            self._find_unreadable()
            raise
        if isinstance(total, ValueError):
            raise total
        return total

    def _find_unreadable(self) -> None:
        """Say which chunk of the source fails, if one does."""
        from dask.delayed import delayed

        for index, (start, part) in enumerate(self._starts()):
            try:
                delayed(len)(part).compute()
            except Exception as error:
                length = self._lengths[index]
                last = start + length - 1 if length >= 0 and start >= 0 else None
                raise unreadable(index, max(start, 0), last, error) from error


def _fold(how: Any, index: int, start: int, data: Any) -> Any:
    """Sum of one chunk; an error of ours is handed on as a value, so that what dask raises is the source's fault."""
    new, feed, prepare = how
    total = new()
    try:
        block = Block(index, start, as_rows(data, index, start))
        if len(block.data):
            feed(total, prepare(block), 0, len(block.data))
    except ValueError as error:
        return error
    return total


def _merge(parts: list[Any]) -> Any:
    for part in parts:
        if isinstance(part, ValueError):
            return part
    total = copy.deepcopy(parts[0])  # what a task was given may be used again when it is repeated
    try:
        for part in parts[1:]:
            total.merge(part)
    except ValueError as error:
        return error
    return total


def _apply(function: Any, index: int, start: int, data: Any) -> Any:
    return function(Block(index, start, as_rows(data, index, start)))
