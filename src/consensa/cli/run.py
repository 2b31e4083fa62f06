"""``consensa run``: features in, a consensus clustering out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from consensa.cli.deliver import check_before, deliver, deliver_anndata, deliver_model, deliver_report, introduce
from consensa.cli.parser import GENERATORS, layout_of
from consensa.cli.terminal import shows_progress

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute", "make_model"]


def execute(arguments: Namespace) -> None:
    """Read features, cluster them, write the labels."""
    check_before(arguments)
    if arguments.memory is not None:
        from consensa.cli.large import run_large

        run_large(arguments, make_model(arguments, arguments.n_clusters))
        return
    from consensa.io import read_features

    table = read_features(arguments.data, columns=arguments.columns, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "feature")
    start = time.perf_counter()
    model = make_model(arguments, arguments.n_clusters).fit(table.values)
    seconds = time.perf_counter() - start
    parameters = {"n_partitions": arguments.n_partitions, "generator": arguments.generator}
    deliver_anndata(arguments, model)
    deliver(arguments, model.labels_, table, seconds, parameters, model.choice_)
    deliver_model(arguments, model, table)
    deliver_report(arguments, model, ids=table.ids, feature_names=table.names, source=arguments.data)


def make_model(arguments: Namespace, n_clusters: int | list[int] | str) -> Any:
    """Build the estimator that the arguments describe."""
    from consensa import generate
    from consensa.methods.consensus import make_method
    from consensa.methods.ensemble_clustering import EnsembleClustering

    generator = getattr(generate, GENERATORS[arguments.generator])
    verbose = shows_progress(quiet=arguments.quiet)
    return EnsembleClustering(
        n_clusters,
        generator=generator(arguments.n_partitions, verbose=verbose),
        method=make_method(arguments.method, n_clusters, None, dict(arguments.param)),
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
    )
