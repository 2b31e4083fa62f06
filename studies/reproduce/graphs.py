"""The graph of microclusters of paper 001: its size, and how many links the elite neighbours keep."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa.relate import elite_neighbors
from studies.reproduce.declare import Block, Found, Task
from studies.reproduce.schema import Column, setting_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from consensa import Ensemble
    from studies.reproduce.samples import PoolSource

__all__ = ["GraphBlock", "LinkBlock"]

_WHOLE, _KEPT = "MSG", "K-ENG"


@dataclass(frozen=True)
class GraphBlock(Block):
    """Nodes and links of the whole graph (MSG), and the share of its links with K elite neighbours (K-ENG)."""

    table: str
    source: PoolSource
    neighbours: tuple[str, ...]
    quick: tuple[str, ...] = ()

    def needs(self) -> Mapping[str, tuple[str, ...]]:
        return self.source.needs()

    def columns(self, dataset: str) -> list[Column]:  # noqa: ARG002
        return [Column(_WHOLE, "", ""), *(Column(_KEPT, f"K={k}", "") for k in self.neighbours)]

    def metrics(self, column: Column) -> tuple[str, ...]:
        return ("n_microclusters", "n_links") if column.method == _WHOLE else ("n_links", "ratio_links_percent")

    def parameters(self, column: Column, preset: str) -> str:  # noqa: ARG002
        return f"{column.setting};M={self.source.n_members}".removeprefix(";")

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        return [tuple(columns)] if columns else []

    def compute(self, task: Task) -> Iterator[Found]:
        ensemble = self.source.load(task, "", [{}])[0].ensemble
        whole = elite_neighbors(ensemble, "all").nnz / 2
        for column in task.columns:
            start = time.perf_counter()
            if column.method == _WHOLE:
                values = {"n_microclusters": ensemble.n_microclusters, "n_links": whole}
            else:
                k = setting_parts(column.setting)["K"]
                links = whole if k == "ALL" else elite_neighbors(ensemble, int(k)).nnz / 2
                values = {"n_links": links, "ratio_links_percent": 100 * links / whole}
            seconds = time.perf_counter() - start
            yield Found(column, values, None, ensemble.n_objects, ensemble.n_microclusters, seconds)


@dataclass(frozen=True)
class LinkBlock(Block):
    """Links of the co-association matrix by their weight: how many there are, and how many join objects of a class."""

    table: str
    source: PoolSource

    def needs(self) -> Mapping[str, tuple[str, ...]]:
        return self.source.needs()

    def columns(self, dataset: str) -> list[Column]:  # noqa: ARG002
        n_members = self.source.n_members
        return [Column("CA", f"weight={count / n_members:g}", "") for count in range(n_members, 0, -1)]

    def metrics(self, column: Column) -> tuple[str, ...]:  # noqa: ARG002
        return "share_percent", "correct_percent"

    def parameters(self, column: Column, preset: str) -> str:  # noqa: ARG002
        return f"M={self.source.n_members};{column.setting}"

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        return [tuple(columns)] if columns else []

    def compute(self, task: Task) -> Iterator[Found]:
        sample = self.source.load(task, "", [{}])[0]
        pairs, correct = link_counts(sample.ensemble, sample.truth)
        for column in task.columns:
            count = round(float(setting_parts(column.setting)["weight"]) * self.source.n_members)
            share, right = pairs[count] / pairs[1:].sum(), correct[count] / max(pairs[count], 1.0)
            values = {"share_percent": 100 * share, "correct_percent": 100 * right}
            yield Found(column, values, None, sample.ensemble.n_objects, sample.ensemble.n_microclusters)


def link_counts(ensemble: Ensemble, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the pairs of different objects by the number of clusterings they share, and those of the same class.

    Returns
    -------
    pairs, correct : ndarray of shape (n_partitions + 1,)
    """
    of_class = np.zeros((ensemble.n_microclusters, int(truth.max()) + 1))
    np.add.at(of_class, (ensemble.row_map, truth), 1.0)
    sizes = ensemble.sizes.astype(float)
    pairs, correct = np.zeros((2, ensemble.n_partitions + 1))
    for u, row in enumerate(ensemble.labels):
        shared = (ensemble.labels == row).sum(axis=1)
        pairs += np.bincount(shared, sizes[u] * sizes, pairs.size)
        correct += np.bincount(shared, of_class @ of_class[u], pairs.size)
    pairs[-1] -= ensemble.n_objects  # every object with itself
    correct[-1] -= ensemble.n_objects
    return pairs / 2, correct / 2
