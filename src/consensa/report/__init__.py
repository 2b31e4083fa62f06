"""A fitted model as a page for the browser, as JSON, in a notebook and as plots: the only room that writes HTML."""

from consensa.report.content import report_content
from consensa.report.critical import plot_critical_difference
from consensa.report.inline import Report
from consensa.report.page import render_page
from consensa.report.plots import plot_confidence, plot_consensus, plot_dendrogram, plot_k_curves
from consensa.report.resampling_plots import (
    plot_cdf,
    plot_cluster_consensus,
    plot_delta_area,
    plot_item_consensus,
    plot_pac,
)
from consensa.report.write import write_report

__all__ = [
    "Report",
    "plot_cdf",
    "plot_cluster_consensus",
    "plot_confidence",
    "plot_consensus",
    "plot_critical_difference",
    "plot_delta_area",
    "plot_dendrogram",
    "plot_item_consensus",
    "plot_k_curves",
    "plot_pac",
    "render_page",
    "report_content",
    "write_report",
]
