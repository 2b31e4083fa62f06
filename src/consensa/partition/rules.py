"""What labels rows that were not in the fit of a transfer cut, each row on its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consensa._rows import GUARD, unit_rows
from consensa.partition.kmeans import nearest_labels
from consensa.relate.bipartite import transfer_to_rows

__all__ = ["CenterRule", "ComponentRule"]


@dataclass(frozen=True, eq=False)
class ComponentRule:
    """Labels of label rows by their connected component, each row on its own."""

    offsets: np.ndarray
    weights: np.ndarray
    of_cluster: np.ndarray
    of_empty: int

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.of_cluster.max()) + 1

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        clusters = np.where(codes >= 0, codes + self.offsets[:-1], 0)
        linked = (codes >= 0) & (self.weights[clusters] > 0)
        first = clusters[np.arange(codes.shape[0]), np.argmax(linked, axis=1)]
        labels = np.where(linked.any(axis=1), self.of_cluster[first], self.of_empty)
        return np.where((codes >= 0).any(axis=1), labels, -1)


@dataclass(frozen=True, eq=False)
class CenterRule:
    """Labels of label rows by the nearest centre in the embedding, each row on its own."""

    offsets: np.ndarray
    weights: np.ndarray
    vectors: np.ndarray
    divisors: np.ndarray | None
    centers: np.ndarray
    apart_rows: np.ndarray
    apart_labels: np.ndarray

    @property
    def n_labels(self) -> int:
        """Labels are below this."""
        return int(self.centers.shape[0])

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""
        placed = transfer_to_rows(codes, self.offsets, self.weights, self.vectors)
        if self.divisors is not None:
            placed /= self.divisors
        labels = nearest_labels(unit_rows(placed, guard=GUARD, out=placed), self.centers)
        for row, label in zip(self.apart_rows, self.apart_labels, strict=True):
            labels[(codes == row).all(axis=1)] = label
        labels[(codes < 0).all(axis=1)] = -1
        return labels
