"""Parquet through pyarrow, which is an extra and imported only here."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = [
    "column_texts",
    "distinct_labels",
    "load_parquet",
    "numeric_column",
    "open_batches",
    "require_pyarrow",
    "save_parquet",
    "stream_columns",
    "write_blocks",
]

_PANDAS_INDEX = "__index_level_0__"


def require_pyarrow(file: str) -> Any:
    """Return pyarrow, or say how to get it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        msg = f"{file}: Parquet needs pyarrow; install it with pip install pyarrow."
        raise ValueError(msg) from None
    return pa


def load_parquet(stream: IO[bytes], file: str) -> tuple[list[str], list[Any]]:
    """Read names and columns (arrow arrays); the unnamed index of a pandas frame comes first."""
    pa = require_pyarrow(file)
    try:
        table = pa.parquet.ParquetFile(stream).read()
        table.validate(full=True)  # texts that are no UTF-8, places beyond a dictionary
    except (pa.ArrowException, ValueError, OSError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        msg = f"{file}: cannot be read as Parquet; the file is damaged or cut off ({reason})."
        raise ValueError(msg) from None
    if table.num_rows == 0 or table.num_columns == 0:
        msg = f"{file}: has {table.num_rows} rows and {table.num_columns} columns, so there is nothing to read."
        raise ValueError(msg)
    order = sorted(range(table.num_columns), key=lambda j: table.column_names[j] != _PANDAS_INDEX)
    return [table.column_names[j] for j in order], [table.column(j) for j in order]


def numeric_column(column: Any) -> np.ndarray | None:
    """Return a column of numbers or truth values as an array, NaN where it is null; None for other columns."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.int8() if pa.types.is_boolean(kind) else pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    return np.asarray(column.to_numpy())


def distinct_labels(column: Any) -> tuple[list[Any], np.ndarray]:
    """Distinct values of a column, and for every row the place of its value among them."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if not pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_encode()
    values = [*whole.dictionary.to_pylist(), None]
    places = whole.indices.fill_null(len(values) - 1) if whole.null_count else whole.indices
    return values, places.to_numpy(zero_copy_only=False)


def column_texts(column: Any) -> list[str]:
    """All values of a column as texts."""
    return ["" if value is None else str(value) for value in column.to_pylist()]


def save_parquet(stream: IO[bytes], columns: Mapping[str, np.ndarray]) -> None:
    """Write named columns: texts or whole numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [pa.array(values.tolist() if values.dtype.kind == "O" else values) for values in columns.values()]
    pq.write_table(pa.table(arrays, names=list(columns)), stream)


def open_batches(place: str) -> tuple[Callable[[int], Iterator[Any]], int]:
    """Open a file or a folder of files: a function that reads batches of at most so many rows, and all rows.

    A batch is an array where all columns are plain integers of one type, else an arrow table.
    """
    pa = require_pyarrow(place)
    from pyarrow import dataset

    try:
        files = dataset.dataset(place, format="parquet")
        n_rows = int(files.count_rows())
    except (pa.ArrowException, ValueError, OSError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        msg = f"{place}: cannot be read as Parquet; the file is damaged or cut off ({reason})."
        raise ValueError(msg) from None

    return partial(_read_batches, place, files), n_rows


def _read_batches(place: str, files: Any, n_batch_rows: int) -> Iterator[Any]:
    with _said(require_pyarrow(place), place):
        for batch in files.to_batches(batch_size=n_batch_rows, batch_readahead=1, fragment_readahead=1):
            if batch.num_rows:
                batch.validate(full=True)
                yield _batch_rows(batch)


def _batch_rows(batch: Any) -> Any:
    pa = require_pyarrow("a batch")
    kinds = {str(column.type) for column in batch.columns}
    plain = len(kinds) == 1 and pa.types.is_integer(batch.columns[0].type)
    if plain and not any(column.null_count for column in batch.columns):
        return np.stack([column.to_numpy() for column in batch.columns], axis=1)
    return pa.Table.from_batches([batch])


def stream_columns(path: str) -> tuple[list[str], int, Callable[[int], Iterator[list[Any]]]]:
    """Open a file to be read in batches: names, number of rows, and a function that yields columns of so many rows.

    The unnamed index of a pandas frame comes first, as in :func:`load_parquet`.
    """
    pa = require_pyarrow(path)
    with _said(pa, path), pa.parquet.ParquetFile(path) as file:
        names, n_rows = list(file.schema_arrow.names), int(file.metadata.num_rows)
    if n_rows == 0 or not names:
        msg = f"{path}: has {n_rows} rows and {len(names)} columns, so there is nothing to read."
        raise ValueError(msg)
    names.sort(key=lambda name: name != _PANDAS_INDEX)

    def read(n_batch_rows: int) -> Iterator[list[Any]]:
        with _said(pa, path), pa.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(n_batch_rows):
                if batch.num_rows:
                    batch.validate(full=True)
                    table = pa.Table.from_batches([batch])
                    yield [table.column(name) for name in names]

    return names, n_rows, read


def stored_bytes(path: str) -> int:
    """Bytes of the columns of a file before they were compressed."""
    pa = require_pyarrow(path)
    with _said(pa, path), pa.parquet.ParquetFile(path) as file:
        groups = file.metadata
        return sum(int(groups.row_group(g).total_byte_size) for g in range(groups.num_row_groups))


def write_blocks(stream: IO[bytes], names: Sequence[str], blocks: Iterator[list[Any]]) -> None:
    """Write columns block by block: the first one, ids or numbers of rows, of the type that its first block has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for block in blocks:
            if writer is None:
                schema = pa.schema(list(zip(names, [pa.array(column).type for column in block], strict=True)))
                writer = pq.ParquetWriter(stream, schema)
            writer.write_table(pa.table(block, schema=schema))
    finally:
        if writer is not None:
            writer.close()


@contextmanager
def _said(pa: Any, path: str) -> Iterator[None]:
    """What pyarrow says of a file that cannot be read, as one sentence."""
    try:
        yield
    except FileNotFoundError:
        msg = f"{path}: there is no such file."
        raise ValueError(msg) from None
    except (pa.ArrowException, OSError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        msg = f"{path}: cannot be read as Parquet; the file is damaged or cut off ({reason})."
        raise ValueError(msg) from None
