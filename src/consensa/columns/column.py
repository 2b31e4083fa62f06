"""What a column is, and how it is written as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KINDS", "LEFT_OUT", "USED", "Column", "used_columns"]

USED = ("number", "boolean", "date", "category", "ordered")
LEFT_OUT = ("id", "constant", "empty", "ignore")
KINDS = (*USED, *LEFT_OUT)


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, what it holds, and what its numbers mean in a coded matrix.

    In a coded matrix a number stands as it is, a date as days since 1970-01-01, a boolean as 0 or 1, a category and
    an ordered category as the place of its level in ``levels``; a gap, and a level never seen, is NaN.

    Parameters
    ----------
    name : str
    kind : {"number", "boolean", "date", "category", "ordered", "id", "constant", "empty", "ignore"}
        The last four are left out of the coded matrix.
    levels : tuple of str
        Of a category in the order of the alphabet, of an ordered one in its own order, of a boolean written in words
        first the word for no, then the word for yes; else empty.
    n_rows, n_missing : int
        Rows and gaps where the column was first read.
    form : str
        How texts are read as dates: "" for 2024-12-31, "dmy" for 31.12.2024, "mdy" for 12/31/2024, "named" for
        31 Dec 2024.
    note : str
        Why it is left out, or what was found out about it, for people.

    Examples
    --------
    >>> Column("plan", "category", ("free", "team"), 10, 1).is_used
    True
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    n_rows: int = 0
    n_missing: int = 0
    form: str = ""
    note: str = ""

    @property
    def is_used(self) -> bool:
        """Whether the column is part of the coded matrix."""
        return self.kind in USED

    @property
    def is_category(self) -> bool:
        """Whether its numbers are places of levels without an order."""
        return self.kind == "category"


def used_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return the columns that a coded matrix has, in its order.

    Examples
    --------
    >>> [each.name for each in used_columns([Column("id", "id"), Column("age", "number")])]
    ['age']
    """
    return tuple(column for column in columns if column.is_used)
