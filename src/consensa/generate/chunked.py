"""Base clusterings of features beyond memory: fitted on a sample, then assigned chunk by chunk into a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from consensa import __version__
from consensa.columns import CodedTable
from consensa.ensemble.chunks import CHUNK_ROWS, Chunks, as_chunks, no_progress
from consensa.ensemble.sampling import sampled_rows
from consensa.generate.registry import GENERATORS
from consensa.generate.scale import SCALE_ROWS, apply_scale
from consensa.io.rows import RowStore, WorkFolder, smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from consensa.columns import Column

    Progress = Callable[[str, int, int | None], None]

__all__ = ["generate_labels", "picked_rows", "sample_of", "scaled_chunks", "write_labels_of"]


def generate_labels(
    source: Any,
    generator: Any,
    out: str | os.PathLike[str],
    *,
    chunk_rows: int = CHUNK_ROWS,
    progress: Progress = no_progress,
    restart: bool = False,
) -> Path:
    """Make base clusterings of features that need not fit into memory, as a label matrix on disk.

    The generator is fitted on its sample of the rows (``sample_size``, chosen by hashes of the row numbers), and all
    rows are then assigned, chunk by chunk; the labels are those of ``generator.fit_transform`` on all rows in memory,
    whatever the chunks.

    Parameters
    ----------
    source : array, numpy.memmap, path to .npy, .parquet or .zarr, callable or iterable of chunks
        Features of shape (n_rows, n_features); see :func:`consensa.scale.as_chunks`.
    generator : KMeansPartitions, USPECPartitions or another with ``sample_size`` and ``transform``
        Its ``random_state`` must be an integer, so that a stopped run can go on.
    out : path
        The label matrix, ``.npy``, of the smallest unsigned type that holds the labels. It appears only when it is
        complete; until then the finished parts are in a folder of that name with ``.parts`` at the end, and a run
        with the same arguments goes on from there.
    chunk_rows : int, default=524288
        Rows of a chunk.
    progress : callable, default=no_progress
        Called as ``progress(stage, n_done, n_rows)``.
    restart : bool, default=False
        Throw away the parts of an earlier run instead of going on with them.

    Returns
    -------
    Path
        Where the label matrix is.

    References
    ----------
    Huang, Wang, Wu, Lai & Kwoh (2020), Ultra-scalable spectral clustering and ensemble clustering, IEEE TKDE 32(6).
    https://doi.org/10.1109/TKDE.2019.2903410

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from consensa.generate import KMeansPartitions
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> generator = KMeansPartitions(5, sample_size=300, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = np.load(generate_labels(X, generator, folder + "/labels.npy", chunk_rows=128))
    >>> labels.dtype, bool((labels == generator.fit_transform(X)).all())
    (dtype('uint8'), True)
    """
    target = Path(out)
    chunks = _checked(source, generator, target, chunk_rows)
    n_rows = _count(chunks, progress)
    work = WorkFolder(target.with_name(target.name + ".parts"), _origin(source, generator, chunks), restart=restart)
    write_labels_of(chunks, generator, work, n_rows, progress)[0].replace(target)
    work.remove()
    return target


def sample_of(chunks: Chunks, n_rows: int, progress: Progress, n_wanted: int = SCALE_ROWS) -> np.ndarray:
    """Return the rows that scales are found on: all, or those whose numbers have the smallest hashes."""
    rows = sampled_rows(n_rows, n_wanted)
    return picked_rows(chunks, n_rows, progress, np.arange(n_rows) if rows is None else rows)


def scaled_chunks(chunks: Chunks, scale: np.ndarray | None) -> Chunks:
    """Return chunks with scaled features; the same where there is no scale."""
    if scale is None:
        return chunks

    def read(rows: int) -> Iterator[np.ndarray]:
        for block in chunks.with_rows(rows).blocks():
            yield apply_scale(np.asarray(block.data), scale)

    return Chunks(read, chunks.n_rows, chunk_rows=chunks.chunk_rows)


def write_labels_of(
    chunks: Chunks,
    generator: Any,
    work: WorkFolder,
    n_rows: int,
    progress: Progress,
    columns: tuple[Column, ...] | None = None,
) -> tuple[Path, Any]:
    """Fit a generator on the sample of the chunks and write the labels of all rows into the work folder.

    Parameters
    ----------
    chunks : Chunks
        Features.
    generator : PartitionGenerator
        Not fitted; it is not changed.
    work : WorkFolder
        Finished parts are taken from it and kept in it.
    n_rows : int
        Number of rows of all chunks.
    progress : callable
    columns : tuple of Column or None, default=None
        What the columns are, where the chunks are a coded table.

    Returns
    -------
    path : Path
        The complete label matrix in the work folder.
    fitted : PartitionGenerator or None
        The fitted generator; None where it cannot be restored after a stop.
    """
    path = work.path / "labels.npy"
    if work.get("labels") is not None:
        kept = work.load_arrays("model")
        return path, None if kept is None else clone(generator).restore(kept)
    rows = sampled_rows(n_rows, generator.sample_size)
    if rows is None:
        model = clone(generator)
        labels = model.fit_transform(_as_table(picked_rows(chunks, n_rows, progress, np.arange(n_rows)), columns))
        _keep(model, work)
        with RowStore(path, labels.shape[1], smallest_dtype(int(labels.max()) + 1, signed=labels.min() < 0)) as store:
            if store.n_rows == 0:
                store.append(labels)
            store.finish()
        numbers = (labels.max(axis=0) + 1).tolist()
    else:
        model = _fitted(generator, work, lambda: _as_table(picked_rows(chunks, n_rows, progress, rows), columns))
        numbers = model.cluster_numbers()
        kind = smallest_dtype(numbers and max(numbers), signed=generator.leaves_out)
        with RowStore(path, generator.n_partitions, kind) as store:
            _assign(chunks, model, store, progress, columns)
            store.finish()
    work.put("labels", {"rows": n_rows, "clusters": numbers and sum(numbers)})
    return path, model


def _as_table(values: np.ndarray, columns: tuple[Column, ...] | None) -> Any:
    return values if columns is None else CodedTable(values, columns)


def _fitted(generator: Any, work: WorkFolder, sample: Callable[[], Any]) -> Any:
    """Return the generator fitted on the sample, or as it was fitted before a stop."""
    model = clone(generator)
    kept = work.load_arrays("model")
    if kept is not None:
        return model.restore(kept)
    model.fit(sample())
    _keep(model, work)
    return model


def _keep(model: Any, work: WorkFolder) -> None:
    arrays = model.model_arrays()
    if arrays is not None:
        work.save_arrays("model", arrays)


def picked_rows(chunks: Chunks, n_rows: int, progress: Progress, rows: np.ndarray) -> np.ndarray:
    """Return rows of the chunks, given by their rising numbers, shape (n_picked, n_columns)."""
    sample: np.ndarray | None = None
    for block in chunks.blocks():
        first, last = np.searchsorted(rows, [block.start, block.stop])
        values = np.asarray(block.data)
        if sample is None:
            sample = np.empty((rows.size, values.shape[1]), np.float32 if values.dtype == np.float32 else np.float64)
        if values.shape[1] != sample.shape[1]:
            msg = f"{block} has {values.shape[1]} columns, but the chunks before it have {sample.shape[1]}."
            raise ValueError(msg)
        sample[first:last] = values[rows[first:last] - block.start]
        progress("sampling", block.stop, n_rows)
    if sample is None:
        msg = "there are no rows to cluster."
        raise ValueError(msg)
    return sample


def _assign(
    chunks: Chunks, model: Any, store: RowStore, progress: Progress, columns: tuple[Column, ...] | None
) -> None:
    """Append the labels of all rows that are not in the store yet."""
    progress("assigning", store.n_rows, chunks.n_rows)
    for block in chunks.blocks():
        if block.stop <= store.n_rows:
            continue
        try:
            labels = model.transform(_as_table(np.asarray(block.data)[max(0, store.n_rows - block.start) :], columns))
        except ValueError as error:
            msg = f"{block}: {error}"
            raise ValueError(msg) from None
        store.append(labels)
        progress("assigning", block.stop, chunks.n_rows)


def _checked(source: Any, generator: Any, target: Path, chunk_rows: int) -> Chunks:
    msg = ""
    if not hasattr(generator, "sample_size") or not hasattr(generator, "transform"):
        able = [info.estimator for info in GENERATORS.values() if info.sampled]
        msg = (
            f"{type(generator).__name__} cannot cluster data in chunks: it has to be fitted on a sample and to label "
            f"the other rows. Use {' or '.join(able)}."
        )
    elif not isinstance(generator.random_state, (int, np.integer)):
        msg = (
            f"random_state={generator.random_state!r} is not allowed here: give the generator an integer, so that a "
            "stopped run can go on with the same clusterings."
        )
    elif target.suffix != ".npy":
        msg = f"{target}: the label matrix is written as NPY; give a name that ends in .npy."
    elif not target.parent.is_dir():
        msg = f"{target}: the folder {target.parent} does not exist; make it first."
    if msg:
        raise ValueError(msg)
    chunks = as_chunks(source, chunk_rows)
    if not isinstance(chunks, Chunks):
        msg = "dask collections are not read here: give a path, an array or an iterable of chunks."
        raise ValueError(msg)  # noqa: TRY004 - bad input is a ValueError everywhere
    return chunks


def _count(chunks: Chunks, progress: Progress) -> int:
    if chunks.n_rows is None:
        for block in chunks.blocks():
            progress("counting", block.stop, None)
    if not chunks.n_rows:
        msg = "there are no rows to cluster."
        raise ValueError(msg)
    return chunks.n_rows


def _origin(source: Any, generator: Any, chunks: Chunks) -> dict[str, Any]:
    """What the labels depend on: the generator, and the data as far as they can be recognised."""
    first = next(iter(chunks.blocks()))
    head = np.asarray(first.data)[:1]
    origin: dict[str, Any] = {
        "version": __version__,
        "generator": type(generator).__name__,
        "parameters": {
            name: repr(value)
            for name, value in generator.get_params(deep=False).items()
            if name not in ("n_jobs", "verbose")
        },
        "rows": chunks.n_rows,
        "first row": head[0].tolist(),
        "columns": int(head.shape[1]),
    }
    if isinstance(source, (str, os.PathLike)):
        state = Path(source).stat()
        origin["file"] = [str(Path(source).resolve()), state.st_size, state.st_mtime_ns]
    return origin
