"""Stable numbers for clusters: by size, then by first object."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from consensa._groups import ranks_by_size

__all__ = ["Rows", "number_by_size", "numbers_by_size"]


class Rows(Protocol):
    """Distinct rows that stand for objects, as an Ensemble or a SoftEnsemble has them."""

    @property
    def sizes(self) -> np.ndarray:
        """How many objects share each row."""

    def to_objects(self, values: np.ndarray) -> np.ndarray:
        """Hand the value of every row to its objects."""


def number_by_size(labels: np.ndarray, ensemble: Rows) -> np.ndarray:
    """Hand labels of microclusters to the objects, numbered by falling size, then by first object.

    int32, -1 for objects without any label.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> number_by_size(np.array([7, 3]), Ensemble([[0, 1, 1]]))
    array([1, 0, 0], dtype=int32)
    """
    return ensemble.to_objects(numbers_by_size(labels, ensemble.sizes))


def numbers_by_size(labels: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Number the labels of microclusters, which stand in the order of their first objects, by size."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return ranks_by_size(np.bincount(codes, sizes), first)[codes]
