"""``--memory``: run and combine on files larger than memory, in stages that survive a stop."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import __version__
from consensa.cli.deliver import conclude, describe_source
from consensa.cli.parser import layout_of
from consensa.cli.progress import Progress
from consensa.cli.terminal import say
from consensa.io.layout import Layout
from consensa.io.rows import WorkFolder
from consensa.io.source import STANDARD, kind_of
from consensa.io.write import stream_labels

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

__all__ = ["combine_large", "run_large"]

_MICROCLUSTERS = 200_000  # at most so many distinct rows are kept


def run_large(arguments: Namespace, model: Any) -> None:
    """Cluster features on disk: read, fit on a sample, assign, combine, write.

    Parameters
    ----------
    arguments : Namespace
    model : EnsembleClustering
        Not fitted.
    """
    from consensa.scale import as_chunks
    from consensa.scale.files import FeatureFile
    from consensa.scale.generate import write_labels_of
    from consensa.scale.memory import MemoryPlan

    _check(arguments)
    plan, progress, start = MemoryPlan.of(arguments.memory), Progress(quiet=arguments.quiet), time.perf_counter()
    file = FeatureFile(arguments.data, _layout(arguments))
    generator, method = model.make_parts()
    origin = _origin(arguments) | {"n_partitions": arguments.n_partitions, "seed": arguments.seed}
    with _work_folder(arguments, origin) as work:
        path = file.store(work, progress)
        n_rows, n_columns = _size(file), len(file.names)
        introduce_large(arguments, file, n_rows, "feature")
        chunk_rows = plan.chunk_rows(
            _bytes_per_row(n_columns, arguments), _fixed_bytes(n_rows, n_columns, arguments), f"{n_rows} rows"
        )
        chunks = as_chunks(path, chunk_rows)
        labels = write_labels_of(chunks, generator, work, n_rows, progress)
        method.fit(as_chunks(labels, chunk_rows, progress=progress))
        _deliver(arguments, method.labels_, file)
    _conclude(arguments, method.labels_, file, time.perf_counter() - start)


def combine_large(arguments: Namespace) -> None:
    """Combine clusterings on disk: read, combine, write."""
    from consensa.methods.consensus import make_method
    from consensa.scale.files import LabelFile
    from consensa.scale.memory import MemoryPlan

    _check(arguments)
    plan, progress, start = MemoryPlan.of(arguments.memory), Progress(quiet=arguments.quiet), time.perf_counter()
    method = make_method(arguments.method, arguments.n_clusters, arguments.seed, dict(arguments.param))
    file = LabelFile(arguments.data, _layout(arguments), arguments.missing)
    arguments.n_partitions = len(file.names)
    with _work_folder(arguments, _origin(arguments) | {"missing": arguments.missing}) as work:
        file.store(work, progress)
        n_rows = _size(file)
        introduce_large(arguments, file, n_rows, "clustering")
        chunk_rows = plan.chunk_rows(_bytes_per_row(0, arguments), _fixed_bytes(n_rows, 0, arguments), f"{n_rows} rows")
        method.fit(file.chunks(work, chunk_rows, progress))
        _deliver(arguments, method.labels_, file)
    _conclude(arguments, method.labels_, file, time.perf_counter() - start)


def introduce_large(arguments: Namespace, file: Any, n_rows: int, what: str) -> None:
    """Say what was read and what was decided about it."""
    if not arguments.quiet:
        ids = f"the ids are in column {file.roles.names[file.roles.id_index]!r}" if file.has_ids else ""
        notes = [note for note in (file.note, ids or "there is no id column") if note]
        say(describe_source(arguments.data, n_rows, len(file.names), what, notes))


def _check(arguments: Namespace) -> None:
    """Refuse what cannot be read again after a stop, or not be written in parts."""
    msg = ""
    if arguments.data == STANDARD:
        msg = "--memory needs a file that can be read several times, not standard input."
    elif arguments.output in (None, STANDARD):
        msg = "--memory needs -o FILE: the finished parts of a run are kept next to its output."
    elif kind_of(arguments.output) == "npz":
        msg = f"{arguments.output}: NPZ cannot be written in parts; choose CSV, TSV, NPY or Parquet."
    if msg:
        raise ValueError(msg)


def _layout(arguments: Namespace) -> Layout:
    return Layout(columns=arguments.columns, **layout_of(arguments))


def _size(file: Any) -> int:
    if not file.n_rows:
        msg = f"{file.source}: there is no row of data."
        raise ValueError(msg)
    return int(file.n_rows)


def _origin(arguments: Namespace) -> dict[str, Any]:
    """What all parts depend on; the number of clusters and the method come after them."""
    path = Path(arguments.data)
    state = path.stat() if path.exists() else None
    return {
        "version": __version__,
        "command": arguments.command,
        "data": [str(path.resolve()), *([] if state is None else [state.st_size, state.st_mtime_ns])],
        "layout": {**layout_of(arguments), "columns": arguments.columns},
    }


@contextmanager
def _work_folder(arguments: Namespace, origin: dict[str, Any]) -> Iterator[WorkFolder]:
    """Open the folder of the parts; remove it at the end, or say after a stop or a fault what is kept in it."""
    work = WorkFolder(arguments.output + ".parts", origin, restart=arguments.restart)
    if not work.is_new and not arguments.quiet:
        say(f"going on with the finished parts in {work.path}.")
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, _stop)
        yield work
    except BaseException:
        kept = sorted(part.name for part in work.path.glob("*.np[yz]"))
        if kept:
            say(f"finished parts ({', '.join(kept)}) are kept in {work.path}; the same command goes on with them.")
        else:
            work.remove()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
    work.remove()


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def _deliver(arguments: Namespace, labels: Any, file: Any) -> None:
    found = {f"k{k}": vector for k, vector in labels.items()} if isinstance(labels, dict) else {"label": labels}
    stream_labels(arguments.output, found, file.ids() if file.has_ids else None, force=arguments.force)


def _conclude(arguments: Namespace, labels: Any, file: Any, seconds: float) -> None:
    parameters = {"n_partitions": arguments.n_partitions, "memory": arguments.memory}
    shape = (int(file.n_rows), len(file.names))
    conclude(arguments, labels, shape, seconds, parameters, has_ids=file.has_ids)


def _bytes_per_row(n_columns: int, arguments: Namespace) -> int:
    """Bytes that a row of a chunk needs while it is assigned or counted: features twice, labels and their codes."""
    n_clusters = int(np.max(arguments.n_clusters))
    return 24 * n_columns + 24 * arguments.n_partitions + 16 * n_clusters + 200


def _fixed_bytes(n_rows: int, n_columns: int, arguments: Namespace) -> int:
    """Bytes for the labels of all rows, the sample with the copies k-means makes of it, and the distinct rows."""
    n_sample = min(n_rows, _MICROCLUSTERS)
    n_clusters = int(np.max(arguments.n_clusters))
    labels = 4 * n_rows * np.size(arguments.n_clusters)
    sample = 32 * n_sample * n_columns + 8 * n_sample * arguments.n_partitions * (n_columns > 0)
    distinct = n_sample * (12 * arguments.n_partitions + 24 * n_clusters + 64)
    return int(labels + max(sample, distinct))
