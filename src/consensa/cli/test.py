"""``consensa test``: which clusters of a table are more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa.cli.deliver import by_name
from consensa.cli.terminal import print_json, print_text, say, shows_progress

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]

_STANDARD = "-"


def execute(arguments: Namespace) -> None:
    """Read features, test their splits, print the tree, write the labels where they are wanted."""
    from consensa.cli.reading import read_input, refuse_columns
    from consensa.generate.scale import apply_scale, find_scale
    from consensa.io import check_output, write_labels
    from consensa.methods.significance import significance

    if arguments.weights:
        msg = "--weights is for tables that are not all numbers, which cannot be tested; leave it out."
        raise ValueError(msg)
    if arguments.output is not None:
        source = None if arguments.data == _STANDARD else arguments.data
        check_output(arguments.output, force=arguments.force, source=source)
    table = read_input(arguments)
    refuse_columns(arguments.data, table.columns, "the test", otherwise="")
    found = significance(
        apply_scale(table.values, find_scale(table.values, arguments.scale or "auto")),
        generator=arguments.generator,
        method=arguments.method,
        alpha=arguments.alpha,
        n_null=arguments.n_null,
        random_state=arguments.seed,
        n_jobs=arguments.jobs,
        verbose=shows_progress(quiet=arguments.quiet),
        directory=arguments.directory,
    )
    if arguments.output is not None:
        write_labels(arguments.output, by_name(found.labels), table.ids, force=arguments.force, id_name=table.id_name)
        if not arguments.quiet:
            say(f"wrote {arguments.output}.")
    if arguments.json:
        print_json(found.to_dict())
    elif arguments.output != _STANDARD:
        print_text(str(found))
