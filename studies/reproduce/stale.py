"""``python -m studies draws``: does today's source still give the kept draws? What it no longer gives is dropped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import find_data_dir
from studies.evidence.earlier import forget_earlier
from studies.reproduce.declare import Task
from studies.reproduce.draws import DRAWS, read_draws, write_draws
from studies.reproduce.papers import PAPERS, get_paper
from studies.reproduce.runner import compute_task
from studies.reproduce.schema import Column

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from studies.reproduce.declare import Block, Paper, Row

__all__ = ["add_draws", "changed_methods"]

CLOSE = 2e-6  # values are kept with six digits
Method = tuple[str, str]  # table and method


def changed_methods(paper: Paper, rows: Sequence[Row], folders: tuple[Path, ...]) -> dict[Method, str]:
    """Compute one kept draw of every method of every table again; return those with another figure, and which.

    The draw is the first one of the smallest data set that the method was run on, with its first setting.
    """
    found = {}
    for block in paper.blocks:
        mine = [row for row in rows if row["table"] == block.table and row["metric"] != "seconds"]
        for method in dict.fromkeys(row["method"] for row in mine):
            for dataset in block.present(folders):
                kept = [row for row in mine if (row["method"], row["dataset"]) == (method, dataset)]
                if kept:
                    said = _difference(paper.name, block, kept, folders)
                    found |= {(block.table, method): said} if said else {}
                    break
    return found


def _difference(paper: str, block: Block, kept: Sequence[Row], folders: tuple[Path, ...]) -> str:
    first = min(kept, key=lambda row: (int(row["seed"]), int(row["run"])))
    column = Column(first["method"], first["setting"], first["k_rule"])
    if column not in block.columns(first["dataset"]):
        return f"{first['dataset']}: there is no setting {first['setting']!r} any more"
    task = Task(first["dataset"], int(first["run"]), int(first["seed"]), folders, "default", (column,))
    rows, _ = compute_task(paper, block, task)
    now = {row["metric"]: float(row["value"]) for row in rows}
    for row in kept:
        same = (row["setting"], row["k_rule"], row["run"], row["seed"]) == (
            column.setting, column.k_rule, first["run"], first["seed"],
        )  # fmt: skip
        if same and not abs(now.get(row["metric"], float("inf")) - float(row["value"])) <= CLOSE:
            told = f"{now[row['metric']]:.6f}" if row["metric"] in now else "none"
            return f"{row['dataset']}, draw {row['run']}: {row['metric']} {row['value']} is kept, now it is {told}"
    return ""


def add_draws(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_draws)
    parser.add_argument("--paper", default="all", help="number of the paper (default: all)")
    parser.add_argument("--drop", action="store_true", help="drop the draws of methods that give other figures now")
    parser.add_argument("--forget", nargs="+", metavar="METHOD", help="drop the draws of these methods, as printed")
    parser.add_argument("--folder", type=Path, default=DRAWS, help=f"the draws (default {DRAWS.as_posix()})")
    parser.add_argument("--own-pools", type=Path, default=Path("results"), help="folder with pools/ of make-pool")


def _draws(options: argparse.Namespace) -> None:
    rows = {name: read_draws(options.folder, name) for name in PAPERS}
    chosen = list(PAPERS) if options.paper == "all" else [get_paper(options.paper).name]
    dropped: dict[str, set[Method]] = {}
    if options.forget:
        for name in chosen:
            there = {(row["table"], row["method"]) for row in rows[name]}
            dropped[name] = {method for method in there if method[1] in options.forget}
        _check_forgotten(options.forget, dropped)
    else:
        folders = (find_data_dir(options.data_dir), options.own_pools)
        for name in chosen:
            found = changed_methods(get_paper(name), rows[name], folders)
            print("\n".join(_said(name, found)))
            dropped[name] = set(found) if options.drop else set()
    if any(dropped.values()):
        kept = {
            name: [row for row in rows[name] if (row["table"], row["method"]) not in dropped.get(name, ())]
            for name in PAPERS
        }
        write_draws(options.folder, kept)
        forget_earlier(options.folder, {name: {method for _, method in found} for name, found in dropped.items()})
        print(f"{sum(len(rows[name]) - len(kept[name]) for name in PAPERS)} figures dropped from {options.folder}")


def _check_forgotten(given: Sequence[str], dropped: dict[str, set[Method]]) -> None:
    known = {method for methods in dropped.values() for _, method in methods}
    for name in given:
        if name not in known:
            msg = f"no draw of {name!r} is kept; give the method as the paper prints it."
            raise ValueError(msg)


def _said(paper: str, found: dict[Method, str]) -> Iterator[str]:
    if not found:
        yield f"Paper {paper}: one draw of every method again, all figures as kept."
    for (table, method), text in found.items():
        yield f"Paper {paper}, {table}, {method} on {text}."
