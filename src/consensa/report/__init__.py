"""A fitted model as a page for the browser, as JSON, in a notebook and as plots: the only room that writes HTML."""

from consensa.report.content import report_content

__all__ = ["report_content"]
