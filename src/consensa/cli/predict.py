"""``consensa predict``: labels of new rows by a saved model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from consensa.cli.deliver import by_name, introduce, labels_target, named_labels
from consensa.cli.parser import layout_of
from consensa.cli.terminal import say
from consensa.columns import CodedTable

if TYPE_CHECKING:
    from argparse import Namespace

    from consensa.io import Table

__all__ = ["execute"]

_STANDARD = "-"


def execute(arguments: Namespace) -> None:
    """Load a model, read new rows of its table, write their labels."""
    from consensa.io import write_labels
    from consensa.methods.saving import load as load_model

    target = labels_target(arguments)
    model = load_model(arguments.model)
    if not model.takes_features:
        msg = f"{arguments.model}: holds a model of clusterings, not of features; consensa run saves such."
        raise ValueError(msg)
    table = _read(arguments, model)
    introduce(arguments, arguments.data, table, "feature")
    start = time.perf_counter()
    labels = model.predict(table.values if model.columns_ is None else CodedTable(table.values, model.columns_))
    options = {"id_name": table.id_name, "force": arguments.force, "evidence": named_labels(model, labels)}
    write_labels(target, by_name(labels), table.ids, **options)
    if target != _STANDARD and not arguments.quiet:
        say(f"wrote {target} ({table.n_rows} rows; {time.perf_counter() - start:.2f} s).")


def _read(arguments: Namespace, model: Any) -> Table:
    """Read the columns that the model knows, by their names where it has them."""
    from consensa.io import read_features
    from consensa.io.layout import Layout
    from consensa.io.tables import read_table

    layout = layout_of(arguments)
    if model.columns_ is not None:
        return read_table(arguments.data, Layout(**layout), known=model.columns_)
    names = [str(name) for name in vars(model).get("column_names_", ())]
    named = names and names != [str(j) for j in range(len(names))]
    return read_features(arguments.data, columns=names if named else None, **layout)
