"""``consensa run``: features in, a consensus clustering out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.cli.deliver import (
    check_before,
    deliver,
    deliver_anndata,
    deliver_model,
    deliver_report,
    evidence_of,
    tell_test,
)
from consensa.cli.parser import DEFAULT_MEMBERS
from consensa.cli.stages import telling_stages
from consensa.cli.terminal import shows_progress
from consensa.ensemble.sampling import SAMPLE_ABOVE
from consensa.generate.registry import DEFAULT_GENERATOR
from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    from argparse import Namespace

    from consensa.columns import Column
    from consensa.io import Table

__all__ = ["execute", "make_model", "model_for"]

_CHUNK_ROWS = 1 << 16


def execute(arguments: Namespace) -> None:
    """Read features, cluster them, write the labels."""
    check_before(arguments)
    wish = arguments.generator
    model = make_model(arguments, arguments.n_clusters)  # its errors come before the reading
    if arguments.memory is not None:
        from consensa.cli.large import run_large

        run_large(arguments, model, wish)
        return
    from consensa.cli.reading import read_input, tell_scale, to_fit

    table = read_input(arguments)
    model = model_for(arguments, model, wish, table.columns)
    _spare_memory(arguments, model, table.n_rows)
    with telling_stages(arguments) as stages:
        start = time.perf_counter()
        model.fit(to_fit(table.values, table.columns, arguments.generator))
        seconds = time.perf_counter() - start
        if model.columns_ is None:
            model.column_names_ = list(table.names)
        tell_scale(arguments, model, table.values, table.names)
        _hand_over(arguments, model, table, seconds)
        stages("report")
        deliver_report(arguments, model, ids=table.ids, feature_names=table.names, source=arguments.data)


def _spare_memory(arguments: Namespace, model: Any, n_rows: int) -> None:
    """Let methods that need but a sample of many rows read the base clusterings in chunks: nothing else changes."""
    samples = arguments.method in METHODS and METHODS[arguments.method].cell_bytes is not None
    if n_rows > SAMPLE_ABOVE and samples and not arguments.data.lower().endswith(".h5ad"):
        model.combine_in_chunks(_CHUNK_ROWS)


def _hand_over(arguments: Namespace, model: Any, table: Table, seconds: float) -> None:
    """Write labels and model, as far as they are wanted."""
    parameters = {"n_partitions": arguments.n_partitions, "generator": arguments.generator}
    if arguments.generator_param:
        parameters["generator_parameters"] = dict(arguments.generator_param)
    details = {"columns": [vars(column) for column in table.columns]} if table.is_mixed else {}
    details |= tell_test(arguments, model.significance_)
    deliver_anndata(arguments, model)
    evidence = evidence_of(arguments, model)
    deliver(arguments, model.labels_, table, seconds, parameters, choice=model.choice_, evidence=evidence, **details)
    deliver_model(arguments, model, table.ids, table.id_name)


def model_for(arguments: Namespace, model: Any, wish: str | None, columns: tuple[Column, ...]) -> Any:
    """Return the model for a table with these columns: another one where they are not all plain numbers.

    ``wish`` is the generator that was asked for, None for the one that suits.
    """
    plain = all(column.kind == "number" and not column.n_missing for column in columns if column.is_used)
    own_way = arguments.method in FEATURE_METHODS
    if plain and not arguments.weights:
        return model
    if own_way or wish not in (None, "table"):
        from consensa.cli.reading import refuse_columns

        refuse_columns(arguments.data, columns, f"method {arguments.method}" if own_way else f"generator {wish}")
        msg = "--weights goes with --generator table."
        raise ValueError(msg)
    arguments.generator = "table"
    return make_model(arguments, arguments.n_clusters)


def make_model(arguments: Namespace, n_clusters: int | list[int] | str) -> Any:
    """Build the estimator that the arguments describe, and settle those that depend on the method."""
    if arguments.method in FEATURE_METHODS:
        return _own_way(arguments, n_clusters)
    from consensa.methods.consensus import make_method
    from consensa.methods.ensemble_clustering import EnsembleClustering

    arguments.n_partitions = arguments.n_partitions or DEFAULT_MEMBERS
    arguments.generator = arguments.generator or DEFAULT_GENERATOR
    return EnsembleClustering(
        n_clusters,
        generator=_make_generator(arguments, n_clusters),
        method=make_method(arguments.method, n_clusters, None, dict(arguments.param)),
        outliers=arguments.outliers,
        scale=arguments.scale or "auto",
        directory=arguments.directory,
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
    )


def _own_way(arguments: Namespace, n_clusters: int | list[int] | str) -> Any:
    """Build a method that goes its own way from the features."""
    model = FEATURE_METHODS[arguments.method].load()()
    known = model.get_params(deep=False)
    wanted = {"n_clusters": n_clusters, "random_state": arguments.seed, **dict(arguments.param)}
    wanted |= {} if arguments.outliers == "assign" else {"outliers": arguments.outliers}
    wanted |= {} if arguments.scale is None else {"scale": arguments.scale}
    wanted |= {} if arguments.n_partitions is None else {"n_partitions": arguments.n_partitions}
    if arguments.generator is not None or arguments.generator_param:
        arguments.generator = arguments.generator or DEFAULT_GENERATOR
        arguments.n_partitions = arguments.n_partitions or known.get("n_partitions")
        wanted["generator"] = _make_generator(arguments, n_clusters) if "generator" in known else None
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        able = ", ".join(sorted(set(known) - {"n_clusters", "random_state", "n_jobs", "verbose"}))
        msg = f"method {arguments.method!r} has no {unknown[0].replace('_', ' ')} of its own to set; it takes {able}."
        raise ValueError(msg)
    arguments.n_partitions = wanted.get("n_partitions", known.get("n_partitions"))
    shared = {"n_jobs": arguments.jobs, "verbose": shows_progress(quiet=arguments.quiet)}
    return model.set_params(**wanted, **{name: value for name, value in shared.items() if name in known})


def _make_generator(arguments: Namespace, n_clusters: int | list[int] | str) -> Any:
    """Build the generator; one whose members have all the same number of clusters gets the largest that is wanted."""
    from consensa.generate import get_generator, make_generator

    fixed = get_generator(arguments.generator).sized_by == ("n_clusters",) and not isinstance(n_clusters, str)
    wanted = {
        "n_partitions": arguments.n_partitions,
        "n_clusters": int(np.max(n_clusters)) if fixed else None,
        "verbose": shows_progress(quiet=arguments.quiet),
        **({"types": arguments.types, "weights": arguments.weights} if arguments.generator == "table" else {}),
        **dict(arguments.generator_param),
    }
    return make_generator(arguments.generator, **wanted)
