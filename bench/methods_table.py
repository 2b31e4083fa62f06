"""docs/methods.md: all methods with references and properties, from the registry, the signatures and what was run."""

from __future__ import annotations

import csv
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

from consensa.methods import FEATURE_METHODS, METHODS
from consensa.methods.registry import DEFAULT_METHOD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from consensa.methods import Method

__all__ = ["LARGEST", "PAGE", "methods_page", "read_largest"]

_DOCS = Path(__file__).resolve().parent.parent / "docs"
LARGEST = _DOCS / "evidence" / "speed.csv"
PAGE = _DOCS / "methods.md"
_COMMON = ("n_clusters", "random_state", "missing", "n_jobs", "verbose")

_TEXT = """\
# All methods

[Which method when](which_method.md) goes from your question to a method; without one, take the default, `{default}`.

## On clusterings

For `consensus`, `compare_methods`, `EnsembleClustering(method=...)`, `--method`, or as classes.

{labels}
## On features

With base clusterings of their own. `EnsembleClustering` combines any generator with any of the methods above, and
`MDEC` random kernels in random subspaces with the consensus step `mdec`.

{features}
`LAC`, a single clustering that weighs the features of every cluster, is a class and a generator (`--generator lac`).

## Variants

These are not the published methods to the letter, and their figures need not be those that others publish for them:

{variants}
`SAL` is consensa's own. All others follow their papers or the published code. Where a default departs from the paper
all the same, the page of the class says so: `DLWECDL` and `ELWECDL` leave out noise and dictionary
(`solver="published"` has both), `WSPA` and `WBPA` standardise the features, `MDEC` has the kernel of the published code
instead of the printed one, `LWEA` never splits objects with equal labels, and `LWGP`, `PTGP` and `MDEC` leave out a
factor of the transfer cut as the published codes do (`exact_transfer`).

## Properties

- *Parameters* with their defaults, besides `n_clusters`, `random_state`, `missing`, `n_jobs` and `verbose`.
- *Equal sizes*: whether the default forces clusters of nearly equal size. METIS and its kin do; their `partitioner`
  parameter offers a way without.
- *Missing labels*: whether they are handled; otherwise they are a ValueError. "-" for methods on features.
- *Memory*: how it grows on top of the label matrix, with default parameters. "clusters" are those of all base
  clusterings together, "microclusters" the distinct label rows, at most as many as objects.
- *Largest n run*: objects in the largest made-up data that `python -m bench speed-page` has finished within its limit,
  with their microclusters and the processor time of one thread ([speed](evidence/speed.md)). It is what was tried, no
  limit.

{properties}
(Written by `python -m bench methods-table` from the registry, the signatures and `evidence/speed.csv`.)
"""
_USES = {
    "The default": ("sal",),
    "A tree: several numbers of clusters from one fit": ("eac", "lwea", "weac", "pta", "cts", "srs", "asrs", "ecpcs"),
    "Many objects: time grows linearly": ("lwgp", "gpmgla", "hbgf", "ptgp", "mdec", "kcc", "ecc", "qmi", "sec"),
    "Clusters of nearly equal size": ("cspa", "hgpa", "mcla", "supra"),
    "Votes, models and searches": ("voting", "em", "median", "nmf", "srw", "cehm"),
    "Learned similarities, for some thousand distinct label rows": (
        "dlwecdl", "elwecdl", "drec", "eccms", "sdgca", "spce", "trce", "ecmc", "ceshl",
    ),
}  # fmt: skip
Ran = tuple[str, str]  # name of a method, and its input
_TITLES = ("name", "class", "what it does", "reference")
_PROPERTIES = ("name", "parameters", "equal sizes", "missing labels", "memory", "largest n run")


def methods_page(largest: Mapping[Ran, Mapping[str, str]]) -> str:
    """Return the page; ``largest`` has the largest finished run of every method, by name and input."""
    methods = [*METHODS.values(), *FEATURE_METHODS.values()]
    properties = [_properties(method, largest.get((method.name, method.input))) for method in methods]
    return _TEXT.format(
        default=DEFAULT_METHOD,
        labels=_by_use(METHODS),
        features=_table(_TITLES, [_titles(method) for method in FEATURE_METHODS.values()]),
        variants="".join(f"- `{method.estimator}`: {method.variant}.\n" for method in methods if method.variant),
        properties=_table(_PROPERTIES, properties),
    )


def _by_use(methods: Mapping[str, Method]) -> str:
    """Tables of the methods under what they are for; what has no place yet comes last."""
    placed = {name for names in _USES.values() for name in names}
    uses = {**_USES, "Others": tuple(name for name in methods if name not in placed)}
    tables = {use: _table(_TITLES, [_titles(methods[name]) for name in names]) for use, names in uses.items() if names}
    return "\n".join(f"### {use}\n\n{table}" for use, table in tables.items())


def _table(head: Iterable[str], rows: Iterable[list[str]]) -> str:
    lines = [list(head), ["---"] * len(list(head)), *rows]
    return "".join(f"|{'|'.join(line)}|\n" if line[0] == "---" else f"| {' | '.join(line)} |\n" for line in lines)


def read_largest(path: Path) -> dict[Ran, dict[str, str]]:
    """Return the largest finished run of every method, by name and input: "mdec" is one of both tables."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    return {(row["method"], row["data"]): row for row in sorted(rows, key=lambda row: int(row["n_objects"]))}


def _titles(method: Method) -> list[str]:
    reference = f"[{method.reference}](https://doi.org/{method.doi})"
    return [f"`{method.name}`", f"`{method.estimator}`", method.summary, reference]


def _properties(method: Method, run: Mapping[str, str] | None) -> list[str]:
    missing = "-" if method.input == "features" else _yes(method.missing)
    return [
        f"`{method.name}`",
        _parameters(method),
        _yes(method.balanced),
        missing,
        method.memory,
        "not run" if run is None else _run(run),
    ]


def _parameters(method: Method) -> str:
    signature = inspect.signature(method.load()).parameters
    own = [f"`{name}={value.default!r}`" for name, value in signature.items() if name not in _COMMON]
    return ", ".join(own) or "-"


def _run(run: Mapping[str, str]) -> str:
    seconds = float(run["cpu_seconds"])
    microclusters = f"{int(run['n_microclusters']):,} microclusters, " if run["n_microclusters"] else ""
    return f"{int(run['n_objects']):,} ({microclusters}{seconds:.2g} s)"


def _yes(answer: bool) -> str:  # noqa: FBT001 - a value to print, not a switch
    return "yes" if answer else "no"
