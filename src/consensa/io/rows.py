"""A matrix on disk that is written chunk by chunk, survives a stop, and appears under its name only when complete."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from consensa._messages import Message, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RowStore", "WorkFolder", "smallest_dtype"]

_READ_BYTES = 1 << 24
_LABEL_TYPES = (np.uint8, np.uint16, np.int32)
_SIGNED_TYPES = (np.int8, np.int16, np.int32)


def smallest_dtype(n_labels: int | None, *, signed: bool = False) -> np.dtype[Any]:
    """Smallest integer type that holds the labels 0 .. n_labels - 1, and -1 if ``signed``; int32 for None.

    Examples
    --------
    >>> smallest_dtype(256), smallest_dtype(256, signed=True), smallest_dtype(None)
    (dtype('uint8'), dtype('int16'), dtype('int32'))
    """
    known = _SIGNED_TYPES if signed else _LABEL_TYPES
    if n_labels is None:
        return np.dtype(np.int32)
    return np.dtype(next(kind for kind in known if n_labels - 1 <= np.iinfo(kind).max))


class RowStore:
    """An NPY file in the making: rows are appended in chunks, each with a checksum in a list next to it.

    A store that is opened again goes on after the last chunk that is whole (``n_rows`` are safely stored); what follows
    it is cut off. The list of chunks has the name of the file with ``.chunks`` at the end.

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.npy")
    ...     with RowStore(path, 2, np.uint8) as store:
    ...         store.append(np.array([[0, 1], [1, 1]]))
    ...     with RowStore(path, 2, np.uint8) as store:  # after a stop
    ...         print(store.n_rows)
    ...         store.append(np.array([[2, 0]]))
    ...         store.finish()
    ...     print(np.load(path).tolist())
    2
    [[0, 1], [1, 1], [2, 0]]
    """

    def __init__(self, path: str | os.PathLike[str], n_columns: int, dtype: Any) -> None:
        self.path = Path(path)
        self.n_columns = n_columns
        self.dtype = np.dtype(dtype)
        self.n_rows = 0
        self._list = self.path.with_name(self.path.name + ".chunks")
        self._file = self._open()

    def __enter__(self) -> RowStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def _row_bytes(self) -> int:
        return self.dtype.itemsize * self.n_columns

    def append(self, rows: np.ndarray) -> None:
        """Store a chunk of rows; it counts only when all of it, and then its checksum, is on disk."""
        data = np.ascontiguousarray(rows, self.dtype)
        self._file.write(data.data)
        self._file.flush()
        os.fsync(self._file.fileno())
        with self._list.open("a") as entries:
            entries.write(json.dumps({"rows": len(data), "crc32": zlib.crc32(data.data)}) + "\n")
            entries.flush()
            os.fsync(entries.fileno())
        self.n_rows += len(data)

    def finish(self) -> None:
        """Write the number of rows into the header and drop the list of chunks: the file is complete."""
        self._file.seek(0)
        self._file.write(_header(self.n_rows, self.n_columns, self.dtype))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._list.unlink(missing_ok=True)

    def _open(self) -> IO[bytes]:
        entries = list(self._entries()) if self.path.exists() else []
        if not entries:
            self._list.unlink(missing_ok=True)
            file = self.path.open("w+b")
            file.write(_header(0, self.n_columns, self.dtype))
            return file
        file = self.path.open("r+b")
        kept = self._verify(file, entries)
        if kept < len(entries):
            self._list.write_text("".join(json.dumps(entry) + "\n" for entry in entries[:kept]))
        self.n_rows = sum(entry["rows"] for entry in entries[:kept])
        file.truncate(_HEADER_BYTES + self.n_rows * self._row_bytes)
        file.seek(0, os.SEEK_END)
        return file

    def _entries(self) -> Iterator[dict[str, int]]:
        """Entries of the list, without a last line that was cut off."""
        text = self._list.read_text() if self._list.exists() else ""
        for line in text.splitlines(keepends=True):
            if not line.endswith("\n"):
                return
            yield json.loads(line)

    def _verify(self, file: IO[bytes], entries: list[dict[str, int]]) -> int:
        """How many chunks from the first on are as they were written."""
        if file.read(_HEADER_BYTES) != _header(0, self.n_columns, self.dtype):
            return 0
        for place, entry in enumerate(entries):
            left, crc = entry["rows"] * self._row_bytes, 0
            while left > 0 and (piece := file.read(min(left, _READ_BYTES))):
                crc, left = zlib.crc32(piece, crc), left - len(piece)
            if left or crc != entry["crc32"]:
                return place
        return len(entries)


class WorkFolder:
    """The parts of a run next to its output, with a note of what they were made from.

    Parts of another origin (all that they depend on, as JSON can hold it) are refused; ``restart`` throws parts away.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     work = WorkFolder(folder + "/labels.csv.parts", {"seed": 0})
    ...     work.put("fit", {"rows": 3})
    ...     print(WorkFolder(folder + "/labels.csv.parts", {"seed": 0}).get("fit"))
    {'rows': 3}
    """

    def __init__(self, path: str | os.PathLike[str], origin: dict[str, Any], *, restart: bool = False) -> None:
        self.path = Path(path)
        if restart:
            self.remove()
        self.is_new = not (self.path / "origin.json").exists()
        self.path.mkdir(exist_ok=True)
        known = self.get("origin")
        if known is None:
            self.put("origin", origin)
        elif known != origin:
            changed = [key for key in sorted({*known, *origin}) if known.get(key) != origin.get(key)]
            text = (
                "{path} holds the parts of another run (its {changed} differ). Give the same data and parameters to go "
                "on with it, {restart} to throw its parts away, or another output."
            )
            restarted = Parameter("restart", value=True)
            raise ValueError(Message(text, path=self.path, changed=", ".join(changed), restart=restarted))

    def get(self, name: str) -> Any:
        """Return a finished note, or None."""
        try:
            return json.loads((self.path / f"{name}.json").read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def put(self, name: str, note: Any) -> None:
        """Store a note; it appears only when it is complete."""
        partial = self.path / f"{name}.json.partial"
        partial.write_text(json.dumps(note, sort_keys=True))
        partial.replace(self.path / f"{name}.json")

    def save_arrays(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        """Store named arrays; the file appears only when it is complete."""
        partial = self.path / f"{name}.npz.partial"
        named: dict[str, Any] = {**arrays}  # and no allow_pickle, which numpy 2.0 would store as one more array
        with partial.open("wb") as file:
            np.savez(file, **named)
        partial.replace(self.path / f"{name}.npz")

    def load_arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """Return stored arrays, or None if there are none that can be read."""
        try:
            with np.load(self.path / f"{name}.npz", allow_pickle=False) as archive:
                return {key: archive[key] for key in archive.files}
        except (OSError, ValueError, EOFError):
            return None

    def remove(self) -> None:
        """Remove the folder and all parts."""
        shutil.rmtree(self.path, ignore_errors=True)


def _header(n_rows: int, n_columns: int, dtype: np.dtype[Any]) -> bytes:
    """NPY header of a fixed length, so that the number of rows can be written when it is known."""
    shape = f"({n_rows}, {n_columns})"
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.ljust(_HEADER_BYTES - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode("latin1")


_HEADER_BYTES = 128
