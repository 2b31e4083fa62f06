"""The papers' tables and figures again: declarations, one runner, one result schema, published beside ours."""

from __future__ import annotations

from studies.reproduce.schema import COLUMNS

__all__ = ["COLUMNS"]
