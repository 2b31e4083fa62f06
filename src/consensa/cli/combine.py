"""``consensa combine``: clusterings in, one clustering out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from consensa.cli.deliver import check_before, deliver, deliver_model, deliver_report, introduce
from consensa.cli.parser import layout_of

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Read a label matrix, combine its columns, write the labels."""
    from consensa._state import in_words
    from consensa.ensemble import Ensemble
    from consensa.io import read_labels
    from consensa.methods.consensus import make_method

    check_before(arguments)
    missing = arguments.missing
    table = read_labels(arguments.data, columns=arguments.columns, missing=missing, **layout_of(arguments))
    introduce(arguments, arguments.data, table, "clustering")
    start = time.perf_counter()
    ensemble = in_words(Ensemble(np.ma.masked_less(table.values, 0)), table.names, table.vocabularies)
    model = make_method(arguments.method, arguments.n_clusters, arguments.seed, dict(arguments.param)).fit(ensemble)
    seconds = time.perf_counter() - start
    deliver(arguments, model.labels_, table, seconds, {"n_partitions": table.n_columns}, model.choice_)
    deliver_model(arguments, model, table)
    deliver_report(arguments, model, ids=table.ids, partition_names=table.names, source=arguments.data)
