"""Fit the default and single algorithms on shapes and tables, one data set after the other."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

from bench.store import ResultFile, versions
from consensa import EnsembleClustering
from consensa._threads import library_threads
from consensa.evaluate import ari, nmi
from consensa.generate import KMeansPartitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["ALGORITHMS", "COLUMNS", "OURS", "TABLES", "data_sets", "run_single"]

OURS = "consensa"
COLUMNS = (
    "kind",
    "dataset",
    "n_objects",
    "n_features",
    "n_classes",
    "algorithm",
    "run",
    "ARI",
    "NMI",
    "seconds",
    "versions",
)
TABLES = (  # the real data sets on which the choice of k is judged too
    *("Iris", "Wine", "WDBC_full", "Breast_full", "Segment", "VS", "SPF", "Semeion", "MF_minmax", "ODR", "UMIST_32x32"),
    *("LS", "PD", "USPS", "MNIST5000", "golub-1999-v2", "bhattacharjee-2001", "chowdary-2006"),
)
MOST_OBJECTS = 2000
_SCALED_BELOW = 60  # features: tables have units, images and expression do not


def _genie(k: int, seed: int, d: int) -> Any:  # noqa: ARG001 - it has no seed
    from genieclust import Genie

    return Genie(n_clusters=k)


# ruff: noqa: ARG005 - not all of them need all three
ALGORITHMS: dict[str, Callable[[int, int, int], Any]] = {  # of k, the seed and the number of features
    OURS: lambda k, seed, d: EnsembleClustering(k, random_state=seed),
    "consensa, k-means members": lambda k, seed, d: EnsembleClustering(
        k, generator=KMeansPartitions(100), random_state=seed
    ),
    "KMeans, 10 starts": lambda k, seed, d: KMeans(k, n_init=10, random_state=seed),
    "GaussianMixture, 10 starts": lambda k, seed, d: GaussianMixture(
        k, covariance_type="full" if d < _SCALED_BELOW else "diag", n_init=10, reg_covar=1e-3, random_state=seed
    ),
    "Ward": lambda k, seed, d: AgglomerativeClustering(k),
    "SpectralClustering": lambda k, seed, d: SpectralClustering(k, affinity="nearest_neighbors", random_state=seed),
    "HDBSCAN, its own k": lambda k, seed, d: HDBSCAN(copy=True),
    "Genie": _genie,
}


def data_sets(data_dir: Path) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Kind, name, features and classes (0 for noise of a shape, which does not count in a score)."""
    for path in sorted((data_dir / "shapes").glob("*.npz")):
        with np.load(path) as file:
            yield "shape", path.stem, file["X"].astype(float), file["y"]
    for name in TABLES:
        with np.load(data_dir / "sets" / f"{name}.npz") as file:
            X, y = file["X"].astype(float), file["y"]
        if X.shape[0] > MOST_OBJECTS:
            rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:MOST_OBJECTS])
            X, y = X[rows], y[rows]
        if X.shape[1] < _SCALED_BELOW:
            spread = X.std(axis=0)
            X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        yield "table", name, X, y


def run_single(data_dir: Path, output: Path, runs: int, algorithms: tuple[str, ...] = tuple(ALGORITHMS)) -> None:
    """Fit what the result file lacks."""
    results = ResultFile(output, COLUMNS)
    done = {(row["dataset"], row["algorithm"], row["run"]) for row in results.rows()}
    for kind, name, X, y in data_sets(data_dir):
        counted = y != 0 if kind == "shape" else np.ones(y.size, bool)
        k = np.unique(y[counted]).size
        for algorithm in algorithms:
            for run in range(runs):
                if (name, algorithm, str(run)) in done:
                    continue
                about = {"kind": kind, "dataset": name, "n_objects": X.shape[0], "n_features": X.shape[1]}
                scores = _fit(partial(ALGORITHMS[algorithm], k, run, X.shape[1]), X, y, counted)
                row = about | {"n_classes": k, "algorithm": algorithm, "run": run, "versions": versions()}
                results.append([row | scores])
                print(f"{name} {algorithm} {scores['ARI']}", flush=True)


def _fit(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, counted: np.ndarray) -> dict[str, Any]:
    """Scores and processor seconds of one thread; an algorithm that fails has scores of 0 and the time of its try."""
    with warnings.catch_warnings(), library_threads(1):
        warnings.simplefilter("ignore")
        start = time.process_time()
        try:
            labels = np.asarray(make().fit_predict(X))
        except (ValueError, MemoryError, np.linalg.LinAlgError):
            labels = np.zeros(y.size, int)
        seconds = time.process_time() - start
    labels = labels - labels.min()  # noise is a cluster of its own here
    found, truth = labels[counted], y[counted]
    return {"ARI": round(ari(found, truth), 4), "NMI": round(nmi(found, truth), 4), "seconds": round(seconds, 3)}
