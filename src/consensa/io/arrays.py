"""NPY and NPZ: numbers and texts only; arrays of Python objects are refused, never unpickled."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from consensa._budget import format_bytes
from consensa._messages import Message, Parameter

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable

__all__ = ["ArrayFile", "check_unpacked", "checked_array", "load_npy", "load_npz", "loaded"]

_IDS = "ids"
_NAMES = "names"
_LAST_CHARACTER = 0x10FFFF
_UNSUSPICIOUS = 1 << 30  # bytes that anything may unpack to
_MOST_TIMES = 100  # as large as packed; numbers of any use are packed to more than that


@dataclass(frozen=True)
class ArrayFile:
    """A vector or matrix, the ids of its rows and the names of its columns where the file has them, and notes."""

    values: np.ndarray
    ids: np.ndarray | None
    names: list[str]
    notes: tuple[str, ...] = ()


def load_npy(stream: IO[bytes], file: str) -> ArrayFile:
    """Read the one array of an NPY file."""
    values = checked_array(loaded(lambda: np.load(stream, allow_pickle=False), file), file)
    return ArrayFile(values, None, _numbers(values))


def load_npz(stream: IO[bytes], file: str, wanted: str | None) -> ArrayFile:
    """Read an array of an NPZ file, the only one if none is named; ``ids`` and ``names`` that fit it go with it."""
    archive = loaded(lambda: np.load(stream, allow_pickle=False), file)
    found = [name for name in archive.files if name not in (_IDS, _NAMES)]
    if wanted is None and len(found) != 1:
        text = "{file}: holds {n} arrays ({names}); choose one with {array}."
        choice = Parameter("array", "NAME")
        raise ValueError(Message(text, file=file, n=len(found), names=", ".join(found), array=choice))
    chosen = found[0] if wanted is None else wanted
    if chosen not in archive.files:
        msg = f"{file}: there is no array {chosen!r}; the arrays are {', '.join(archive.files)}."
        raise ValueError(msg)
    check_unpacked(archive.zip, file)
    values = checked_array(loaded(lambda: archive[chosen], file), file)
    ids = _companion(archive, _IDS, values.shape[0], file)
    names = _companion(archive, _NAMES, _n_columns(values), file)
    return ArrayFile(values, ids, _numbers(values) if names is None else [str(name) for name in names])


def check_unpacked(archive: zipfile.ZipFile, file: str) -> None:
    """Refuse an archive whose small size hides a huge one, before anything is unpacked."""
    for entry in archive.infolist():
        if entry.file_size > max(_UNSUSPICIOUS, _MOST_TIMES * entry.compress_size):
            msg = (
                f"{file}: its part {entry.filename!r} unpacks from {format_bytes(entry.compress_size)} to "
                f"{format_bytes(entry.file_size)}; if that is meant, save it uncompressed."
            )
            raise ValueError(msg)


def _companion(archive: Any, name: str, length: int, file: str) -> np.ndarray | None:
    """A vector of texts or whole numbers that goes with the matrix, as texts."""
    if name not in archive.files:
        return None
    vector = checked_array(loaded(lambda: archive[name], file), file)
    fits = vector.shape == (length,) and vector.dtype.kind in "iuUS"
    if not fits:
        return None
    texts = np.char.decode(vector, "utf-8") if vector.dtype.kind == "S" else vector.astype(str)
    return texts.astype(object)


def loaded(read: Callable[[], Any], file: str) -> Any:
    """Call what reads a file; whatever goes wrong is a ValueError of one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about headers that Python 2 wrote, or nobody
            return read()
    except Exception as error:  # noqa: BLE001 - the libraries raise whatever a damaged header leads them to
        if "allow_pickle" in str(error):
            msg = f"{file}: holds Python objects, and nothing is ever unpickled; save numbers or texts instead."
        else:
            msg = f"{file}: cannot be read; the file is damaged or cut off ({type(error).__name__})."
        raise ValueError(msg) from None


def checked_array(array: Any, file: str) -> np.ndarray:
    """Refuse what is no vector or matrix, an empty one, and impossible texts."""
    if not isinstance(array, np.ndarray):
        msg = f"{file}: the chosen part is not an array."
        raise ValueError(msg)  # noqa: TRY004 - a fault of the file, not of the caller
    if array.ndim not in (1, 2):
        msg = f"{file}: the array has shape {array.shape}; expected rows x columns."
        raise ValueError(msg)
    if array.size == 0:
        msg = f"{file}: the array of shape {array.shape} holds nothing; at least one row and one column are needed."
        raise ValueError(msg)
    if array.dtype.kind == "U":
        native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        if native.dtype.itemsize and native.view(np.uint32).max() > _LAST_CHARACTER:
            msg = f"{file}: holds texts with impossible characters; the file is damaged."
            raise ValueError(msg)
    return array


def _n_columns(values: np.ndarray) -> int:
    return int(values.shape[1]) if values.ndim == 2 else 1


def _numbers(values: np.ndarray) -> list[str]:
    return [str(j) for j in range(_n_columns(values))]
