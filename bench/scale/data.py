"""Made-up label matrices of any length, written chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa.generate.base import nearest_centers

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LARGEST_K", "write_labels"]

LARGEST_K = {"lwgp": 60, "lwea": 95}  # lwea: 5 million objects have just under 200,000 microclusters
_CHUNK_ROWS = 1 << 20


def write_labels(path: Path, n_objects: int, *, seed: int = 0, n_members: int = 10, largest_k: int = 60) -> None:
    """Write a label matrix (n_objects x n_members, uint8) as NPY, unless the file is there already.

    As ``made_up_ensemble``, with k uniform in [2, largest_k): 20 Gaussians of unit variance in 8 dimensions, their
    centres N(0, 9); each member assigns the objects to the nearest of k random objects of the mixture. A longer
    matrix begins with the rows of a shorter one, but for the last chunk.
    """
    if path.exists():
        return
    rng = np.random.default_rng(seed)
    gaussians = rng.normal(0.0, 3.0, (20, 8)).astype(np.float32)
    members = [_objects(rng, gaussians, int(k)) for k in rng.integers(2, largest_k, size=n_members)]
    part = path.with_suffix(".part")
    labels = np.lib.format.open_memmap(part, "w+", np.uint8, (n_objects, n_members))
    for chunk, start in enumerate(range(0, n_objects, _CHUNK_ROWS)):
        X = _objects(np.random.default_rng([seed, chunk]), gaussians, min(_CHUNK_ROWS, n_objects - start))
        for m, centers in enumerate(members):
            labels[start : start + len(X), m] = nearest_centers(X, centers)
    labels.flush()
    part.rename(path)


def _objects(rng: np.random.Generator, gaussians: np.ndarray, n_objects: int) -> np.ndarray:
    X = rng.standard_normal((n_objects, gaussians.shape[1]), dtype=np.float32)
    X += gaussians[rng.integers(gaussians.shape[0], size=n_objects)]
    return X
