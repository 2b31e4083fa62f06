"""The graph of microclusters of paper 001: its size, and how many links the elite neighbours keep."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consensa.relate import elite_neighbors
from studies.reproduce.declare import Block, Found, Task
from studies.reproduce.schema import Column, setting_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from studies.reproduce.samples import PoolSource

__all__ = ["GraphBlock"]

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
