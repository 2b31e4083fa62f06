"""Paper 002 (MDEC): Tables III and IV and the sweeps of Figs. 5-7, from the data sets.

One generated ensemble serves the three consensus functions and both scores. ``settings`` names what is varied:
the table itself, the sampling ratio tau with and without weights (Figs. 6, 7), or the metric (Fig. 5).
"""

from __future__ import annotations

import csv
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from bench.store import ResultFile, versions
from consensa import Ensemble, MDECConsensus
from consensa.evaluate import ari, nmi
from consensa.generate import MetricSubspacePartitions

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SETTINGS", "TABLES", "published_sets", "report", "reproduce_sets"]

COLUMNS = (
    "dataset", "setting", "method", "run", "seed", "k", "nmi_max", "nmi_sqrt", "ari", "n_objects",
    "generation_seconds", "consensus_seconds", "parameters", "versions",
)  # fmt: skip
TOLERANCE = 0.03
TABLES = {"III": ("nmi_max", "NMI"), "IV": ("ari", "ARI")}


@dataclass(frozen=True)
class Setting:
    """One way to generate and weigh: parameters of the generator, and whether clusters are weighted."""

    generator: dict[str, Any]
    weighted: bool = True


SETTINGS = {
    "table": Setting({}),
    "paper kernel": Setting({"variant": "paper"}),
    **{f"metric {name}": Setting({"metric": name}) for name in ("cosine", "correlation", "spearman")},
    **{f"tau {tau / 10}": Setting({"feature_fraction": tau / 10}) for tau in range(1, 11)},
    **{f"tau {tau / 10} unweighted": Setting({"feature_fraction": tau / 10}, weighted=False) for tau in range(1, 11)},
}


def published_sets(data_dir: Path) -> dict[str, str]:
    """Return the data sets of the paper that are present: name of the file to name in the paper."""
    with (data_dir / "published.csv").open(newline="", encoding="utf-8") as file:
        named = {row["set"]: row["dataset"] for row in csv.DictReader(file) if row["paper"] == "002" and row["set"]}
    return {name: printed for name, printed in named.items() if (data_dir / "sets" / f"{name}.npz").is_file()}


def reproduce_sets(
    data_dir: Path, output: Path, *, setting: str, sets: list[str], runs: int, seed: int, jobs: int, members: int = 100
) -> list[dict[str, str]]:
    """Run what the result file lacks, the smallest data sets first, and return its rows of this setting."""
    absent = [name for name in sets if not (data_dir / "sets" / f"{name}.npz").is_file()]
    if absent:
        msg = f"there is no data set {absent[0]!r} in {data_dir / 'sets'}."
        raise ValueError(msg)
    results = ResultFile(output, COLUMNS)
    done = {(row["dataset"], row["setting"], int(row["run"]), row["seed"]) for row in results.rows()}
    loaded = {name: np.load(data_dir / "sets" / f"{name}.npz", allow_pickle=False) for name in sets}
    by_size = sorted(sets, key=lambda name: loaded[name]["y"].size)
    cells = [(name, run) for run in range(runs) for name in by_size if (name, setting, run, str(seed)) not in done]
    for name, run in tqdm(cells, desc=f"002 {setting}", unit="run", mininterval=30):
        X, y = loaded[name]["X"].astype(float), loaded[name]["y"]
        results.append(_run(name, X, y, run, setting=setting, seed=seed, jobs=jobs, members=members))
    return [row for row in results.rows() if row["setting"] == setting and row["dataset"] in sets]


def _run(
    name: str, X: np.ndarray, y: np.ndarray, run: int, *, setting: str, seed: int, jobs: int, members: int
) -> list[dict[str, Any]]:
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), run])
    generator_seed, method_seed = (int(value) for value in rng.integers(2**31 - 1, size=2))
    chosen = SETTINGS[setting]
    start = time.perf_counter()
    generator = MetricSubspacePartitions(members, random_state=generator_seed, n_jobs=jobs, **chosen.generator)
    ensemble = Ensemble(generator.fit_transform(X))
    generation = time.perf_counter() - start
    rows = []
    k = np.unique(y).size
    for consensus in ("hc", "sc", "bg"):
        start = time.perf_counter()
        model = MDECConsensus(k, consensus, weighted=chosen.weighted, random_state=method_seed)
        labels = model.fit_predict(ensemble)
        rows.append({
            "dataset": name, "setting": setting, "method": f"MDEC-{consensus.upper()}", "run": run, "seed": seed,
            "k": k, "nmi_max": f"{nmi(labels, y, 'max'):.6f}", "nmi_sqrt": f"{nmi(labels, y):.6f}",
            "ari": f"{ari(labels, y):.6f}", "n_objects": y.size, "generation_seconds": f"{generation:.3f}",
            "consensus_seconds": f"{time.perf_counter() - start:.3f}",
            "parameters": f"M={members};theta=1", "versions": versions(),
        })  # fmt: skip
    return rows


def report(rows: list[dict[str, str]], data_dir: Path, table: str) -> str:
    """Published beside ours for Table III (NMI) or IV (ARI), and how many data sets are near or above."""
    score, metric = TABLES[table]
    published = {}
    with (data_dir / "published.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["paper"], row["table"], row["metric"]) == ("002", table, metric) and row["mean"] and row["set"]:
                published[row["set"], row["method"]] = float(row["mean"])
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        scores[row["dataset"], row["method"]].append(float(row[score]))
    lines = [f"Paper 002, Table {table}: {score}, M=100; published, ours, difference, standard error, runs"]
    for method in ("MDEC-HC", "MDEC-SC", "MDEC-BG"):
        names = [name for name, printed in scores if printed == method and (name, method) in published]
        gaps = {name: np.mean(scores[name, method]) - published[name, method] for name in names}
        lines.append(f"\n{method}")
        for name in names:
            values = np.array(scores[name, method])
            error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
            lines.append(
                f"{name:<20}{published[name, method]:>8.3f}{values.mean():>8.3f}{gaps[name]:>+8.3f}"
                f"{error:>8.3f}{values.size:>5}"
            )
        near = sum(gap >= -TOLERANCE for gap in gaps.values())
        lines.append(f"within {TOLERANCE} of the published figure, or above it: {near} of {len(gaps)} data sets")
    return "\n".join(lines)
