"""``python -m studies reproduce``: options, the list of what exists, and the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import count, find_data_dir, none_or_more
from studies.reproduce.draws import DRAWS
from studies.reproduce.papers import PAPERS, get_paper
from studies.reproduce.published import published_cells
from studies.reproduce.report import exhibit_report
from studies.reproduce.runner import Request, run_blocks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from studies.reproduce.declare import Block, Exhibit, Paper

__all__ = ["QUICK_RUNS", "add_reproduce"]

QUICK_RUNS = 2
PRESETS = ("default", "published")


def add_reproduce(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.set_defaults(command=_reproduce)
    parser.add_argument("--paper", required=True, help="number of the paper, such as 000, or all")
    parser.add_argument("--table", default="all", help="number of the table, such as V, a figure such as fig6, or all")
    parser.add_argument("--list", action="store_true", help="say what exists, what it needs and what is missing")
    parser.add_argument("--runs", type=count, default=20, help="draws per data set (default 20)")
    parser.add_argument("--best-k-runs", type=none_or_more, help="draws for best-k, the slow part (default: as many)")
    parser.add_argument("--jobs", type=count, default=2, help="cells computed at a time (default 2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="result file of one paper (default: results/paper<P>.csv)")
    parser.add_argument("--sets", nargs="+", help="only these data sets, as printed in the paper")
    parser.add_argument("--methods", nargs="+", help="only these methods, as printed in the paper")
    parser.add_argument(
        "--preset", choices=PRESETS, default="default", help="our defaults, or the weaker published ones"
    )
    parser.add_argument("--own-pools", type=Path, default=Path("results"), help="folder with pools/ of make-pool")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_RUNS} draws of a few small data sets")
    parser.add_argument(
        "--fresh", action="store_true", help=f"compute everything, also what is kept in {DRAWS.as_posix()}"
    )


def _reproduce(options: argparse.Namespace) -> None:
    folders = (find_data_dir(options.data_dir), options.own_pools)
    papers = list(PAPERS.values()) if options.paper == "all" else [get_paper(options.paper)]
    chosen = {paper: _exhibits(paper, options.table) for paper in (each.name for each in papers)}
    if options.list:
        print("\n\n".join(_listing(get_paper(name), exhibits, folders) for name, exhibits in chosen.items()))
        return
    if options.output is not None and len(papers) > 1:
        msg = "--output names the file of one paper; leave it out with --paper all."
        raise ValueError(msg)
    request = _request(options, folders)
    work = {name: _blocks(get_paper(name), exhibits) for name, exhibits in chosen.items()}
    _check_names(request, [block for blocks in work.values() for block in blocks])
    suffix = "" if options.preset == "default" else f"_{options.preset}"
    for name, blocks in work.items():
        output = options.output or Path("results", f"paper{name}{suffix}.csv")
        rows, refused = run_blocks(get_paper(name), blocks, output, request)
        reports = [exhibit_report(get_paper(name), exhibit, rows, folders[0]) for exhibit in chosen[name]]
        print("\n\n".join(reports))
        if request.quick:
            print(f"\nA quick look: {request.runs} runs on {_named_sets(blocks, request)}{_left_out(blocks)}.")
        for reason, cells in refused.items():
            print(f"\nNot computed: {', '.join(dict.fromkeys(cells))}. {reason}")
        print(f"\nEvery run: {output}\n")


def _exhibits(paper: str, table: str) -> list[Exhibit]:
    declared = get_paper(paper)
    return list(declared.exhibits) if table == "all" else [declared.exhibit(table)]


def _blocks(paper: Paper, exhibits: Sequence[Exhibit]) -> list[Block]:
    return [paper.block(table) for table in dict.fromkeys(table for each in exhibits for table in each.blocks)]


def _request(options: argparse.Namespace, folders: tuple[Path, ...]) -> Request:
    runs = min(options.runs, QUICK_RUNS) if options.quick else options.runs
    best_k_runs = runs if options.best_k_runs is None else min(runs, options.best_k_runs)
    return Request(
        folders,
        runs,
        best_k_runs,
        options.seed,
        options.jobs,
        options.preset,
        options.sets,
        options.methods,
        options.quick,
        None if options.fresh or options.output or options.preset != "default" else DRAWS,
    )


def _check_names(request: Request, blocks: Sequence[Block]) -> None:
    """Refuse names that nothing was asked of, and a request without any data."""
    if not blocks:
        msg = "there is no data for this table; --list says what exists."
        raise ValueError(msg)
    methods = list(dict.fromkeys(method for block in blocks for method in block.methods()))
    sets = list(dict.fromkeys(name for block in blocks for name in block.needs()))
    for what, given, known in (("method", request.methods, methods), ("data set", request.sets, sets)):
        absent = [name for name in given or () if name not in known]
        if absent:
            msg = f"there is no {what} {absent[0]!r} here; choose from {', '.join(known)}."
            raise ValueError(msg)
    if not any(request.datasets(block) for block in blocks):
        files = sorted(
            {
                file
                for block in blocks
                for name, files in block.needs().items()
                if request.sets is None or name in request.sets
                for file in files
            }
        )
        msg = f"{request.folders[0]} holds none of the files {', '.join(files)}."
        raise ValueError(msg)


def _named_sets(blocks: Sequence[Block], request: Request) -> str:
    return ", ".join(dict.fromkeys(name for block in blocks for name in request.datasets(block)))


def _left_out(blocks: Sequence[Block]) -> str:
    names = dict.fromkeys(name for block in blocks for name in block.not_quick)
    return f"; without {', '.join('best k' if name == 'best' else name for name in names)}" if names else ""


def _listing(paper: Paper, exhibits: Sequence[Exhibit], folders: tuple[Path, ...]) -> str:
    lines = [f"Paper {paper.name}: {paper.title}"]
    for exhibit in exhibits:
        lines += _entry(paper, exhibit, folders)
    return "\n".join(lines)


def _entry(paper: Paper, exhibit: Exhibit, folders: tuple[Path, ...]) -> Iterator[str]:
    n_published = len(published_cells(folders[0], paper.name, exhibit.name))
    yield f"  {exhibit.name:<6}{exhibit.title}; {n_published} published figures, {exhibit.runs} runs in the paper"
    blocks = [paper.block(table) for table in exhibit.blocks]
    needed = list(dict.fromkeys(name for block in blocks for name in block.needs()))
    there = {name for block in blocks for name in block.present(folders)}
    methods = exhibit.methods or tuple(dict.fromkeys(method for block in blocks for method in block.methods()))
    yield f"        methods: {', '.join(methods)}"
    yield f"        data sets: {', '.join(name for name in needed if name in there) or 'none'}"
    for block in blocks:
        for name, files in block.needs().items():
            if name not in there:
                yield f"        missing: {name} needs {', '.join(files)}"
    for name, why in exhibit.lost.items():
        yield f"        not available: {name} ({why})"
    if exhibit.note:
        yield f"        note: {exhibit.note}"
