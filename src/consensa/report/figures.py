"""What all figures with matplotlib share."""

from __future__ import annotations

from typing import Any

__all__ = ["HUES", "current_axes"]

HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f55a3", "#8c564b", "#a01d5d", "#7f9a00"]


def current_axes(ax: Any = None) -> Any:
    """Return the axes given, or the current ones of matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        msg = 'plots need matplotlib, which is not installed; install it, or the extra: pip install "consensa[plot]".'
        raise ValueError(msg) from None
    return plt.gca() if ax is None else ax
