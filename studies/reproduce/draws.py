"""Draws that are kept in the repository, so that nobody computes them twice.

A line of ``paper<P>.csv`` holds one figure on many draws: the table, data set, method, setting, k rule and metric; the
numbers of the draws (``0-9``) and as many values. Parameters and versions stand in ``texts.csv`` and are named by a
hash. Seconds are figures like others; k, sizes and the time of a single draw are not kept.
"""

from __future__ import annotations

import csv
import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from studies.reproduce.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from studies.reproduce.declare import Row

__all__ = ["DRAWS", "PLACE", "figure_key", "read_draws", "unite", "write_draws"]

DRAWS = Path("docs", "evidence", "draws")
TEXTS = "texts.csv"
PLACE = ("table", "dataset", "method", "setting", "k_rule", "metric")
FIELDS = (*PLACE, "seed", "parameters", "versions", "runs", "values")


def read_draws(folder: Path, paper: str) -> list[Row]:
    """Return the kept draws of a paper as rows of a result file; none without a file."""
    texts = dict(_lines(folder / TEXTS, ("name", "text")))
    found = []
    for line in _lines(folder / f"paper{paper}.csv", FIELDS):
        given = dict(zip(FIELDS, line, strict=True))
        shared = dict.fromkeys(COLUMNS, "") | {name: given[name] for name in (*PLACE, "seed")}
        shared |= {"paper": paper, **{name: texts[given[name]] for name in ("parameters", "versions")}}
        runs, values = _read_runs(given["runs"]), given["values"].split(" ")
        found += [{**shared, "run": str(run), "value": value} for run, value in zip(runs, values, strict=True)]
    return found


def write_draws(folder: Path, rows_by_paper: Mapping[str, Sequence[Row]]) -> None:
    """Keep the rows of every paper instead of what was kept before; the same rows give the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: dict[str, str] = {}
    for paper, rows in rows_by_paper.items():
        lines: dict[tuple[str, ...], dict[int, str]] = {}
        for row in rows:
            names = {name: f"{zlib.crc32(row[name].encode()):08x}" for name in ("parameters", "versions")}
            texts |= {names[name]: row[name] for name in names}
            key = (*(row[name] for name in (*PLACE, "seed")), *names.values())
            lines.setdefault(key, {})[int(row["run"])] = row["value"]
        body = [
            (*key, _write_runs(sorted(values)), " ".join(values[run] for run in sorted(values)))
            for key, values in sorted(lines.items())
        ]
        path = folder / f"paper{paper}.csv"
        if body:
            _write(path, FIELDS, body)
        else:
            path.unlink(missing_ok=True)
    _write(folder / TEXTS, ("name", "text"), sorted(texts.items()))


def unite(results: Iterable[Row], kept: Iterable[Row]) -> list[Row]:
    """Return all results, and what was kept where these have nothing."""
    mine = list(results)
    there = {figure_key(row) for row in mine}
    return mine + [row for row in kept if figure_key(row) not in there]


def figure_key(row: Row) -> tuple[str, ...]:
    """Return what tells one figure on one draw from all others."""
    return (*(row[name] for name in PLACE), row["seed"], row["run"])


def _read_runs(text: str) -> list[int]:
    """Read ``0-3 7`` as 0, 1, 2, 3, 7."""
    pairs = [part.partition("-") for part in text.split(" ")]
    return [run for first, _, last in pairs for run in range(int(first), int(last or first) + 1)]


def _write_runs(runs: Sequence[int]) -> str:
    """Write sorted numbers, neighbours together.

    Examples
    --------
    >>> _write_runs([0, 1, 2, 3, 7])
    '0-3 7'
    """
    parts: list[list[int]] = []
    for run in runs:
        if parts and run == parts[-1][-1] + 1:
            parts[-1][1:] = [run]
        else:
            parts.append([run])
    return " ".join("-".join(map(str, part)) for part in parts)


def _lines(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        if tuple(next(reader, ())) != columns:
            msg = f"{path} holds no kept draws: its columns are not {', '.join(columns)}."
            raise ValueError(msg)
        yield from reader


def _write(path: Path, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)
    fresh = path.with_suffix(".tmp")
    fresh.write_text(text.getvalue(), encoding="utf-8")
    fresh.replace(path)
