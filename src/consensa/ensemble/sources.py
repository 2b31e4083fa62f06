"""What a label matrix can be read from, chunk by chunk: arrays, memory maps, NPY, Parquet, Zarr, frames."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._threads import row_ranges

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    Reader = tuple[Callable[[int], Iterable[Any]], int | None]

__all__ = ["Pieces", "from_array", "from_frame", "from_path", "from_slices", "is_dask", "is_factory", "is_zarr"]


def is_dask(source: Any) -> bool:
    """Whether this is a dask array or data frame, without importing dask."""
    return hasattr(source, "__dask_graph__")


def is_zarr(source: Any) -> bool:
    """Whether this is a Zarr array, without importing zarr."""
    return type(source).__module__.split(".")[0] == "zarr"


def is_factory(source: Any) -> bool:
    """Whether this is a function that returns an iterator over chunks."""
    return callable(source) and not hasattr(source, "shape") and not isinstance(source, type)


def from_path(path: str | os.PathLike[str]) -> Reader:
    """Read ``.npy``, ``.parquet`` (a file or a folder) or ``.zarr``, by the ending."""
    place = Path(path)
    if not place.exists():
        msg = f"{place} does not exist; give a .npy, .parquet or .zarr label matrix."
        raise ValueError(msg)
    ending = place.suffix.lower()
    if ending == ".npy":
        return from_array(np.load(place, mmap_mode="r", allow_pickle=False))
    if ending == ".zarr":
        import zarr

        return from_slices(zarr.open_array(place, mode="r"))
    if ending == ".parquet" or place.is_dir():
        return _from_parquet(place)
    msg = f"{place} cannot be read in chunks: give a file that ends in .npy, .parquet or .zarr."
    raise ValueError(msg)


def from_array(array: np.ndarray) -> Reader:
    """Slices of an array; a memory map of a whole file is read with plain file access."""
    _check_matrix(array)
    if isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.flags.c_contiguous:
        n_rows, n_columns = array.shape
        return FileRows(str(array.filename), array.offset, array.dtype, (n_rows, n_columns)), int(n_rows)
    return from_slices(array)


def from_slices(array: Any) -> Reader:
    """Slices of anything two-dimensional."""
    _check_matrix(array)
    return Slices(array), int(array.shape[0])


def from_frame(frame: Any) -> Reader:
    """Slices of a data frame of any library."""
    import narwhals as nw

    whole = nw.from_native(frame, eager_only=True)
    return FrameSlices(whole), int(whole.shape[0])


@dataclass(frozen=True)
class Pieces:
    """Reads chunks as they come: from a function that returns an iterator, or an iterable."""

    source: Any

    def __call__(self, chunk_rows: int) -> Any:  # noqa: ARG002 - the source has chosen
        """Begin from the start."""
        return self.source() if is_factory(self.source) else self.source


@dataclass(frozen=True)
class Slices:
    """Reads an array slice by slice."""

    array: Any

    def __call__(self, chunk_rows: int) -> Iterator[np.ndarray]:
        for start, stop in row_ranges(self.array.shape[0], chunk_rows):
            yield np.asarray(self.array[start:stop])


@dataclass(frozen=True)
class FrameSlices:
    """Reads a narwhals frame slice by slice."""

    frame: Any

    def __call__(self, chunk_rows: int) -> Iterator[Any]:
        for start, stop in row_ranges(self.frame.shape[0], chunk_rows):
            yield self.frame[start:stop].to_native()


@dataclass(frozen=True)
class FileRows:
    """Reads a matrix from a file, without a memory map.

    What a process has touched of a memory map counts as its resident memory; what it reads from a file does not.
    """

    path: str
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, int]

    def __call__(self, chunk_rows: int) -> Iterator[np.ndarray]:
        n_rows, n_columns = self.shape
        with Path(self.path).open("rb", buffering=0) as file:
            for start, stop in row_ranges(n_rows, chunk_rows):
                file.seek(self.offset + start * n_columns * self.dtype.itemsize)
                values = np.fromfile(file, self.dtype, (stop - start) * n_columns)
                if values.size < (stop - start) * n_columns:
                    msg = f"the file ends in row {start + values.size // n_columns}"
                    raise EOFError(msg)
                yield values.reshape(-1, n_columns)


def _from_parquet(place: Path) -> Reader:
    from consensa._parquet import open_batches

    return open_batches(str(place))


def _check_matrix(array: Any) -> None:
    if len(array.shape) != 2:
        msg = f"expected a label matrix of shape (n_objects, n_partitions), got an array of shape {tuple(array.shape)}."
        raise ValueError(msg)
