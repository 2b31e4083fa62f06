"""Run blocks: what the result file lacks is computed, task by task, and saved at once."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed
from tqdm import tqdm

from bench.store import ResultFile, versions
from consensa import ConsensaWarning
from studies.reproduce.declare import Task
from studies.reproduce.draws import read_draws
from studies.reproduce.schema import COLUMNS, Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from studies.reproduce.declare import Block, Found, Paper, Row

__all__ = ["Request", "compute_task", "run_blocks"]

Key = tuple[str, str, str, str, str, int]


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Parameters
    ----------
    folders : tuple of Path
        Where data is looked for; ``published.csv`` is in the first one.
    runs, best_k_runs : int
        Draws per data set, and those of them with best-k.
    seed : int
        Together with data set and run it decides the draw and the seed of the methods.
    jobs : int
        Tasks computed at a time; the figures do not depend on it.
    preset : {"default", "published"}
    sets, methods : sequence of str or None
        Only these.
    quick : bool
        Only the data sets and k rules that a block keeps for a quick look.
    kept : Path or None
        Folder with draws that were computed before: a result file takes from there what it lacks.
    """

    folders: tuple[Path, ...]
    runs: int = 20
    best_k_runs: int = 20
    seed: int = 0
    jobs: int = 1
    preset: str = "default"
    sets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    quick: bool = False
    kept: Path | None = None

    def datasets(self, block: Block) -> list[str]:
        """Return the data sets of a block that are asked for and present."""
        chosen = self.sets or (block.quick if self.quick else ()) or tuple(block.needs())
        return [name for name in block.present(self.folders) if name in chosen]

    def columns(self, block: Block, dataset: str, run: int) -> list[Column]:
        """Return the columns of a block that are asked for in a run."""
        limit = {"best": min(self.best_k_runs, self.runs)}
        runs = 1 if block.once else self.runs
        return [
            column
            for column in block.wanted(dataset, self.folders)
            if (self.methods is None or column.method in self.methods)
            and run < limit.get(column.k_rule, runs)
            and not (self.quick and {column.method, column.k_rule, *column.setting.split(";")} & set(block.not_quick))
        ]


def run_blocks(
    paper: Paper, blocks: Sequence[Block], output: Path, request: Request
) -> tuple[list[Row], dict[str, list[str]]]:
    """Compute what the result file lacks; return its rows that were asked for, and what was refused, by the reason."""
    results = ResultFile(output, COLUMNS)
    done = _finished(results, paper)
    if request.kept is not None:
        done |= _take_kept(results, done, paper, request)
    _check_settings(results, paper, request)
    tasks = [(block, task) for block in blocks for task in _open_tasks(block, done, request)]
    finished = Parallel(n_jobs=request.jobs, batch_size=1, return_as="generator_unordered")(
        delayed(compute_task)(paper.name, block, task) for block, task in tasks
    )
    patience = 0.1 if sys.stderr.isatty() else 30.0
    refused: dict[str, list[str]] = {}
    for rows, reasons in tqdm(
        finished, total=len(tasks), desc=f"paper {paper.name}", unit="cell", mininterval=patience
    ):
        results.append(rows)
        for cell, reason in reasons.items():
            refused.setdefault(reason, []).append(cell)
    asked: dict[Key, int] = {}
    for block in blocks:
        for dataset in request.datasets(block):
            for column in block.wanted(dataset, request.folders):
                for run in range(request.runs):
                    asked.setdefault((block.table, dataset, *column, run), len(asked))
    return sorted((row for row in results.rows() if _key(row) in asked), key=lambda row: asked[_key(row)]), refused


def compute_task(paper: str, block: Block, task: Task) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Compute a task; return its rows, and the reasons by cell where a method refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # parts that a method had to fill: seen in the figures
        found = list(block.compute(task))
    rows = [row for each in found if not each.refused for row in _rows(paper, block, task, each)]
    return rows, {_cell(each.column, task.dataset): each.refused for each in found if each.refused}


def _cell(column: Column, dataset: str) -> str:
    return " ".join(filter(None, (column.method, column.setting, "on", dataset)))


def _rows(paper: str, block: Block, task: Task, found: Found) -> Iterator[dict[str, Any]]:
    shared = {
        "paper": paper, "table": block.table, "dataset": task.dataset, **found.column._asdict(), "run": task.run,
        "seed": task.seed, "n_objects": _text(found.n_objects), "n_microclusters": _text(found.n_microclusters),
        "seconds": "" if found.seconds is None else f"{found.seconds:.4f}",
        "parameters": block.parameters(found.column, task.preset), "versions": versions(),
    }  # fmt: skip
    for metric in block.metrics(found.column):
        k = found.k if found.k is None or isinstance(found.k, int) else found.k[metric]
        yield {**shared, "metric": metric, "value": f"{found.values[metric]:.6f}", "k": _text(k)}


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


def _key(row: Row) -> Key:
    return row["table"], row["dataset"], row["method"], row["setting"], row["k_rule"], int(row["run"])


def _finished(results: ResultFile, paper: Paper) -> set[Key]:
    """Return the cells with all their metrics; rows of a last cell that a killed run left unfinished are dropped."""
    found: dict[Key, set[str]] = {}
    rows = results.rows()
    for row in rows:
        found.setdefault(_key(row), set()).add(row["metric"])
    blocks = {block.table: block for block in paper.blocks}
    lacking = {
        key: sorted(set(blocks[key[0]].metrics(Column(*key[2:5]))) - metrics)
        for key, metrics in found.items()
        if key[0] in blocks
    }
    unfinished = {key for key, metrics in lacking.items() if metrics}
    if unfinished - {_key(row) for row in rows[-1:]}:
        key = min(unfinished)
        msg = (
            f"{results.path} holds results of {key[2]} on {key[1]} without {', '.join(lacking[key])}, so it was made "
            "by another state of the benchmark. Give another --output, or remove the file."
        )
        raise ValueError(msg)
    if unfinished:
        results.keep([row for row in rows if _key(row) not in unfinished])
    return set(found) - unfinished


def _take_kept(results: ResultFile, done: set[Key], paper: Paper, request: Request) -> set[Key]:
    """Add the kept draws that the file lacks, where seed, parameters and release are those of today; return them."""
    cells: dict[Key, list[Row]] = {}
    for row in read_draws(request.kept, paper.name) if request.kept is not None else ():
        cells.setdefault(_key(row), []).append(row)
    expected: dict[tuple[str, str, Column], set[tuple[str, ...]]] = {
        (block.table, dataset, column): {
            (metric, str(request.seed), block.parameters(column, request.preset), _release(versions()))
            for metric in block.metrics(column)
        }
        for block in paper.blocks
        for dataset in block.needs()
        for column in block.columns(dataset)
    }
    taken = [
        row
        for key, rows in cells.items()
        if key not in done
        and {(row["metric"], row["seed"], row["parameters"], _release(row["versions"])) for row in rows}
        == expected.get((*key[:2], Column(*key[2:5])))
        for row in rows
    ]
    if taken:
        results.append(taken)
    return {_key(row) for row in taken}


def _release(written: str) -> str:
    """The release of consensa, without the number of commits since."""
    return written.split(";", maxsplit=1)[0].partition(".dev")[0]


def _check_settings(results: ResultFile, paper: Paper, request: Request) -> None:
    """Refuse a result file made with another seed, other parameters or another release: means must not mix them."""
    release = _release(versions())
    blocks = {block.table: block for block in paper.blocks}
    known: dict[tuple[str, Column], str] = {}
    for row in results.rows():
        column = Column(row["method"], row["setting"], row["k_rule"])
        block = blocks.get(row["table"])
        if block and (block.table, column) not in known and column in block.columns(row["dataset"]):
            known[block.table, column] = block.parameters(column, request.preset)
        expected = {
            "paper": paper.name,
            "seed": str(request.seed),
            "parameters": known.get((row["table"], column), row["parameters"]),
            "release": release,
        }
        found = {**row, "release": _release(row["versions"])}
        for name, value in expected.items():
            if found[name] != value:
                msg = (
                    f"{results.path} holds results with {name} {found[name]!r}, but now it is {value!r}. "
                    "Give another --output, or remove the file."
                )
                raise ValueError(msg)


def _open_tasks(block: Block, done: set[Key], request: Request) -> Iterator[Task]:
    """Tasks with something to do, run by run, so that all data sets advance together."""
    for run in range(request.runs):
        for dataset in request.datasets(block):
            missing = [
                column
                for column in request.columns(block, dataset, run)
                if (block.table, dataset, *column, run) not in done
            ]
            for part in block.parts(missing):
                yield Task(dataset, run, request.seed, request.folders, request.preset, part)
