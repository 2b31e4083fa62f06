"""Worked examples: clusters of a small ensemble and what the papers print of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from consensa import Ensemble
from studies.reproduce.declare import Block, Found, Task
from studies.reproduce.schema import Column, setting_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["ExampleBlock"]


@dataclass(frozen=True)
class ExampleBlock(Block):
    """Figures of the clusters of a printed ensemble, which is drawn nowhere and so computed once.

    Parameters
    ----------
    table, dataset, method : str
        As in ``published.csv``.
    labels : tuple of tuple of int
        One row per base clustering.
    figures : dict of function by metric
        Each gives one number per cluster of an ensemble.
    setting : dict
        What stands in the setting of every cluster.
    """

    table: str
    dataset: str
    method: str
    labels: tuple[tuple[int, ...], ...]
    figures: Mapping[str, Callable[[Ensemble], np.ndarray]]
    setting: Mapping[str, str] = field(default_factory=dict)
    once: bool = True

    def needs(self) -> dict[str, tuple[str, ...]]:
        return {self.dataset: ()}

    def columns(self, dataset: str) -> list[Column]:  # noqa: ARG002
        return [
            Column(self.method, setting_text({**self.setting, "base_clustering": m, "cluster": c}), "")
            for m, row in enumerate(self.labels, start=1)
            for c in range(1, max(row) + 1)
        ]

    def metrics(self, column: Column) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(self.figures)

    def parameters(self, column: Column, preset: str) -> str:  # noqa: ARG002
        return setting_text({**self.setting, "M": len(self.labels)})

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        return [tuple(columns)] if columns else []

    def compute(self, task: Task) -> Iterator[Found]:
        ensemble = Ensemble(np.array(self.labels).T)
        found = {name: figure(ensemble) for name, figure in self.figures.items()}
        places = {column: place for place, column in enumerate(self.columns(self.dataset))}
        for column in task.columns:
            values = {name: float(figures[places[column]]) for name, figures in found.items()}
            yield Found(column, values, None, ensemble.n_objects, ensemble.n_microclusters)
