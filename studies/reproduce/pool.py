"""Pools of our own, made as paper 001 describes, for data sets whose pool was not published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.data import count, find_data_dir, locate
from consensa.generate import MixedPartitions
from studies.reproduce.schema import SCORES

if TYPE_CHECKING:
    import argparse

__all__ = ["add_make_pool", "make_pool", "pool_path"]

_FILES = {"LS": "LS", "PD": "PD", "KDD99": "KDD99_10pct"}


def pool_path(folder: Path, name: str) -> Path:
    """Return the file of a pool."""
    return folder / "pools" / f"PTGP_{name}.npz"


def make_pool(data_dir: Path, name: str, folder: Path, *, n_members: int = 200, seed: int = 0, jobs: int = 1) -> Path:
    """Make ``pools/PTGP_<name>.npz`` in a folder of our own: half of the members by k-means and half by RPCL."""
    source = locate((data_dir,), f"sets/{_FILES.get(name, name)}.npz")
    if not source.is_file():
        msg = f"{source} is not there; choose a data set with a file in sets/, or one of {', '.join(_FILES)}."
        raise ValueError(msg)
    with np.load(source, allow_pickle=False) as data:
        X, truth = data["X"].astype(float), data["y"].ravel()
    members = MixedPartitions(n_members, random_state=seed, n_jobs=jobs, verbose=True).fit_transform(X)
    path = pool_path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, members=members + 1, gt=truth)
    found = members.max(axis=0) + 1
    scores = [SCORES["NMI/max"](column, truth) for column in members.T]
    print(
        f"{name}: k {found.min()} to {found.max()}, median {np.median(found):.0f}; NMI/max mean {np.mean(scores):.3f}"
    )
    return path


def add_make_pool(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_make_pools)
    parser.add_argument("--sets", nargs="+", default=list(_FILES), help=f"data sets (default: {' '.join(_FILES)})")
    parser.add_argument("--members", type=count, default=200, help="size of a pool (default 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=count, default=2)
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder for pools/ (default results)")


def _make_pools(options: argparse.Namespace) -> None:
    data_dir = find_data_dir(options.data_dir)
    for name in options.sets:
        path = pool_path(options.output, name)
        if path.is_file():
            print(f"there already: {path}; remove it to have it made again")
            continue
        make_pool(data_dir, name, options.output, n_members=options.members, seed=options.seed, jobs=options.jobs)
        print(f"written: {path}")
