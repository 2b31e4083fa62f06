"""One case of ``bench check`` in a process of its own; it runs with any consensa, also that of an earlier commit."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CASES", "main"]

N_CLUSTERS = 20
WARM_UP_ROWS = 400
WALKS = ("pta", "ptgp")
WALK_WARM_UP_ROWS = 3_000  # from so many on they take the ways of large ensembles


def gaussians(n: int) -> np.ndarray:
    """Make points of 20 Gaussians of unit variance in 20 dimensions that overlap."""
    rng = np.random.default_rng([22, n])
    return 0.9 * rng.standard_normal((20, 20))[rng.integers(20, size=n)] + rng.standard_normal((n, 20))


def members(n: int, n_members: int) -> np.ndarray:
    """Label the points by the nearest of k of them, for every member with another k between 20 and 84."""
    X, rng = gaussians(n), np.random.default_rng([23, n])
    labels = np.empty((n, n_members), np.int32)
    for m in range(n_members):
        centers = X[rng.choice(n, int(rng.integers(20, 85)), replace=False)]
        labels[:, m] = np.argmin((centers**2).sum(axis=1) - 2 * X @ centers.T, axis=1)
    return labels


def fine_members(n: int, n_members: int) -> np.ndarray:
    """Label points of 20 Gaussians in 8 dimensions by the nearest of 2 to 199 of them: nearly all rows are distinct."""
    rng = np.random.default_rng([24, n])
    X = 3.0 * rng.standard_normal((20, 8))[rng.integers(20, size=n)] + rng.standard_normal((n, 8))
    labels = np.empty((n, n_members), np.int32)
    for m in range(n_members):
        centers = X[rng.choice(n, int(rng.integers(2, 200)), replace=False)]
        labels[:, m] = np.argmin((centers**2).sum(axis=1) - 2 * X @ centers.T, axis=1)
    return labels


def _method(name: str) -> Callable[[np.ndarray], Any]:
    def run(labels: np.ndarray) -> Any:
        from consensa.methods.consensus import make_method

        return make_method(name, N_CLUSTERS, 0, {}).fit(labels).labels_

    return run


def _ensemble(labels: np.ndarray) -> Any:
    from consensa import Ensemble

    return Ensemble(labels)


def _overlap(ensemble: Any) -> Any:
    return ensemble.overlap.data


def _default(X: np.ndarray) -> Any:
    from consensa import EnsembleClustering

    return EnsembleClustering(n_clusters=N_CLUSTERS, random_state=0).fit(X).labels_


def _kmeans(X: np.ndarray) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(X).labels_


METHODS: dict[str, Callable[[np.ndarray], Any]] = {
    "sal": _method("sal"),
    "lwgp": _method("lwgp"),
    "lwea": _method("lwea"),
    "overlap": _overlap,
    "default": _default,
    "kmeans": _kmeans,
    **{name: _method(name) for name in WALKS},
}
CASES: dict[str, tuple[str, int, int]] = {  # what, objects, members; 0 members for the features themselves
    **{f"{what}, 10,000 x {m}": (what, 10_000, m) for what in ("sal", "lwgp", "lwea") for m in (10, 30, 100)},
    **{f"{what}, 100,000 x 100": (what, 100_000, 100) for what in ("overlap", "lwgp", "sal")},
    **{f"{what}, 11,000 x 10": (what, 11_000, 10) for what in WALKS},
    **{f"{what}, X of {n:,}": (what, n, 0) for n in (1_000, 10_000) for what in ("kmeans", "default")},
}


def main(case: str) -> dict[str, Any]:
    """Return the processor seconds of a case after a warm-up, and a digest of its answer."""
    what, n, n_members = CASES[case]
    make = fine_members if what in WALKS else members
    data = make(n, n_members) if n_members else gaussians(n)
    few = data[: WALK_WARM_UP_ROWS if what in WALKS else WARM_UP_ROWS]
    if what == "overlap":
        few, data = _ensemble(few), _ensemble(data)
    METHODS[what](few)
    start = time.process_time()
    found = METHODS[what](data)
    seconds = time.process_time() - start
    return {"seconds": seconds, "digest": hashlib.sha256(np.asarray(found, np.int64).tobytes()).hexdigest()[:12]}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
