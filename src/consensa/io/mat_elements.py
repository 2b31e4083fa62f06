"""The elements of MAT files of version 5, looked through before scipy reads them: it trusts the codes of their types.

A code that stands for no type makes its reader fetch a type from beyond its table, and the process dies.
"""

from __future__ import annotations

import struct
import zlib
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_elements"]

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13})  # int8 to uint32, single, double, int64, uint64
_NUMERIC_CLASSES = range(5, 16)  # sparse (5), double (6), single, int8 to uint64 (15)
_SPARSE = 5
_COMPLEX = 0x08
_UNSUSPICIOUS = 1 << 28


class _Tag(NamedTuple):
    kind: int
    start: int  # of the content
    size: int
    end: int  # of the element with its padding


def check_elements(stream: IO[bytes]) -> None:
    r"""Refuse a file in which an element of a numeric variable has no type, or is larger than what holds it.

    Examples
    --------
    >>> import io
    >>> header, element = b"MATLAB 5.0".ljust(124) + b"\x00\x01IM", bytes([99, 0, 0, 0, 8, 0, 0, 0]) + bytes(8)
    >>> check_elements(io.BytesIO(header + element))
    Traceback (most recent call last):
    ...
    ValueError: an element has type 99
    """
    content = stream.read()
    stream.seek(0)
    if 0 in content[:4] or len(content) < _HEADER:
        return  # version 4, or too short for any
    order = ">" if content[126:128] == b"MI" else "<"
    for tag in _elements(content, _HEADER, len(content), order):
        body = content[tag.start : tag.start + tag.size]
        if tag.kind == _COMPRESSED:
            body = _unpacked(body)
            inner = _tag(body, 0, len(body), order)
            if inner.kind != _MATRIX:
                _refuse(inner.kind)
            body = body[inner.start : inner.start + inner.size]
        elif tag.kind != _MATRIX:
            _refuse(tag.kind)
        _check_matrix(body, order)


def _check_matrix(body: bytes, order: str) -> None:
    """Check the parts of one variable: flags, dimensions, name, and where it is numeric its numbers."""
    tags = _elements(body, 0, len(body), order)
    flags = next(tags, None)
    if flags is None or flags.kind != 6 or flags.size != 8:
        _refuse(-1 if flags is None else flags.kind)
    (word,) = struct.unpack_from(f"{order}I", body, flags.start)
    kind, is_complex = word & 0xFF, bool((word >> 8) & _COMPLEX)
    if kind not in _NUMERIC_CLASSES:
        return  # never read
    dimensions, name = next(tags, None), next(tags, None)
    if dimensions is None or dimensions.kind != 5 or name is None or name.kind != 1:
        _refuse(-1 if dimensions is None else dimensions.kind)
    n_parts = (3 if kind == _SPARSE else 1) + is_complex
    for _ in range(n_parts):
        part = next(tags, None)
        if part is None or part.kind not in _NUMBERS:
            _refuse(-1 if part is None else part.kind)


def _elements(content: bytes, start: int, stop: int, order: str) -> Iterator[_Tag]:
    while start + 8 <= stop:
        tag = _tag(content, start, stop, order)
        yield tag
        start = tag.end


def _tag(content: bytes, start: int, stop: int, order: str) -> _Tag:
    """Type and place of the element at a place; a small one has its size in the upper half of the type."""
    if start + 8 > stop:
        _refuse(-1)
    kind, size = struct.unpack_from(f"{order}II", content, start)
    if kind >> 16:
        kind, size, begin, end = kind & 0xFFFF, kind >> 16, start + 4, start + 8
        fits = size <= 4
    else:
        begin = start + 8
        end = begin + size if kind == _COMPRESSED else begin + -(-size // 8) * 8
        fits = begin + size <= stop
    if not fits:
        msg = f"an element of {size} bytes does not fit"
        raise ValueError(msg)
    return _Tag(kind, begin, size, end)


def _unpacked(body: bytes) -> bytes:
    reader = zlib.decompressobj()
    found = reader.decompress(body, max(_UNSUSPICIOUS, 100 * len(body)))
    if reader.unconsumed_tail:
        msg = "an element unpacks to far more than it is"
        raise ValueError(msg)
    return found


def _refuse(kind: int) -> NoReturn:
    msg = f"an element has type {kind}"
    raise ValueError(msg)
