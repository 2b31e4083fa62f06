"""Run every method on draws from every pool, resumable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from tqdm import tqdm

from bench.data import draw as draw_members
from bench.data import load_pool
from bench.store import ResultFile, versions
from consensa import Ensemble
from consensa.evaluate import ari, nmi
from consensa.methods import METHODS
from studies.leaderboard.fits import CHANGES, Worker, answers_to_changes, measured_fit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["COLUMNS", "Setting", "data_set", "run_leaderboard"]

SEED = 20
COLUMNS = (
    "pool", "n_members", "run", "method", "status", "NMI", "ARI", "seconds", "MiB", *CHANGES, "k", "n_objects",
    "n_microclusters", "versions",
)  # fmt: skip
CHANGED_AS_LONG = 8  # times the limit: five fits, of which two have twice the labels
_Cell: TypeAlias = tuple[str, int, int, str]  # pool, base clusterings, run, method
_SAME = {"segment": "IS", "FC": "FCT", "MnistData_05": "MNIST", "MnistData_10": "MNIST"}  # data sets of several pools


@dataclass(frozen=True)
class Setting:
    """What is run: draws of a pool, base clusterings in each, the longest a fit may take, the largest pool.

    ``changed`` is the largest pool on which order and doubling are looked at, which costs six times a fit.
    """

    runs: int = 3
    members: tuple[int, ...] = (10, 30, 100)
    seconds: float = 20.0
    objects: int | None = None
    changed: int | None = None
    methods: tuple[str, ...] = tuple(METHODS)


def data_set(pool: str) -> str:
    """Name the data set behind a pool; several pools may be of the same.

    Examples
    --------
    >>> data_set("PTGP_FC"), data_set("LWEC_FCT"), data_set("DREC_wine")
    ('FCT', 'FCT', 'wine')
    """
    name = pool.split("_", 1)[1]
    return _SAME.get(name, name)


def run_leaderboard(data_dir: Path, output: Path, setting: Setting) -> list[dict[str, str]]:
    """Compute what the result file lacks and return all its rows.

    The smallest pools come first. A method that takes longer than it may is not tried on larger ensembles: rows say so.
    """
    results = ResultFile(output, COLUMNS)
    pools = {path.stem: load_pool(path) for path in sorted((data_dir / "pools").glob("*.npz"))}
    sizes = {name: truth.size for name, (_, truth) in pools.items()}
    chosen = [name for name in sorted(sizes, key=sizes.__getitem__) if sizes[name] <= (setting.objects or np.inf)]
    rows = results.rows()
    done = {(row["pool"], int(row["n_members"]), int(row["run"]), row["method"]) for row in rows}
    slow = {(row["method"], int(row["n_objects"]), int(row["n_members"])) for row in rows if "over" in row["status"]}
    cells = [
        (name, n_members, run, method)
        for n_members in setting.members
        for run in range(setting.runs)
        for name in chosen
        for method in setting.methods
        if n_members <= pools[name][0].shape[1]
    ]
    with Worker() as worker:
        for cell in tqdm([cell for cell in cells if cell not in done], desc="leaderboard", unit="fit"):
            name, n_members, _, method = cell
            draw = _draw(cell, *pools[name])
            if any(sizes[name] >= n and n_members >= m for other, n, m in slow if other == method):
                found = {"status": f"over {setting.seconds:g} s on a smaller one"}
            else:
                found = _fit(cell, draw, setting, worker)
            if found.get("status", "").startswith("over"):
                slow.add((method, sizes[name], n_members))
            results.append([_shared(cell, draw) | found])
    return results.rows()


class _Draw(NamedTuple):
    labels: np.ndarray
    truth: np.ndarray
    seed: int

    @property
    def k(self) -> int:
        return int(np.unique(self.truth).size)


def _draw(cell: _Cell, members: np.ndarray, truth: np.ndarray) -> _Draw:
    """Draw base clusterings and shuffle the rows; the same for every method."""
    name, n_members, run, _ = cell
    columns, seed = draw_members(name, run, SEED, members.shape[1], n_members)
    order = np.random.default_rng(seed).permutation(truth.size)
    return _Draw(np.ascontiguousarray(members[order][:, columns]), truth[order], seed)


def _shared(cell: _Cell, draw: _Draw) -> dict[str, Any]:
    names = dict(zip(("pool", "n_members", "run", "method"), cell, strict=True))
    n_microclusters = Ensemble(draw.labels, missing=None).n_microclusters
    sizes = {"k": draw.k, "n_objects": draw.truth.size, "n_microclusters": n_microclusters}
    return {**names, "status": "", **sizes, "versions": versions()}


def _fit(cell: _Cell, draw: _Draw, setting: Setting, worker: Worker) -> dict[str, Any]:
    """Fit and score; in the first run of a pool also look at the answers to the same ensemble written otherwise."""
    *_, run, method = cell
    seconds = setting.seconds
    found = worker.call(seconds, measured_fit, draw.labels, method, draw.k, draw.seed)
    if "status" in found:
        return found
    scores = {"NMI": nmi(found["labels"], draw.truth), "ARI": ari(found["labels"], draw.truth)}
    row = {name: f"{value:.6f}" for name, value in scores.items()}
    row |= {"seconds": f"{found['seconds']:.4f}", "MiB": f"{found['MiB']:.1f}"}
    if run == 0 and draw.truth.size <= (setting.changed or np.inf):
        answers = worker.call(CHANGED_AS_LONG * seconds, answers_to_changes, draw.labels, method, draw.k, draw.seed)
        row |= {what: f"{answers[what]:.6f}" for what in CHANGES if what in answers}
    return row


def missing_cells(rows: Sequence[dict[str, str]]) -> dict[str, dict[str, list[str]]]:
    """Return the reasons why methods have no score, with the pools: by method, then by reason."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        if row["status"]:
            found.setdefault(row["method"], {}).setdefault(row["status"], []).append(row["pool"])
    return found
