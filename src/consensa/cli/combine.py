"""``consensa combine``: clusterings in, one clustering out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from consensa.cli.deliver import check_before, deliver, deliver_report, introduce
from consensa.cli.parser import layout_of

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Read a label matrix, combine its columns, write the labels."""
    from consensa.io import read_labels
    from consensa.methods.consensus import make_method

    check_before(arguments)
    missing = arguments.missing
    table = read_labels(arguments.data, columns=arguments.columns, missing=missing, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "clustering")
    start = time.perf_counter()
    partitions = np.ma.masked_less(table.values, 0)
    model = make_method(arguments.method, arguments.n_clusters, arguments.seed, dict(arguments.param)).fit(partitions)
    seconds = time.perf_counter() - start
    deliver(arguments, model.labels_, table, seconds, {"n_partitions": table.n_columns}, model.choice_)
    deliver_report(arguments, model, ids=table.ids, partition_names=table.names, source=arguments.data)
