"""``consensa generate``: features in, a table of base clusterings out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from consensa.cli.deliver import introduce, labels_target
from consensa.cli.parser import layout_of
from consensa.cli.terminal import say, shows_progress

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]

_STANDARD = "-"


def execute(arguments: Namespace) -> None:
    """Read features, cluster them many times, write one column of labels for each."""
    from consensa.io import read_features, write_labels

    target = labels_target(arguments)
    generator = _make_generator(arguments)
    table = read_features(arguments.data, columns=arguments.columns, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "feature")
    start = time.perf_counter()
    labels = generator.fit_transform(table.values)
    seconds = time.perf_counter() - start
    write_labels(
        target,
        dict(zip(generator.get_feature_names_out(), labels.T, strict=True)),
        table.ids,
        force=True,
        id_name=table.id_name,
    )
    if target != _STANDARD and not arguments.quiet:
        sizes = labels.max(axis=0) + 1
        say(
            f"wrote {target} ({labels.shape[1]} clusterings of {labels.shape[0]} objects into {sizes.min()} to "
            f"{sizes.max()} clusters; {seconds:.2f} s)."
        )


def _make_generator(arguments: Namespace) -> Any:
    from consensa.generate import make_generator

    if arguments.n_clusters == "auto":
        msg = "-k auto is for the consensus; give the number of clusters of every member, or a range like 2:20."
        raise ValueError(msg)
    wanted = {
        "n_partitions": arguments.n_partitions,
        "n_clusters": arguments.n_clusters,
        "random_state": arguments.seed,
        "n_jobs": arguments.jobs,
        "verbose": shows_progress(quiet=arguments.quiet),
        **({} if arguments.directory is None else {"directory": arguments.directory}),
        **dict(arguments.param),
    }
    return make_generator(arguments.generator, **wanted)
