"""What an ensemble is made of, read from labels in any form: a matrix, coded rows, or chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges
from consensa.ensemble.chunked import read_chunks
from consensa.ensemble.chunks import as_chunks
from consensa.ensemble.labels import Vocabulary, encode_columns, read_columns
from consensa.ensemble.microclusters import MicroclusterTable
from consensa.ensemble.missing import check_missing, warn_lonely
from consensa.ensemble.objects import CHUNK_ROWS, InMemory
from consensa.ensemble.sums import LeadCounts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from consensa._types import LabelMatrix
    from consensa.ensemble.chunked import InChunks

__all__ = ["from_chunks", "from_matrix", "from_pieces", "from_saved", "frozen", "parts_of"]

T = TypeVar("T")


def frozen(value: T) -> T:
    """Make an array, or the arrays of a sparse one, read-only."""
    arrays = (value.data, value.indices, value.indptr) if isinstance(value, sp.csr_array) else (value,)
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return value


def from_matrix(partitions: LabelMatrix, missing: int | None) -> dict[str, Any]:
    """Read a label matrix in memory."""
    n_objects, columns = read_columns(partitions)
    check_missing(columns, missing)
    vocabularies = tuple(Vocabulary.of(column, missing) for column in columns)
    names = tuple(column.name for column in columns)
    hidden = [v.labels.size == 1 and column.hides_minus_one() for column, v in zip(columns, vocabularies, strict=True)]
    warn_lonely(names, vocabularies, hidden)
    parts = ([column.rows(*piece) for column in columns] for piece in row_ranges(n_objects, CHUNK_ROWS))
    pieces = (encode_columns(part, vocabularies) for part in parts)
    return from_pieces(n_objects, pieces, vocabularies, names)


def from_pieces(
    n_objects: int, pieces: Iterable[np.ndarray], vocabularies: tuple[Vocabulary, ...], names: tuple[str, ...]
) -> dict[str, Any]:
    """Find the microclusters of coded rows, which come in pieces."""
    table = MicroclusterTable(len(vocabularies))
    row_map: np.ndarray = np.empty(n_objects, np.int32 if n_objects < 2**31 else np.int64)
    start = 0
    for codes in pieces:
        row_map[start : start + len(codes)] = table.add(codes)
        start += len(codes)
    return parts_of(table.sizes, InMemory(frozen(table.rows), frozen(row_map)), vocabularies, names)


def from_chunks(source: Any, missing: int | None, *, sample: bool) -> dict[str, Any]:
    """Read a label matrix chunk by chunk."""
    chunks = as_chunks(source)
    sizes, objects, overlap = read_chunks(chunks, missing, sample=sample)
    names, vocabularies = chunks.words or (objects.coder.names, objects.coder.vocabularies)
    parts = parts_of(sizes, objects, vocabularies, names)
    return parts if overlap is None else parts | {"overlap": frozen(overlap)}


def from_saved(state: dict[str, Any]) -> dict[str, Any]:
    """Check what a file says of an ensemble, and put it together."""
    labels, sizes, row_map, offsets = (state[name] for name in ("labels", "sizes", "row_map", "offsets"))
    n_labels = np.diff(offsets)
    fits = (
        labels.ndim == 2
        and n_labels.tolist() == [known.labels.size for known in state["vocabularies"]]
        and labels.shape == (sizes.size, len(state["names"]))
        and np.array_equal(np.bincount(row_map[row_map >= 0], minlength=sizes.size), sizes)
        and np.all((labels >= -1) & (labels < n_labels))
    )
    if not fits:
        msg = "the parts of the ensemble do not fit together."
        raise ValueError(msg)
    leads = LeadCounts.of(offsets, *state["leads"]) if "leads" in state else None
    objects = InMemory(labels, frozen(row_map), leads)
    parts = parts_of(sizes, objects, tuple(state["vocabularies"]), tuple(state["names"]))
    return parts if leads is None else parts | {"overlap": frozen(state["overlap"])}


def parts_of(
    sizes: np.ndarray, objects: InMemory | InChunks, vocabularies: tuple[Vocabulary, ...], names: tuple[str, ...]
) -> dict[str, Any]:
    """What an ensemble is made of."""
    ends = np.cumsum([vocabulary.labels.size for vocabulary in vocabularies])
    counted = sizes if objects.leads is None else objects.leads.counts
    return {
        "labels": frozen(objects.rows),
        "sizes": frozen(sizes),
        "objects": objects,
        "offsets": frozen(np.concatenate([[0], ends]).astype(np.int64)),
        "names": names,
        "vocabularies": vocabularies,
        "n_objects": objects.n_objects,
        "n_labelled": int(counted.sum()),
        "n_partitions": len(vocabularies),
        "n_base_clusters": int(ends[-1]),
        "n_microclusters": int(sizes.size),
        "leads": objects.leads,
    }
