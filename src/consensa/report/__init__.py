"""A fitted model as a page for the browser, as JSON, in a notebook and as plots: the only room that writes HTML."""

from consensa.report.content import report_content
from consensa.report.page import render_page
from consensa.report.write import write_report

__all__ = ["render_page", "report_content", "write_report"]
