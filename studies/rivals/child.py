"""One run of a package, in the Python that has it: ``python studies/rivals/child.py task.json`` prints figures as JSON.

Stands alone and keeps to Python 3.8: the other packages need old versions, so consensa and bench cannot be imported.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[[], np.ndarray]

WARM_UP_ROWS = 1700


def main(path: str) -> None:
    """Run the methods of the task and print for each its seconds, memory and labels, or what went wrong."""
    task = json.loads(Path(path).read_text())
    with np.load(task["data"], allow_pickle=False) as data:
        given = data["given"]
    for place, method in enumerate(task["methods"]):
        try:
            figures = measure(task, method, given, Path(task["folder"], f"{place}.npy"))
        except Exception as error:  # noqa: BLE001 - whatever a package raises is a result
            figures = {"status": f"{type(error).__name__}: {error}"}
        print(json.dumps({"method": method, "version": version_of(task["package"]), **figures}), flush=True)


def measure(task: dict[str, Any], method: str, given: np.ndarray, target: Path) -> dict[str, Any]:
    """Run one method once for the figures, and again to see whether it repeats itself."""
    run = PACKAGES[task["package"]](method, given, task["n_clusters"], task["seed"])
    forget_peak()
    before, start = peak_mib(), time.process_time()
    labels = run()
    figures = {"cpu_seconds": time.process_time() - start, "new_mib": peak_mib() - before, "status": "ok"}
    if task["again"]:
        figures["repeatable"] = bool(np.array_equal(labels, run()))
    np.save(target, np.asarray(labels))
    return figures


def ensembleclustering(method: str, labels: np.ndarray, n_clusters: int, seed: int) -> Run:
    """ClusterEnsembles of T. Sano, under the name it has on PyPI now; missing labels are NaN."""
    import ensembleclustering as package

    members = np.ascontiguousarray(labels.T)
    return lambda: package.cluster_ensembles(members, nclass=n_clusters, solver=method, random_state=seed)


def openensembles(method: str, labels: np.ndarray, n_clusters: int, seed: int) -> Run:
    """OpenEnsembles, with the labels put into its ensemble; its linkage takes a threshold, so it is cut here."""
    import openensembles as oe
    import pandas as pd
    from scipy.cluster.hierarchy import fcluster

    def ensemble() -> Any:
        frame = pd.DataFrame(np.zeros((labels.shape[0], 1)))
        members = oe.cluster(oe.data(frame, [0]))
        for place, column in enumerate(labels.T):
            members.labels[place], members.params[place] = column, {}
        return members

    def run() -> np.ndarray:
        np.random.seed(seed)  # noqa: NPY002, TID251 - the package draws from numpy's global generator
        members = ensemble()
        if method == "majority_vote":
            return np.asarray(members.finish_majority_vote().labels["majority_vote"])
        return fcluster(members.co_occurrence_matrix().link("average"), n_clusters, "maxclust")

    return run


def consensusclustering(method: str, X: np.ndarray, n_clusters: int, seed: int) -> Run:  # noqa: ARG001 - one method
    """Consensus matrix of one k over 50 resamples; the package stops there, so average linkage follows here."""
    from consensusclustering import ConsensusClustering
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform
    from sklearn.cluster import KMeans

    def run() -> np.ndarray:
        model = ConsensusClustering(KMeans(n_init=1), n_clusters, n_clusters, 50, resample_frac=0.8, rng=seed)
        model.fit(X)
        distance = 1.0 - model.consensus_k(n_clusters)
        np.fill_diagonal(distance, 0.0)
        return fcluster(linkage(squareform(distance, checks=False), "average"), n_clusters, "maxclust")

    return run


def consensa(method: str, given: np.ndarray, n_clusters: int, seed: int) -> Run:
    """Our own; a warm-up takes the compilation out."""
    if method == "subsample+eac":
        return _subsample(given, n_clusters, seed)
    from consensa.methods.consensus import make_method

    def run(labels: np.ndarray = given) -> np.ndarray:
        return make_method(method, n_clusters, seed, {}).fit_predict(labels)

    run(given[:WARM_UP_ROWS])
    return run


def _subsample(X: np.ndarray, n_clusters: int, seed: int) -> Run:
    from consensa import EAC
    from consensa.generate import SubsamplePartitions

    def run(data: np.ndarray = X) -> np.ndarray:
        members = SubsamplePartitions(n_partitions=50, n_clusters=n_clusters, random_state=seed)
        return EAC(n_clusters).fit_predict(members.fit_transform(data))

    run(X[:WARM_UP_ROWS])
    return run


PACKAGES = {
    "ensembleclustering": ensembleclustering,
    "openensembles": openensembles,
    "consensusclustering": consensusclustering,
    "consensa": consensa,
}


def version_of(package: str) -> str:
    from importlib.metadata import version

    if package == "consensa":
        import consensa as ours

        return ours.__version__
    return version(package)


def forget_peak() -> None:
    record = Path("/proc/self/clear_refs")
    if record.exists():
        record.write_text("5")


def peak_mib() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main(sys.argv[-1])
