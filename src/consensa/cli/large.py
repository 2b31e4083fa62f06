"""``--memory``: run and combine on files larger than memory, in stages that survive a stop."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import __version__
from consensa._threads import n_threads
from consensa._validation import auto_range, is_auto
from consensa.cli.deliver import (
    by_name,
    conclude,
    deliver_model,
    deliver_report,
    describe_source,
    evidence_of,
    tell_choice,
    tell_test,
)
from consensa.cli.parser import layout_of
from consensa.cli.progress import Progress
from consensa.cli.terminal import say
from consensa.ensemble.sampling import SAMPLE_ABOVE
from consensa.generate.registry import GENERATORS
from consensa.io.layout import Layout
from consensa.io.rows import WorkFolder
from consensa.io.source import STANDARD, kind_of
from consensa.io.write import stream_labels
from consensa.methods.registry import METHODS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from consensa.cli.memory import MemoryPlan
    from consensa.methods.registry import Method

__all__ = ["combine_large", "run_large"]

_TESTED = "tested"
_USPEC_BYTES = 2_000  # of every row of the sample: graph, embedding of up to 64 dimensions, and copies of it
_OBJECT_BYTES = 5  # of every object, for its microcluster in a saved model, and what a mask of all takes
_ID_BYTES = 100  # of an id that is saved with the model, beside its characters
_CHARACTER_BYTES = 12  # all ids as long as the longest, twice in the array and once compressed


def run_large(arguments: Namespace, model: Any, wish: str | None) -> None:
    """Cluster features on disk: read, fit on a sample, assign, combine, write.

    Parameters
    ----------
    arguments : Namespace
    model : EnsembleClustering
        Not fitted.
    wish : str or None
        The generator that was asked for.
    """
    from consensa.cli.memory import MemoryPlan
    from consensa.cli.reading import open_large, tell_columns, tell_scale
    from consensa.cli.run import model_for
    from consensa.ensemble.chunks import Chunks
    from consensa.ensemble.missing import own_labels
    from consensa.ensemble.sources import from_path
    from consensa.generate.chunked import picked_rows, sample_of, scaled_chunks, write_labels_of
    from consensa.generate.scale import find_scale
    from consensa.methods.split_test import TESTED_ROWS

    _check(arguments)
    plan, progress, start = MemoryPlan.of(arguments.memory), Progress(quiet=arguments.quiet), time.perf_counter()
    file = open_large(arguments)
    model = model_for(arguments, model, wish, file.columns)
    if arguments.generator == "table":
        model.accept_columns(file.columns)
    generator, method = model.make_parts()
    made_by = {name: getattr(arguments, name) for name in ("generator", "n_partitions", "seed", "types", "weights")}
    made_by |= {"scale": model.scale, "generator_parameters": dict(arguments.generator_param)}
    with _work_folder(arguments, _origin(arguments) | made_by) as work:
        path = file.store(work, progress)
        n_rows, n_columns = _size(file), len(file.names)
        _introduce(arguments, file, n_rows, "feature")
        tell_columns(arguments, file.columns)
        n_sampled = max(generator.sample_size, TESTED_ROWS if arguments.n_clusters == _TESTED else 0)
        needs = _RunNeeds(arguments, file, min(n_rows, n_sampled), _n_drawn_clusters(generator, n_rows))
        per_row, fixed = needs.of(arguments.n_partitions)
        chunk_rows = plan.chunk_rows(per_row, fixed, f"{n_rows} rows", lambda: needs.most_members(plan))
        features = Chunks(*from_path(path), chunk_rows=chunk_rows)
        if model.columns_ is None:
            sampled = sample_of(features, n_rows, progress)
            model.scaler_ = find_scale(sampled, model.scale)
            tell_scale(arguments, model, sampled, file.names)
            model.column_names_ = list(file.names)
        scaled = scaled_chunks(features, model.scaler_)
        if arguments.n_clusters == _TESTED:
            method = _tested(model, scaled, n_rows, work, progress)
        labels, fitted = write_labels_of(scaled, generator, work, n_rows, progress, model.columns_)
        features_of = None if model.columns_ is not None else partial(picked_rows, scaled, n_rows, progress)
        chunks = Chunks(*from_path(labels), chunk_rows=chunk_rows, progress=progress)
        with own_labels():
            method.fit(chunks, **model.fit_options(method, features_of))
        model.accept(method, fitted, n_columns if model.columns_ is None else len(file.columns))
        _deliver(arguments, model, file, X=features, feature_names=file.names)
    _conclude(arguments, model, file, time.perf_counter() - start)


def _tested(model: Any, features: Any, n_rows: int, work: WorkFolder, progress: Progress) -> Any:
    """Test a sample of the rows, and return the method that cuts into as many clusters as stand."""
    from consensa.generate.chunked import sample_of
    from consensa.methods.significance import refuse_table
    from consensa.methods.split_test import TESTED_ROWS

    refuse_table(model.columns_)
    model.test(sample_of(features, n_rows, progress, TESTED_ROWS), work.path / "test")
    return model.make_parts()[1]


def combine_large(arguments: Namespace) -> None:
    """Combine clusterings on disk: read, combine, write."""
    from consensa.cli.memory import MemoryPlan
    from consensa.io.large import LabelFile
    from consensa.methods.consensus import make_method

    _check(arguments)
    plan, progress, start = MemoryPlan.of(arguments.memory), Progress(quiet=arguments.quiet), time.perf_counter()
    method = make_method(arguments.method, arguments.n_clusters, arguments.seed, dict(arguments.param))
    file = LabelFile(arguments.data, _layout(arguments), arguments.missing)
    arguments.n_partitions = len(file.names)
    with _work_folder(arguments, _origin(arguments) | {"missing": arguments.missing}) as work:
        file.store(work, progress)
        n_rows = _size(file)
        _introduce(arguments, file, n_rows, "clustering")
        sizes = _Sizes(n_rows, file.n_base_clusters, arguments.n_partitions, arguments)
        fixed = sizes.consensus_bytes(_longest_id(file, arguments))
        chunk_rows = plan.chunk_rows(sizes.bytes_per_row(0), fixed, f"{n_rows} rows")
        method.fit(file.chunks(work, chunk_rows, progress), outliers=arguments.outliers)
        _deliver(arguments, method, file, partition_names=file.names)
    _conclude(arguments, method, file, time.perf_counter() - start)


def _introduce(arguments: Namespace, file: Any, n_rows: int, what: str) -> None:
    """Say what was read and what was decided about it."""
    if not arguments.quiet:
        notes = [note for note in (file.note, file.roles.id_note) if note]
        say(describe_source(arguments.data, n_rows, len(file.names), what, notes))


def _check(arguments: Namespace) -> None:
    """Refuse what cannot be read again after a stop, or not be written in parts."""
    msg = ""
    if arguments.data == STANDARD:
        msg = "--memory needs a file that can be read several times, not standard input."
    elif arguments.output in (None, STANDARD):
        msg = "--memory needs -o FILE: the finished parts of a run are kept next to its output."
    elif arguments.method not in _promised():
        msg = (
            f"--memory cannot be promised for method {arguments.method!r}, whose matrices depend on the data; use "
            f"{' or '.join(_promised())}, or leave --memory out."
        )
    elif hasattr(arguments, "generator") and not GENERATORS[arguments.generator].sampled:
        able = [info.name for info in GENERATORS.values() if info.sampled]
        msg = (
            f"--memory needs a generator that is fitted on a sample of the rows; use {' or '.join(able)} instead of "
            f"{arguments.generator}, or leave --memory out."
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
        kept = sorted({part.relative_to(work.path).parts[0] for part in work.path.rglob("*.np[yz]")})
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


def _deliver(arguments: Namespace, model: Any, file: Any, **details: Any) -> None:
    """Write labels, model and report, as far as they are wanted."""
    ids, evidence = file.ids() if file.has_ids else None, evidence_of(arguments, model)
    found = {"force": arguments.force, "id_name": file.roles.id_name, "evidence": evidence}
    stream_labels(arguments.output, by_name(model.labels_), ids, **found)
    if arguments.save is not None and "X" in details:
        model.keep_portraits(details["X"], file.picked_ids())
    deliver_model(arguments, model, _all_ids(file) if arguments.save is not None else None, file.roles.id_name)
    deliver_report(arguments, model, ids=file.picked_ids(), source=arguments.data, **details)


def _longest_id(file: Any, arguments: Namespace) -> int | None:
    """Characters of the longest id, where ids are saved with the model."""
    if arguments.save is None or not file.has_ids:
        return None
    return max((len(str(name)) for block in file.ids() for name in block), default=0)


def _all_ids(file: Any) -> Any:
    return np.array([str(name) for block in file.ids() for name in block]) if file.has_ids else None


def _conclude(arguments: Namespace, model: Any, file: Any, seconds: float) -> None:
    known = ("n_partitions", "generator", "memory")
    parameters = {name: getattr(arguments, name) for name in known if hasattr(arguments, name)}
    if getattr(arguments, "generator_param", None):
        parameters["generator_parameters"] = dict(arguments.generator_param)
    shape = (int(file.n_rows), len(file.names))
    details = tell_choice(arguments, model.choice_) | tell_test(arguments, model.significance_)
    conclude(arguments, model.labels_, shape, seconds, parameters, has_ids=file.has_ids, **details)


def _promised() -> dict[str, Method]:
    """Methods whose memory is known before."""
    return {name: method for name, method in METHODS.items() if method.cell_bytes is not None}


class _Sizes:
    """What a run on disk will need, as far as it is known before.

    Parameters
    ----------
    n_rows, n_base_clusters, n_partitions : int
    arguments : Namespace
    """

    def __init__(self, n_rows: int, n_base_clusters: int, n_partitions: int, arguments: Namespace) -> None:
        self._n_rows = n_rows
        self._n_base_clusters = n_base_clusters
        self._n_partitions = n_partitions
        self._arguments = arguments
        self._n_clusters = self._most_clusters()

    def _most_clusters(self) -> int:
        """The largest number of clusters that is asked for; where it is to be chosen, the largest candidate."""
        k = self._arguments.n_clusters
        if not isinstance(k, str):
            return int(np.max(k))
        candidates = auto_range(k) if is_auto(k) else None
        return max(candidates) if candidates else -(-2 * self._n_base_clusters // self._n_partitions)

    def bytes_per_row(self, n_columns: int) -> int:
        """Bytes that a row of a chunk needs while it is assigned or counted: features twice, labels and their codes."""
        return 24 * n_columns + 24 * self._n_partitions + 16 * self._n_clusters + 200

    def consensus_bytes(self, longest_id: int | None) -> int:
        """Bytes for labels of all rows, distinct rows and their embedding, pairs of clusters, and ids to be saved."""
        method = METHODS[self._arguments.method]
        of_row = (method.cell_bytes or 0) * self._n_partitions + 24 * self._n_clusters + 64
        pairs = self._n_base_clusters**2 * (56 + 24 * n_threads())
        n_labels = int(np.size(self._arguments.n_clusters))
        of_object = 4 * n_labels
        if self._arguments.save is not None:
            of_object += _OBJECT_BYTES + (0 if longest_id is None else _ID_BYTES + _CHARACTER_BYTES * longest_id)
        distinct = min(self._n_rows, SAMPLE_ABOVE) * of_row
        return int(of_object * self._n_rows + distinct + pairs + method.fixed_bytes)


class _RunNeeds:
    """What a run from features on needs with so many base clusterings: bytes of a row in a chunk, and fixed ones.

    Parameters
    ----------
    arguments : Namespace
    file : TableRows
        All of which was read once.
    n_sampled : int
        Rows that members are fitted on.
    n_base_clusters : int
        Of the number of base clusterings that was asked for.
    """

    def __init__(self, arguments: Namespace, file: Any, n_sampled: int, n_base_clusters: int) -> None:
        self._arguments = arguments
        self._n_rows, self._n_columns = int(file.n_rows), len(file.names)
        self._n_sampled, self._n_base_clusters = n_sampled, n_base_clusters
        self._longest_id = _longest_id(file, arguments)

    def of(self, n_partitions: int) -> tuple[int, int]:
        """Return both for a number of base clusterings."""
        n_base = -(-self._n_base_clusters * n_partitions // self._arguments.n_partitions)
        sizes = _Sizes(self._n_rows, n_base, n_partitions, self._arguments)
        # the sample, the copies that k-means makes of it, its labels, and the embedding of a U-SPEC member
        embedding = _USPEC_BYTES if self._arguments.generator == "uspec" else 0
        sample = self._n_sampled * (32 * self._n_columns + 8 * n_partitions + embedding)
        return sizes.bytes_per_row(self._n_columns), max(sample, sizes.consensus_bytes(self._longest_id))

    def most_members(self, plan: MemoryPlan) -> int:
        """Return how many base clusterings a budget is enough for, 0 if for none."""
        return next((m for m in range(self._arguments.n_partitions, 0, -1) if plan.fits(*self.of(m))), 0)


def _n_drawn_clusters(generator: Any, n_rows: int) -> int:
    """Return how many clusters the members will have together, at most for U-SPEC."""
    return int(generator.n_drawn_clusters(min(n_rows, generator.sample_size)))
