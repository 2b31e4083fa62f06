"""Tables in files that are larger than memory: read in blocks, put on disk as one plain matrix."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import _parquet as parquet
from consensa._messages import Message, Parameter
from consensa.ensemble.chunks import Chunks
from consensa.ensemble.labels import Vocabulary
from consensa.ensemble.sources import from_path
from consensa.io.cells import LabelCodes, code_labels, is_word
from consensa.io.features import block_numbers, check_row_numbers, different_texts, finite_numbers, refuse_cell
from consensa.io.header import feature_header, label_header
from consensa.io.labels import check_distinct, text_codes
from consensa.io.layout import AUTO, Layout, assign_roles, is_id_name
from consensa.io.rows import RowStore
from consensa.io.source import kind_of, open_binary
from consensa.io.text import open_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from consensa.columns import Column
    from consensa.generate.chunked import Progress
    from consensa.io.layout import Roles
    from consensa.io.rows import WorkFolder

__all__ = ["FeatureFile", "LabelFile", "TableRows"]

_BLOCK_ROWS = 1 << 14
_BLOCK_BYTES = 1 << 24  # of wide tables and long texts fewer rows are read at a time
_MOST_LABELS = 1_000_000  # of one column; more are surely not names of clusters


class TableRows:
    """A table in a file: which columns it has, and a way to read it again and again in blocks."""

    header_rule: Any
    reads_evidence = True  # whether columns that stand beside labels are read
    columns: tuple[Column, ...] = ()  # what they are, where they may be anything

    def __init__(self, source: str, layout: Layout) -> None:
        self.source = source
        self.layout = layout
        self.kind = kind_of(source)
        if self.kind in ("npz", "mat", "h5ad"):
            kind = self.kind.upper() if self.kind != "h5ad" else self.kind
            msg = f"{source}: {kind} cannot be read in parts; save the array as NPY, or the table as Parquet or CSV."
            raise ValueError(msg)
        self.n_rows: int | None = None
        self._block_rows = _BLOCK_ROWS
        self.note = ""
        self.roles = self._find_roles()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        return self.roles.chosen_names

    @property
    def has_ids(self) -> bool:
        """Whether a column holds the ids of the rows."""
        return self.roles.id_index is not None

    @property
    def is_plain(self) -> bool:
        """Whether the file itself is a matrix of the chosen columns."""
        return self.kind == "npy" and not self.has_ids and self.roles.chosen == list(range(len(self.roles.names)))

    def ids(self) -> Iterator[list[str]]:
        """Read the ids of the rows, block by block."""
        place = self.roles.id_index
        if place is None:
            return
        for block in self._raw_blocks():
            yield [str(cell) for cell in self._texts(block, place)]

    def picked_ids(self) -> PickedIds | None:
        """Return the ids as something that reads a few of them at a time; None where there are none."""
        return PickedIds(self) if self.has_ids else None

    def _raw_blocks(self) -> Iterator[Any]:
        """Blocks of a text file, lists of arrow columns, or slices of an array."""
        if self.kind == "npy":
            yield from from_path(self.source)[0](self._block_rows)
        elif self.kind == "parquet":
            yield from parquet.stream_columns(self.source)[2](self._block_rows)
        else:
            with ExitStack() as stack:
                stream = stack.enter_context(open_binary(self.source))
                opened = open_text(stream, self.source, self.kind, self.layout, self.header_rule)
                yield from stack.enter_context(opened).blocks

    def _texts(self, block: Any, column: int) -> list[str]:
        if self.kind == "npy":
            return [f"{value:.17g}" for value in block[:, column].tolist()]
        return parquet.column_texts(block[column]) if self.kind == "parquet" else block.cells(column)

    def _find_roles(self) -> Roles:
        if self.kind == "npy":
            with open_binary(self.source):
                found = np.load(self.source, mmap_mode="r", allow_pickle=False)
            shape = found.shape
            self._check_shape(shape)
            self.n_rows = int(shape[0])
            self._limit_blocks(found.nbytes)
            names = [str(j) for j in range(shape[1])]
            return assign_roles(self.source, names, self.layout, first_is_id=False)
        if self.kind == "parquet":
            names, self.n_rows, _ = parquet.stream_columns(self.source)
            self._limit_blocks(4 * parquet.stored_bytes(self.source))  # texts that are stored once for many rows
            first_is_id = is_id_name(names[0]) or self._first_are_ids()
            return assign_roles(self.source, names, self.layout, first_is_id=first_is_id, evidence=self.reads_evidence)
        with (
            open_binary(self.source) as stream,
            open_text(stream, self.source, self.kind, self.layout, self.header_rule) as text,
        ):
            self.note = text.note
            named = text.has_header and is_id_name(text.names[0])
            first_is_id = named or self._are_words(text.first_block.cells(0))
            return assign_roles(
                self.source, text.names, self.layout, first_is_id=first_is_id, evidence=self.reads_evidence
            )

    def _limit_blocks(self, n_bytes: int) -> None:
        """Read so few rows at a time that a block takes no more than it may, of a table of ``n_bytes``."""
        self._block_rows = max(1, min(_BLOCK_ROWS, _BLOCK_BYTES * int(self.n_rows or 1) // max(n_bytes, 1)))

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        """Refuse an array that is no table."""
        if len(shape) != 2 or 0 in shape:
            msg = f"{self.source}: the array has shape {shape}; expected rows x columns, at least one of each."
            raise ValueError(msg)

    def _first_are_ids(self) -> bool:
        return False

    def _are_words(self, cells: list[str]) -> bool:  # noqa: ARG002 - labels may be words
        return False

    def _store_rows(self, store: RowStore, pieces: Iterable[np.ndarray], progress: Progress) -> int:
        """Append what is not stored yet; return the number of all rows."""
        n_read = 0
        with store:
            for rows in pieces:
                n_read += len(rows)
                if n_read > store.n_rows:
                    store.append(rows[len(rows) - (n_read - store.n_rows) :])
                progress("reading", n_read, self.n_rows)
            store.finish()
        return n_read

    def _check_ids(self, block: Any) -> None:
        """Ids that were recognised, not given, must tell the rows of a block apart."""
        if self.roles.id_index is not None and self.layout.id_column == AUTO:
            self.roles.check_ids(np.array(self._texts(block, self.roles.id_index), dtype=object))


class PickedIds:
    """Ids of the rows of a file, of which a few are read at a time."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __len__(self) -> int:
        return int(self._file.n_rows)

    def pick(self, rows: Iterable[int]) -> list[str]:
        """Return the ids of some rows, in one pass over the file."""
        wanted = [int(row) for row in rows]
        numbers = np.unique(wanted)
        found: dict[int, str] = {}
        start = 0
        for block in self._file.ids():
            first, last = np.searchsorted(numbers, [start, start + len(block)])
            found |= {int(number): block[int(number) - start] for number in numbers[first:last]}
            start += len(block)
        return [found[row] for row in wanted]


class FeatureFile(TableRows):
    r"""A table of features in a CSV, TSV, NPY or Parquet file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("id,length,width\nf1,5.1,3.5\nf2,4.9,3.0\n")
    ...     file = FeatureFile(str(path), Layout())
    ...     print(file.names, [block.tolist() for block in file.blocks()], list(file.ids()))
    ('length', 'width') [[[5.1, 3.5], [4.9, 3.0]]] [['f1', 'f2']]
    """

    header_rule = staticmethod(feature_header)

    def blocks(self) -> Iterator[np.ndarray]:
        """Read the features, block by block: finite numbers."""
        start = 0
        for block in self._raw_blocks():
            self._check_ids(block)
            values = self._numbers(block, start)
            start += len(values)
            yield values

    def store(self, work: WorkFolder, progress: Progress) -> Path:
        """Return a plain NPY file of the features: the file itself, or a copy in the work folder."""
        path = work.path / "features.npy"
        kind = self._look_at_first()
        if self.is_plain:
            return Path(self.source)
        done = work.get("features")
        if done is not None:
            self.n_rows = done["rows"]
            return path
        self.n_rows = self._store_rows(RowStore(path, len(self.names), kind), self.blocks(), progress)
        work.put("features", {"rows": self.n_rows})
        return path

    def _look_at_first(self) -> Any:
        """Return the type of the numbers; ask whether a first column that counts the rows is a feature."""
        found = self.blocks()
        column = next(found)[:, :2]
        if np.array_equal(column[:, 0] - column[0, 0], np.arange(len(column))):
            check_row_numbers(np.vstack([column, *(values[:, :2] for values in found)]), self.roles)
        return column.dtype

    def _numbers(self, block: Any, start: int) -> np.ndarray:
        if self.kind in ("csv", "tsv"):
            return block_numbers(block, self.roles)
        if self.kind == "npy":
            found = np.asarray(block[:, self.roles.chosen])
        else:
            columns = [(place, parquet.numeric_column(block[place])) for place in self.roles.chosen]
            wrong = next((place for place, numbers in columns if numbers is None), None)
            if wrong is not None:
                refuse_cell(self.roles, wrong, self._texts(block, wrong)[0], f"row {start}")
            found = np.stack([numbers for _, numbers in columns if numbers is not None], axis=1)
        return finite_numbers(found, self.roles, start)

    def _first_are_ids(self) -> bool:
        return different_texts(next(self._raw_blocks())[0])

    def _are_words(self, cells: list[str]) -> bool:
        return all(map(is_word, cells))


class LabelFile(TableRows):
    r"""A label matrix in a CSV, TSV, NPY or Parquet file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consensa.io.rows import WorkFolder
    >>> from consensa.ensemble.chunks import no_progress
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     _ = path.write_text("id,first,second\nf1,3,b\nf2,-1,a\nf3,5,NA\n")
    ...     file = LabelFile(str(path), Layout(), -1)
    ...     work = WorkFolder(folder + "/parts", {})
    ...     file.store(work, no_progress)
    ...     chunks = file.chunks(work, 2, no_progress)
    ...     print([block.data.tolist() for block in chunks.blocks()])
    [[[0, 1], [-1, 0]], [[1, -1]]]
    """

    header_rule = staticmethod(label_header)
    reads_evidence = False

    def __init__(self, source: str, layout: Layout, missing: int | None) -> None:
        super().__init__(source, layout)
        self.missing = missing
        self.n_base_clusters = 0

    def store(self, work: WorkFolder, progress: Progress) -> None:
        """Code the labels into the work folder, unless the file itself is a plain matrix of integers."""
        note = work.get("codes")
        if note is None:
            note = self._count(progress) if self._is_coded else self._code(work, progress)
            work.put("codes", note)
        self.n_rows = int(note["rows"])
        self.n_base_clusters = int(note["clusters"])

    def _code(self, work: WorkFolder, progress: Progress) -> dict[str, Any]:
        """Number the labels of every column as they come, and note what the numbers mean."""
        coders = [LabelCodes() for _ in self.roles.chosen]
        rows = (self._codes(block, coders) for block in self._raw_blocks())
        n_read = self._store_rows(RowStore(work.path / "codes.npy", len(coders), np.int32), rows, progress)
        check_distinct(([*coders[0].labels], np.broadcast_to(np.int32(0), n_read)), self.roles)
        coded = [self._coded(m, [*coder.labels]) for m, coder in enumerate(coders)]
        tables, words = ([*parts] for parts in zip(*coded, strict=True))
        return {"rows": n_read, "clusters": sum(map(len, words)), "tables": tables, "words": words}

    def _count(self, progress: Progress) -> dict[str, Any]:
        """Count the labels of a plain matrix of integers."""
        seen: list[np.ndarray] = [np.empty(0, np.int64) for _ in self.names]
        n_read = 0
        for block in from_path(self.source)[0](self._block_rows):
            seen = [np.union1d(known, np.unique(block[:, m])) for m, known in enumerate(seen)]
            n_read += len(block)
            progress("reading", n_read, self.n_rows)
        return {"rows": n_read, "clusters": sum(labels.size for labels in seen)}

    def chunks(self, work: WorkFolder, chunk_rows: int, progress: Progress) -> Chunks:
        """Return the stored label matrix in chunks."""
        if self._is_coded:
            return Chunks(*from_path(self.source), chunk_rows=chunk_rows, progress=progress)
        note = work.get("codes")
        tables = [np.array(table, np.int32) for table in note["tables"]]
        words = tuple(Vocabulary(np.array(each), self.missing) for each in note["words"])
        read_codes, _ = from_path(work.path / "codes.npy")

        def read(rows: int) -> Iterator[np.ndarray]:
            for codes in read_codes(rows):
                yield np.stack([table[codes[:, m]] for m, table in enumerate(tables)], axis=1)

        return Chunks(read, self.n_rows, chunk_rows=chunk_rows, progress=progress, words=(self.names, words))

    @property
    def _is_coded(self) -> bool:
        if not self.is_plain or self.missing != -1:
            return False
        found = np.load(self.source, mmap_mode="r", allow_pickle=False)
        return found.dtype.kind in "iu"

    def _coded(self, place: int, labels: list[Any]) -> tuple[list[int], list[Any]]:
        """The code of every label of a column in the order in which they came, and the labels by code."""
        where = f"{self.names[place]!r} of {self.source}"
        codes, vocabulary = code_labels(where, labels, np.arange(len(labels)), self.missing)
        return codes.tolist(), vocabulary.labels.tolist()

    def _codes(self, block: Any, coders: list[LabelCodes]) -> np.ndarray:
        self._check_ids(block)
        columns = self._column_codes(block, coders)
        for coder, name in zip(coders, self.names, strict=True):
            if len(coder.labels) > _MOST_LABELS:
                text = (
                    "{file}: column {name!r} holds more than {most} different labels; give {id_column} if it holds "
                    "ids, or choose the clusterings with {columns}."
                )
                parameters = {"id_column": Parameter("id_column", name), "columns": Parameter("columns")}
                raise ValueError(Message(text, file=self.source, name=name, most=_MOST_LABELS, **parameters))
        return np.stack(columns, axis=1)

    def _column_codes(self, block: Any, coders: list[LabelCodes]) -> list[np.ndarray]:
        chosen = self.roles.chosen
        if self.kind == "npy":
            return [self._array_codes(block[:, place], coder) for place, coder in zip(chosen, coders, strict=True)]
        if self.kind == "parquet":
            return [_arrow_codes(block[place], coder) for place, coder in zip(chosen, coders, strict=True)]
        return text_codes(block, chosen, coders)

    def _array_codes(self, values: np.ndarray, coder: LabelCodes) -> np.ndarray:
        if values.dtype.kind not in "biufUS":
            msg = f"{self.source}: the array holds {values.dtype} entries; labels must be whole numbers or texts."
            raise ValueError(msg)
        distinct, places = np.unique(values, return_inverse=True)
        return coder.of_distinct(distinct.tolist())[places]


def _arrow_codes(column: Any, coder: LabelCodes) -> np.ndarray:
    found, places = parquet.distinct_labels(column)
    present = np.unique(places)
    table = np.zeros(len(found), np.int32)
    table[present] = coder.of_distinct([found[each] for each in present])
    return table[places]
