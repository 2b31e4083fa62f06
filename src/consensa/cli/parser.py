"""Arguments of the command line. Imports nothing heavy, so that --help answers at once."""

from __future__ import annotations

import argparse
from typing import Any

from consensa.cli.examples import (
    COMBINE_EXAMPLES,
    COMPARE_EXAMPLES,
    GENERATE_EXAMPLES,
    MAIN_EXAMPLES,
    PREDICT_EXAMPLES,
    REPORT_EXAMPLES,
    RUN_EXAMPLES,
    SHOW_EXAMPLES,
    TEST_EXAMPLES,
)
from consensa.cli.table_options import (
    add_directory_option,
    add_evidence_options,
    add_table_options,
    add_test_options,
    add_types_option,
)
from consensa.cli.values import (
    Parser,
    ShowVersion,
    at_least,
    cluster_names,
    column_names,
    delimiter,
    feature_method_name,
    k_range,
    method_name,
    method_names,
    missing_label,
    n_bytes,
    n_jobs,
    parameter,
    parse_cluster_numbers,
)
from consensa.generate.registry import DEFAULT_GENERATOR, GENERATORS
from consensa.methods.registry import DEFAULT_METHOD, FEATURE_METHODS, METHODS

__all__ = ["DEFAULT_MEMBERS", "build_parser", "layout_of", "parse_cluster_numbers"]

_GENERATORS = tuple(info.name for info in GENERATORS.values() if not info.needs)

DEFAULT_MEMBERS = 100
_LAYOUT_TEXT = (
    "Files are CSV, TSV, NPY, NPZ, Parquet, MAT or h5ad by their ending, or '-' for CSV or TSV on standard input. What "
    "is found out about header and ids is said on standard error; rows and columns are counted from 0, lines from 1."
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
    parser = Parser(
        prog="consensa",
        description="Ensemble clustering: many clusterings in, one better clustering out.",
        epilog=MAIN_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_run(commands)
    _add_combine(commands)
    _add_generate(commands)
    _add_compare(commands)
    _add_test(commands)
    _add_show(commands)
    _add_predict(commands)
    _add_report_command(commands)
    _add_methods(commands)
    _add_demo(commands)
    return parser


def _add_run(commands: Any) -> None:
    command = _command(commands, "run", "cluster a table of features", RUN_EXAMPLES)
    command.add_argument("data", metavar="DATA", help="table: one row per object, columns of any kind")
    _add_cluster_options(command, features=True)
    _add_generate_options(command, features=True)
    _add_generator_param(command)
    _add_output_options(command)
    _add_report_option(command)
    _add_large_options(command)
    add_evidence_options(command)
    add_directory_option(command, "-k tested")
    add_table_options(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=column_names, metavar="A,B", help="names or numbers of the feature columns")


def _add_combine(commands: Any) -> None:
    command = _command(commands, "combine", "combine clusterings that exist already", COMBINE_EXAMPLES)
    command.add_argument(
        "data", metavar="PARTITIONS", help="table of labels: one row per object, one column per clustering"
    )
    _add_cluster_options(command, several=True)
    command.add_argument(
        "--jobs", type=n_jobs, default=1, metavar="N", help="methods computed at a time, -1 for all cores"
    )
    _add_output_options(command)
    _add_report_option(command)
    _add_large_options(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=column_names, metavar="A,B", help="names or numbers of the label columns")
    _add_missing(command)


def _add_generate(commands: Any) -> None:
    command = _command(commands, "generate", "make base clusterings of a table of features", GENERATE_EXAMPLES)
    command.add_argument("data", metavar="DATA", help="table of features: one row per object, all columns numeric")
    command.add_argument(
        "-k",
        "--n-clusters",
        type=parse_cluster_numbers,
        metavar="K",
        help="clusters of every member: 5, or 2:20 to draw",
    )
    _add_generate_options(command)
    _add_param(command, "--param", "generator, for example fraction=0.7")
    _add_seed(command)
    command.add_argument(
        "--directory", metavar="DIR", help="keep every finished member there; a stopped run goes on where it was"
    )
    command.add_argument("-o", "--output", metavar="FILE", help="label table (default: CSV on standard output)")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_quiet(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=column_names, metavar="A,B", help="names or numbers of the feature columns")


def _add_test(commands: Any) -> None:
    command = _command(commands, "test", "test which clusters are more than chance, and show the tree", TEST_EXAMPLES)
    command.add_argument("data", metavar="DATA", help="table of features: one row per object, all columns numeric")
    add_test_options(command)
    add_directory_option(command, "the test")
    _add_seed(command)
    command.add_argument("-o", "--output", metavar="FILE", help="labels of the clusters that stand, next to the ids")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    command.add_argument("--json", action="store_true", help="print a JSON object")
    _add_quiet(command)
    add_table_options(command)
    _add_layout_options(command)
    command.add_argument("--columns", type=column_names, metavar="A,B", help="names or numbers of the feature columns")


def _add_show(commands: Any) -> None:
    command = _command(commands, "show", "say what a saved model holds, or write its labels", SHOW_EXAMPLES)
    command.add_argument("model", metavar="MODEL", help="model that was saved as NPZ")
    command.add_argument("-k", "--n-clusters", type=parse_cluster_numbers, metavar="K", help="cut it again")
    command.add_argument(
        "--names",
        type=cluster_names,
        metavar="0=NAME,...",
        help="names for clusters, by their labels; --save keeps them",
    )
    command.add_argument("--save", metavar="MODEL", help="write the model, with its names, to another file (.npz)")
    command.add_argument("-o", "--output", metavar="FILE", help="labels next to the ids")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    command.add_argument("--json", action="store_true", help="print a JSON object")
    _add_quiet(command)


def _add_predict(commands: Any) -> None:
    command = _command(commands, "predict", "label new rows by a saved model", PREDICT_EXAMPLES)
    command.add_argument("model", metavar="MODEL", help="model that consensa run saved as NPZ")
    command.add_argument("data", metavar="NEW", help="new rows of the same table; columns are found by their names")
    command.add_argument("-o", "--output", metavar="FILE", help="labels next to the ids (default: CSV)")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_quiet(command)
    _add_layout_options(command)


def _add_compare(commands: Any) -> None:
    command = _command(commands, "compare", "NMI, ARI and ACC between two files of labels", COMPARE_EXAMPLES)
    command.add_argument("a", metavar="A", help="labels; several columns are compared one by one")
    command.add_argument("b", metavar="B", help="labels; rows are matched by id if both files have ids, else by order")
    _add_layout_options(command)
    command.add_argument(
        "--columns-a", type=column_names, metavar="A,B", help="names or numbers of the label columns of A"
    )
    command.add_argument(
        "--columns-b", type=column_names, metavar="A,B", help="names or numbers of the label columns of B"
    )
    _add_missing(command)
    command.add_argument("--json", action="store_true", help="print a JSON object")
    _add_quiet(command)


def _add_report_command(commands: Any) -> None:
    command = _command(commands, "report", "write the report of a saved model", REPORT_EXAMPLES)
    command.add_argument("model", metavar="MODEL", help="model that was saved as NPZ")
    command.add_argument("report", metavar="REPORT", help="page for the browser (.html), or its content (.json)")
    command.add_argument("--data", metavar="DATA", help="table of the same rows in order, any columns, to describe by")
    add_types_option(command)
    command.add_argument(
        "--compare", metavar="OTHER", help="another saved model of the same objects, to stand beside it"
    )
    command.add_argument("--columns", type=column_names, metavar="A,B", help="names or numbers of the feature columns")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_quiet(command)
    _add_layout_options(command)


def _add_methods(commands: Any) -> None:
    command = _command(commands, "methods", "list the consensus methods with their references", "")
    command.add_argument("--generators", action="store_true", help="list what makes base clusterings instead")
    command.add_argument("--json", action="store_true", help="print a JSON list")


def _add_demo(commands: Any) -> None:
    command = _command(commands, "demo", "cluster the digits of scikit-learn and print how well it went", "")
    command.add_argument("-o", "--output", default="labels.csv", metavar="FILE", help="labels (default: %(default)s)")
    _add_report_option(command)
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    _add_method_options(command)
    _add_generate_options(command)
    _add_generator_param(command)
    command.set_defaults(directory=None, scale="none", types=None, weights=None)
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


def _add_cluster_options(command: argparse.ArgumentParser, *, several: bool = False, features: bool = False) -> None:
    command.add_argument(
        "-k",
        "--n-clusters",
        type=parse_cluster_numbers,
        required=True,
        metavar="K",
        help="number of clusters: 10, several (3,4,5 or 2:6, both ends included; one column of labels each), auto, or "
        "tested (as many as are more than chance; from features)",
    )
    command.add_argument(
        "--k-range",
        type=k_range,
        metavar="LOW:HIGH",
        help="candidates for -k auto, both ends included (default: 1 to twice the mean k of the base clusterings)",
    )
    _add_method_options(command, several=several, features=features)


def _add_method_options(command: argparse.ArgumentParser, *, several: bool = False, features: bool = False) -> None:
    names = ", ".join(METHODS)
    read: Any = method_names if several else method_name
    more = "; several (eac,lwea) or all for one column of labels each" if several else ""
    if features:
        read, more = feature_method_name, f"; or, from the features on: {', '.join(FEATURE_METHODS)}"
    command.add_argument("--method", type=read, default=DEFAULT_METHOD, help=f"{names} (default: %(default)s){more}")
    command.add_argument(
        "--outliers",
        choices=("assign", "mark"),
        default="assign",
        help="objects that no cluster can claim: assign them to the nearest, or mark them by -1 (default: %(default)s)",
    )
    _add_param(command, "--param", "method, for example theta=0.2")
    _add_seed(command)


def _add_param(command: argparse.ArgumentParser, flag: str, what: str) -> None:
    command.add_argument(
        flag,
        type=parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"parameter of the {what}; may be given more than once",
    )


def _add_generator_param(command: argparse.ArgumentParser) -> None:
    _add_param(command, "--generator-param", "generator, for example k_range=[5,20]")


def _add_seed(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--seed", type=at_least(0), default=0, help="seed of all random numbers (default: %(default)s)"
    )


def _add_generate_options(command: argparse.ArgumentParser, *, features: bool = False) -> None:
    """Say how base clusterings are made; a method on features has its own way, unless it is told."""
    own = ", or what the method does by itself" if features else ""
    command.add_argument(
        "-m",
        "--n-partitions",
        type=at_least(1),
        default=None if features else DEFAULT_MEMBERS,
        metavar="M",
        help=f"number of base clusterings to generate (default: {DEFAULT_MEMBERS}{own})",
    )
    command.add_argument(
        "--generator",
        choices=_GENERATORS,
        default=None if features else DEFAULT_GENERATOR,
        help="how base clusterings are made; consensa methods --generators says more "
        f"(default: {DEFAULT_GENERATOR}{own})",
    )
    command.add_argument(
        "--jobs", type=n_jobs, default=1, metavar="N", help="base clusterings computed at a time, -1 for all cores"
    )


def _add_output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", metavar="FILE", help="labels next to the ids (default: CSV on standard output)"
    )
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    command.add_argument("--save", metavar="MODEL", help="the fitted model (.npz), for consensa show and report")
    command.add_argument(
        "--json", action="store_true", help="print a JSON object; it holds the labels if there is no -o"
    )
    _add_quiet(command)


def _add_report_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--report", metavar="FILE", help="page with the evidence for the browser (.html), or its content (.json)"
    )


def _add_large_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("files larger than memory", _LARGE_TEXT)
    group.add_argument(
        "--memory", type=n_bytes, metavar="SIZE", help="most memory to use, for example 2GB or 500MB; needs -o"
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
    group.add_argument("--delimiter", type=delimiter, metavar="CHAR", help="character between cells, or 'tab'")
    group.add_argument("--decimal", choices=(".", ","), default=".", help="decimal sign (default: the point)")
    group.add_argument(
        "--encoding", default="utf-8", metavar="NAME", help="of text, for example latin-1 (default: %(default)s)"
    )
    group.add_argument(
        "--array",
        "--variable",
        "--use-rep",
        metavar="NAME",
        help="array of an NPZ file, variable of a MAT file, or X or an entry of obsm of an h5ad file",
    )


def _add_missing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--missing",
        type=missing_label,
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
        "decimal": arguments.decimal,
        "encoding": arguments.encoding,
    }
