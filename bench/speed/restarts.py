"""How many starts of k-means does LWGP need? Score, spread over seeds and time for several ``n_init``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from bench.data import draw, load_pool
from consensa import LWGP, Ensemble
from consensa.evaluate import nmi

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["restarts", "restarts_report"]


def restarts(
    pools: Mapping[str, Path], n_inits: Sequence[int], *, draws: int, seeds: int
) -> dict[str, dict[int, tuple[float, float, float]]]:
    """Return mean NMI/max at true k, its standard deviation over seeds on one draw, and seconds per cut.

    Every ``n_init`` sees the same draws and the same seeds; the standard deviation is averaged over the draws.
    """
    found: dict[str, dict[int, tuple[float, float, float]]] = {}
    for name, path in tqdm(pools.items(), desc="restarts"):
        members, truth = load_pool(path)
        k = np.unique(truth).size
        scores = np.empty((len(n_inits), draws, seeds))
        seconds = np.empty_like(scores)
        for run in range(draws):
            columns, _ = draw(name, run, 0, members.shape[1], 10)
            ensemble = Ensemble(members[:, columns], missing=None)
            for i, n_init in enumerate(n_inits):
                for seed in range(seeds):
                    model = LWGP(k, n_init=n_init, random_state=seed).fit(ensemble)
                    start = time.perf_counter()
                    labels = model.cut(k)
                    seconds[i, run, seed] = time.perf_counter() - start
                    scores[i, run, seed] = nmi(labels, truth, average="max")
        spread = scores.std(axis=2, ddof=1).mean(axis=1)
        found[name] = {
            n_init: (float(scores[i].mean()), float(spread[i]), float(np.median(seconds[i])))
            for i, n_init in enumerate(n_inits)
        }
    return found


def restarts_report(found: Mapping[str, Mapping[int, tuple[float, float, float]]]) -> str:
    """Write the figures as a table, with the means over the pools."""
    n_inits = list(next(iter(found.values())))
    lines = [f"{'pool':<12}{'n_init':>7}{'NMI/max':>9}{'spread':>9}{'ms':>8}"]
    lines += [
        f"{name:<12}{n_init:>7}{score:>9.4f}{spread:>9.4f}{1000 * seconds:>8.1f}"
        for name, by_n_init in found.items()
        for n_init, (score, spread, seconds) in by_n_init.items()
    ]
    for n_init in n_inits:
        score, spread, seconds = np.mean([by_n_init[n_init] for by_n_init in found.values()], axis=0)
        lines.append(f"{'mean':<12}{n_init:>7}{score:>9.4f}{spread:>9.4f}{1000 * seconds:>8.1f}")
    return "\n".join(lines)
