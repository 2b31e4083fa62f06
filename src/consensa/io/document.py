"""Texts into files, all or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from consensa.io.write import check_place, renamed_when_complete

if TYPE_CHECKING:
    import os

__all__ = ["write_document"]


def write_document(target: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    r"""Write a text as UTF-8, under another name that it loses when it is complete.

    Parameters
    ----------
    target : path
    text : str
    force : bool, default=False
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "note.txt")
    ...     write_document(path, "Ñ")
    ...     path.read_bytes()
    b'\xc3\x91'
    """
    check_place(target, force=force)
    with renamed_when_complete(Path(target).resolve()) as stream:
        stream.write(text.encode())
