"""Run the points on draws from the pools: true k, NMI and ARI, resumable."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from bench.data import draw, load_pool
from bench.store import ResultFile, versions
from consensa import Ensemble
from consensa.evaluate import anmi, ari, nmi
from studies.default.everyday import EVERYDAY, everyday_ensemble
from studies.default.kinds import KINDS, kind_ensemble
from studies.default.points import METHODS, POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["CHOOSING", "COLUMNS", "REPORTING", "WITHOUT_DATA", "run_points"]

# split by data set: what is in both kinds of pools is on one side, and IS is Segment
CHOOSING = {
    "LWEC_VS": "VS", "LWEC_SPF": "SPF", "LWEC_Semeion": "Semeion", "LWEC_MF": "MF", "LWEC_Caltech20": "Caltech20",
    "LWEC_FCT": "FCT", "LWEC_MNIST": "MNIST", "LWEC_ODR": "ODR", "LWEC_LS": "LS", "LWEC_ISOLET": "ISOLET",
}  # fmt: skip
REPORTING = {
    "DREC_wine": "Wine", "ECCMS_UMIST": "UMIST", "DREC_binalpha": "Binalpha", "DREC_segment": "IS", "PTGP_IS": "IS",
    "LWEC_PD": "PD", "LWEC_USPS": "USPS", "PTGP_USPS": "USPS", "LWEC_LR": "LR", "PTGP_KDD99_10P": "KDD99-10P",
}  # fmt: skip
SEED = 10
COLUMNS = (
    "part", "dataset", "pool", "n_members", "noise", "run", "point", "NMI/sqrt", "NMI/max", "ARI", "ANMI", "k",
    "n_objects", "n_microclusters", "seconds", "versions",
)  # fmt: skip
WITHOUT_DATA = ("everyday", "kinds")
LARGEST_DENSE = 6_000  # microclusters; beyond, only the methods themselves are run


@dataclass(frozen=True)
class Job:
    """One draw, and the points that are still to be run on it."""

    part: str
    pool: str
    path: Path | None
    n_members: int
    noise: float
    run: int
    wanted: tuple[str, ...]


def run_points(
    data_dir: Path | None,
    output: Path,
    *,
    part: str,
    runs: int,
    members: Sequence[int] = (10,),
    noise: float = 0.0,
    points: Sequence[str] = tuple(POINTS),
    pools: Sequence[str] | None = None,
    jobs: int = 1,
) -> list[dict[str, str]]:
    """Compute what the result file lacks and return all its rows.

    Parameters
    ----------
    data_dir, output : Path
    part : {"choosing", "reporting", "everyday", "kinds"}
    runs : int
        Draws for every pool and number of members.
    members : sequence of int
        Numbers of base clusterings that are drawn.
    noise : float
        Share of the labels that are replaced by those of other objects, clustering by clustering.
    points, pools : sequence of str
    jobs : int
    """
    results = ResultFile(output, COLUMNS)
    parts = {"choosing": CHOOSING, "reporting": REPORTING, "everyday": EVERYDAY, "kinds": KINDS}
    chosen = pools or parts[part]
    folder = None if data_dir is None or part in WITHOUT_DATA else data_dir / "pools"
    draws = [
        Job(part, pool, folder and folder / f"{pool}.npz", n_members, noise, run, tuple(points))
        for run in range(runs)
        for n_members in members
        for pool in chosen
    ]
    open_jobs = list(_open_jobs(results, draws))
    finished = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(map(delayed(_run), open_jobs))
    for rows in tqdm(finished, total=len(open_jobs), desc=f"default, {part}", unit="draw"):
        results.append(rows)
    return results.rows()


def _open_jobs(results: ResultFile, draws: Sequence[Job]) -> Iterator[Job]:
    """The draws with something to do, and only that."""
    done = defaultdict(set)
    for row in results.rows():
        done[row["pool"], int(row["n_members"]), float(row["noise"]), int(row["run"])].add(row["point"])
    for job in draws:
        known = done[job.pool, job.n_members, job.noise, job.run]
        wanted = tuple(point for point in job.wanted if point not in known)
        if wanted and (job.path is None or job.path.is_file()):
            yield replace(job, wanted=wanted)


def _run(job: Job) -> list[dict[str, Any]]:
    labels, truth, seed = _draw(job)
    dataset = (CHOOSING | REPORTING).get(job.pool, job.pool)
    ensemble = Ensemble(with_noise(labels, job.noise, job.run), missing=-1 if job.part == "kinds" else None)
    k = np.unique(truth).size
    shared = {
        "part": job.part, "dataset": dataset, "pool": job.pool, "n_members": job.n_members, "noise": job.noise,
        "run": job.run, "k": k, "n_objects": ensemble.n_objects, "n_microclusters": ensemble.n_microclusters,
        "versions": versions(),
    }  # fmt: skip
    rows = []
    for point in job.wanted:
        if point not in METHODS and ensemble.n_microclusters > LARGEST_DENSE:
            continue
        start = time.perf_counter()
        found = POINTS[point](ensemble, k, seed)
        seconds = f"{time.perf_counter() - start:.4f}"
        scores = {
            "NMI/sqrt": nmi(found, truth), "NMI/max": nmi(found, truth, average="max"),
            "ARI": ari(found, truth), "ANMI": anmi(found, ensemble),
        }  # fmt: skip
        written = {name: f"{value:.6f}" for name, value in scores.items()}
        rows.append({**shared, "point": point, "seconds": seconds, **written})
    return rows


def _draw(job: Job) -> tuple[np.ndarray, np.ndarray, int]:
    """Labels of the members of a run, true classes, and a seed for the methods."""
    if job.part == "kinds":
        return (*kind_ensemble(job.pool, job.n_members, job.run), job.run)
    if job.path is None:
        return (*everyday_ensemble(job.pool, job.n_members, job.run), job.run)
    labels, truth = load_pool(job.path)
    columns, seed = draw(job.pool.partition("_")[2], job.run, SEED, labels.shape[1], job.n_members)
    return labels[:, columns], truth, seed


def with_noise(labels: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Replace a share of the labels of every clustering by labels of random other objects."""
    rng = np.random.default_rng([SEED, seed])
    noisy = labels.copy()
    for column in range(labels.shape[1] if share else 0):
        hit = rng.random(labels.shape[0]) < share
        noisy[hit, column] = rng.permutation(labels[:, column])[hit]
    return noisy
