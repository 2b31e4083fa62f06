"""Values of arguments: from the text on the command line, with an error that says what is allowed."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any, NoReturn

from consensa._messages import meant
from consensa.cli.terminal import print_text
from consensa.generate.registry import GENERATORS
from consensa.methods.registry import FEATURE_METHODS, METHODS, get_method

__all__ = [
    "Parser",
    "ShowVersion",
    "at_least",
    "cluster_names",
    "column_names",
    "column_types",
    "column_weights",
    "delimiter",
    "feature_method_name",
    "k_range",
    "method_name",
    "method_names",
    "missing_label",
    "n_bytes",
    "n_jobs",
    "parameter",
    "parse_cluster_numbers",
]


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and where the options are listed, instead of listing all of them."""

    def error(self, message: str) -> NoReturn:
        """Leave with exit code 2."""
        if "required" in message and "-k/" in message:
            message += " (a number like -k 5, or -k auto to have one proposed)"
        self.exit(2, f"{self.prog}: error: {message}. {self.prog} --help lists what there is.\n")


def parse_cluster_numbers(text: str) -> int | list[int] | str:
    """Read one number of clusters, several (``3,4,5``, ``2:6`` with both ends, ``2:4,8``), ``auto`` or ``tested``.

    Examples
    --------
    >>> parse_cluster_numbers("10"), parse_cluster_numbers("2:4,8"), parse_cluster_numbers("auto")
    (10, [2, 3, 4, 8], 'auto')
    """
    if text.strip().lower() in ("auto", "tested"):
        return text.strip().lower()
    found: list[int] = []
    try:
        for part in text.split(","):
            low, _, high = part.partition(":")
            found.extend(range(int(low), int(high or low) + 1))
    except ValueError:
        found = []
    if not found or min(found) < 1:
        msg = f"{text!r} is not a number of clusters; give an integer of at least 1, several like 3,4,5 or 2:6, or auto"
        raise argparse.ArgumentTypeError(msg)
    return found[0] if text.strip().isdigit() else list(dict.fromkeys(found))


def cluster_names(text: str) -> dict[int, str]:
    """Read names for clusters by their labels: ``0=students,1=teams``.

    Examples
    --------
    >>> cluster_names("0=students, 3=big teams")
    {0: 'students', 3: 'big teams'}
    """
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(label.strip().isdecimal() and name.strip() for label, _, name in pairs):
        msg = f"{text!r} does not name clusters; give labels with names, like 0=students,1=teams"
        raise argparse.ArgumentTypeError(msg)
    return {int(label): name.strip() for label, _, name in pairs}


def k_range(text: str) -> str:
    """Read the candidates for -k auto: ``2:20``."""
    low, _, high = text.partition(":")
    if not (low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high)):
        msg = f"{text!r} is not a range of numbers of clusters; give the smallest and the largest, like 2:20"
        raise argparse.ArgumentTypeError(msg)
    return f"{int(low)}:{int(high)}"


def method_name(text: str) -> str:
    """Read the name of a method."""
    try:
        return get_method(text).name
    except ValueError:
        msg = f"{text!r} is not known{meant(text, METHODS)}; choose one of {', '.join(METHODS)} (see consensa methods)"
        raise argparse.ArgumentTypeError(msg) from None


def feature_method_name(text: str) -> str:
    """Read the name of a method that starts from features, or of one that combines clusterings made of them."""
    name = text.lower()
    if name in GENERATORS and name not in {**METHODS, **FEATURE_METHODS}:
        msg = f"{text!r} makes clusterings; give it as --generator {name}, with -m 1 for a single clustering"
        raise argparse.ArgumentTypeError(msg)
    return name if name in FEATURE_METHODS else method_name(text)


def method_names(text: str) -> str | list[str]:
    """Read one method by name; several, or all of them, as a list."""
    if text.lower() == "all":
        return list(METHODS)
    names = [method_name(name) for name in column_names(text)]
    return names[0] if len(names) == 1 else list(dict.fromkeys(names))


def parameter(text: str) -> tuple[str, Any]:
    """Read ``NAME=VALUE``; the value as JSON, or as it stands."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        msg = f"{text!r} is not of the form NAME=VALUE"
        raise argparse.ArgumentTypeError(msg)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def n_bytes(text: str) -> int:
    """Read a size of memory: ``2GB``, ``500MB``, ``1.5 GiB``."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        msg = f"{text!r} is not a size of memory; give a number with a unit, for example 2GB or 500MB"
        raise argparse.ArgumentTypeError(msg)
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** " KMGT".index(found[2].upper() or " "))


def at_least(smallest: int) -> Any:
    """Return a reader of integers that are not too small."""

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


def n_jobs(text: str) -> int:
    """Read a number of jobs: -1 for all cores."""
    return -1 if text == "-1" else int(at_least(1)(text))


def column_names(text: str) -> list[str]:
    """Read names that are separated by commas."""
    return [name.strip() for name in text.split(",")]


def column_types(text: str) -> dict[str, str]:
    """Read ``since=date,zip=category``."""
    return dict(_named(text, "since=date,zip=category"))


def column_weights(text: str) -> dict[str, float]:
    """Read ``income=2,city=0.5``."""
    try:
        return {name: float(value) for name, value in _named(text, "income=2,city=0.5")}
    except ValueError:
        msg = f"{text!r} are not weights of columns; give names with numbers, for example income=2,city=0.5"
        raise argparse.ArgumentTypeError(msg) from None


def _named(text: str, example: str) -> list[tuple[str, str]]:
    """Names with values; a comma may be part of a name."""
    pairs = [part.rpartition("=") for part in re.split(r",(?=[^,]*=)", text)]
    if not all(name.strip() and value.strip() for name, _, value in pairs):
        msg = f"{text!r} does not say anything about columns; give names with values, for example {example}"
        raise argparse.ArgumentTypeError(msg)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def delimiter(text: str) -> str:
    """Read a single character, or its name."""
    found = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(found) != 1 or found in '"\r\n':
        msg = f"{text!r} is not a single character; give one, or 'tab'"
        raise argparse.ArgumentTypeError(msg)
    return found


def missing_label(text: str) -> int | None:
    """Read the number that stands for a missing label, or ``none``."""
    try:
        return None if text.lower() == "none" else int(text)
    except ValueError:
        msg = f"{text!r} is not allowed; give an integer, or 'none' if no number stands for a missing label"
        raise argparse.ArgumentTypeError(msg) from None


class ShowVersion(argparse.Action):
    """Print the version and end; it is looked up only then, as that takes longer than the rest of the parser."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print and end the process with exit code 0."""
        from consensa import __version__

        print_text(f"{parser.prog} {__version__}")
        parser.exit()
