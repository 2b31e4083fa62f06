"""Feature matrices from files: every column that is not the ids must be numeric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from consensa import _parquet as parquet
from consensa._messages import Message, Parameter
from consensa.io.cells import MISSING, is_word, parse_number
from consensa.io.containers import load_array
from consensa.io.header import feature_header
from consensa.io.layout import AUTO, ROW_NUMBERS_FROM, Layout, assign_roles, first_repeated, is_id_name
from consensa.io.source import kind_of, label_of, open_binary
from consensa.io.text import open_text

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import IO

    from consensa.io.arrays import ArrayFile
    from consensa.io.layout import Roles
    from consensa.io.table import Table
    from consensa.io.text import Block, TextTable

__all__ = ["block_numbers", "check_row_numbers", "different_texts", "finite_numbers", "read_features", "refuse_cell"]


def read_features(
    source: str | os.PathLike[str],
    *,
    header: bool | None = None,
    id_column: str | int | None = AUTO,
    columns: Sequence[str | int] | None = None,
    delimiter: str | None = None,
    array: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
) -> Table:
    r"""Read a feature matrix from CSV, TSV, NPY, NPZ, Parquet, MAT or h5ad.

    Parameters
    ----------
    source : path, or "-" for CSV or TSV on standard input
        The ending says what kind of file it is; .csv.gz and .tsv.gz are unpacked. The delimiter of CSV (comma, tab,
        semicolon or bar) is found out, that of TSV is the tab.
    header : bool or None, default=None
        Whether the first line of a text file holds the names of the columns; None to recognise it.
    id_column : str, int or None, default="auto"
        Name or number (from 0) of the column with the ids of the rows; None if there is none. "auto" takes the first
        column for ids if it is called id, name, sample, index, ... or nothing at all, or if it holds a different
        text in every row.
    columns : sequence of str or int, default=None
        Names or numbers of the feature columns; None for all but the ids.
    delimiter : str or None, default=None
        Character between the cells of a text file.
    array : str or None, default=None
        Name of the array in an NPZ file or of the variable in a MAT file that holds several. Of an h5ad file "X" or an
        entry of obsm; None for X_pca if there is one, else X.
    decimal : str, default="."
        The decimal sign of a text file; with "," a point is taken for a sign between thousands.
    encoding : str, default="utf-8"
        Of a text file, for example "latin-1".

    Returns
    -------
    Table
        With finite numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("id,length,width\nf1,5.1,3.5\nf2,4.9,3.0\n")
    ...     table = read_features(path)
    >>> table.names, table.ids.tolist(), table.values.tolist()
    (('length', 'width'), ['f1', 'f2'], [[5.1, 3.5], [4.9, 3.0]])
    """
    layout = Layout(header, id_column, columns, delimiter, array, decimal, encoding)
    file, kind = label_of(source), kind_of(source)
    with open_binary(source) as stream:
        found = load_array(stream, file, kind, array, as_labels=False)
        if found is not None:
            return _from_array(found, file, layout)
        if kind == "parquet":
            return _from_parquet(stream, file, layout)
        with open_text(stream, file, kind, layout, feature_header) as text:
            return _from_text(text, file, layout)


def _from_text(text: TextTable, file: str, layout: Layout) -> Table:
    named = text.has_header and is_id_name(text.names[0])
    worded = all(map(is_word, text.first_block.cells(0)))
    roles = assign_roles(file, text.names, layout, first_is_id=named or worded)
    ids: list[str] | None = None if roles.id_index is None else []
    pieces = []
    for block in text.blocks:
        pieces.append(block_numbers(block, roles))
        if ids is not None and roles.id_index is not None:
            ids.extend(block.cells(roles.id_index))
    if ids is not None and not named and layout.id_column == AUTO and not _all_different_words(ids):
        refuse_cell(roles, 0, ids[0], f"line {text.first_block.first_line}")
    values = np.concatenate(pieces)
    check_row_numbers(values, roles)
    return roles.table(values, ids, text.note)


def _all_different_words(cells: list[str]) -> bool:
    return len(set(cells)) == len(cells) and all(map(is_word, cells))


def block_numbers(block: Block, roles: Roles) -> np.ndarray:
    """Return the chosen columns of a block of text as finite numbers."""
    values = block.numbers(roles.chosen)
    if values is None:
        for column in roles.chosen:
            for row, cell in enumerate(block.cells(column)):
                if parse_number(cell) is None:
                    refuse_cell(roles, column, cell, f"line {block.line_of(row)}")
    elif not np.isfinite(values).all():
        row, place = np.argwhere(~np.isfinite(values))[0]
        column = roles.chosen[place]
        refuse_cell(roles, column, block.cells(column)[row], f"line {block.line_of(row)}")
    return np.asarray(values)


def _from_array(found: ArrayFile, file: str, layout: Layout) -> Table:
    if found.values.ndim == 1:
        msg = (
            f"{file}: the array has shape {found.values.shape}; expected rows x columns. Save it with "
            "reshape(-1, 1) if it is one feature of many objects, or reshape(1, -1) if it is one object."
        )
        raise ValueError(msg)
    if found.values.dtype.kind not in "biuf":
        msg = f"{file}: the array holds {found.values.dtype} entries; features must be numbers."
        raise ValueError(msg)
    roles = assign_roles(file, found.names, layout, first_is_id=False)
    ids: Any = found.ids if layout.id_column == AUTO else None
    if roles.id_index is not None:
        ids = [f"{value:.17g}" for value in found.values[:, roles.id_index]]
    return _finish(found.values[:, roles.chosen], roles, ids, *found.notes)


def _from_parquet(stream: IO[bytes], file: str, layout: Layout) -> Table:
    names, columns = parquet.load_parquet(stream, file)
    first_is_id = is_id_name(names[0]) or different_texts(columns[0])
    roles = assign_roles(file, names, layout, first_is_id=first_is_id)
    found = []
    for place in roles.chosen:
        numbers = parquet.numeric_column(columns[place])
        if numbers is None:
            texts = parquet.column_texts(columns[place])
            row = next((i for i, text in enumerate(texts) if text), 0)
            refuse_cell(roles, place, texts[row], f"row {row}")
        found.append(numbers)
    ids = None if roles.id_index is None else parquet.column_texts(columns[roles.id_index])
    return _finish(np.stack(found, axis=1), roles, ids)


def different_texts(column: Any) -> bool:
    """Whether a column of Parquet holds another text in every row."""
    return parquet.numeric_column(column) is None and first_repeated(np.array(parquet.column_texts(column))) is None


def _finish(values: np.ndarray, roles: Roles, ids: Any, *notes: str) -> Table:
    """Check a matrix that came whole."""
    values = finite_numbers(values, roles)
    check_row_numbers(values, roles)
    return roles.table(values, ids, *notes)


def finite_numbers(values: np.ndarray, roles: Roles, start: int = 0) -> np.ndarray:
    """Check rows from ``start`` on; float32 stays as it is, everything else becomes float64."""
    with np.errstate(over="ignore"):  # what is too large for float64 becomes infinite, and is refused
        values = np.ascontiguousarray(values, np.float32 if values.dtype == np.float32 else np.float64)
    if not np.isfinite(values).all():
        row, place = np.argwhere(~np.isfinite(values))[0]
        refuse_cell(roles, roles.chosen[place], str(values[row, place]), f"row {start + row}")
    return values


def check_row_numbers(values: np.ndarray, roles: Roles) -> None:
    """A first column 0, 1, 2, ... is more likely a number of the row than a feature: the user has to say."""
    n_rows, n_columns = values.shape
    if not roles.layout.is_open or roles.id_index is not None or n_rows < ROW_NUMBERS_FROM or n_columns == 1:
        return
    if values[0, 0] in (0, 1) and np.array_equal(values[:, 0] - values[0, 0], np.arange(n_rows)):
        roles.ask_about_ids("counts the rows", "if it is a feature")


def refuse_cell(roles: Roles, column: int, cell: str, where: str) -> NoReturn:
    """Say which cell is no finite number, and what to do."""
    fault = "which is not a number"
    if cell.strip() in MISSING:
        fault = "which is a missing value"
    elif parse_number(cell) is not None:
        fault = "which is not finite"
    text = (
        "{file}: column {name!r} holds {cell!r} in {where}, {fault}; every feature must be a finite number. Mend the "
        "data, choose columns with {columns}, or name the id column with {id_column}."
    )
    found = {"file": roles.file, "name": roles.names[column], "cell": cell, "where": where, "fault": fault}
    raise ValueError(Message(text, **found, columns=Parameter("columns"), id_column=Parameter("id_column")))
