"""``consensa combine``: clusterings in, one clustering out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from consensa.cli.deliver import check_before, deliver, introduce
from consensa.cli.parser import layout_of

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Read a label matrix, combine its columns, write the labels."""
    check_before(arguments)
    if arguments.memory is not None:
        from consensa.cli.large import combine_large

        combine_large(arguments)
        return
    from consensa.io import read_labels
    from consensa.methods.consensus import consensus

    missing = arguments.missing
    table = read_labels(arguments.data, columns=arguments.columns, missing=missing, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "clustering")
    start = time.perf_counter()
    partitions = np.ma.masked_less(table.values, 0)
    labels = consensus(
        partitions, arguments.n_clusters, arguments.method, random_state=arguments.seed, **dict(arguments.param)
    )
    deliver(arguments, labels, table, time.perf_counter() - start, {"n_partitions": table.n_columns})
