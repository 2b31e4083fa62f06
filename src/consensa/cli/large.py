"""``--memory``: run and combine on files larger than memory, in stages that survive a stop."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import __version__
from consensa._threads import n_threads
from consensa.cli.deliver import conclude, describe_source
from consensa.cli.parser import layout_of
from consensa.cli.progress import Progress
from consensa.cli.terminal import say
from consensa.io.layout import Layout
from consensa.io.rows import WorkFolder
from consensa.io.source import STANDARD, kind_of
from consensa.io.write import stream_labels
from consensa.partition.kmeans import SAMPLE_ABOVE

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

__all__ = ["combine_large", "run_large"]

_CELL_BYTES = {"sal": 16, "lwgp": 12, "lwea": 260}  # of a label of a distinct row while a method works; sal estimated
_SAL_BYTES = 600 << 20  # its two trees of 4,000 rows and their moments: 333 MiB were measured on 159,062 distinct rows
_USPEC_BYTES = 2_000  # of every row of the sample: graph, embedding of up to 64 dimensions, and copies of it


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
    made_by = {name: getattr(arguments, name) for name in ("generator", "n_partitions", "seed")}
    with _work_folder(arguments, _origin(arguments) | made_by) as work:
        path = file.store(work, progress)
        n_rows, n_columns = _size(file), len(file.names)
        _introduce(arguments, file, n_rows, "feature")
        sample = _sample_bytes(min(n_rows, generator.sample_size), n_columns, arguments)
        fixed = max(sample, _consensus_bytes(n_rows, _n_drawn_clusters(generator, n_rows), arguments))
        chunk_rows = plan.chunk_rows(_bytes_per_row(n_columns, arguments), fixed, f"{n_rows} rows")
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
        _introduce(arguments, file, n_rows, "clustering")
        fixed = _consensus_bytes(n_rows, file.n_base_clusters, arguments)
        chunk_rows = plan.chunk_rows(_bytes_per_row(0, arguments), fixed, f"{n_rows} rows")
        method.fit(file.chunks(work, chunk_rows, progress))
        _deliver(arguments, method.labels_, file)
    _conclude(arguments, method.labels_, file, time.perf_counter() - start)


def _introduce(arguments: Namespace, file: Any, n_rows: int, what: str) -> None:
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
    elif arguments.method not in _CELL_BYTES:
        msg = (
            f"--memory cannot be promised for method {arguments.method!r}, whose matrices depend on the data; use "
            f"{' or '.join(_CELL_BYTES)}, or leave --memory out."
        )
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
    known = ("n_partitions", "generator", "memory")
    parameters = {name: getattr(arguments, name) for name in known if hasattr(arguments, name)}
    shape = (int(file.n_rows), len(file.names))
    conclude(arguments, labels, shape, seconds, parameters, has_ids=file.has_ids)


def _bytes_per_row(n_columns: int, arguments: Namespace) -> int:
    """Bytes that a row of a chunk needs while it is assigned or counted: features twice, labels and their codes."""
    n_clusters = int(np.max(arguments.n_clusters))
    return 24 * n_columns + 24 * arguments.n_partitions + 16 * n_clusters + 200


def _sample_bytes(n_sample: int, n_columns: int, arguments: Namespace) -> int:
    """Bytes for the sample, the copies that k-means makes of it, its labels, and the embedding of a U-SPEC member."""
    embedding = _USPEC_BYTES if arguments.generator == "uspec" else 0
    return n_sample * (32 * n_columns + 8 * arguments.n_partitions + embedding)


def _consensus_bytes(n_rows: int, n_base_clusters: int, arguments: Namespace) -> int:
    """Bytes for the labels of all rows, the distinct rows and their embedding, and the pairs of clusters."""
    n_distinct = min(n_rows, SAMPLE_ABOVE)
    distinct = n_distinct * (
        _CELL_BYTES[arguments.method] * arguments.n_partitions + 24 * int(np.max(arguments.n_clusters)) + 64
    )
    pairs = n_base_clusters**2 * (56 + 24 * n_threads())
    trees = _SAL_BYTES if arguments.method == "sal" else 0
    return int(4 * n_rows * np.size(arguments.n_clusters) + distinct + pairs + trees)


def _n_drawn_clusters(generator: Any, n_rows: int) -> int:
    """Return how many clusters the members will have together, at most for U-SPEC."""
    from consensa._random import as_generator
    from consensa.generate import USPECPartitions
    from consensa.generate.kmeans import draw_cluster_numbers

    if isinstance(generator, USPECPartitions):
        return 60 * int(generator.n_partitions)
    n_sample = min(n_rows, generator.sample_size)
    rng = as_generator(generator.random_state)
    return int(draw_cluster_numbers(generator.n_partitions, generator.k_range, n_sample, rng).sum())
