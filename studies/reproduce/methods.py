"""The block of most tables: methods are fitted to the ensemble of a draw and scored against the true classes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bench.data import locate
from consensa._budget import BudgetError
from consensa.evaluate import anmi, error_rate
from consensa.methods import METHODS
from consensa.methods.registry import FEATURE_METHODS
from studies.reproduce.declare import Block, Found, Task
from studies.reproduce.samples import PoolSource
from studies.reproduce.schema import SCORES, Column, setting_parts, setting_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from studies.reproduce.samples import Sample, Source

__all__ = ["BASE", "MethodBlock", "Recipe", "best_k"]

BASE = "base clusterings"
_KERNELS = ("linkage", "partitioner", "consensus")  # parameters that decide what is compiled
_NOT_SETTINGS = ("n_clusters", "missing", "random_state", "generator", "n_partitions", "n_jobs", "verbose")


@dataclass(frozen=True)
class Recipe:
    """A method as a table has it.

    Parameters
    ----------
    printed : str
        Its name in the paper.
    name : str
        Its name in the registry; "" for the base clusterings themselves, of which the mean score is taken.
    given : dict
        Parameters that differ from our defaults.
    setting : dict
        Parameters that ``published.csv`` names.
    published : dict
        Parameters of the preset "published", where the published setting is weaker than our default.
    generator : str
        Which base clusterings it combines, where a source makes several kinds.
    not_on : tuple of str
        Data sets on which it is not run, because it takes too long or too much memory there.
    sweep : tuple of dict
        Settings that it is run with, instead of those of the block.
    """

    printed: str
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    setting: Mapping[str, Any] = field(default_factory=dict)
    published: Mapping[str, Any] = field(default_factory=dict)
    generator: str = ""
    not_on: tuple[str, ...] = ()
    sweep: tuple[Mapping[str, Any], ...] = ()


def best_k(n_objects: int) -> list[int]:
    """Candidates for best-k: 2..30, the range of the published demo, and every tenth up to the square root of n."""
    return [*range(2, 31), *range(40, int(np.sqrt(n_objects)) + 1, 10)]


@dataclass(frozen=True)
class MethodBlock(Block):
    """Methods x settings x k rules on the samples of a source.

    Parameters
    ----------
    table : str
    source : Source
    recipes : tuple of Recipe
    sweep : tuple of dict
        Settings that every method is run with, on top of its own one.
    k_rules : tuple of str
        "true": k is the number of classes. "best": the k with the best score, for every score and run by itself.
    extra : tuple of str
        Metrics beside the scores: "seconds" (with making the base clusterings), "error_percent", "ANMI" (mean NMI with
        the base clusterings). True k only.
    quick, not_quick : tuple of str
    """

    table: str
    source: Source
    recipes: tuple[Recipe, ...]
    sweep: tuple[Mapping[str, Any], ...] = ({},)
    k_rules: tuple[str, ...] = ("true",)
    candidates: Callable[[int], list[int]] = best_k
    extra: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    not_quick: tuple[str, ...] = ()

    def needs(self) -> Mapping[str, tuple[str, ...]]:
        return self.source.needs()

    def columns(self, dataset: str) -> list[Column]:
        return [
            Column(recipe.printed, setting_text({**recipe.setting, **swept}), rule)
            for recipe in self.recipes
            if dataset not in recipe.not_on and (not self._of_features(recipe) or self._features(dataset))
            for swept in recipe.sweep or self.sweep
            for rule in (self.k_rules if recipe.name else ("",))
        ]

    def wanted(self, dataset: str, folders: Sequence[Path]) -> list[Column]:
        file = self._features(dataset)
        there = bool(file) and locate(folders, f"sets/{file}.npz").is_file()
        return [
            column for column in self.columns(dataset) if there or not self._of_features(self._recipe(column.method))
        ]

    def metrics(self, column: Column) -> tuple[str, ...]:
        return (*SCORES, *(self.extra if column.k_rule == "true" else ()))

    def parameters(self, column: Column, preset: str) -> str:
        recipe, parts = self._recipe(column.method), setting_parts(column.setting)
        model = self._model(recipe, parts, preset, None) if recipe.name else None
        params = {} if model is None else model.get_params(deep=False)
        kept = {name: value for name, value in params.items() if name not in _NOT_SETTINGS}
        swept = {name: value for name, value in parts.items() if name in self.source.own}
        return setting_text({**swept, **self.source.describe(recipe.generator, parts), **kept})

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        groups: dict[Any, list[Column]] = {}
        for column in columns:
            kind = self.source.kind(self._recipe(column.method).generator, setting_parts(column.setting))
            groups.setdefault(kind or (column.method, column.setting), []).append(column)
        return [tuple(group) for group in groups.values()]

    def compute(self, task: Task) -> Iterator[Found]:
        rules: dict[tuple[str, str], list[Column]] = {}
        for column in task.columns:
            rules.setdefault((column.method, column.setting), []).append(column)
        generator = self._recipe(task.columns[0].method).generator
        samples = self.source.load(task, generator, [setting_parts(setting) for _, setting in rules])
        for ((method, setting), columns), sample in zip(rules.items(), samples, strict=True):
            recipe = self._recipe(method)
            if not recipe.name:
                yield _base_scores(columns[0], sample)
                continue
            try:
                yield from list(self._scored(recipe, setting_parts(setting), columns, sample, task))
            except BudgetError as error:
                yield from (Found(column, {}, refused=str(error)) for column in columns)

    def _scored(
        self, recipe: Recipe, parts: Mapping[str, str], columns: Sequence[Column], sample: Sample, task: Task
    ) -> Iterator[Found]:
        """Fit a method once and score its cuts: one result per k rule, timed with the microclusters and the fit."""
        ensemble, truth = sample.ensemble, sample.truth
        true_k = np.unique(truth).size
        most = min(ensemble.n_microclusters, ensemble.n_base_clusters)
        candidates = {k for k in self.candidates(truth.size) if k <= most}
        wanted = {"true": [true_k], "best": sorted(candidates | {true_k})}
        model = self._model(recipe, parts, task.preset, sample.seed).set_params(n_clusters=true_k)
        data: Any = ensemble
        if self._of_features(recipe) and isinstance(self.source, PoolSource):
            data = self.source.load_features(task)
            model.set_params(generator=GivenPartitions(sample.members))
        elif "seconds" in self.extra:
            _warm_up(recipe.name, setting_text(recipe.given))
        start = time.perf_counter()
        model.fit(data)
        fitted = time.perf_counter() - start + sample.counted.seconds
        for column in columns:
            start = time.perf_counter()
            cuts = model.cut(wanted[column.k_rule])
            seconds = fitted + time.perf_counter() - start
            values, best = _best_scores(cuts, truth)
            if column.k_rule == "true":
                values |= self._extra(cuts[true_k], sample, seconds)
                best |= dict.fromkeys(self.extra, true_k)
            yield Found(column, values, best, ensemble.n_objects, ensemble.n_microclusters, seconds)

    def _extra(self, labels: np.ndarray, sample: Sample, seconds: float) -> dict[str, float]:
        figures: dict[str, Callable[[], float]] = {
            "seconds": lambda: sample.seconds + seconds,
            "error_percent": lambda: 100 * error_rate(sample.truth, labels),
            "ANMI": lambda: anmi(labels, sample.ensemble),
        }
        return {name: figures[name]() for name in self.extra}

    def _recipe(self, printed: str) -> Recipe:
        return next(recipe for recipe in self.recipes if recipe.printed == printed)

    def _of_features(self, recipe: Recipe) -> bool:
        return bool(recipe.name) and recipe.name not in METHODS

    def _features(self, dataset: str) -> str:
        return self.source.features.get(dataset, "") if isinstance(self.source, PoolSource) else ""

    def _model(self, recipe: Recipe, parts: Mapping[str, str], preset: str, seed: int | None) -> Any:
        model = {**FEATURE_METHODS, **METHODS}[recipe.name].load()()
        swept = {name: value for name, value in parts.items() if name not in self.source.own}
        weaker = recipe.published if preset == "published" else {}
        model.set_params(**recipe.given, **_parameters(swept), **weaker)
        drawn = {"random_state": seed, "missing": None}
        return model.set_params(**{name: value for name, value in drawn.items() if name in model.get_params()})


@cache
def _warm_up(name: str, given: str) -> None:
    """Fit a method once in this process, on a small ensemble, so that no kernel is compiled or loaded on the clock."""
    model = METHODS[name].load()()
    chosen = {key: value for key, value in setting_parts(given).items() if key in _KERNELS}
    labels = np.random.default_rng(0).integers(0, 4, (60, 8))
    model.set_params(n_clusters=3, **chosen).fit(labels)


class GivenPartitions(BaseEstimator):
    """Base clusterings that are there already, for methods that ask for a generator."""

    def __init__(self, partitions: Any = None) -> None:
        self.partitions = partitions

    def fit_transform(self, X: Any) -> np.ndarray:
        """Return the label matrix."""
        if len(X) != len(self.partitions):
            msg = f"{len(X)} objects with features and {len(self.partitions)} with labels are not the same data set."
            raise ValueError(msg)
        return self.partitions


def _parameters(parts: Mapping[str, str]) -> dict[str, Any]:
    """Turn the parts of a setting into parameters; K by the rule of paper 001 is the default."""
    read: dict[str, Callable[[str], dict[str, Any]]] = {
        "theta": lambda text: {"theta": float(text)},
        "T": lambda text: {"n_steps": int(text)},
        "K": lambda text: {} if text.startswith("T=") else {"n_neighbors": "all" if text == "ALL" else int(text)},
        "weighted": lambda text: {"weighted": text == "yes"},
        "solver": lambda text: {"solver": text},
        "rho": lambda text: {"rho": float(text)},
        "lam": lambda text: {"lam": float(text)},
    }
    return {name: value for key, text in parts.items() for name, value in read[key](text).items()}


def _best_scores(cuts: Mapping[int, np.ndarray], truth: np.ndarray) -> tuple[dict[str, float], dict[str, int]]:
    """Best value of every score over the cuts, and its k."""
    values, best = {}, {}
    for name, score in SCORES.items():
        found = {k: score(labels, truth) for k, labels in cuts.items()}
        best[name] = max(found, key=found.__getitem__)
        values[name] = found[best[name]]
    return values, best


def _base_scores(column: Column, sample: Sample) -> Found:
    values = {
        name: float(np.mean([score(m, sample.truth) for m in sample.members.T])) for name, score in SCORES.items()
    }
    return Found(column, values, None, sample.ensemble.n_objects, sample.ensemble.n_microclusters)
