"""What all figures with matplotlib share."""

from __future__ import annotations

from typing import Any

__all__ = ["HUES", "current_axes", "framed", "hue", "mark_chosen"]

HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f55a3", "#8c564b", "#a01d5d", "#7f9a00"]


def current_axes(ax: Any = None) -> Any:
    """Return the axes given, or the current ones of matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        msg = "plots need matplotlib; install it with pip install matplotlib."
        raise ImportError(msg) from None
    return plt.gca() if ax is None else ax


def hue(place: int) -> str:
    """Return the colour of a cluster or a curve; they come again after ten."""
    return HUES[place % len(HUES)]


def mark_chosen(axes: Any, n_clusters: int) -> None:
    """Draw a line at the number of clusters of a model."""
    axes.axvline(n_clusters, color="0.4", linestyle=":", label=f"k = {n_clusters}")


def framed(
    axes: Any, title: str, xlabel: str, ylabel: str, *, legend: dict[str, Any] | None = None, **more: Any
) -> Any:
    """Write what stands around a figure, and return its axes.

    Parameters
    ----------
    axes : matplotlib Axes
    title, xlabel, ylabel : str
    legend : dict, default=None
        Options of the legend; None for none.
    **more
        Further properties of the axes, such as ``xlim``.

    Returns
    -------
    matplotlib Axes
    """
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel, **more)
    if legend is not None:
        axes.legend(**{"fontsize": "small", **legend})
    return axes
