"""What people see: notes on standard error, results on standard output, progress only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["keep_output_for_results", "print_json", "print_text", "say", "shows_progress"]


def keep_output_for_results() -> None:
    """For the rest of the process, send to standard error what libraries print past Python.

    METIS does, and its words would stand among the labels.
    """
    sys.stdout, sys.stderr = (stream or Path(os.devnull).open("w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    results = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = os.fdopen(results, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)


def say(message: str) -> None:
    """Write one line on standard error."""
    sys.stderr.write(f"consensa: {message}\n")
    sys.stderr.flush()


def print_text(text: str) -> None:
    """Write a result on standard output."""
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Write a result on standard output as JSON."""
    print_text(json.dumps(value, indent=2))


def shows_progress(*, quiet: bool) -> bool:
    """Whether a progress bar would reach a person."""
    return not quiet and sys.stderr.isatty()
