"""Members of an ensemble in a folder, one file each, so that a stopped run goes on where it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import os

__all__ = ["MemberStore", "fingerprint"]


class MemberStore:
    """Label vectors, or other arrays by number, in a folder, together with what they were made from.

    ``origin`` is all that the members depend on (parameters, seed, fingerprint of the data), as JSON can hold it. A
    folder with members of another origin is refused.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = MemberStore(folder, {"seed": 0})
    ...     store.put(3, np.array([0, 1, 1], np.int32))
    ...     print(store.get(3), store.get(4))
    [0 1 1] None
    """

    def __init__(self, directory: str | os.PathLike[str], origin: dict[str, Any], what: str = "member") -> None:
        self._folder = Path(directory)
        self._what = what
        self._folder.mkdir(parents=True, exist_ok=True)
        note = self._folder / "origin.json"
        text = json.dumps(origin, sort_keys=True, indent=1)
        if not note.exists():
            _write(note, text.encode())
        elif note.read_text() != text:
            msg = (
                f"the folder {self._folder} holds {what}s made from other data, parameters or another seed. "
                "Give an empty folder, or the same data and parameters to go on."
            )
            raise ValueError(msg)

    def get(self, number: int) -> np.ndarray | None:
        """Return a member, or None if it is not there (or not readable: then it is made again)."""
        try:
            return np.asarray(np.load(self._path(number), allow_pickle=False))
        except (OSError, ValueError, EOFError):
            return None

    def put(self, number: int, labels: np.ndarray) -> None:
        """Save a member; the file appears only when it is complete."""
        partial = self._path(number).with_suffix(".partial")
        with partial.open("wb") as file:
            np.save(file, labels, allow_pickle=False)
        partial.replace(self._path(number))

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._what}_{number:05d}.npy"


def fingerprint(X: np.ndarray) -> str:
    """Return a hash of the values and the shape of an array.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint(np.zeros(2)) == fingerprint(np.zeros(3))
    False
    """
    digest = hashlib.sha256(f"{X.dtype.str}{X.shape}".encode())
    digest.update(np.ascontiguousarray(X).data)
    return digest.hexdigest()


def _write(path: Path, content: bytes) -> None:
    partial = path.with_suffix(".partial")
    partial.write_bytes(content)
    partial.replace(path)
