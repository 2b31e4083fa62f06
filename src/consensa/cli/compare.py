"""``consensa compare``: how well two files of labels agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._text import format_table
from consensa.cli.deliver import introduce
from consensa.cli.parser import layout_of
from consensa.cli.terminal import print_json, print_text, say
from consensa.evaluate import accuracy, ari, nmi
from consensa.io import read_labels

if TYPE_CHECKING:
    from argparse import Namespace

    from consensa.io import Table

__all__ = ["align", "execute", "scores"]


def execute(arguments: Namespace) -> None:
    """Read two label files, match their rows, print a line for every pair of columns."""
    if arguments.a == arguments.b == "-":
        msg = "only one of the two files can be '-' (standard input)."
        raise ValueError(msg)
    shared: dict[str, Any] = {"missing": arguments.missing, **layout_of(arguments)}
    a = read_labels(arguments.a, columns=arguments.columns_a, **shared)
    introduce(arguments, arguments.a, a, "clustering")
    b = read_labels(arguments.b, columns=arguments.columns_b, **shared)
    introduce(arguments, arguments.b, b, "clustering")
    order = align(a, b, (arguments.a, arguments.b))
    if not arguments.quiet:
        say("rows are matched by " + ("order." if order is None else "id."))
    values_b = b.values if order is None else b.values[order]
    found = [
        {"a": name_a, "b": name_b, **scores(a.values[:, i], values_b[:, j])}
        for i, name_a in enumerate(a.names)
        for j, name_b in enumerate(b.names)
    ]
    if arguments.json:
        print_json(
            {"a": arguments.a, "b": arguments.b, "matched_by": "order" if order is None else "id", "pairs": found}
        )
    else:
        print_text(_table(found))


def align(a: Table, b: Table, files: tuple[str, str]) -> np.ndarray | None:
    """Return, for every row of a, the row of b with the same id; None if a file has no ids, and order must do."""
    if a.ids is None or b.ids is None:
        if a.n_rows != b.n_rows:
            msg = (
                f"{files[0]} has {a.n_rows} rows and {files[1]} has {b.n_rows}, and not both have ids; "
                "both must label the same objects in the same order."
            )
            raise ValueError(msg)
        return None
    places = [_places(table.ids, file) for table, file in zip((a, b), files, strict=True)]
    for here, there in ((0, 1), (1, 0)):
        alone = [name for name in places[here] if name not in places[there]]
        if alone:
            msg = (
                f"the ids differ: {len(alone)} of {len(places[here])} ids of {files[here]} are not in {files[there]} "
                f"(the first is {alone[0]!r}); both must label the same objects. To match rows by their order, give "
                "--id-column none and the label columns with --columns-a and --columns-b."
            )
            raise ValueError(msg)
    return np.array([places[1][name] for name in places[0]])


def scores(a: np.ndarray, b: np.ndarray) -> dict[str, Any]:
    """Scores of two coded label vectors, on the objects that both label."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    return {
        "nmi": nmi(a, b),
        "ari": ari(a, b),
        "acc": accuracy(a, b),
        "k_a": int(np.unique(a).size),
        "k_b": int(np.unique(b).size),
        "n_objects": int(a.size),
        "n_left_out": int(both.size - a.size),
    }


def _places(ids: Any, file: str) -> dict[str, int]:
    places = {name: row for row, name in enumerate(ids)}
    if len(places) < len(ids):
        twice = next(name for row, name in enumerate(ids) if places[name] != row)
        msg = f"{file}: the id {twice!r} occurs more than once, so rows cannot be matched by id."
        raise ValueError(msg)
    return places


def _table(found: list[dict[str, Any]]) -> str:
    header = ["a", "b", "k_a", "k_b", "n", "NMI", "ARI", "ACC"]
    rows = [
        [pair["a"], pair["b"], str(pair["k_a"]), str(pair["k_b"]), str(pair["n_objects"])]
        + [f"{pair[score]:.4f}" for score in ("nmi", "ari", "acc")]
        for pair in found
    ]
    return format_table([header, *rows], right=range(2, 8))
