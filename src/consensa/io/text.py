"""CSV and TSV as blocks of rows: fast where lines are plain numbers, careful where they are not."""

from __future__ import annotations

import csv
import io
import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, TypeVar

import numpy as np

from consensa._messages import Message, Parameter
from consensa.columns.cells import with_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from consensa.io.header import HeaderRule
    from consensa.io.layout import Layout

__all__ = ["Block", "TextTable", "open_text"]

T = TypeVar("T")

_DELIMITERS = (",", "\t", ";", "|")
_SNIFFED_LINES = 50
_SHOWN_LINES = 5  # that differ, beside the first
_JUDGED_ROWS = 10_000
_BLOCK_CELLS = 1 << 19
_BLOCK_ROWS = 1 << 16
_BLOCK_CHARACTERS = 1 << 23  # long labels and ids: fewer rows at a time
_SEPARATOR = "\x1f"  # joins cells that were cut apart already


class Block:
    """Consecutive rows of a text file, as lines without quotes or as cells.

    Lines are cut into cells only where that is needed; lines of the file are counted from 1.
    """

    def __init__(
        self, first_line: int, delimiter: str, lines: list[str], rows: list[list[str]], decimal: str = "."
    ) -> None:
        self.first_line = first_line
        self._delimiter = delimiter
        self._decimal = decimal
        self._lines = lines
        self._rows = rows

    def __len__(self) -> int:
        return len(self._lines or self._rows)

    def rows(self, at_most: int | None = None) -> list[list[str]]:
        """Cells of the first rows, or of all."""
        if self._rows:
            return self._rows[:at_most]
        return [line.rstrip("\r\n").split(self._delimiter) for line in self._lines[:at_most]]

    def preceded_by(self, first: list[str]) -> Block:
        """Return the block with one more row, the first of the file, before it."""
        line = self._delimiter.join(first)
        if self._lines and not set('"\r\n') & set(line) and line.count(self._delimiter) == len(first) - 1:
            return Block(1, self._delimiter, [line, *self._lines], [], self._decimal)
        return Block(1, self._delimiter, [], [first, *self.rows()], self._decimal)

    def cells(self, column: int) -> list[str]:
        """Cells of one column, without blanks around them."""
        if self._rows:
            return [row[column].strip() for row in self._rows]
        delimiter, after = self._delimiter, column + 1
        return [line.split(delimiter, after)[column].strip() for line in self._lines]

    def columns(self, wanted: Sequence[int]) -> list[list[str]]:
        """Cells of several columns, without blanks around them; every line is cut once."""
        turned = list(zip(*self.rows(), strict=True))
        return [[cell.strip() for cell in turned[column]] for column in wanted]

    def widths(self) -> list[int]:
        """Number of cells of every row."""
        if self._rows:
            return list(map(len, self._rows))
        return [line.count(self._delimiter) + 1 for line in self._lines]

    def line_of(self, row: int) -> int:
        """Number of the line where a row begins."""
        broken = sum(cell.count("\n") for cells in self._rows[:row] for cell in cells)
        return self.first_line + row + broken

    def numbers(self, columns: Sequence[int]) -> np.ndarray | None:
        """Columns as floats of shape (n_rows, n_columns), or None if a cell is not a number."""
        if self._lines and self._decimal == ".":
            return _parse(self._lines, self._delimiter, columns)
        rows = [[row[j].strip() for j in columns] for row in self.rows()]
        if self._decimal != ".":
            pointed = [row for row in (with_points(row, self._decimal) for row in rows) if row is not None]
            if len(pointed) < len(rows):
                return None
            rows = pointed
        lines = [_SEPARATOR.join(row) for row in rows]
        return _parse(lines, _SEPARATOR, range(len(columns)))

    def has_codes(self) -> bool:
        """Whether some cell has digits after a leading 0, as codes have and numbers have not."""
        if self._lines:
            code = re.compile(rf"(?:^|{re.escape(self._delimiter)})\s*0\d", re.MULTILINE)
            return code.search("".join(self._lines)) is not None
        return any(re.match(r"\s*0\d", cell) for row in self._rows for cell in row)


def _parse(lines: list[str], delimiter: str, columns: Sequence[int]) -> np.ndarray | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a block of empty lines
            values = np.loadtxt(lines, delimiter=delimiter, comments=None, usecols=columns, ndmin=2)
    except (ValueError, UserWarning):
        return None
    return values if values.shape[0] == len(lines) else None  # loadtxt passes over empty lines


@dataclass(frozen=True)
class TextTable:
    """An open text file: the names of its columns, whether they come from it, and its rows in blocks."""

    names: list[str]
    has_header: bool
    first_block: Block
    blocks: Iterator[Block]  # from the first on

    @property
    def note(self) -> str:
        """What was found out about the header."""
        return "the first line is the header" if self.has_header else "there is no header line"


@contextmanager
def open_text(stream: IO[bytes], file: str, kind: str, layout: Layout, header_rule: HeaderRule) -> Iterator[TextTable]:
    """Find delimiter, header and columns of a text file, and hand out its rows.

    The header rule takes the first row and some of the next, and says whether the first is a header, None if it cannot.
    """
    encoding = "utf-8-sig" if layout.encoding.lower().replace("-", "") == "utf8" else layout.encoding
    try:
        text = io.TextIOWrapper(stream, encoding, newline="")
    except LookupError:
        msg = f"encoding={layout.encoding!r} is not known; give one like utf-8, latin-1 or cp1252."
        raise ValueError(msg) from None
    try:
        yield _start(_lines(text, file), file, kind, layout, header_rule)
    except csv.Error as error:
        msg = f"{file}: cannot be read as {kind.upper()} ({error}); a quote may be open, or the file cut off."
        raise ValueError(msg) from None
    except UnicodeDecodeError as error:
        said = "{file}: is not {encoding} text (byte 0x{byte:02x}); save it as UTF-8, or give {latin}."
        byte, latin = error.object[error.start], Parameter("encoding", "latin-1")
        raise ValueError(Message(said, file=file, encoding=layout.encoding.upper(), byte=byte, latin=latin)) from None
    finally:
        text.detach()


def _start(lines: Iterator[str], file: str, kind: str, layout: Layout, header_rule: HeaderRule) -> TextTable:
    head = list(islice(lines, _SNIFFED_LINES))
    delimiter = layout.delimiter or ("\t" if kind == "tsv" else _sniff(head, layout.decimal))
    lines = chain(head, lines)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    first = [cell.strip() for cell in next(reader, [])]
    if not any(first):
        msg = f"{file}: the first line is blank; a table starts with its header or its first row."
        raise ValueError(msg)
    blocks = _blocks(lines, file, (delimiter, layout.decimal), len(first), reader.line_num + 1)
    block = next(blocks, Block(reader.line_num + 1, delimiter, [], []))
    has_header = header_rule(first, block.rows(_JUDGED_ROWS)) if layout.header is None else layout.header
    if has_header is None:
        text = "{file}: it cannot be told whether the first line, {line!r}, is a header; give {yes} or {no}."
        yes, no = Parameter("header", value=True), Parameter("header", value=False)
        raise ValueError(Message(text, file=file, line=_shorten(delimiter.join(first)), yes=yes, no=no))
    if not has_header:
        block = block.preceded_by(first)
    elif not len(block):
        msg = f"{file}: there is a header, but no row of data."
        raise ValueError(msg)
    names = [cell if has_header and (cell or j == 0) else str(j) for j, cell in enumerate(first)]
    return TextTable(names, has_header, block, chain([block], blocks))


def _lines(text: Iterable[str], file: str) -> Iterator[str]:
    """Lines without the blank ones at the end; a NUL says that this is no text."""
    held: list[str] = []
    for line in text:
        if not line.strip("\r\n"):
            held.append(line)
            continue
        if "\0" in line:
            msg = f"{file}: is a binary file, not text; the known kinds are told by their endings."
            raise ValueError(msg)
        if held:
            yield from held
            held.clear()
        yield line


def _sniff(head: list[str], decimal: str) -> str:
    """Return the first delimiter that cuts the first lines into the same number of cells, more than one."""
    possible = [delimiter for delimiter in _DELIMITERS if delimiter != decimal]
    for delimiter in possible:
        widths = {len(row) for row in csv.reader(head, delimiter=delimiter) if row}
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return max(possible, key=head[0].count) if head else ","


def _blocks(lines: Iterator[str], file: str, signs: tuple[str, str], width: int, line: int) -> Iterator[Block]:
    """Cut the lines below the first row into blocks; from the first quote on they are parsed cell by cell.

    The signs are the delimiter and the decimal sign.
    """
    delimiter, decimal = signs
    size = max(1, min(_BLOCK_ROWS, _BLOCK_CELLS // width))
    while plain := _take(lines, size, len):
        if '"' in "".join(plain):
            lines = chain(plain, lines)
            break
        block = Block(line, delimiter, plain, [], decimal)
        _check_widths(block, file, width)
        yield block
        line += len(plain)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = line - 1
    while rows := [row or [""] for row in _take(reader, size, lambda row: sum(map(len, row)))]:
        block = Block(line, delimiter, [], rows, decimal)
        _check_widths(block, file, width)
        yield block
        line = start + reader.line_num + 1


def _take(items: Iterator[T], at_most: int, length: Callable[[T], int]) -> list[T]:
    """Take the next items: so many, or fewer where they are long."""
    taken, left = [], _BLOCK_CHARACTERS
    for item in islice(items, at_most):
        taken.append(item)
        left -= length(item)
        if left < 0:
            break
    return taken


def _check_widths(block: Block, file: str, width: int) -> None:
    widths = block.widths()
    if widths.count(width) < len(widths):
        row, *others = [i for i, found in enumerate(widths) if found != width]
        cells = f"{widths[row]} cell{'s' if widths[row] > 1 else ''}"
        shown = [str(block.line_of(i)) for i in others[:_SHOWN_LINES]]
        more = f", ... ({len(others)} in all)" if len(others) > len(shown) else ""
        too = f" (and not only there: line {', '.join(shown)}{more})" if others else ""
        msg = (
            f"{file}: line {block.line_of(row)} has {cells}, but the first line has {width}{too}; all must have the "
            "same."
        )
        raise ValueError(msg)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
