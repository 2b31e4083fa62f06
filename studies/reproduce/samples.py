"""Where the base clusterings of a run come from: drawn from a pool, or made from features."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from bench.data import draw, load_pool, locate
from consensa import Ensemble
from consensa.generate import KMeansPartitions, MetricSubspacePartitions, StratifiedPartitions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from studies.reproduce.declare import Task

__all__ = ["FeatureSource", "PoolSource", "Sample", "Source", "load_set"]


class Counted(NamedTuple):
    """An ensemble, and the seconds that it took to find its microclusters."""

    ensemble: Ensemble
    seconds: float


@dataclass(frozen=True)
class Sample:
    """One ensemble with the true classes.

    Parameters
    ----------
    members : ndarray of shape (n_objects, n_members)
        Labels of the base clusterings.
    truth : ndarray of shape (n_objects,)
    seed : int
        For the methods.
    seconds : float
        Time it took to make the base clusterings; 0 for drawn ones.
    """

    members: np.ndarray
    truth: np.ndarray
    seed: int
    seconds: float = 0.0

    @cached_property
    def counted(self) -> Counted:
        """The members as an ensemble, of which every label counts, and the time that its microclusters took."""
        start = time.perf_counter()
        return Counted(Ensemble(self.members, missing=None), time.perf_counter() - start)

    @property
    def ensemble(self) -> Ensemble:
        """The members as an ensemble."""
        return self.counted.ensemble


class Source(Protocol):
    """Makes samples. The parts of a setting that it understands are its own, all others go to the methods."""

    own: ClassVar[tuple[str, ...]]

    def needs(self) -> Mapping[str, tuple[str, ...]]:
        """Files by data set."""

    def kind(self, generator: str, parts: Mapping[str, str]) -> tuple[Any, ...]:
        """Settings of the same kind share what is slow to make; an empty kind shares nothing."""

    def describe(self, generator: str, parts: Mapping[str, str]) -> dict[str, Any]:
        """What belongs in the column ``parameters``."""

    def load(self, task: Task, generator: str, settings: Sequence[Mapping[str, str]]) -> list[Sample]:
        """Return a sample for every setting; all are of one kind."""


@dataclass(frozen=True)
class PoolSource:
    """Members drawn from pools, without replacement. Settings: M, the number of members; n, a random subset of objects.

    Parameters
    ----------
    pools : dict of str by data set
        Names of the files in ``pools/``.
    n_members : int
        When no M is set.
    features : dict of str by data set
        Names of the files in ``sets/`` with the features of the same objects, for methods that need them.
    """

    pools: Mapping[str, str]
    n_members: int = 10
    features: Mapping[str, str] = field(default_factory=dict)
    own: ClassVar[tuple[str, ...]] = ("M", "n")

    def needs(self) -> dict[str, tuple[str, ...]]:
        return {name: (f"pools/{file}.npz",) for name, file in self.pools.items()}

    def kind(self, generator: str, parts: Mapping[str, str]) -> tuple[Any, ...]:  # noqa: ARG002
        return ()

    def describe(self, generator: str, parts: Mapping[str, str]) -> dict[str, Any]:  # noqa: ARG002
        return {"M": parts.get("M", self.n_members)}

    def load(self, task: Task, generator: str, settings: Sequence[Mapping[str, str]]) -> list[Sample]:  # noqa: ARG002
        members, truth = load_pool(locate(task.folders, self.needs()[task.dataset][0]))
        return [self._sample(task, members, truth, parts) for parts in settings]

    def _sample(self, task: Task, members: np.ndarray, truth: np.ndarray, parts: Mapping[str, str]) -> Sample:
        n_members = int(parts.get("M", self.n_members))
        columns, seed = draw(task.dataset, task.run, task.seed, members.shape[1], n_members)
        drawn, classes = members[:, columns], truth
        if "n" in parts:
            kept = np.sort(np.random.default_rng([task.seed, task.run]).permutation(truth.size)[: int(parts["n"])])
            drawn, classes = drawn[kept], truth[kept]
        return Sample(drawn, classes, seed)

    def load_features(self, task: Task) -> np.ndarray:
        """Features of all objects of a data set."""
        return load_set(task.folders, self.features[task.dataset])[0]


@dataclass(frozen=True)
class FeatureSource:
    """Members made from features.

    Generators: "metric" (that of MDEC), "k-means" with random numbers of clusters, "k-means of k" with as many as there
    are classes, "stratified" (that of SSCSPA).

    Settings: tau, the share of the features; metric, a fixed similarity instead of random kernels; variant, the kernel
    of the published code or as printed; M, the number of members, of which the first ones are taken from the same
    larger ensemble.

    Parameters
    ----------
    sets : dict of str by data set
        Names of the files in ``sets/``.
    n_members : int
        When no M is set.
    most_members : int
        So many are made when M is set.
    """

    sets: Mapping[str, str]
    n_members: int = 100
    most_members: int = 300
    own: ClassVar[tuple[str, ...]] = ("M", "tau", "metric", "variant")

    def needs(self) -> dict[str, tuple[str, ...]]:
        return {name: (f"sets/{file}.npz",) for name, file in self.sets.items()}

    def kind(self, generator: str, parts: Mapping[str, str]) -> tuple[Any, ...]:
        return generator, parts.get("tau"), parts.get("metric"), parts.get("variant"), "M" in parts

    def describe(self, generator: str, parts: Mapping[str, str]) -> dict[str, Any]:
        return {"M": parts.get("M", self.n_members), "generator": generator}

    def load(self, task: Task, generator: str, settings: Sequence[Mapping[str, str]]) -> list[Sample]:
        X, truth = load_set(task.folders, self.sets[task.dataset])
        rng = np.random.default_rng([task.seed, zlib.crc32(task.dataset.encode()), task.run])
        generator_seed, seed = (int(value) for value in rng.integers(2**31 - 1, size=2))
        made = self.most_members if "M" in settings[0] else self.n_members
        self._generator(generator, settings[0], 2, 2, 0).fit_transform(
            X[:: max(len(X) // 50, 1)]
        )  # compiled off the clock
        start = time.perf_counter()
        members = self._generator(generator, settings[0], made, np.unique(truth).size, generator_seed).fit_transform(X)
        seconds = time.perf_counter() - start
        samples = {}
        for parts in settings:
            size = int(parts.get("M", made))
            if size not in samples:
                samples[size] = Sample(members[:, :size], truth, seed, seconds * size / made)
        return [samples[int(parts.get("M", made))] for parts in settings]

    def _generator(self, name: str, parts: Mapping[str, str], n_members: int, n_classes: int, seed: int) -> Any:
        if name == "metric":
            kernel: Any = {"metric": parts.get("metric", "kernel"), "variant": parts.get("variant", "code")}
            return MetricSubspacePartitions(n_members, float(parts["tau"]), **kernel, random_state=seed)
        if name == "stratified":
            return StratifiedPartitions(n_partitions=n_members, random_state=seed)
        k_range = (n_classes, n_classes) if name == "k-means of k" else None
        return KMeansPartitions(n_members, k_range, rows_per_cluster=None, random_state=seed)


def load_set(folders: Sequence[Path], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features and classes of a data set."""
    with np.load(locate(folders, f"sets/{name}.npz"), allow_pickle=False) as file:
        return file["X"].astype(float), file["y"].ravel()
