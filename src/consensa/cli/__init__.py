"""The command line: a thin shell over the library. Commands are imported when they are called."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from consensa._messages import ConsensaWarning
from consensa.cli.flags import in_flags
from consensa.cli.parser import build_parser
from consensa.cli.terminal import keep_output_for_results, say

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

__all__ = ["main", "program"]

_OK, _FAILURE, _BAD_INPUT = 0, 1, 2


def program() -> int:
    """Run the command that this process was started for: :func:`main`, with standard output for results only."""
    keep_output_for_results()
    return main()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments; None for those of the process.

    Returns
    -------
    int
        0 if all went well, 1 after an unexpected failure or an interruption, 2 for bad input or usage.

    Examples
    --------
    >>> main(["methods"])  # doctest: +ELLIPSIS
    name  ...
    0
    """
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return _BAD_INPUT
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConsensaWarning)
        warnings.showwarning = partial(_show_warning, arguments.command)
        return _run(arguments)


def _run(arguments: Namespace) -> int:
    """Call a command; what can go wrong outside our own code is said in one line."""
    try:
        import_module(f"consensa.cli.{arguments.command}").execute(arguments)
        sys.stdout.flush()
    except ValueError as error:
        say(f"error: {in_flags(error, arguments.command)}")
        return _BAD_INPUT
    except BrokenPipeError:
        from consensa.io.write import discard_output

        discard_output()
    except KeyboardInterrupt:
        say("interrupted.")
    except MemoryError as error:
        say(f"error: there is not enough memory ({error or 'allocation failed'}).")
    except OSError as error:
        say(f"error: {error.filename}: {error.strerror}." if error.filename and error.strerror else f"error: {error}")
    else:
        return _OK
    return _FAILURE


def _show_warning(command: str, message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    kind = "warning" if category.__module__.startswith("consensa") else category.__name__
    say(f"{kind}: {in_flags(message, command)}")
