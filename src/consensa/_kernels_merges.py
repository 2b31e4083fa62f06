"""Kernel of trees: from merges to the regions at their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._numba import njit

if TYPE_CHECKING:
    import numpy as np


@njit
def follow_merges(merges: np.ndarray, root: np.ndarray) -> None:
    """Give every point the region that it ends in; ``root`` comes in as the numbers of the points.

    A region carries the number of one of its points; ``merges`` (regions, and what they absorb) come in their order.
    """
    for t in range(merges.shape[0] - 1, -1, -1):  # where a region itself ends is known: later merges come first
        root[merges[t, 1]] = root[merges[t, 0]]
