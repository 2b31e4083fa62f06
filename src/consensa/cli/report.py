"""``consensa report``: the page of a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.cli.deliver import check_report_before, deliver_report

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(arguments: Namespace) -> None:
    """Load a model, read its features if they are given, write the report."""
    from consensa.cli.reading import read_input
    from consensa.columns import CodedTable
    from consensa.io.write import check_apart
    from consensa.methods.saving import load as load_model

    check_report_before(arguments, arguments.model)
    check_apart([arguments.report], [arguments.model, arguments.data])
    details: dict[str, Any] = {"source": arguments.model}
    model = load_model(arguments.model)
    if arguments.data is not None:
        table = read_input(arguments)
        X = CodedTable(table.values, table.columns) if table.is_mixed else table.values
        details = {"source": arguments.data, "X": X, "feature_names": table.names}
        if table.ids is not None:
            details["ids"] = table.ids
    if arguments.compare is not None:
        details["compare"] = load_model(arguments.compare)
    deliver_report(arguments, model, **details)
