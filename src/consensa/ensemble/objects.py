"""Where the objects of an ensemble are: in memory, or in chunks that are read when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np

from consensa._threads import n_threads, row_ranges, thread_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from consensa.ensemble.sums import LeadCounts

__all__ = ["InMemory", "Objects", "RowSum", "sum_in_memory"]

CHUNK_ROWS = 1 << 16


class RowSum(Protocol):
    """A mergeable sum over label rows, such as those of ``consensa.ensemble.sums``."""

    def add(self, labels: np.ndarray, sizes: np.ndarray, firsts: np.ndarray) -> None:
        """Add label rows (n x M, int32), each ``sizes`` times; ``firsts`` are the numbers of their first objects."""

    def merge(self, other: Any) -> None:
        """Add the sum over other rows."""


S = TypeVar("S", bound=RowSum)


class Objects(ABC):
    """The objects behind the microclusters of an ensemble."""

    leads: LeadCounts | None = None  # counts over all objects, where the microclusters are only a sample of all

    @property
    @abstractmethod
    def n_objects(self) -> int:
        """Number of objects, those without any label included."""

    def freeze(self) -> None:
        """Make the arrays read-only again, after they were copied."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @abstractmethod
    def row_map(self) -> Any:
        """Microcluster of every object; -1 for none."""

    @abstractmethod
    def firsts(self) -> np.ndarray:
        """First object of every microcluster."""

    @abstractmethod
    def spread(self, values: np.ndarray, fill: float) -> Any:
        """Hand the value of every microcluster to its objects; those without any label get ``fill``."""

    @abstractmethod
    def map_codes(self, stage: str, function: Callable[[np.ndarray], np.ndarray], dtype: Any) -> Any:
        """Compute one number per object from its label row: ``function`` takes codes (n x M, int32)."""

    @abstractmethod
    def codes_of(self, objects: np.ndarray) -> np.ndarray:
        """Label rows (n x M, int32) of some objects, whose numbers rise."""

    @abstractmethod
    def number(self, rule: Any) -> tuple[Any, Any]:
        """Label all objects by a rule for label rows; return the labels and the rule that gives their numbers."""

    @abstractmethod
    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray) -> S:
        """Add up something over all objects."""


@dataclass(frozen=True, eq=False)
class InMemory(Objects):
    """Objects whose microclusters are known one by one."""

    rows: np.ndarray
    rows_of_objects: np.ndarray  # -1 for an object without any label, or whose row is not in the sample
    leads: LeadCounts | None = None  # of a saved model

    @property
    def n_objects(self) -> int:
        """Number of objects, those without any label included."""
        return int(self.rows_of_objects.size)

    def row_map(self) -> np.ndarray:
        """Microcluster of every object; -1 for none."""
        return self.rows_of_objects

    def firsts(self) -> np.ndarray:
        """First object of every microcluster."""
        found = np.empty(self.rows.shape[0] + 1, np.int64)  # the last one is for objects without any label
        found[self.rows_of_objects[::-1]] = np.arange(self.n_objects)[::-1]
        return found[:-1]

    def spread(self, values: np.ndarray, fill: float) -> np.ndarray:
        """Hand the value of every microcluster to its objects; those without any label get ``fill``."""
        found = np.asarray(values)[self.rows_of_objects]
        if self.n_objects and self.rows_of_objects.min() < 0:
            found[self.rows_of_objects < 0] = fill
        return found

    def map_codes(self, stage: str, function: Callable[[np.ndarray], np.ndarray], dtype: Any) -> np.ndarray:  # noqa: ARG002 - no pass to tell of
        """Compute one number per object from its label row: once for every microcluster."""
        empty = np.full((1, self.rows.shape[1]), -1, np.int32)
        values = np.append(function(self.rows), function(empty)).astype(dtype, copy=False)
        return np.asarray(values[self.rows_of_objects])

    def codes_of(self, objects: np.ndarray) -> np.ndarray:
        """Label rows of some objects."""
        codes = self.rows[self.rows_of_objects[objects]]
        codes[self.rows_of_objects[objects] < 0] = -1
        return np.asarray(codes)

    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray) -> S:
        """Add up something over all objects, from their microclusters."""
        if self.leads is not None:
            self._refuse()
        return sum_in_memory(self.rows, sizes, new)

    def number(self, rule: Any) -> NoReturn:  # noqa: ARG002 - of other objects
        """Refuse: a rule is asked for all objects only where the rows at hand are a sample, as in a saved model."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        msg = "this model holds a sample of the label rows of its objects, not all of them; fit it again for that."
        raise ValueError(msg)


def sum_in_memory(rows: np.ndarray, sizes: np.ndarray, new: Callable[[], S]) -> S:
    """Fold label rows, each counted ``sizes`` times, into one sum; the same for any number of threads."""
    n_rows = rows.shape[0]
    n_pieces = min(n_threads(), 1 + n_rows // CHUNK_ROWS)

    def add(piece: tuple[int, int]) -> S:
        total = new()
        for start in range(*piece, CHUNK_ROWS):
            part = slice(start, min(start + CHUNK_ROWS, piece[1]))
            total.add(rows[part], sizes[part], np.arange(part.start, part.stop))
        return total

    total, *others = thread_map(add, row_ranges(n_rows, -(-n_rows // n_pieces)))
    for other in others:
        total.merge(other)
    return total
