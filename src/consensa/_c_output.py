"""Messages that a compiled library prints past Python, kept from the user's standard output."""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["without_c_messages"]

_STANDARD_OUTPUT = 1
_LOCK = threading.Lock()


@contextmanager
def without_c_messages(start: bytes) -> Iterator[None]:
    """Drop the lines that begin so from what is written to standard output meanwhile; all others come after the block.

    Examples
    --------
    >>> with without_c_messages(b"***"):
    ...     2 + 3
    5
    """
    if os.name != "posix":
        yield
        return
    library = ctypes.CDLL(None)
    with _LOCK, tempfile.TemporaryFile() as held:
        library.fflush(None)
        before = os.dup(_STANDARD_OUTPUT)
        os.dup2(held.fileno(), _STANDARD_OUTPUT)
        try:
            yield
        finally:
            library.fflush(None)
            os.dup2(before, _STANDARD_OUTPUT)
            os.close(before)
            held.seek(0)
            for line in held:
                if not line.startswith(start):
                    os.write(_STANDARD_OUTPUT, line)
