"""Fitted models in one NPZ file: arrays, and everything else as JSON beside them. Nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from consensa._messages import Message, Term
from consensa.io.arrays import check_unpacked, loaded
from consensa.io.write import check_output, renamed_when_complete

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["FORMAT", "check_model_output", "damaged", "read_model", "seal", "write_model"]

FORMAT = {"format": "consensa model", "format_version": 2}
_NOTE = "model.json"


def check_model_output(
    target: str | os.PathLike[str], *, force: bool = False, source: str | os.PathLike[str] | None = None
) -> None:
    """Refuse a place for a model that could not be written later.

    Examples
    --------
    >>> check_model_output("model.csv")
    Traceback (most recent call last):
    ...
    ValueError: model.csv: a model is an NPZ file; give a name that ends in .npz.
    """
    if Path(target).suffix.lower() != ".npz":
        msg = f"{target}: a model is an NPZ file; give a name that ends in .npz."
        raise ValueError(msg)
    check_output(target, force=force, source=source)


def write_model(
    target: str | os.PathLike[str], note: Mapping[str, Any], arrays: Mapping[str, np.ndarray], *, force: bool = False
) -> None:
    """Write arrays of numbers and texts, and a note about them that JSON can hold, all or nothing.

    Integers are stored in as few bytes as they need; all but fractions are compressed, which would gain little.
    """
    check_model_output(target, force=force)
    dtypes = {name: array.dtype.str for name, array in arrays.items()}
    arrays = {name: _narrow(array) for name, array in arrays.items()}
    whole = json.loads(json.dumps({**FORMAT, **note, "dtypes": dtypes}))  # as it will be read
    text = json.dumps({**whole, "seal": seal(whole, arrays)}, indent=1)
    with (
        renamed_when_complete(Path(target).resolve()) as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.writestr(_NOTE, text)
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_STORED if array.dtype.kind == "f" else zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_model(source: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what :func:`write_model` wrote: the note and the arrays.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.npz")
    ...     write_model(path, {"k": 3}, {"labels": np.array([0, 1, 1])})
    ...     note, arrays = read_model(path)
    >>> note["k"], arrays["labels"]
    (3, array([0, 1, 1]))
    """
    if not Path(source).is_file():
        msg = f"{source}: there is no such file."
        raise ValueError(msg)
    with Path(source).open("rb") as stream:
        _check_archive(stream, str(source))
        note = _read_note(stream, str(source))
        try:
            archive = np.load(stream, allow_pickle=False)
            arrays = loaded(lambda: {name: archive[name] for name in note["dtypes"]}, str(source))
            as_written = note.get("seal") == seal(note, arrays)
            arrays = {name: array.astype(note["dtypes"][name], copy=False) for name, array in arrays.items()}
        except Exception as error:  # noqa: BLE001 - numpy and zipfile raise whatever a damaged file leads them to
            raise damaged(source, error) from None
    if not as_written:
        msg = f"{source}: the model is not as it was written; the file is damaged, or was changed by something else."
        raise ValueError(msg)
    return note, arrays


def seal(note: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """Return a digest of all that a model holds: it tells a damaged file, but not who wrote it.

    Examples
    --------
    >>> import numpy as np
    >>> first, second = (seal({"k": 3}, {"labels": np.array(labels)}) for labels in ([0, 1, 1], [0, 1, 0]))
    >>> len(first), first == second
    (64, False)
    """
    digest = hashlib.sha256(json.dumps({**note, "seal": None}, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        if array.nbytes:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def damaged(source: str | os.PathLike[str], error: Exception) -> ValueError:
    """Return the error for a model that cannot be read."""
    return ValueError(f"{source}: the model cannot be read; the file is damaged or cut off ({type(error).__name__}).")


def _check_archive(stream: IO[bytes], file: str) -> None:
    """Refuse what unpacks to far more than it is; what is no archive at all is told later."""
    try:
        archive = zipfile.ZipFile(stream)
    except Exception:  # noqa: BLE001 - zipfile raises whatever a damaged file leads it to
        return
    with archive:
        check_unpacked(archive, file)


def _read_note(stream: IO[bytes], file: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(stream) as archive:
            ours = _NOTE in archive.namelist()
            note = json.loads(archive.read(_NOTE)) if ours else {}
    except Exception as error:  # noqa: BLE001
        start = stream.seek(0) or stream.read(2)
        if start == b"PK":
            raise damaged(file, error) from None
        note = {}
    stream.seek(0)
    if not isinstance(note, dict) or note.get("format") != FORMAT["format"]:
        text = "{file}: is not a saved model; models are written by {save}."
        raise ValueError(Message(text, file=file, save=Term("save()")))
    if note.get("format_version") != FORMAT["format_version"]:
        msg = (
            f"{file}: is a model of format {note.get('format_version')!r}, this version of consensa reads format "
            f"{FORMAT['format_version']}; update consensa, or fit the model again."
        )
        raise ValueError(msg)
    return note


def _narrow(array: np.ndarray) -> np.ndarray:
    """The same integers in as few bytes as they need."""
    if array.dtype.kind not in "iu" or array.size == 0:
        return array
    smallest = np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
    return array.astype(smallest) if smallest.kind in "iu" and smallest.itemsize < array.dtype.itemsize else array
