"""How a paper is declared: computations (blocks), and the tables and figures that read from them (exhibits)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.data import locate
from studies.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from studies.reproduce.schema import Column

__all__ = ["MEAN", "Block", "Exhibit", "Found", "Paper", "Reading", "Task", "heading_of"]

Row = dict[str, str]
MEAN = "mean of the data sets"


@dataclass(frozen=True)
class Task:
    """A part of a block that is computed and saved in one piece: some columns on one draw of one data set."""

    dataset: str
    run: int
    seed: int
    folders: tuple[Path, ...]
    preset: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Found:
    """The figures of one column on one draw.

    Parameters
    ----------
    column : Column
    values : dict of float by metric
    k : dict of int by metric, or int, or None
        Number of clusters that the value belongs to.
    n_objects, n_microclusters : int or None
    seconds : float or None
        Time of the method with finding the microclusters, without making the base clusterings.
    refused : str
        Why there are no figures: the method would need more memory than its budget.
    """

    column: Column
    values: Mapping[str, float]
    k: Mapping[str, int] | int | None = None
    n_objects: int | None = None
    n_microclusters: int | None = None
    seconds: float | None = None
    refused: str = ""


class Block(ABC):
    """One computation: data sets x columns x runs. Its rows have ``table`` in the column of that name.

    Attributes
    ----------
    table : str
        Number of the first table that the block serves, or ``figN``.
    quick : tuple of str
        Data sets of a quick look; empty for all.
    not_quick : tuple of str
        k rules, methods and settings that are left out of a quick look.
    once : bool
        Whether nothing is drawn, so that one run says all.
    """

    table: str
    quick: tuple[str, ...] = ()
    not_quick: tuple[str, ...] = ()
    once: bool = False

    @abstractmethod
    def needs(self) -> Mapping[str, tuple[str, ...]]:
        """Files (relative to the data directory) by data set, small data sets first; no files for made-up data."""

    @abstractmethod
    def columns(self, dataset: str) -> Sequence[Column]:
        """Everything that is computed on a draw of a data set."""

    @abstractmethod
    def metrics(self, column: Column) -> tuple[str, ...]:
        """Metrics of the rows of a column."""

    @abstractmethod
    def parameters(self, column: Column, preset: str) -> str:
        """All that decides the figures of a column, apart from data, draw and release."""

    @abstractmethod
    def compute(self, task: Task) -> Iterator[Found]:
        """Compute the columns of a task."""

    def parts(self, columns: Sequence[Column]) -> list[tuple[Column, ...]]:
        """Split what is wanted on one draw into tasks; here all columns that differ in the k rule only."""
        groups: dict[tuple[str, str], list[Column]] = {}
        for column in columns:
            groups.setdefault((column.method, column.setting), []).append(column)
        return [tuple(group) for group in groups.values()]

    def methods(self) -> tuple[str, ...]:
        """All methods of the block."""
        return tuple(dict.fromkeys(column.method for name in self.needs() for column in self.columns(name)))

    def present(self, folders: Sequence[Path]) -> tuple[str, ...]:
        """Data sets whose files are all there."""
        return tuple(
            name for name, files in self.needs().items() if all(locate(folders, file).is_file() for file in files)
        )

    def wanted(self, dataset: str, folders: Sequence[Path]) -> Sequence[Column]:  # noqa: ARG002
        """Columns of a data set that can be computed with the files at hand."""
        return self.columns(dataset)


@dataclass(frozen=True)
class Reading:
    """Which of our figures stands beside which published one.

    Parameters
    ----------
    metric, k_rule : str
        Of our rows.
    published_metric, published_rule : str
        Of ``published.csv``; no metric where the paper draws the figure only.
    settings : dict
        Published setting to ours, where they differ in name.
    only : bool
        Whether our rows with settings that are not among these are left out.
    """

    metric: str
    k_rule: str = "true"
    published_metric: str = ""
    published_rule: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    only: bool = False


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper.

    Parameters
    ----------
    name : str
        As printed: ``V``; ``fig6`` for a figure, ``section5`` for an example in the text.
    title : str
    blocks : tuple of str
        The ``table`` of the blocks whose rows it reads.
    readings : tuple of Reading
    runs : int
        Runs in the paper.
    methods : tuple of str
        Those of the block that it shows; empty for all.
    lost : dict of str
        Data sets of the paper that no file exists for, with the reason.
    note : str
        What differs from the paper.
    published : str
        Table in ``published.csv``, if it is not ``name``.
    view : callable
        Turns the rows of the blocks into those to be shown, for figures that are chosen among the rows.
    averaged : bool
        Whether it shows the mean over the data sets, one of each block.
    alike : dict of tuple of str by published setting
        Our settings that a published one stands beside, where these are several.
    stated : tuple of (data set, method, setting, metric, figure)
        Published figures that stand in the text of the paper rather than in ``published.csv``.
    """

    name: str
    title: str
    blocks: tuple[str, ...]
    readings: tuple[Reading, ...]
    runs: int = 1
    methods: tuple[str, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    published: str = ""
    view: Callable[[Sequence[Row], str], list[Row]] | None = None
    averaged: bool = False
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stated: tuple[tuple[str, str, str, str, float], ...] = ()

    def rows(self, rows: Sequence[Row], metric: str) -> list[Row]:
        """Return the rows of a result file that the exhibit shows with a metric."""
        mine = [
            row for row in rows if row["table"] in self.blocks and (not self.methods or row["method"] in self.methods)
        ]
        if self.view is not None:
            return self.view(mine, metric)
        mine = [row for row in mine if row["metric"] == metric]
        return _averaged(mine, len(self.blocks)) if self.averaged else mine


def heading_of(name: str) -> str:
    """Write the name of an exhibit in words.

    Examples
    --------
    >>> [heading_of(name) for name in ("V", "3-10", "fig6", "section5", "5.7")]
    ['Table V', 'Tables 3-10', 'Fig. 6', 'Section 5', 'Section 5.7']
    """
    for start, kind in (("fig", "Fig."), ("section", "Section")):
        if name.startswith(start):
            return f"{kind} {name.removeprefix(start)}"
    kind = "Section" if "." in name else "Tables" if "-" in name else "Table"
    return f"{kind} {name}"


def _averaged(rows: Sequence[Row], n_datasets: int) -> list[Row]:
    """Mean over the data sets, of the runs that all of them have."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["method"], row["setting"], row["k_rule"], row["run"]), []).append(row)
    return [
        {**group[0], "dataset": MEAN, "value": f"{mean_of(float(row['value']) for row in group):.6f}"}
        for group in groups.values()
        if len(group) == n_datasets
    ]


@dataclass(frozen=True)
class Paper:
    """A paper: its blocks and exhibits, and how its names in ``published.csv`` become ours."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    exhibits: tuple[Exhibit, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)

    def exhibit(self, name: str) -> Exhibit:
        """Return the table or figure of that name."""
        for each in self.exhibits:
            if each.name.lower() == name.lower():
                return each
        known = ", ".join(each.name for each in self.exhibits)
        msg = f"table {name!r} of paper {self.name!r} is not known; choose one of: {known}, all."
        raise ValueError(msg)

    def block(self, table: str) -> Block:
        """Return the block whose rows have this ``table``."""
        return next(each for each in self.blocks if each.table == table)
