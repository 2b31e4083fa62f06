"""Tables with anything in them, from files: what the columns are, and the rows as a matrix of numbers with gaps."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import _parquet as parquet
from consensa.columns import ColumnScan, used_columns
from consensa.columns.cells import Cells, cells_of_series, cells_of_texts
from consensa.columns.coding import code_cells
from consensa.columns.scan import check_types, columns_of
from consensa.io.header import feature_header
from consensa.io.large import TableRows
from consensa.io.layout import AUTO, Layout, assign_roles, is_id_name
from consensa.io.rows import RowStore
from consensa.io.source import STANDARD, label_of, open_binary
from consensa.io.table import Table
from consensa.io.text import open_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from consensa.columns import Column
    from consensa.generate.chunked import Progress
    from consensa.io.layout import Roles
    from consensa.io.rows import WorkFolder

__all__ = ["TABLE_KINDS", "TableFile", "read_table"]

TABLE_KINDS = ("csv", "tsv", "parquet")


class TableFile(TableRows):
    r"""A table in a CSV, TSV or Parquet file, read in blocks, first to find out what its columns are.

    Parameters
    ----------
    source : str
    layout : Layout
    types : mapping of str to str, default=None
        What columns are, as for :class:`~consensa.generate.TablePartitions`.
    known : tuple of Column, default=()
        Columns of a table that was read before, whose new rows these are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "people.csv")
    ...     _ = path.write_text("age,plan\n31,free\n,team\n22,free\n")
    ...     file = TableFile(str(path), Layout())
    ...     print([(each.name, each.kind) for each in file.columns], [rows.tolist() for rows in file.blocks()])
    [('age', 'number'), ('plan', 'category')] [[[31.0, 0.0], [nan, 1.0], [22.0, 0.0]]]
    """

    header_rule = staticmethod(feature_header)

    def __init__(
        self, source: str, layout: Layout, types: Mapping[str, str] | None = None, known: tuple[Column, ...] = ()
    ) -> None:
        self._standard: bytes | None = None
        self._has_names = True
        self.dtype: Any = np.float32 if source.lower().endswith("parquet") else np.float64
        super().__init__(source, layout)
        self.columns = known or self._scan(types)
        self.roles = self._known_roles() if known else self._settled_roles()

    def _find_roles(self) -> Roles:
        """All columns are read; which one holds the ids is found out with what the others are."""
        id_column = None if self._finds_ids else self.layout.id_column
        layout = replace(self.layout, id_column=id_column)
        return replace(assign_roles(self.source, self._names(), layout, first_is_id=False), layout=self.layout)

    def _names(self) -> list[str]:
        if self.kind == "parquet":
            return parquet.stream_columns(self.source)[0]
        with self._opened() as stream, self._text(stream) as text:
            self.note, self._has_names = text.note, text.has_header
            return text.names

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Open the file; standard input can be read once only, and is kept."""
        if self.source != STANDARD:
            with open_binary(self.source) as stream:
                yield stream
            return
        if self._standard is None:
            with open_binary(self.source) as stream:
                self._standard = stream.read()
        yield io.BytesIO(self._standard)

    def _text(self, stream: Any) -> Any:
        return open_text(stream, label_of(self.source), self.kind, self.layout, self.header_rule)

    def _raw_blocks(self) -> Iterator[Any]:
        if self.kind == "parquet":
            yield from super()._raw_blocks()
            return
        with self._opened() as stream, self._text(stream) as text:
            yield from text.blocks

    @property
    def _finds_ids(self) -> bool:
        return self.layout.id_column == AUTO

    def _scan(self, types: Mapping[str, str] | None) -> tuple[Column, ...]:
        names = self.roles.chosen_names
        wanted = check_types(types, names)
        edges = {0, len(names) - 1} if self._finds_ids and self.layout.columns is None and len(names) > 1 else set()
        scans = [
            ColumnScan(name, wanted.get(name, ""), at_edge=j in edges, says_id=j == 0 and is_id_name(name))
            for j, name in enumerate(names)
        ]
        for block in self._raw_blocks():
            for scan, cells in zip(scans, self._cells(block), strict=True):
                scan.add(cells)
        self.n_rows = scans[0].n_rows
        if edges:
            self._name_ids(scans[0])
        return columns_of(scans, wanted, f"{label_of(self.source)}: ")

    def _name_ids(self, first: ColumnScan) -> None:
        """A first column that is called id, or in which every row has another word, holds the ids."""
        named = self._has_names and is_id_name(first.name)
        if named and not first.wanted and not first.all_differ:
            self.roles.ask_about_ids("looks like ids, but holds a value more than once", "to read it like the others")
        worded = first.kinds == {"text"} and not (first.n_missing or first.is_category or first.looks_numeric)
        if not first.wanted and first.all_differ and (named or worded):
            first.wanted = "id"

    def _settled_roles(self) -> Roles:
        """Roles, now that it is known what the columns are."""
        pairs = list(zip(self.roles.chosen, self.columns, strict=True))
        ids = [place for place, column in pairs if column.kind == "id"]
        place = self.roles.id_index if self.roles.id_index is not None or not ids else ids[0]
        return replace(self.roles, id_index=place, chosen=[place for place, column in pairs if column.is_used])

    def _known_roles(self) -> Roles:
        names, used = list(self.roles.names), used_columns(self.columns)
        absent = [column.name for column in used if column.name not in names]
        if absent:
            msg = (
                f"{label_of(self.source)}: there is no column {', '.join(map(repr, absent))}, which the model was "
                "fitted on; add it, with empty cells where its values are not known."
            )
            raise ValueError(msg)
        ids = [column.name for column in self.columns if column.kind == "id" and column.name in names]
        place = names.index(ids[0]) if ids and self._finds_ids else self.roles.id_index
        return replace(self.roles, id_index=place, chosen=[names.index(column.name) for column in used])

    def _cells(self, block: Any) -> list[Cells]:
        """Cells of the chosen columns of a block."""
        if self.kind == "parquet":
            return [self._arrow_cells(block[place]) for place in self.roles.chosen]
        numbers = None if block.has_codes() else block.numbers(self.roles.chosen)
        if numbers is not None:
            return [Cells("number", column) for column in numbers.T]
        columns = list(zip(*block.rows(), strict=True))
        decimal = self.layout.decimal
        return [cells_of_texts([cell.strip() for cell in columns[place]], decimal) for place in self.roles.chosen]

    def _arrow_cells(self, column: Any) -> Cells:
        import narwhals as nw

        cells = cells_of_series(nw.from_native(column, series_only=True))
        if cells.kind != "number" or str(column.type) != "float":
            self.dtype = np.float64
        return cells

    def blocks(self) -> Iterator[np.ndarray]:
        """Read the coded matrix, block by block."""
        used = used_columns(self.columns)
        for block in self._raw_blocks():
            pairs = zip(used, self._cells(block), strict=True)
            yield np.stack([code_cells(column, cells) for column, cells in pairs], axis=1).astype(
                self.dtype, copy=False
            )

    def ids(self) -> Iterator[list[Any]]:
        """Read the ids of the rows, block by block: texts, or what a Parquet file holds."""
        place = self.roles.id_index
        for block in self._raw_blocks() if place is not None else ():
            yield block[place].to_pylist() if self.kind == "parquet" else block.cells(place)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but finite numbers."""
        return all(column.kind == "number" and not column.n_missing for column in used_columns(self.columns))

    def store(self, work: WorkFolder, progress: Progress) -> Path:
        """Return a plain NPY file of the coded matrix in the work folder."""
        path = work.path / "features.npy"
        if work.get("features") is None:
            n_rows = self._store_rows(RowStore(path, len(self.names), self.dtype), self.blocks(), progress)
            work.put("features", {"rows": n_rows})
        return path


def read_table(
    source: str | os.PathLike[str],
    layout: Layout,
    types: Mapping[str, str] | None = None,
    known: tuple[Column, ...] = (),
) -> Table:
    r"""Read a table with anything in it from CSV, TSV or Parquet.

    Parameters
    ----------
    source : path, or "-" for CSV or TSV on standard input
    layout : Layout
    types : mapping of str to str, default=None
        What columns are, as for :class:`~consensa.generate.TablePartitions`.
    known : tuple of Column, default=()
        Columns of a table that was read before, whose new rows these are.

    Returns
    -------
    Table
        With ``columns``; its values are a coded matrix, in which a gap is NaN.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "people.csv")
    ...     _ = path.write_text("name,age,plan\nann,31,free\nbob,,team\ncid,22,free\n")
    ...     table = read_table(path, Layout())
    >>> table.names, table.id_name, table.ids.tolist()
    (('age', 'plan'), 'name', ['ann', 'bob', 'cid'])
    """
    file = TableFile(str(source), layout, types, known)
    values = np.concatenate(list(file.blocks()))
    ids = None
    if file.has_ids:
        ids = np.empty(len(values), dtype=object)
        ids[:] = [each for block in file.ids() for each in block]
    notes = tuple(note for note in (file.note, file.roles.id_note) if note)
    return Table(values, file.names, ids, notes, columns=file.columns, id_name=file.roles.id_name)
