"""The papers' tables and figures again: declarations, one runner, one result schema, published beside ours."""

from __future__ import annotations

from bench.reproduce.schema import COLUMNS, draw

__all__ = ["COLUMNS", "draw"]
