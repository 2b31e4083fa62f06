"""Similarities of random walks, of one connected component of the microclusters at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._validation import check_choice
from consensa.relate.relation import Triangle
from consensa.relate.walk_blocks import walk_triangle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.relate.slow_modes import WalkPlan
    from consensa.relate.walk_blocks import Block

__all__ = ["MEASURES", "WalkSimilarity"]

MEASURES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {  # products, lengths of both sides
    "cosine": lambda products, a, b: products / (a * b),
    "dice": lambda products, a, b: 2 * products / (a**2 + b**2),
    "tanimoto": lambda products, a, b: products / (a**2 + b**2 - products),
}


class WalkSimilarity:
    """How similar the walks of microclusters are: 0 between connected components, within them made on request.

    Parameters
    ----------
    n_rows : int
        Number of microclusters.
    planned : sequence of (Block, WalkPlan)
        The components of at least two, and how their walks are summed up.
    measure : {"cosine", "dice", "tanimoto"}

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> from consensa.relate import trajectories
    >>> found = trajectories(Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]]), 1, 3).by_component()
    >>> found.within(np.arange(4)).row(0).round(2)
    array([0.  , 0.83, 0.  ])
    """

    def __init__(self, n_rows: int, planned: Sequence[tuple[Block, WalkPlan]], measure: str) -> None:
        check_choice("measure", measure, tuple(MEASURES))
        largest = max((block.members.size for block, _ in planned), default=1)
        check_dense_budget(
            4 * largest**2,
            f"The trajectory similarity of {largest} linked microclusters",
            "PTGP does without it; LWEA and LWGP are cheaper still.",
        )
        self.n_rows = n_rows
        self._planned = {int(block.members.min()): (block, plan) for block, plan in planned}
        self._measure = MEASURES[measure]

    @property
    def components(self) -> list[np.ndarray]:
        """Rows of every component of at least two, rising."""
        return [np.sort(block.members) for block, _ in self._planned.values()]

    def within(self, rows: np.ndarray) -> Triangle:
        """Return the similarities of the rows of one component, in rising order, with each other."""
        if rows.size == 1:
            return Triangle(np.empty(0), 1)
        block, plan = self._planned[int(rows[0])]
        triangle, lengths = walk_triangle(block, plan)
        for i in range(rows.size - 1):
            row = triangle.row(i)
            # below 0 by rounding alone, where walks hardly meet and their slow modes cancel
            np.clip(self._measure(row, lengths[i], lengths[i + 1 :]), 0.0, 1.0, out=row)
        return triangle
