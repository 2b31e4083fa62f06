"""Where the benchmarks' data comes from: pools of base clusterings, made-up ensembles."""

from __future__ import annotations

import argparse
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consensa.generate.base import nearest_centers

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "choose_pools",
    "count",
    "draw",
    "find_data_dir",
    "find_pools",
    "load_pool",
    "locate",
    "made_up_ensemble",
    "made_up_features",
    "none_or_more",
]


def count(text: str) -> int:
    """Read a number of at least 1 from the command line."""
    number = int(text)
    if number < 1:
        msg = f"{text} is not allowed: at least 1 is needed"
        raise argparse.ArgumentTypeError(msg)
    return number


def none_or_more(text: str) -> int:
    """Read a number of at least 0 from the command line."""
    return 0 if text == "0" else count(text)


def find_data_dir(given: str | None) -> Path:
    """Return the folder with ``pools/``: the one given, else CONSENSA_DATA, or its subfolder ``data``."""
    named = given or os.environ.get("CONSENSA_DATA", "")
    if not named:
        msg = "no data directory was given: use --data-dir, or set the environment variable CONSENSA_DATA."
        raise ValueError(msg)
    for folder in (Path(named), Path(named, "data")):
        if (folder / "pools").is_dir():
            return folder
    msg = f"{named} holds no folder 'pools' (nor 'data/pools'): give the directory with the pools of base clusterings."
    raise ValueError(msg)


def locate(folders: Sequence[Path], file: str) -> Path:
    """Return the path of a file in the first folder that has it, else in the first folder."""
    return next((folder / file for folder in folders if (folder / file).is_file()), folders[0] / file)


def find_pools(data_dir: Path, kind: str) -> dict[str, Path]:
    """Return the pools ``<kind>_<data set>.npz`` by data set."""
    prefix = f"{kind}_"
    found = sorted((data_dir / "pools").glob(f"{prefix}*.npz"))
    if not found:
        msg = f"{data_dir / 'pools'} holds no pool named {prefix}*.npz."
        raise ValueError(msg)
    return {path.stem.removeprefix(prefix): path for path in found}


def choose_pools(pools: dict[str, Path], names: list[str] | None) -> dict[str, Path]:
    """Return the pools of these names, or all of them."""
    absent = [name for name in names or [] if name not in pools]
    if absent:
        msg = f"there is no pool {absent[0]!r}; there are {', '.join(pools)}."
        raise ValueError(msg)
    return {name: pools[name] for name in names or pools}


def load_pool(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the label matrix (n_objects x pool size) and the true classes (n_objects) of a pool."""
    with np.load(path, allow_pickle=False) as pool:
        return pool["members"].astype(np.int32), pool["gt"].ravel()


def draw(dataset: str, run: int, seed: int, pool_size: int, n_members: int) -> tuple[np.ndarray, int]:
    """Draw the members of a run and a seed for its methods; a larger draw begins with the smaller ones."""
    rng = np.random.default_rng([seed, zlib.crc32(dataset.encode()), run])
    return rng.permutation(pool_size)[:n_members], int(rng.integers(2**31 - 1))


def made_up_ensemble(n_objects: int, seed: int = 0, n_members: int = 10) -> np.ndarray:
    """Make a label matrix (n_objects x n_members, int32) of any length.

    20 Gaussians of unit variance in 8 dimensions, their centres N(0, 9); each member assigns the objects to the
    nearest of k random objects, k uniform in [2, 200). The centres and the k are the same for every ``n_objects``.
    """
    rng = np.random.default_rng(seed)
    centers = _made_up_centers(rng)
    n_clusters = np.minimum(rng.integers(2, 200, size=n_members), n_objects)
    X = _made_up_objects(rng, centers, n_objects)
    labels = np.empty((n_objects, n_members), np.int32)
    for member, k in enumerate(n_clusters):
        labels[:, member] = nearest_centers(X, X[rng.choice(n_objects, k, replace=False)])
    return labels


def made_up_features(n_objects: int, seed: int = 0) -> np.ndarray:
    """Make the features (n_objects x 8) of 20 Gaussians as those behind :func:`made_up_ensemble`."""
    rng = np.random.default_rng(seed)
    return _made_up_objects(rng, _made_up_centers(rng), n_objects).astype(np.float64)


def _made_up_centers(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0.0, 3.0, (20, 8)).astype(np.float32)


def _made_up_objects(rng: np.random.Generator, centers: np.ndarray, n_objects: int) -> np.ndarray:
    X = rng.standard_normal((n_objects, 8), dtype=np.float32)
    X += centers[rng.integers(20, size=n_objects)]
    return X
