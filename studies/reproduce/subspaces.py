"""Locally adaptive clusterings of features and the ensembles of them, as paper 004 compares them."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.preprocessing import StandardScaler

from consensa import LAC, consensus, wbpa, wspa
from consensa.evaluate import error_rate
from consensa.generate import LACPartitions
from studies.reproduce.declare import Block, Found, Task
from studies.reproduce.samples import load_set
from studies.reproduce.schema import SCORES, Column, setting_parts, setting_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["IllustrationBlock", "Points", "SubspaceBlock"]

N_VALUES = 20  # of 1/h, from 1 to 20
SCALINGS = ("standardised", "raw")
INPUTS = {"LAC-max": np.max, "LAC-min": np.min, "LAC-avg": np.mean}
WEIGHTED = {
    "WSPA": (wspa, "metis"),
    "WBPA": (wbpa, "metis"),
    "WSPA/tcut": (wspa, "tcut"),
    "WBPA/tcut": (wbpa, "tcut"),
    "WSPA/average": (wspa, "average"),
    "WBPA/average": (wbpa, "average"),
}
CRISP = ("CSPA", "MCLA")


@dataclass(frozen=True)
class Points:
    """Features: those of a file in ``sets/``, or 300 points for each of some Gaussians (mean, variances)."""

    file: str = ""
    gaussians: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()

    def load(self, folders: Sequence[Path], seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return features and classes; the seed draws made-up data."""
        if self.file:
            return load_set(folders, self.file)
        rng = np.random.default_rng(seed)
        parts = [rng.normal(mean, np.sqrt(variances), (300, 2)) for mean, variances in self.gaussians]
        return np.vstack(parts), np.repeat(np.arange(len(parts)), 300)

    def describe(self) -> str:
        """Name made-up data by their parameters."""
        return "+".join(f"N({m[0]:g},{m[1]:g}/{v[0]:g},{v[1]:g})" for m, v in self.gaussians)


@dataclass(frozen=True)
class SubspaceBlock(Block):
    """One data set: LAC for every 1/h, the best, worst and mean of these, and the ensembles of them all."""

    table: str
    dataset: str
    points: Points

    def needs(self) -> dict[str, tuple[str, ...]]:
        return {self.dataset: (f"sets/{self.points.file}.npz",) if self.points.file else ()}

    def columns(self, dataset: str) -> list[Column]:  # noqa: ARG002
        return [
            Column(method, setting_text({"features": scaling, **swept}), "true")
            for scaling in SCALINGS
            for method, swept in (
                *((name, {}) for name in (*INPUTS, *WEIGHTED, *CRISP)),
                *(("LAC", {"inverse_h": value}) for value in range(1, N_VALUES + 1)),
            )
        ]

    def metrics(self, column: Column) -> tuple[str, ...]:  # noqa: ARG002
        return (*SCORES, "error_percent")

    def parameters(self, column: Column, preset: str) -> str:  # noqa: ARG002
        made_up = f";points={self.points.describe()}" if self.points.gaussians else ""
        return f"{column.setting};M={N_VALUES}{made_up}"

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        groups: dict[str, list[Column]] = defaultdict(list)
        for column in columns:
            groups[setting_parts(column.setting)["features"]].append(column)
        return [tuple(group) for group in groups.values()]

    def compute(self, task: Task) -> Iterator[Found]:
        seed = 1000 * task.seed + task.run
        X, truth = self.points.load(task.folders, seed)
        if setting_parts(task.columns[0].setting)["features"] == "standardised":
            X = StandardScaler().fit_transform(X)
        k = np.unique(truth).size
        start = time.perf_counter()
        generator = LACPartitions(k, N_VALUES, random_state=seed)
        members = generator.fit_transform(X)
        spent = time.perf_counter() - start
        scored = [_scores(member, truth) for member in members.T]
        for column in task.columns:
            parts, seconds = setting_parts(column.setting), spent
            if column.method in INPUTS:
                values = {name: float(INPUTS[column.method]([each[name] for each in scored])) for name in scored[0]}
            elif "inverse_h" in parts:
                values = scored[int(parts["inverse_h"]) - 1]
            else:
                start = time.perf_counter()
                values = _scores(_combined(column.method, generator, X, members, k, seed), truth)
                seconds = time.perf_counter() - start
            yield Found(column, values, k, len(truth), None, seconds)


@dataclass(frozen=True)
class IllustrationBlock(Block):
    """The example of Section 5: feature weights and error of LAC at two values of 1/h, by what may have been meant.

    Parameters
    ----------
    table, dataset : str
    readings : dict of Points
        What the printed spreads are read as.
    values : tuple of int
        Of 1/h.
    """

    table: str
    dataset: str
    readings: Mapping[str, Points]
    values: tuple[int, ...]

    def needs(self) -> dict[str, tuple[str, ...]]:
        return {self.dataset: ()}

    def columns(self, dataset: str) -> list[Column]:  # noqa: ARG002
        return [
            Column("LAC", setting_text({"features": scaling, "inverse_h": value, "spread": spread}), "true")
            for value in self.values
            for spread in self.readings
            for scaling in SCALINGS
        ]

    def metrics(self, column: Column) -> tuple[str, ...]:  # noqa: ARG002
        return "weight_1", "weight_2", "error_percent"

    def parameters(self, column: Column, preset: str) -> str:  # noqa: ARG002
        return f"{column.setting};points={self.readings[setting_parts(column.setting)['spread']].describe()}"

    def compute(self, task: Task) -> Iterator[Found]:
        seed = 1000 * task.seed + task.run
        for column in task.columns:
            parts = setting_parts(column.setting)
            X, truth = self.readings[parts["spread"]].load(task.folders, seed)
            if parts["features"] == "standardised":
                X = StandardScaler().fit_transform(X)
            start = time.perf_counter()
            found = LAC(2, 1 / float(parts["inverse_h"]), random_state=seed).fit(X)
            seconds = time.perf_counter() - start
            first = int(np.bincount(found.labels_[truth == 0], minlength=2).argmax())
            weights = {"weight_1": found.feature_weights_[first, 0], "weight_2": found.feature_weights_[1 - first, 1]}
            values = {**weights, "error_percent": 100 * error_rate(truth, found.labels_)}
            yield Found(column, values, 2, len(truth), None, seconds)


def _combined(
    method: str, generator: LACPartitions, X: np.ndarray, members: np.ndarray, k: int, seed: int
) -> np.ndarray:
    if method in CRISP:
        return consensus(members, k, method.lower(), seed)
    combine: Callable[..., np.ndarray]
    combine, partitioner = WEIGHTED[method]
    return combine(generator.posteriors(X), k, partitioner, random_state=seed)


def _scores(labels: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    found = {name: score(labels, truth) for name, score in SCORES.items()}
    return {**found, "error_percent": 100 * error_rate(truth, labels)}
