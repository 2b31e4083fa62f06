"""Probability trajectories against the plain formula: ``python -m bench trajectory --data-dir DIR``.

Both sides run in one process, one after the other, on the same draw from a pool; the plain side multiplies whole
matrices in double precision, as the definition says.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.data import choose_pools, draw, find_data_dir, find_pools, load_pool
from consensa import PTGP, Ensemble
from consensa.partition import transfer_cut
from consensa.relate import Bipartite, Trajectories, trajectories

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["add_trajectory"]


def plain_similarity(walk: Trajectories) -> np.ndarray:
    """PTS by the definition: powers of the dense P, their products summed, the cosine."""
    P = walk.transition.toarray()
    power, products = P, P @ P.T
    for _ in range(walk.n_steps - 1):
        power = power @ P
        products += power @ power.T
    norms = np.sqrt(np.diagonal(products))
    return products / norms[:, None] / norms


def plain_ptgp(ensemble: Ensemble, n_clusters: int) -> np.ndarray:
    """PTGP through the dense PTS."""
    Z = ensemble.incidence.toarray()
    graph = Bipartite(plain_similarity(trajectories(ensemble)) @ (Z / Z.sum(axis=0)))
    return transfer_cut(graph, random_state=0).cut(n_clusters)


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return seconds on the clock, processor seconds and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def add_trajectory(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_trajectory)
    parser.add_argument("--pool", default="USPS")
    parser.add_argument("--n-clusters", type=int, default=10)


def _trajectory(options: argparse.Namespace) -> None:
    """Time both sides and print the ratios."""
    chosen = choose_pools(find_pools(find_data_dir(options.data_dir), "PTGP"), [options.pool])
    members, _ = load_pool(chosen[options.pool])
    ensemble = Ensemble(members[:, draw(options.pool, 0, 0, members.shape[1], 10)[0]], missing=None)
    small = Ensemble(members[:200, :10], missing=None)  # compiles the kernels
    trajectories(small).similarity()
    PTGP(2, random_state=0).fit(small)
    walk = trajectories(ensemble)
    print(f"{options.pool}: {ensemble.n_microclusters} microclusters, {walk.graph.nnz // 2} links, T={walk.n_steps}")
    ours = timed(lambda: walk.similarity().similarity)
    plain = timed(lambda: plain_similarity(walk))
    _show("trajectory similarity", ours, plain)
    print(f"largest difference {np.abs(ours[2] - plain[2]).max():.1e}")
    ours = timed(lambda: PTGP(options.n_clusters, random_state=0).fit(ensemble))
    _show("PTGP, end to end", ours, timed(lambda: plain_ptgp(ensemble, options.n_clusters)))


def _show(what: str, ours: tuple[float, float, Any], plain: tuple[float, float, Any]) -> None:
    print(
        f"{what}: ours {ours[0]:.2f} s ({ours[1]:.2f} s of the processor), plain {plain[0]:.2f} s ({plain[1]:.2f} s), "
        f"{plain[0] / ours[0]:.1f} times faster ({plain[1] / ours[1]:.1f})"
    )
