"""Speed, memory and scale of consensa, beside what a user would write by hand."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ROOT"]

ROOT = Path(__file__).resolve().parent.parent
