"""How often is the chosen k the number of classes? Every curve, the rule, silhouettes and a constant, on real pools."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from bench.data import load_pool
from bench.store import ResultFile, versions
from consensa import LWEA, LWGP, Ensemble
from consensa.evaluate import choose_cut

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["COLUMNS", "DATA_SETS", "Pool", "find_choice_pools", "group_of", "run_choices"]

COLUMNS = ("pool", "data", "group", "n_classes", "run", "method", "rule", "k", "seconds", "versions")
CONSTANT = 10
N_SILHOUETTE = 500
FEATURE_RUNS = 2  # k-means on the features for every k is by far the slowest part

# One name per data set, whatever pools hold it, in alphabetical order: every other one was used to design the rule.
DATA_SETS = {
    "binalpha": ("DREC_binalpha",),
    "caltech101": ("DREC_caltech101_silhouettes_28",),
    "caltech20": ("LWEC_Caltech20",),
    "FC": ("LWEC_FCT", "PTGP_FC"),
    "IS": ("PTGP_IS", "DREC_segment"),
    "ISOLET": ("LWEC_ISOLET",),
    "KDD99": ("PTGP_KDD99_10P",),
    "LR": ("LWEC_LR",),
    "LS": ("LWEC_LS",),
    "MF": ("LWEC_MF", "PTGP_MF"),
    "MNIST": ("LWEC_MNIST", "PTGP_MNIST", "DREC_MnistData_05", "DREC_MnistData_10"),
    "ODR": ("LWEC_ODR", "PTGP_ODR"),
    "PD": ("LWEC_PD",),
    "Semeion": ("LWEC_Semeion",),
    "SPF": ("LWEC_SPF",),
    "UMIST": ("ECCMS_UMIST",),
    "USPS": ("LWEC_USPS", "PTGP_USPS"),
    "VS": ("LWEC_VS",),
    "wine": ("DREC_wine",),
}
FEATURES = {
    "FC": "FC", "IS": "Segment", "ISOLET": "ISOLET", "LR": "LR", "LS": "LS", "MF": "MF", "MNIST": "MNIST5000",
    "ODR": "ODR", "PD": "PD", "SPF": "SPF", "Semeion": "Semeion", "UMIST": "UMIST_32x32", "USPS": "USPS", "VS": "VS",
}  # fmt: skip

Pool = tuple[str, str]  # name of the pool, name of the data set


def find_choice_pools(data_dir: Path, wanted: list[str] | None = None) -> dict[Pool, Path]:
    """Return the pools that are there, by name and data set."""
    known = {(pool, name): data_dir / "pools" / f"{pool}.npz" for name, pools in DATA_SETS.items() for pool in pools}
    found = {key: path for key, path in known.items() if path.is_file() and (not wanted or key[0] in wanted)}
    if not found:
        msg = f"{data_dir / 'pools'} holds none of the pools {', '.join(wanted or [pool for pool, _ in known])}."
        raise ValueError(msg)
    return found


def group_of(pool: str, data: str) -> str:
    """Say what a pool can show: "given" if all its base clusterings have as many clusters as there are classes."""
    if pool.startswith("DREC_"):
        return "given"
    return "design" if list(DATA_SETS).index(data) % 2 == 0 else "held out"


def run_choices(
    data_dir: Path, output: Path, *, pools: list[str] | None = None, runs: int = 5, k_max: int = 40, **sizes: int
) -> list[dict[str, str]]:
    """Append the choices for every pool and draw to ``output``, those that are missing, and return all rows."""
    store = ResultFile(output, COLUMNS)
    done = {(row["pool"], row["run"]) for row in store.rows()}
    found = find_choice_pools(data_dir, pools)
    for (pool, data), path in tqdm(found.items(), desc="choose-k"):
        members, truth = load_pool(path)
        for run in range(runs):
            if (pool, str(run)) in done:
                continue
            choices = _run(members, run, k_max, **sizes)
            if run < FEATURE_RUNS and data in FEATURES and pool == DATA_SETS[data][0]:
                choices += _silhouette_of_features(data_dir / "sets" / f"{FEATURES[data]}.npz", run, k_max)
            common = {"pool": pool, "data": data, "group": group_of(pool, data), "run": run, "versions": versions()}
            store.append([{**common, "n_classes": np.unique(truth).size, **choice} for choice in choices])
    return store.rows()


def _run(
    members: np.ndarray, run: int, k_max: int, *, n_objects: int = 2000, n_members: int = 20
) -> list[dict[str, Any]]:
    """Draw objects and base clusterings, and collect what every curve and the rule choose."""
    rng = np.random.default_rng([run, members.shape[0]])
    objects = np.sort(rng.choice(members.shape[0], min(n_objects, members.shape[0]), replace=False))
    columns = rng.choice(members.shape[1], min(n_members, members.shape[1]), replace=False)
    ensemble = Ensemble(members[objects][:, columns], missing=None)
    candidates = None if k_max == 0 else range(2, min(k_max, ensemble.n_microclusters) + 1)
    rows: list[dict[str, Any]] = [{"method": "-", "rule": "constant", "k": CONSTANT, "seconds": 0.0}]
    for method, model in (("lwea", LWEA(2)), ("lwgp", LWGP(2, random_state=run))):
        start = time.perf_counter()
        model.fit(ensemble)
        fitted = time.perf_counter()
        choice = choose_cut(model.cut_, ensemble, candidates, random_state=run)
        rows.append({"method": method, "rule": "rule", "k": choice.n_clusters, "seconds": time.perf_counter() - fitted})
        rows.append({"method": method, "rule": "fit", "k": 2, "seconds": fitted - start})
        rows += [{"method": method, "rule": name, "k": k, "seconds": 0.0} for name, k in choice.votes.items()]
        if method == "lwea":
            rows.append(_silhouette_of_ensemble(ensemble, model, choice.k, run))
    return rows


def _silhouette_of_ensemble(ensemble: Ensemble, model: Any, k: np.ndarray, run: int) -> dict[str, Any]:
    """Mean silhouette of the cuts, with one minus the co-association as the distance."""
    start = time.perf_counter()
    sample = np.random.default_rng(run).permutation(ensemble.n_objects)[:N_SILHOUETTE]
    labels = ensemble.labels[ensemble.row_map[sample]]
    distance = np.mean([column[:, None] != column for column in labels.T], axis=0)
    scores = [_silhouette(distance, cut[sample]) for cut in model.cut(k.tolist()).values()]
    best = int(k[int(np.argmax(scores))])
    return {"method": "lwea", "rule": "silhouette (ensemble)", "k": best, "seconds": time.perf_counter() - start}


def _silhouette_of_features(path: Path, run: int, k_max: int) -> list[dict[str, Any]]:
    """Mean silhouette of k-means on the standardised features, the usual way without an ensemble."""
    if not path.is_file():
        return []
    start = time.perf_counter()
    with np.load(path, allow_pickle=False) as data:
        X = data["X"].astype(float)
    X = X[np.random.default_rng(run).permutation(X.shape[0])[:N_SILHOUETTE]]
    X = StandardScaler().fit_transform(X)
    distance = pairwise_distances(X)
    candidates = range(2, min(k_max or 40, X.shape[0] - 1) + 1)
    scores = [_silhouette(distance, KMeans(k, n_init=1, random_state=run).fit_predict(X)) for k in candidates]
    best = candidates[int(np.argmax(scores))]
    seconds = time.perf_counter() - start
    return [{"method": "k-means", "rule": "silhouette (features)", "k": best, "seconds": seconds}]


def _silhouette(distance: np.ndarray, labels: np.ndarray) -> float:
    n_found = np.unique(labels).size
    if not 1 < n_found < labels.size:
        return -1.0
    np.fill_diagonal(distance, 0.0)
    return float(silhouette_score(distance, labels, metric="precomputed"))
