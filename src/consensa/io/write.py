"""Labels into files: checked before any work, written under another name and renamed when complete."""

from __future__ import annotations

import csv
import errno
import io
import os
import secrets
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._messages import Message, Parameter, Term, warn
from consensa._parquet import require_pyarrow, save_parquet, write_blocks
from consensa._threads import row_ranges
from consensa.io.cells import parse_number
from consensa.io.source import STANDARD, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "check_apart",
    "check_output",
    "check_place",
    "discard_output",
    "renamed_when_complete",
    "stream_labels",
    "write_document",
    "write_labels",
]

_BLOCK_ROWS = 1 << 16
_FORMULA = tuple("=+-@\t\r")  # how OWASP lists the beginnings that spreadsheets act on
_NO_H5AD = Term("h5ad is written by anndata, after consensa.tl.consensus")


def check_output(
    target: str | os.PathLike[str],
    *,
    force: bool = False,
    source: str | os.PathLike[str] | None = None,
    annotates: bool = False,
) -> None:
    """Refuse a place for results that could not be written later: call it before any computing.

    Parameters
    ----------
    target : path, or "-" for standard output
    force : bool, default=False
        Whether an existing file may be replaced.
    source : path or None, default=None
        The input, which is never replaced.
    annotates : bool, default=False
        Whether an h5ad file can be written: the input, which is one, with the result in it.

    Examples
    --------
    >>> check_output("labels.xls")
    Traceback (most recent call last):
    ...
    ValueError: labels.xls: the ending '.xls' is not known; use one of .csv, .tsv, .npy, .npz, .parquet, ...
    """
    if str(target) == STANDARD:
        return
    kind = kind_of(target, written=True)
    if kind == "mat" or (kind == "h5ad" and not annotates):
        why = "MAT files are read, not written" if kind == "mat" else _NO_H5AD
        raise ValueError(Message("{target}: {why}; choose CSV, TSV, NPY, NPZ or Parquet.", target=target, why=why))
    check_place(target, force=force, source=source)
    if kind == "parquet":
        require_pyarrow(str(target))


def check_place(
    target: str | os.PathLike[str], *, force: bool = False, source: str | os.PathLike[str] | None = None
) -> None:
    """Refuse a path where no file can be written, or where one is that must stay.

    Examples
    --------
    >>> check_place("no such folder/report.html")
    Traceback (most recent call last):
    ...
    ValueError: no such folder/report.html: the folder no such folder does not exist; make it first.
    """
    path = Path(target)
    msg: str = ""
    if not path.parent.is_dir():
        msg = f"{target}: the folder {path.parent} does not exist; make it first."
    elif path.is_symlink() and not path.resolve().parent.is_dir():
        msg = f"{target}: is a link into {path.resolve().parent}, a folder that does not exist; make it first."
    elif path.is_dir():
        msg = f"{target}: is a folder; give the name of a file."
    elif source is not None and path.exists() and Path(source).exists() and path.samefile(source):
        msg = f"{target}: is the input itself, which is never overwritten; choose another name."
    elif path.exists() and not force:
        text = "{target}: exists already; give {force} to overwrite it, or choose another name."
        msg = Message(text, target=target, force=Parameter("force", value=True))
    elif not os.access(path.resolve().parent, os.W_OK):
        msg = f"{target}: cannot be written; the folder {path.resolve().parent} is read-only."
    if msg:
        raise ValueError(msg)


def check_apart(outputs: Sequence[str | os.PathLike[str] | None], inputs: Sequence[str | None] = ()) -> None:
    """Refuse outputs of one command that are the same file, or one of its inputs; None and "-" are no files.

    Examples
    --------
    >>> check_apart(["same.npz", None, "./same.npz"])
    Traceback (most recent call last):
    ...
    ValueError: ./same.npz: would be written twice; give every output a name of its own.
    """
    written: dict[Path, str] = {}
    read = {Path(source).resolve() for source in inputs if source is not None and source != STANDARD}
    for target in outputs:
        if target is None or str(target) == STANDARD:
            continue
        path = Path(target).resolve()
        if path in written:
            msg = f"{target}: would be written twice; give every output a name of its own."
            raise ValueError(msg)
        if path in read or any(path.exists() and source.exists() and path.samefile(source) for source in read):
            msg = f"{target}: is the input itself, which is never overwritten; choose another name."
            raise ValueError(msg)
        written[path] = str(target)


def write_labels(
    target: str | os.PathLike[str],
    labels: Mapping[str, np.ndarray],
    ids: np.ndarray | None = None,
    *,
    force: bool = False,
    id_name: str = "id",
    evidence: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write label vectors next to the ids of the objects, all or nothing.

    Parameters
    ----------
    target : path, or "-" for CSV on standard output
        The ending says what is written: CSV, TSV and Parquet hold a column ``id`` (or ``row``, the number of the row
        counted from 0, where there are no ids) and one column per label vector; NPZ holds the arrays ``labels``,
        ``names`` and, where there are any, ``ids``; NPY holds the labels only.
    labels : mapping of name to ndarray of shape (n_objects,), int
    ids : ndarray of n_objects str or int, default=None
    force : bool, default=False
        Whether an existing file may be replaced.
    id_name : str, default="id"
        Name of the column with the ids.
    evidence : mapping of name to ndarray of shape (n_objects,), float or object (of str), default=None
        What is written beside the labels, such as the confidence; NPY has no place for it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     write_labels(path, {"label": np.array([1, 0])}, np.array(["a", "b"]))
    ...     print(path.read_text())
    id,label
    a,1
    b,0
    """
    check_output(target, force=force)
    kind = kind_of(target)
    written = _Written(labels, dict(evidence or {}), ids, id_name)
    if str(target) == STANDARD:
        try:
            sys.stdout.flush()
            _write(sys.stdout.buffer, kind, written)
            sys.stdout.buffer.flush()
        except OSError as error:
            raise _named(error, "standard output") from None
        return
    with renamed_when_complete(Path(target).resolve()) as stream:
        _write(stream, kind, written)


class _Written(NamedTuple):
    """What goes into a file: label vectors, what stands beside them, ids and the name of their column."""

    labels: Mapping[str, np.ndarray]
    evidence: Mapping[str, np.ndarray]
    ids: np.ndarray | None
    id_name: str


def stream_labels(
    target: str | os.PathLike[str],
    labels: Mapping[str, np.ndarray],
    ids: Iterable[Sequence[Any]] | None = None,
    *,
    force: bool = False,
    id_name: str = "id",
    evidence: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write label vectors block by block, all or nothing.

    CSV, TSV, NPY and Parquet, as :func:`write_labels` writes them; the ids come in blocks of any length, so that they
    need not be in memory at once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     stream_labels(path, {"label": np.array([1, 0, 0])}, [["a", "b"], ["c"]])
    ...     print(path.read_text())
    id,label
    a,1
    b,0
    c,0
    """
    check_output(target, force=force)
    kind = kind_of(target)
    with renamed_when_complete(Path(target).resolve()) as stream:
        if kind == "npy":
            _write_matrix(stream, list(labels.values()))
        else:
            columns = {**labels, **{name: _short(values) for name, values in (evidence or {}).items()}}
            first = "row" if ids is None else id_name
            watched = ids if ids is None or kind == "parquet" else _watched(ids)
            blocks = _blocks(columns, watched)
            if kind == "parquet":
                write_blocks(stream, [first, *columns], blocks)
                return
            text = _csv_rows(stream, kind)
            text([[first, *columns]])
            for block in blocks:
                text(zip(*(np.asarray(column, object) for column in block), strict=True))


def _short(values: np.ndarray) -> np.ndarray:
    """Evidence with as many digits as it is worth; words as they are."""
    if np.asarray(values).dtype.kind == "O":
        return values
    return np.round(np.asarray(values, float), 4)


def _blocks(labels: Mapping[str, np.ndarray], ids: Iterable[Sequence[Any]] | None) -> Iterator[list[Any]]:
    """First column and label vectors of consecutive objects."""
    n_objects = next(iter(labels.values())).size
    numbered: Iterable[Any] = (np.arange(*rows) for rows in row_ranges(n_objects, _BLOCK_ROWS))
    start = 0
    for first in numbered if ids is None else ids:
        yield [first, *(vector[start : start + len(first)] for vector in labels.values())]
        start += len(first)
    if start != n_objects:
        msg = f"there are {start} ids for {n_objects} objects: the input has changed in the meantime."
        raise ValueError(msg)


def _write_matrix(stream: IO[bytes], vectors: list[np.ndarray]) -> None:
    """NPY of one vector, or of several as columns, without a copy of all."""
    shape = (vectors[0].size,) if len(vectors) == 1 else (vectors[0].size, len(vectors))
    np.lib.format.write_array_header_1_0(stream, {"descr": "<i4", "fortran_order": False, "shape": shape})
    for start, stop in row_ranges(vectors[0].size, _BLOCK_ROWS):
        stream.write(np.stack([vector[start:stop] for vector in vectors], axis=1).astype("<i4").data)


def _csv_rows(stream: IO[bytes], kind: str) -> Callable[[Iterable[Iterable[Any]]], None]:
    """Return a function that writes rows of cells as CSV or TSV."""

    def write(rows: Iterable[Iterable[Any]]) -> None:
        text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=True)
        try:
            csv.writer(text, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n").writerows(rows)
        finally:
            text.detach()

    return write


def write_document(target: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    r"""Write a text as UTF-8, under another name that it loses when it is complete.

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


def discard_output() -> None:
    """Lose what is left for a standard output whose reader has gone, so that it does not raise again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def renamed_when_complete(path: Path) -> Iterator[IO[bytes]]:
    """Open a file under another name, which it loses only when it is complete."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _named(error, str(path)) from None
        raise


def _named(error: OSError, place: str) -> OSError:
    """The same error, with the place where it happened if it names none."""
    if error.errno is None and "written" in str(error):  # numpy's words for it
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), place)
    return error if error.errno is None or error.filename else OSError(error.errno, error.strerror, place)


def _write(stream: IO[bytes], kind: str, written: _Written) -> None:
    ids = written.ids
    vectors = {name: np.asarray(vector, np.int32) for name, vector in written.labels.items()}
    evidence = {name: _short(values) for name, values in written.evidence.items()}
    n_objects = next(iter(vectors.values())).size
    first = {"row": np.arange(n_objects)} if ids is None else {written.id_name: np.asarray(ids, dtype=object)}
    if kind == "npy":
        np.save(stream, _matrix(vectors), allow_pickle=False)
    elif kind == "npz":
        stored: dict[str, Any] = {"labels": _matrix(vectors), "names": np.array(list(vectors))}
        if ids is not None:
            stored["ids"] = np.asarray(ids).astype(str)
        np.savez_compressed(stream, **stored)
    elif kind == "parquet":
        save_parquet(stream, first | vectors | evidence)
    else:
        _write_text(stream, kind, first | vectors | evidence)


def _watched(blocks: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Hand the ids on, and say once if a spreadsheet would take one for a formula: ids are written as they are."""
    told = False
    for block in blocks:
        found = None if told else next((name for name in block if _is_formula(name)), None)
        if found is not None:
            told = True
            warn(
                f"the id {found!r} begins like a formula and is written as it is; a spreadsheet may run it. Import the "
                "column as text there, or write Parquet."
            )
        yield block


def _is_formula(name: Any) -> bool:
    text = str(name)
    return text[:1] in _FORMULA and parse_number(text) is None


def _write_text(stream: IO[bytes], kind: str, columns: Mapping[str, np.ndarray]) -> None:
    first = next(iter(columns.values()))
    if first.dtype.kind == "O":  # ids, not numbers of rows
        list(_watched([first.tolist()]))
    write = _csv_rows(stream, kind)
    write([columns])
    write(zip(*(column.tolist() for column in columns.values()), strict=True))


def _matrix(vectors: Mapping[str, np.ndarray]) -> np.ndarray:
    """One vector stays a vector, several become the columns of a matrix."""
    found = list(vectors.values())
    return found[0] if len(found) == 1 else np.stack(found, axis=1)
