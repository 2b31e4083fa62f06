"""Result files: tidy CSV that grows by whole cells, so that a killed run can go on where it was."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import consensa

__all__ = ["ResultFile", "versions"]


class ResultFile:
    """A CSV file to which rows are appended and flushed to disk.

    Parameters
    ----------
    path : Path
        Made with its folders when the first rows come. A last line that a killed run left unfinished is dropped.
    columns : tuple of str
    """

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        self.path = path
        self.columns = columns
        if path.is_file():
            self._drop_unfinished_line()
            self._check_header()

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the file."""
        if not self.path.is_file():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Write rows in one piece and wait until they are on the disk."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        if not self.path.is_file() or self.path.stat().st_size == 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            writer.writeheader()
        writer.writerows(rows)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())

    def keep(self, rows: list[dict[str, str]]) -> None:
        """Keep only these rows; the file is replaced in one step."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        fresh = self.path.with_suffix(".tmp")
        fresh.write_text(text.getvalue(), encoding="utf-8")
        fresh.replace(self.path)

    def _drop_unfinished_line(self) -> None:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)

    def _check_header(self) -> None:
        with self.path.open(newline="", encoding="utf-8") as file:
            header = tuple(next(csv.reader(file), self.columns))
        if header != self.columns:
            msg = f"{self.path} is not a result file of this benchmark: its columns are {', '.join(header)}."
            raise ValueError(msg)


@cache
def versions() -> str:
    """Say what computed a result: versions of the packages and a hash of consensa's source."""
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    found = {
        "consensa": consensa.__version__,
        "source": _source_hash(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }
    return ";".join(f"{name}={value}" for name, value in found.items())


def _source_hash() -> str:
    digest = hashlib.sha256()
    package = Path(str(consensa.__file__)).parent
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
