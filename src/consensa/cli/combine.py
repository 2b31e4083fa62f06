"""``consensa combine``: clusterings in, one clustering out, or one by every method."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from consensa.cli.deliver import (
    check_before,
    deliver,
    deliver_anndata,
    deliver_model,
    deliver_report,
    evidence_of,
    introduce,
)
from consensa.cli.parser import layout_of
from consensa.cli.terminal import say, shows_progress

if TYPE_CHECKING:
    from argparse import Namespace

    from consensa.io import Table

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Read a label matrix, combine its columns, write the labels."""
    several = isinstance(arguments.method, list)
    if several and isinstance(arguments.n_clusters, list):
        msg = "several methods and several numbers of clusters were given; give one number with -k, or one --method."
        raise ValueError(msg)
    if several and arguments.outliers != "assign":
        msg = "--outliers mark goes with one method; give one with --method."
        raise ValueError(msg)
    check_before(arguments)
    if arguments.memory is not None:
        from consensa.cli.large import combine_large

        combine_large(arguments)
        return
    from consensa.ensemble import Ensemble
    from consensa.io import read_labels
    from consensa.methods.consensus import make_method

    missing = arguments.missing
    table = read_labels(arguments.data, columns=arguments.columns, missing=missing, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "clustering")
    if several:
        _combine_by_all(arguments, table)
        return
    start = time.perf_counter()
    ensemble = Ensemble.from_codes(table.values, table.vocabularies, table.names)
    method = make_method(arguments.method, arguments.n_clusters, arguments.seed, dict(arguments.param))
    model = method.fit(ensemble, outliers=arguments.outliers)
    seconds = time.perf_counter() - start
    deliver_anndata(arguments, model)
    parameters, evidence = {"n_partitions": table.n_columns}, evidence_of(arguments, model)
    deliver(arguments, model.labels_, table, seconds, parameters, choice=model.choice_, evidence=evidence)
    deliver_model(arguments, model, table.ids, table.id_name)
    deliver_report(arguments, model, ids=table.ids, partition_names=table.names, source=arguments.data)


def _combine_by_all(arguments: Namespace, table: Table) -> None:
    """Run every method, say how they agree, write a column of labels for each that finished."""
    from consensa.ensemble import Ensemble
    from consensa.methods.comparison import compare_methods

    start = time.perf_counter()
    found = compare_methods(
        Ensemble.from_codes(table.values, table.vocabularies, table.names),
        arguments.n_clusters,
        arguments.method,
        parameters=_shared_parameters(arguments.method, dict(arguments.param)),
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        verbose=shows_progress(quiet=arguments.quiet),
    )
    seconds = time.perf_counter() - start
    for line in () if arguments.quiet else str(found).splitlines():
        say(line)
    if found.labels:
        told = found.to_dict()
        results = [{key: result[key] for key in result if key != "labels"} for result in told["results"]]
        details = {"methods": results, "agreement": told["agreement"]}
        deliver(arguments, found.labels, table, seconds, {"n_partitions": table.n_columns}, **details)
    if found.interrupted:
        raise KeyboardInterrupt
    if not found.labels:
        msg = "no method finished: " + "; ".join(f"{name}: {error}" for name, error in found.errors.items())
        raise ValueError(msg)


def _shared_parameters(names: list[str], given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give every parameter to the methods that have it."""
    from consensa.methods.consensus import default_parameters

    known = {name: default_parameters(name) for name in names}
    unused = [key for key in given if not any(key in parameters for parameters in known.values())]
    if unused:
        msg = f"none of the methods has a parameter {unused[0]!r}."
        raise ValueError(msg)
    return {name: {key: given[key] for key in given if key in known[name]} for name in names}
