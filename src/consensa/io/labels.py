"""Label matrices from files: whole numbers or texts, with missing cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import _parquet as parquet
from consensa._messages import Message, Parameter
from consensa.io import h5ad
from consensa.io.cells import LabelCodes, code_labels, whole_numbers
from consensa.io.containers import load_array
from consensa.io.header import label_header
from consensa.io.layout import AUTO, ROW_NUMBERS_FROM, Layout, assign_roles, is_id_name
from consensa.io.source import kind_of, label_of, open_binary
from consensa.io.text import open_text

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import IO

    from consensa.io.arrays import ArrayFile
    from consensa.io.cells import Label
    from consensa.io.layout import Roles
    from consensa.io.table import Table
    from consensa.io.text import Block, TextTable

__all__ = ["check_distinct", "read_labels", "text_codes"]

_SHOWN = 12


def read_labels(
    source: str | os.PathLike[str],
    *,
    header: bool | None = None,
    id_column: str | int | None = AUTO,
    columns: Sequence[str | int] | None = None,
    delimiter: str | None = None,
    array: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    missing: int | None = -1,
) -> Table:
    r"""Read a label matrix from CSV, TSV, NPY, NPZ, Parquet, MAT or h5ad.

    A cell is a whole number (1, 01 and 1.0 are the same label) or a text. Empty cells, NA, N/A, nan, null and None
    are missing labels.

    Parameters
    ----------
    source : path, or "-" for CSV or TSV on standard input
        The ending says what kind of file it is; .csv.gz and .tsv.gz are unpacked. The delimiter of CSV (comma, tab,
        semicolon or bar) is found out, that of TSV is the tab.
    header : bool or None, default=None
        Whether the first line of a text file holds the names of the columns; None to recognise it.
    id_column : str, int or None, default="auto"
        Name or number (from 0) of the column with the ids of the rows; None if there is none. "auto" takes the first
        column for ids if it is called id, name, sample, index, ... or nothing at all.
    columns : sequence of str or int, default=None
        Names or numbers of the label columns; None for all but the ids. Of an h5ad file the columns of obs, which must
        be given.
    delimiter : str or None, default=None
        Character between the cells of a text file.
    array : str or None, default=None
        Name of the array in an NPZ file or of the variable in a MAT file that holds several, or of an entry of obsm in
        an h5ad file.
    decimal : str, default="."
        The decimal sign of a text file; with "," a point is taken for a sign between thousands.
    encoding : str, default="utf-8"
        Of a text file, for example "latin-1".
    missing : int or None, default=-1
        The number that stands for a missing label; None if there is none.

    Returns
    -------
    Table
        With codes 0, 1, ... in every column, in the sorted order of its labels; -1 for missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     _ = path.write_text("id,first,second\nf1,3,b\nf2,-1,a\nf3,5,NA\n")
    ...     table = read_labels(path)
    >>> table.names, table.ids.tolist(), table.values.tolist()
    (('first', 'second'), ['f1', 'f2', 'f3'], [[0, 1], [-1, 0], [1, -1]])
    """
    layout = Layout(header, id_column, columns, delimiter, array, decimal, encoding)
    file, kind = label_of(source), kind_of(source)
    with open_binary(source) as stream:
        found = load_array(stream, file, kind, array, as_labels=True)
        if found is not None:
            return _from_array(found, file, layout, missing)
        if kind == "h5ad":
            return _from_obs(file, layout, missing)
        if kind == "parquet":
            return _from_parquet(stream, file, layout, missing)
        with open_text(stream, file, kind, layout, label_header) as text:
            return _from_text(text, file, layout, missing)


def _from_text(text: TextTable, file: str, layout: Layout, missing: int | None) -> Table:
    named = text.has_header and is_id_name(text.names[0])
    roles = assign_roles(file, text.names, layout, first_is_id=named, evidence=False)
    ids: list[str] | None = None if roles.id_index is None else []
    coders = [LabelCodes() for _ in roles.chosen]
    pieces = []
    for block in text.blocks:
        pieces.append(np.stack(text_codes(block, roles.chosen, coders), axis=1))
        if ids is not None and roles.id_index is not None:
            ids.extend(block.cells(roles.id_index))
    places = np.concatenate(pieces)
    found = [([*coder.labels], places[:, m]) for m, coder in enumerate(coders)]
    return _finish(found, roles, ids, missing, text.note)


def text_codes(block: Block, columns: Sequence[int], coders: Sequence[LabelCodes]) -> list[np.ndarray]:
    """Codes of columns of a block of text: as numbers where all are whole numbers, which is quick, else as texts."""
    numbers = block.numbers(columns)
    if numbers is not None and whole_numbers(numbers):
        return [coder.of_numbers(numbers[:, place]) for place, coder in enumerate(coders)]
    return [coder.of_texts(cells) for cells, coder in zip(block.columns(columns), coders, strict=True)]


def _from_array(found: ArrayFile, file: str, layout: Layout, missing: int | None) -> Table:
    if found.values.dtype.kind not in "biufUS":
        msg = f"{file}: the array holds {found.values.dtype} entries; labels must be whole numbers or texts."
        raise ValueError(msg)
    values = found.values.reshape(len(found.values), -1)
    roles = assign_roles(file, found.names, layout, first_is_id=False)
    ids: Any = found.ids if layout.id_column == AUTO else None
    if roles.id_index is not None:
        ids = [str(value) for value in values[:, roles.id_index].tolist()]
    return _finish([_distinct(values[:, j]) for j in roles.chosen], roles, ids, missing, *found.notes)


def _from_parquet(stream: IO[bytes], file: str, layout: Layout, missing: int | None) -> Table:
    names, columns = parquet.load_parquet(stream, file)
    roles = assign_roles(file, names, layout, first_is_id=is_id_name(names[0]), evidence=False)
    ids = None if roles.id_index is None else parquet.column_texts(columns[roles.id_index])
    found = []
    for j in roles.chosen:
        values, places = parquet.distinct_labels(columns[j])
        found.append(_as_labels(values, places))
    return _finish(found, roles, ids, missing)


def _from_obs(file: str, layout: Layout, missing: int | None) -> Table:
    cells, names, columns = h5ad.load_obs(file)
    if layout.columns is None:
        shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
        text = (
            "{file}: choose the columns of obs to read with {columns}, or a label matrix in obsm with {array}; the {n} "
            "columns are {shown}."
        )
        parameters = {"columns": Parameter("columns"), "array": Parameter("array", of="h5ad")}
        raise ValueError(Message(text, file=file, n=len(names), shown=shown or "none", **parameters))
    roles = assign_roles(file, names, layout, first_is_id=False)
    ids: Any = cells if layout.id_column == AUTO else None
    if roles.id_index is not None:
        values, places = columns[roles.id_index]
        ids = np.array(["" if value is None else str(value) for value in values], dtype=object)[places]
    return _finish([_as_labels(*columns[j]) for j in roles.chosen], roles, ids, missing, "columns of obs")


def _distinct(column: np.ndarray) -> tuple[list[Label], np.ndarray]:
    values, places = np.unique(column, return_inverse=True)
    return _as_labels(values.tolist(), places)


def _as_labels(values: list[Any], places: np.ndarray) -> tuple[list[Label], np.ndarray]:
    coder = LabelCodes()
    codes = coder.of_distinct(values)[places]
    return [*coder.labels], codes


def _finish(
    found: list[tuple[list[Label], np.ndarray]], roles: Roles, ids: Any, missing: int | None, *notes: str
) -> Table:
    """Code every column, given as its distinct labels and their places in the rows."""
    check_distinct(found[0], roles)
    values = np.empty((found[0][1].size, len(found)), np.int32)
    vocabularies = []
    for m, ((labels, places), name) in enumerate(zip(found, roles.chosen_names, strict=True)):
        values[:, m], vocabulary = code_labels(f"{name!r} of {roles.file}", labels, places, missing)
        vocabularies.append(vocabulary)
    return replace(roles.table(values, ids, *notes), vocabularies=tuple(vocabularies))


def check_distinct(first: tuple[list[Label], np.ndarray], roles: Roles) -> None:
    """A first column with another label in every row is more likely the ids than a clustering: the user has to say."""
    n_rows = first[1].size
    if not roles.layout.is_open or roles.id_index is not None or len(roles.chosen) == 1 or n_rows < ROW_NUMBERS_FROM:
        return
    if len(first[0]) == n_rows:
        roles.ask_about_ids("holds another label in every row", "if it is a clustering")
