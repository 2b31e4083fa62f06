"""Arguments of the command line. Imports nothing heavy, so that --help answers at once."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

from consensa import __version__
from consensa.methods.registry import METHODS, get_method

__all__ = ["build_parser", "layout_of", "parse_cluster_numbers"]

_MAIN_EXAMPLES = """\
examples:
  consensa demo --output labels.csv
  consensa run data.csv -k 10 -o labels.csv
  consensa combine partitions.csv -k 3,4,5 --method lwea -o labels.csv
  consensa compare labels.csv truth.csv

exit codes: 0 all went well, 1 unexpected failure or interrupted, 2 bad input or usage
"""
_RUN_EXAMPLES = """\
examples:
  consensa run data.csv -k 10 -o labels.csv
  consensa run cells.tsv -k 2:8 --id-column barcode --jobs 2 -o labels.parquet
  cut -f 1-5 big.tsv | consensa run - -k 4 > labels.csv
"""
_COMBINE_EXAMPLES = """\
examples:
  consensa combine partitions.csv -k 10 -o labels.csv
  consensa combine partitions.npz --array labels -k 3,5 --method lwea --param theta=0.2 -o labels.csv
"""
_COMPARE_EXAMPLES = """\
examples:
  consensa compare labels.csv truth.csv
  consensa compare labels.csv table.csv --columns-b class --id-column sample --json
"""
_LAYOUT_TEXT = (
    "Files are CSV, TSV, NPY, NPZ or Parquet by their ending, or '-' for CSV or TSV on standard input. What is found "
    "out about header and ids is said on standard error; rows and columns are counted from 0, lines from 1."
)
_LARGE_TEXT = (
    "With --memory the input is read in chunks and the labels are the same. Finished parts are kept in a folder next "
    "to the output, named like it with .parts at the end; after a stop, the same command goes on from there."
)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands.

    Examples
    --------
    >>> build_parser().parse_args(["run", "data.csv", "-k", "3"]).n_clusters
    3
    """
    parser = argparse.ArgumentParser(
        prog="consensa",
        description="Ensemble clustering: many clusterings in, one better clustering out.",
        epilog=_MAIN_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"consensa {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_run(commands)
    _add_combine(commands)
    _add_compare(commands)
    _add_methods(commands)
    _add_demo(commands)
    return parser


def _add_run(commands: Any) -> None:
    command = _command(commands, "run", "cluster a table of features", _RUN_EXAMPLES)
    command.add_argument("data", metavar="DATA", help="table of features: one row per object, all columns numeric")
    _add_cluster_options(command)
    _add_generate_options(command)
    _add_output_options(command)
    _add_large_options(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=_names, metavar="A,B", help="names or numbers of the feature columns")


def _add_combine(commands: Any) -> None:
    command = _command(commands, "combine", "combine clusterings that exist already", _COMBINE_EXAMPLES)
    command.add_argument(
        "data", metavar="PARTITIONS", help="table of labels: one row per object, one column per clustering"
    )
    _add_cluster_options(command)
    _add_output_options(command)
    _add_large_options(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=_names, metavar="A,B", help="names or numbers of the label columns")
    _add_missing(command)


def _add_compare(commands: Any) -> None:
    command = _command(commands, "compare", "NMI, ARI and ACC between two files of labels", _COMPARE_EXAMPLES)
    command.add_argument("a", metavar="A", help="labels; several columns are compared one by one")
    command.add_argument("b", metavar="B", help="labels; rows are matched by id if both files have ids, else by order")
    _add_layout_options(command)
    command.add_argument("--columns-a", type=_names, metavar="A,B", help="names or numbers of the label columns of A")
    command.add_argument("--columns-b", type=_names, metavar="A,B", help="names or numbers of the label columns of B")
    _add_missing(command)
    command.add_argument("--json", action="store_true", help="print a JSON object")
    _add_quiet(command)


def _add_methods(commands: Any) -> None:
    command = _command(commands, "methods", "list the consensus methods with their references", "")
    command.add_argument("--json", action="store_true", help="print a JSON list")


def _add_demo(commands: Any) -> None:
    command = _command(commands, "demo", "cluster the digits of scikit-learn and print how well it went", "")
    command.add_argument("-o", "--output", default="labels.csv", metavar="FILE", help="labels (default: %(default)s)")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_method_options(command)
    _add_generate_options(command)
    _add_quiet(command)


def _command(commands: Any, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def _add_cluster_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-k",
        "--n-clusters",
        type=parse_cluster_numbers,
        required=True,
        metavar="K",
        help="number of clusters: 10, or several (3,4,5 or 2:6, both ends included) for one column of labels each",
    )
    _add_method_options(command)


def _add_method_options(command: argparse.ArgumentParser) -> None:
    names = ", ".join(METHODS)
    command.add_argument("--method", type=_method, default="lwgp", help=f"{names} (default: %(default)s)")
    command.add_argument(
        "--param",
        type=_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the method, for example theta=0.2; may be given more than once",
    )
    command.add_argument(
        "--seed", type=_at_least(0), default=0, help="seed of all random numbers (default: %(default)s)"
    )


def _add_generate_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--n-partitions",
        type=_at_least(1),
        default=100,
        metavar="M",
        help="number of base clusterings to generate (default: %(default)s)",
    )
    command.add_argument(
        "--generator",
        choices=("kmeans", "uspec"),
        default="kmeans",
        help="base clusterings by k-means, or by U-SPEC, which sees rings and other shapes (default: %(default)s)",
    )
    command.add_argument(
        "--jobs", type=_jobs, default=1, metavar="N", help="base clusterings computed at a time, -1 for all cores"
    )


def _add_output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", metavar="FILE", help="labels next to the ids (default: CSV on standard output)"
    )
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    command.add_argument(
        "--json", action="store_true", help="print a JSON object; it holds the labels if there is no -o"
    )
    _add_quiet(command)


def _add_large_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("files larger than memory", _LARGE_TEXT)
    group.add_argument(
        "--memory", type=_bytes, metavar="SIZE", help="most memory to use, for example 2GB or 500MB; needs -o"
    )
    group.add_argument("--restart", action="store_true", help="throw the finished parts of a stopped run away")


def _add_layout_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("layout of the files", _LAYOUT_TEXT)
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=None, help="the first line is (not) a header"
    )
    group.add_argument(
        "--id-column", default="auto", metavar="NAME|NUMBER|none", help="column with the ids of the rows"
    )
    group.add_argument("--delimiter", type=_delimiter, metavar="CHAR", help="character between cells, or 'tab'")
    group.add_argument("--array", metavar="NAME", help="array of an NPZ file that holds several")


def _add_missing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--missing",
        type=_missing,
        default=-1,
        metavar="INT|none",
        help="number that stands for a missing label, besides empty cells, NA, nan and null (default: %(default)s)",
    )


def _add_quiet(command: argparse.ArgumentParser) -> None:
    command.add_argument("-q", "--quiet", action="store_true", help="no notes and no progress bar")


def layout_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the arguments say about the layout of the files, for the functions that read them."""
    id_column = None if arguments.id_column.lower() == "none" else arguments.id_column
    return {
        "header": arguments.header,
        "id_column": id_column,
        "delimiter": arguments.delimiter,
        "array": arguments.array,
    }


def parse_cluster_numbers(text: str) -> int | list[int]:
    """Read one number of clusters, or several: ``3,4,5``, ``2:6`` (both ends included), ``2:4,8``.

    Examples
    --------
    >>> parse_cluster_numbers("10"), parse_cluster_numbers("2:4,8")
    (10, [2, 3, 4, 8])
    """
    found: list[int] = []
    try:
        for part in text.split(","):
            low, _, high = part.partition(":")
            found.extend(range(int(low), int(high or low) + 1))
    except ValueError:
        found = []
    if not found or min(found) < 1:
        msg = f"{text!r} is not a number of clusters; give an integer of at least 1, or several like 3,4,5 or 2:6"
        raise argparse.ArgumentTypeError(msg)
    return found[0] if text.strip().isdigit() else list(dict.fromkeys(found))


def _method(text: str) -> str:
    try:
        return get_method(text).name
    except ValueError:
        msg = f"{text!r} is not known; choose one of {', '.join(METHODS)} (see consensa methods)"
        raise argparse.ArgumentTypeError(msg) from None


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        msg = f"{text!r} is not of the form NAME=VALUE"
        raise argparse.ArgumentTypeError(msg)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _at_least(smallest: int) -> Any:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = smallest - 1
        if number < smallest:
            msg = f"{text!r} is not allowed; give an integer of at least {smallest}"
            raise argparse.ArgumentTypeError(msg)
        return number

    return parse


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        msg = f"{text!r} is not a size of memory; give a number with a unit, for example 2GB or 500MB"
        raise argparse.ArgumentTypeError(msg)
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** " KMGT".index(found[2].upper() or " "))


def _jobs(text: str) -> int:
    return -1 if text == "-1" else int(_at_least(1)(text))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _delimiter(text: str) -> str:
    found = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(found) != 1 or found in '"\r\n':
        msg = f"{text!r} is not a single character; give one, or 'tab'"
        raise argparse.ArgumentTypeError(msg)
    return found


def _missing(text: str) -> int | None:
    try:
        return None if text.lower() == "none" else int(text)
    except ValueError:
        msg = f"{text!r} is not allowed; give an integer, or 'none' if no number stands for a missing label"
        raise argparse.ArgumentTypeError(msg) from None
