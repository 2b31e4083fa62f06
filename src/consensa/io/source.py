"""Where bytes come from: a path or standard input, opened once, with plain errors."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

__all__ = ["KINDS", "STANDARD", "kind_of", "label_of", "open_binary"]

STANDARD = "-"
KINDS = {f".{kind}": kind for kind in ("csv", "tsv", "npy", "npz", "parquet", "h5ad", "mat")}

_ALSO_TEXT = {".txt": "csv", ".dat": "csv", ".tab": "tsv"}  # other names of what is read, but never written
_PACKED = ".gz"
_SHEETS = (".xlsx", ".xls", ".ods", ".xlsm")
_OWN_START = {"npy": b"\x93NUMPY", "npz": b"PK", "parquet": b"PAR1", "h5ad": b"\x89HDF", "mat": b"MATLAB"}
_FOREIGN_STARTS = {
    b"\x93NUMPY": "a NPY file",
    b"PK\x03\x04": "a zip archive",
    b"PAR1\x15": "a Parquet file",
    b"\x89HDF": "an HDF5 file",
    b"MATLAB 5": "a MAT file",
    b"MATLAB 7": "a MAT file",
    b"\x1f\x8b": "a gzip file; unpack it first",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x80": "a pickle, and nothing is ever unpickled",
}


def label_of(source: str | os.PathLike[str]) -> str:
    """Return the name of a source for messages.

    Examples
    --------
    >>> label_of("-")
    'standard input'
    """
    return "standard input" if str(source) == STANDARD else str(source)


def kind_of(source: str | os.PathLike[str], *, written: bool = False) -> str:
    """Return the kind of a file by its ending; standard input is CSV or TSV.

    Texts that are read may be packed, or end in .txt or .dat (CSV) or .tab (TSV).

    Examples
    --------
    >>> kind_of("data/Iris.CSV"), kind_of("iris.tsv.gz"), kind_of("iris.txt"), kind_of("-")
    ('csv', 'tsv', 'csv', 'csv')
    """
    if str(source) == STANDARD:
        return "csv"
    path = Path(source)
    packed = path.suffix.lower() == _PACKED and not written
    ending = Path(path.stem if packed else path).suffix.lower()
    kinds = KINDS if written else KINDS | _ALSO_TEXT
    if ending in kinds and (not packed or kinds[ending] in ("csv", "tsv")):
        return kinds[ending]
    if packed:
        msg = f"{source}: only .csv.gz and .tsv.gz are unpacked here; unpack it first (gunzip {path.name})."
    elif ending in _SHEETS and not written:
        msg = (
            f"{source}: sheets are not read; save the sheet as CSV (in a spreadsheet: File, Save as, CSV UTF-8), or in "
            f"Python: pandas.read_excel({path.name!r}).to_csv({path.stem + '.csv'!r}, index=False)."
        )
    elif path.is_dir() and not written:
        msg = f"{source}: this is a folder; name a file in it, or join its parts into one."
    else:
        msg = (
            f"{source}: the ending {ending!r} is not known; use one of {', '.join(KINDS)}, or '-' for CSV or TSV on "
            "standard input or output."
        )
        if not written and path.is_file():
            msg += f" A text table under another name goes in as '-' < {path.name}."
    raise ValueError(msg)


@contextmanager
def open_binary(source: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a source for reading; whatever goes wrong with the file itself is a ValueError of one sentence."""
    name = label_of(source)
    try:
        if str(source) == STANDARD:
            standard: Any = sys.stdin.buffer
            piped = io.BufferedReader(standard)
            try:
                _check_start(piped, "csv", name)
                yield piped
            finally:
                piped.detach()  # standard input is not ours to close
        else:
            with _open(Path(source)) as stream:
                _check_start(stream, kind_of(source), name)
                yield stream
    except FileNotFoundError:
        msg = f"{name}: there is no such file."
    except IsADirectoryError:
        msg = f"{name}: is a folder, not a file."
    except PermissionError:
        msg = f"{name}: cannot be read; permission denied."
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{name}: cannot be read ({reason})."
    else:
        return
    raise ValueError(msg)


def _open(path: Path) -> Any:
    """Open a file for reading, unpacked where it is packed."""
    return gzip.open(path, "rb") if path.suffix.lower() == _PACKED else path.open("rb")


def _check_start(stream: Any, kind: str, name: str) -> None:
    """A file of a binary kind must begin like it; a text file must not begin like something else that is known."""
    start = stream.peek(8)
    if not start:
        msg = f"{name}: the file is empty."
        raise ValueError(msg)
    if kind in _OWN_START and start.startswith(_OWN_START[kind]):
        return
    seen = next((what for magic, what in _FOREIGN_STARTS.items() if start.startswith(magic)), None)
    if seen is None and kind not in _OWN_START:
        return
    found = f"starts like {seen}" if seen else "does not start like one; it is damaged or of another kind"
    msg = f"{name}: expected {kind.upper()}, but the file {found}."
    raise ValueError(msg)
