"""The columns of a table as people have them: what they are, and the table as one matrix of numbers with gaps."""

from __future__ import annotations

from consensa.columns.coding import CodedTable, code_frame, read_frame
from consensa.columns.column import Column, used_columns
from consensa.columns.scan import ColumnScan

__all__ = ["CodedTable", "Column", "ColumnScan", "code_frame", "read_frame", "used_columns"]
