"""What a column is, found out block by block: by its type, by its cells, or as the user says."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._messages import Message, Parameter
from consensa.columns.cells import BLANKS, CODE, as_texts, parse_numbers
from consensa.columns.column import KINDS, Column
from consensa.columns.dates import DATE_FORMS, parse_dates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consensa.columns.cells import Cells

__all__ = ["ColumnScan", "check_types", "columns_of", "is_id_word"]

_MOST_TEXTS = 50_000  # distinct texts that are counted; a column with more holds no categories
_FEW = 20  # distinct texts that are categories whatever the number of rows
_MANY_SHARE = 0.5  # distinct texts among the cells of a column that cannot be categories
_NUMBERS_SHARE = 0.8  # distinct texts that are numbers, where the others are probably faults
_SHOWN_FAULTS = 20
# A number in some notation: 1,234.5 or 1.234,5 or 12,5
_WRITTEN = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:[.,' ]\d{3})+)(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_YES_NO = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))
_ID_WORD = re.compile(r"(?:^|[_\-. ])(?:id|ids|no|nr|number|key|index|uuid|guid)$|[a-z](?:Id|ID|No|Nr)$", re.ASCII)
# What is no number because of a sign or a unit, and what is no date because of its notation
_WITH_UNIT = re.compile(r"[^\w.,+-]{0,2} ?[-+]?\d[\d.,' ]*(?:[^\w.,+-]{1,2}|[A-Za-z]{1,4}\.?)?")
_LIKE_DATE = re.compile(r"(?=.*\d)[\w.,]{1,9}[-./ ]+[\w.,]{1,9}[-./ ]+\d{2,4}(?:\D.*)?")


def is_id_word(name: str) -> bool:
    """Whether the name of a column says that it holds ids: customer_no, PassengerId, uuid.

    Examples
    --------
    >>> [is_id_word(name) for name in ("customer_no", "PassengerId", "ID", "humidity")]
    [True, True, True, False]
    """
    return bool(_ID_WORD.search(name.strip()) or _ID_WORD.search(name.strip().lower()))


def check_types(types: Any, names: Sequence[str]) -> dict[str, str]:
    """Return what the user says about columns: kinds by name, after a check.

    Examples
    --------
    >>> check_types({"size": "small<large"}, ["size", "age"])
    {'size': 'small<large'}
    """
    if types is None:
        return {}
    found = dict(types)
    words = (*KINDS[:5], "date:dmy", "date:mdy", "id", "ignore")
    for name, kind in found.items():
        if name not in names:
            shown = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
            msg = f"types names a column {name!r} that is not there; the columns are {shown}."
            raise ValueError(msg)
        if kind not in words and "<" not in str(kind):
            msg = (
                f"types={{{name!r}: {kind!r}}} is not allowed; give one of {', '.join(words)}, or levels in their "
                "order like low<medium<high."
            )
            raise ValueError(msg)
    return found


class ColumnScan:
    """Looks at the blocks of one column and says at the end what it is.

    Parameters
    ----------
    name : str
    wanted : str
        What the user says it is; empty to find out.
    at_edge : bool
        Whether it is the first or the last column, where row numbers stand.
    says_id : bool
        Whether its place and name say that it holds ids, if every row has another one.

    Examples
    --------
    >>> from consensa.columns.cells import cells_of_texts
    >>> scan = ColumnScan("plan")
    >>> scan.add(cells_of_texts(["free", "team", "", "free"]))
    >>> scan.column().levels
    ('free', 'team')
    """

    def __init__(self, name: str, wanted: str = "", *, at_edge: bool = False, says_id: bool = False) -> None:
        self.name, self.wanted, self.at_edge = name, wanted, at_edge
        self.n_rows = self.n_missing = 0
        self.kinds: set[str] = set()
        self.is_category = self.is_ordered = False
        self.texts: Counter[str] = Counter()
        self._order: list[str] = []
        self._counted = True
        self._all_differ = True
        self._numbers = _Numbers(name, says_id=says_id or is_id_word(name))

    def add(self, cells: Cells) -> None:
        """Take in a block."""
        gaps = int(np.isnan(cells.values).sum())
        if gaps < cells.values.size:
            self.kinds.add(cells.kind)
            if cells.kind != "text":
                self._numbers.add(cells.values, self.n_rows)
            if cells.kind == "text" or self._wants_levels:
                self._add_texts(as_texts(cells))
        self.n_rows += cells.values.size
        self.n_missing += gaps

    @property
    def all_differ(self) -> bool:
        """Whether every row has another value, as far as it was counted."""
        if self.n_missing:
            return False
        if self.kinds == {"number"}:
            return self._numbers.all_differ(self.n_rows)
        return self._all_differ and (not self._counted or len(self.texts) == self.n_rows)

    @property
    def _wants_levels(self) -> bool:
        return self.wanted in {"category", "ordered"} or "<" in self.wanted

    def _add_texts(self, cells: Cells) -> None:
        levels = cells.levels or []
        if cells.is_ordered and not self._order:
            self._order = levels
        self.is_category |= cells.is_category
        self.is_ordered |= cells.is_ordered
        counts = np.bincount(cells.values[~np.isnan(cells.values)].astype(np.int64), minlength=len(levels))
        self._all_differ &= int(counts.max(initial=0)) <= 1
        if self._counted:
            self.texts.update({level: int(n) for level, n in zip(levels, counts.tolist(), strict=True) if n})
            self._counted = len(self.texts) <= _MOST_TEXTS

    def column(self) -> Column:
        """Return what the column is; a ValueError says why it cannot be used."""
        n_known = self.n_rows - self.n_missing
        if self.wanted in ("id", "ignore"):
            return self._as(self.wanted, note="as given")
        n_known -= self._set_blanks_apart()
        if n_known == 0:
            return self._as("empty", note="it holds no value")
        if self.wanted:
            return self._as_wanted()
        if self.kinds == {"text"} or len(self.kinds) > 1:
            return self._of_texts(n_known)
        return self._of_numbers(n_known, next(iter(self.kinds)))

    def _set_blanks_apart(self) -> int:
        """Count signs like "-" as gaps in a column that is otherwise of numbers or dates; return how many there are."""
        words = [text for text in self.texts if text not in BLANKS]
        measured = self.kinds & {"number", "date"} if not words else _date_forms(words)
        if self._wants_levels or len(words) == len(self.texts) or not measured:
            return 0
        n_blank = sum(self.texts.pop(text) for text in [*self.texts] if text in BLANKS)
        if not words:
            self.kinds.discard("text")
        self.n_missing += n_blank
        return n_blank

    def _of_numbers(self, n_known: int, kind: str) -> Column:
        if self._numbers.is_constant:
            return self._as("constant", note=f"it holds one value only, {self._numbers.shown(kind)}")
        self._numbers.refuse_infinite()
        if kind == "number" and self._numbers.are_ids(n_known, self.n_missing, at_edge=self.at_edge):
            return self._as("id", note="every row has another number")
        return self._as(kind)

    def _as(self, kind: str, **more: Any) -> Column:
        return Column(self.name, kind, n_rows=self.n_rows, n_missing=self.n_missing, **more)

    def _as_wanted(self) -> Column:
        kind, _, form = self.wanted.partition(":")
        if "<" in kind:
            levels = tuple(level.strip() for level in kind.split("<"))
            other = next((text for text in self.texts if text not in levels), None)
            if other is not None:
                msg = f"{self.name!r} holds {other!r}, which is not among the levels {kind!r}"
                raise ValueError(msg)
            return self._as("ordered", levels=levels)
        if self._wants_levels:
            return self._as(kind, levels=self._levels())
        if self.kinds == {kind} or (kind in ("number", "boolean", "date") and self.kinds == {"number"}):
            self._numbers.refuse_infinite()
            return self._as(kind)
        if kind == "date":
            forms = [form] if form else [each for each in DATE_FORMS if parse_dates(list(self.texts), each) is not None]
            if len(forms) == 1 and parse_dates(list(self.texts), forms[0]) is not None:
                return self._as("date", form=forms[0])
        words = self._yes_no()
        if kind == "boolean" and words:
            return self._as("boolean", levels=words)
        msg = f"{self.name!r} holds {self._example()!r}, which cannot be read as {self.wanted}"
        raise ValueError(msg)

    def _levels(self) -> tuple[str, ...]:
        if self._order:
            return tuple(level for level in self._order if level in self.texts)
        return tuple(sorted(self.texts, key=_natural))

    def _example(self) -> str:
        return next(iter(self.texts), "")

    def _yes_no(self) -> tuple[str, str] | None:
        """The word for no and the word for yes, where the column holds nothing else."""
        words = {text.lower(): text for text in self.texts}
        pair = next((pair for pair in _YES_NO if set(words) == set(pair)), None)
        return None if pair is None or len(self.texts) > 2 else (words[pair[0]], words[pair[1]])

    def _of_texts(self, n_known: int) -> Column:
        n_texts = len(self.texts)
        if n_texts == 1 and self.kinds == {"text"}:
            return self._as("constant", note=f"it holds one value only, {self._example()!r}")
        words = self._yes_no()
        if words and not self.is_category and self.kinds == {"text"}:
            return self._as("boolean", levels=words)
        if self.is_category:
            return self._as("ordered" if self.is_ordered else "category", levels=self._levels())
        self._refuse_mixed()
        forms = _date_forms(list(self.texts))
        if len(forms) == 1:
            return self._as("date", form=forms[0])
        if len(forms) == 2:
            msg = (
                f"{self.name!r} holds dates like {self._example()!r}, which can be read in two ways: call it date:dmy "
                "or date:mdy"
            )
            raise ValueError(msg)
        if n_texts > _FEW and (not self._counted or n_texts > _MANY_SHARE * n_known):
            if self._all_differ and n_texts >= min(n_known, _MOST_TEXTS):
                return self._as("id", note="every row has another text")
            raise ValueError(self._too_many(n_known))
        return self._as("category", levels=self._levels())

    def _too_many(self, n_known: int) -> str:
        """Say of a column with very many texts what they could be."""
        least = _NUMBERS_SHARE * len(self.texts)
        if sum(_LIKE_DATE.fullmatch(text) is not None for text in self.texts) > least:
            return f"{self.name!r} holds dates like {self._example()!r}; write them like 2024-12-31"
        if sum(_WITH_UNIT.fullmatch(text) is not None for text in self.texts) > least:
            return f"{self.name!r} holds numbers with a sign or unit like {self._example()!r}; leave the numbers only"
        more = "more than " if not self._counted else ""
        return f"{self.name!r} holds {more}{len(self.texts)} different texts in {n_known} rows, too many for categories"

    def _refuse_mixed(self) -> None:
        """Say where a column of numbers holds something else, or numbers in another notation."""
        if not self._is_wide or not self.looks_numeric:
            return
        others = [text for text in self.texts if text not in BLANKS and parse_numbers([text]) is None]
        if not others and not any(map(CODE.fullmatch, self.texts)):  # but not with the decimal sign that was given
            others = [text for text in self.texts if "." in text]
        if others:
            odd = all(map(_WRITTEN.fullmatch, others))
            shown = ", ".join(map(repr, sorted(others)[:3]))
            raise (
                _NotationError(f"{self.name!r} holds numbers like {shown}")
                if odd
                else ValueError(f"{self.name!r} holds numbers, but also {shown}")
            )

    @property
    def looks_numeric(self) -> bool:
        """Whether most texts are numbers, in whatever notation, so that the others are probably faults."""
        if "number" in self.kinds:
            return True
        n_written = sum(_WRITTEN.fullmatch(text) is not None for text in self.texts)
        return n_written > _NUMBERS_SHARE * len(self.texts)

    @property
    def _is_wide(self) -> bool:
        return len(self.texts) > _FEW or "number" in self.kinds


class _Numbers:
    """What is known of the numbers of a column so far."""

    def __init__(self, name: str, *, says_id: bool) -> None:
        self._says_id = says_id
        self._name = name
        self._low, self._high = np.inf, -np.inf
        self._infinite: int | None = None
        self._whole = True
        self._counts_up = True
        self._last: float | None = None
        self._seen: list[np.ndarray] = []

    def add(self, values: np.ndarray, first_row: int) -> None:
        """Take in a block that begins with a row of that number."""
        known = values[~np.isnan(values)]
        endless = np.flatnonzero(np.isinf(values))
        if endless.size and self._infinite is None:
            self._infinite = first_row + int(endless[0])
        self._low, self._high = min(self._low, known.min()), max(self._high, known.max())
        with np.errstate(invalid="ignore", over="ignore"):
            self._whole = self._whole and bool(np.all(known == np.floor(known)))
            steps = np.diff(known if self._last is None else np.append(self._last, known))
        self._counts_up = self._counts_up and known.size == values.size and bool(np.all(steps == 1))
        self._last = float(known[-1])
        if self._says_id and self._whole:
            self._seen.append(known)

    @property
    def is_constant(self) -> bool:
        """Whether there is one value only."""
        return bool(self._low == self._high)

    def shown(self, kind: str) -> str:
        """The smallest value, as it is written."""
        from consensa.columns.cells import Cells

        return (as_texts(Cells(kind, np.array([self._low]))).levels or [""])[0]

    def refuse_infinite(self) -> None:
        """Numbers must be finite."""
        if self._infinite is not None:
            msg = f"{self._name!r} holds an infinite number in row {self._infinite}"
            raise ValueError(msg)

    def are_ids(self, n_known: int, n_missing: int, *, at_edge: bool) -> bool:
        """Whether every row has another whole number, and the name or the order says that they are ids."""
        if not self._whole or n_missing or n_known < 10:
            return False
        if self._counts_up and at_edge:
            return True
        return self._says_id and self.all_differ(n_known)

    def all_differ(self, n_known: int) -> bool:
        """Whether all are whole numbers and none occurs twice, where the name says that they are ids."""
        return bool(self._seen) and np.unique(np.concatenate(self._seen)).size == n_known


def _date_forms(texts: list[str]) -> list[str]:
    """Notations, other than that of the year first, in which all texts are dates."""
    forms = [form for form in DATE_FORMS[1:] if parse_dates(texts[:1000], form) is not None]
    return [form for form in forms if texts and parse_dates(texts, form) is not None]


def _natural(text: str) -> tuple[Any, ...]:
    """Key of an order in which 2 comes before 10."""
    number = parse_numbers([text])
    return (0, float(number[0]), text) if number is not None and text else (1, 0.0, text)


class _NotationError(ValueError):
    """Numbers with signs between thousands, or another decimal sign than the one that is read."""


def columns_of(scans: Sequence[ColumnScan], types: Mapping[str, str], where: str = "") -> tuple[Column, ...]:
    """Return what all columns are; one error lists all that cannot be used."""
    found: list[Column] = []
    faults: list[tuple[str, ValueError]] = []
    for scan in scans:
        try:
            found.append(scan.column())
        except ValueError as error:
            faults.append((scan.name, error))
    if faults:
        raise ValueError(_all_faults(faults, types, where))
    if not any(column.is_used for column in found):
        left = ", ".join(f"{column.name!r} ({column.kind})" for column in found)
        msg = f"{where}there is no column to cluster by; all are left out: {left}."
        raise ValueError(msg)
    return tuple(found)


def _all_faults(faults: list[tuple[str, ValueError]], types: Mapping[str, str], where: str) -> Message:
    """One message of all columns that cannot be used, and what to do about them."""
    text = (
        "{where}{n} cannot be used: {faults}. Mend the data, leave cells without a value empty, leave columns out "
        "with {ignore}, or say what they are with {types}."
    )
    notation = any(isinstance(error, _NotationError) for _, error in faults)
    if notation:
        text += " If the comma is the decimal sign, give {decimal}; signs between thousands have to go."
    shown = {f"f{i}": str(error) for i, (_, error) in enumerate(faults[:_SHOWN_FAULTS])}
    more = f"; and {len(faults) - len(shown)} more" if len(faults) > len(shown) else ""
    return Message(
        text,
        where=where,
        n="1 column" if len(faults) == 1 else f"{len(faults)} columns",
        faults=Message("; ".join(f"{{{place}}}" for place in shown) + more, **shown),  # each has a length of its own
        ignore=Parameter("types", {**types, **{name: "ignore" for name, _ in faults}}),
        types=Parameter("types", {faults[0][0]: "category"}),
        decimal=Parameter("decimal", ","),
    )
