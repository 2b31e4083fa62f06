"""A spectrum that was computed before, as a saved model holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KnownSpectrum"]


@dataclass(frozen=True)
class KnownSpectrum:
    """A problem that was solved before: its eigenvectors are the places of the rows already."""

    n_pairs: int
    n_clusters_max: int
    what: str

    def solve(self, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        """Refuse: what more eigenvectors would be computed from was not saved."""
        msg = (
            f"this many clusters need {n_pairs} eigenvectors, more than were saved with the model; fit it again for "
            "them, or save it after a cut into as many clusters."
        )
        raise ValueError(msg)

    def embed(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:  # noqa: ARG002 - as the protocol has it
        """Return the places."""
        return vectors.copy()
