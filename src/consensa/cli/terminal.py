"""What people see: notes on standard error, results on standard output, progress only on a terminal."""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["print_json", "print_text", "say", "shows_progress"]


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
