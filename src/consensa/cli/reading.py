"""Tables in: read with what the arguments say about them, and told with what was found out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._messages import warn
from consensa.cli.deliver import introduce
from consensa.cli.parser import layout_of
from consensa.cli.terminal import say
from consensa.columns import CodedTable, used_columns
from consensa.io import read_features
from consensa.io.layout import Layout
from consensa.io.source import kind_of
from consensa.io.tables import TABLE_KINDS, TableFile, read_table

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from consensa.columns import Column
    from consensa.io import Table

__all__ = ["open_large", "read_input", "refuse_columns", "tell_columns", "tell_scale", "to_fit"]

_SHOWN = 12
_KINDS = {"number": "numbers", "boolean": "yes or no", "date": "dates", "category": "categories", "ordered": "ordered"}


def read_input(arguments: Namespace) -> Table:
    """Read a table of features, which may hold anything where the kind of the file allows it, and tell about it."""
    layout = layout_of(arguments)
    if kind_of(arguments.data) in TABLE_KINDS:
        table = read_table(arguments.data, Layout(columns=arguments.columns, **layout), arguments.types)
    else:
        table = read_features(arguments.data, columns=arguments.columns, **layout)
    introduce(arguments, arguments.data, table, "feature")
    tell_columns(arguments, table.columns)
    return table


def open_large(arguments: Namespace) -> Any:
    """Open a table of features that is read in blocks."""
    from consensa.io.large import FeatureFile

    layout = Layout(columns=arguments.columns, **layout_of(arguments))
    if kind_of(arguments.data) in TABLE_KINDS:
        return TableFile(arguments.data, layout, arguments.types)
    return FeatureFile(arguments.data, layout)


def tell_columns(arguments: Namespace, columns: Sequence[Column]) -> None:
    """Say what the columns are, where they are not all plain numbers."""
    plain = all(column.kind == "number" and not column.n_missing for column in columns if column.kind != "id")
    if arguments.quiet or plain:
        return
    parts = []
    for kind, word in _KINDS.items():
        names = [_name(column) for column in columns if column.kind == kind]
        if names:
            parts.append(f"{word}: {_listed(names)}")
    left = [f"{column.name or 'the one without a name'} ({column.kind})" for column in columns if not column.is_used]
    if left:
        parts.append(f"left out: {_listed(left)}")
    say("; ".join(parts) + ". Say what a column is with --types NAME=TYPE.")
    used = used_columns(columns)
    gaps = sum(column.n_missing for column in used)
    if gaps:
        share = gaps / sum(column.n_rows for column in used)
        most = max(used, key=lambda column: column.n_missing)
        say(
            f"{gaps} of the cells ({share:.1%}) are gaps, most of them in {most.name!r} ({most.n_missing}); rows are "
            "compared by the values they have."
        )


def _name(column: Column) -> str:
    return f"{column.name} ({len(column.levels)} levels)" if column.is_category else column.name


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def to_fit(values: np.ndarray, columns: tuple[Column, ...], generator: str | None) -> Any:
    """Return what a model is fitted on: numbers, or the table for the generator that reads tables."""
    return CodedTable(values, columns) if columns and generator == "table" else values


def refuse_columns(
    source: str, columns: Sequence[Column], needs: str, otherwise: str = "use --generator table"
) -> None:
    """Refuse a table with anything but finite numbers, all columns at once, for what needs such."""
    faults = [
        f"{column.name!r} has {column.n_missing} gaps"
        if column.kind == "number"
        else f"{column.name!r} is a {column.kind}"
        for column in used_columns(columns)
        if column.kind != "number" or column.n_missing
    ]
    if faults:
        fine = [column.name for column in used_columns(columns) if column.kind == "number" and not column.n_missing]
        advice = [f"choose the others with --columns {','.join(fine)}"] if fine else []
        advice += [otherwise] if otherwise else []
        msg = f"{source}: {needs} needs finite numbers, but {'; '.join([_listed(faults), ', or '.join(advice)])}."
        raise ValueError(msg)


def tell_scale(arguments: Namespace, model: Any, values: np.ndarray, names: Sequence[str]) -> None:
    """Say what was done about the units of plain numbers, or warn where one column decides."""
    if model.columns_ is not None or values.shape[1] < 2:
        return
    from consensa.generate.scale import deciding_feature

    if model.scaler_ is not None:
        spread = model.scaler_[1]
        wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
        why = "as asked for" if arguments.scale == "standard" else "as their units differ"
        if not arguments.quiet:
            say(
                f"every column is scaled to mean 0 and deviation 1, {why} (deviation of {names[wide]!r} "
                f"{spread[wide]:.3g}, of {names[narrow]!r} {spread[narrow]:.3g}); --scale none takes them as they are."
            )
        return
    found = deciding_feature(values)
    if found is not None:
        column, share = found
        warn(
            f"column {names[column]!r} has {share:.1%} of the variance and decides nearly alone; --scale standard lets "
            "all columns count."
        )
