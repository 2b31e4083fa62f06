"""What the library calls by its parameters, in the words of the command line: one table for all messages."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Any

from consensa._messages import Message, Parameter, Term

__all__ = ["FLAGS", "WORDS", "flag_of", "in_flags"]

FLAGS = {
    "array": "--array",
    "columns": "--columns",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "force": "--force",
    "header": "--header",
    "id_column": "--id-column",
    "missing": "--missing",
    "restart": "--restart",
    "types": "--types",
}
WORDS = {
    "EnsembleClustering": "consensa run",
    "h5ad is written by anndata, after consensa.tl.consensus": "only run and combine write h5ad, and from h5ad",
    "save()": "--save",
}
_OF_KIND = {("array", "h5ad"): "--use-rep", ("array", "mat"): "--variable"}
_OF_COMMAND = {("columns", "compare"): "--columns-a or --columns-b"}


def in_flags(said: Any, command: str) -> str:
    """Tell a message of the library in the words of the command line.

    Parameters
    ----------
    said : Exception, Warning or str
    command : str
        The command that runs, as some call their flags otherwise.

    Examples
    --------
    >>> in_flags(ValueError(Message("give {header}.", header=Parameter("header", False))), "run")
    'give --no-header.'
    """
    text = said.args[0] if isinstance(said, BaseException) and said.args else said
    return text.told(partial(flag_of, command=command)) if isinstance(text, Message) else str(said)


def flag_of(term: Term, command: str) -> str:
    """Return what a user of the command line writes instead.

    Examples
    --------
    >>> flag_of(Parameter("id_column", None), "run"), flag_of(Parameter("columns"), "compare")
    ('--id-column none', '--columns-a or --columns-b')
    """
    if not isinstance(term, Parameter):
        return WORDS[term.name]
    flag = _OF_KIND.get((term.name, term.of)) or _OF_COMMAND.get((term.name, command)) or FLAGS[term.name]
    if term.value is False:
        return flag.replace("--", "--no-")
    if term.value is True or term.value is ...:
        return flag
    value = term.value
    if isinstance(value, dict):
        value = ",".join(f"{name}={kind}" for name, kind in value.items())
    return f"{flag} {'none' if value is None else shlex.quote(str(value))}"
