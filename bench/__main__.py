"""The benchmarks' command line: ``python -m bench reproduce | paper003 | speed | ...``, from the repository root."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import paper002, paper004
from bench.choose_k import run_choices
from bench.choose_k_report import choice_figure, choice_report
from bench.compare import comparison, ranking
from bench.confidence import confidence_figure, confidence_report, run_confidence
from bench.data import choose_pools, find_data_dir, find_pools, read_published
from bench.generation import generation_speed
from bench.largest import SIZES as SIZES_TO_TRY
from bench.largest import largest, report
from bench.low_rank import low_rank_speed
from bench.methods_table import LARGEST, PAGE, methods_page, read_largest
from bench.paper003 import find_paper_pools, run_paper
from bench.paper003_report import paper_report, sweep_report
from bench.reproduce import reproduce
from bench.restarts import restarts, restarts_report
from bench.scale import markdown, scale
from bench.speed import SIZES, against_twins, growth, save, startup
from bench.speed_report import growth_report, startup_report, twins_report
from bench.tables import PRESETS, get_table
from consensa.methods import METHODS, get_method

__all__ = ["main"]

QUICK_RUNS = 3
PARTS = ("twins", "growth", "startup")


def main(arguments: list[str] | None = None) -> int:
    """Run a benchmark and return the exit code: 0, or 2 for a wrong request."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


def _reproduce(options: argparse.Namespace) -> None:
    data_dir = find_data_dir(options.data_dir)
    runs = min(options.runs, QUICK_RUNS) if options.quick else options.runs
    if options.paper in _PAPERS:
        _PAPERS[options.paper](options, data_dir, runs)
        return
    table = get_table(options.paper, options.table).chosen(options.methods, options.preset)
    best_k_runs = runs if options.best_k_runs is None else min(runs, options.best_k_runs)
    suffix = "" if options.preset == "default" else f"_{options.preset}"
    output = options.output or Path("results", f"paper{table.paper}_table{table.table}{suffix}.csv")
    rows = reproduce(
        table,
        choose_pools(find_pools(data_dir, table.pools), options.sets),
        output,
        runs=runs,
        best_k_runs=best_k_runs,
        seed=options.seed,
        jobs=options.jobs,
    )
    published = read_published(data_dir, table.paper, table.table, table.metric)
    print(f"{comparison(table, rows, published)}\n\n{ranking(table, rows, published)}")
    if options.quick:
        print(f"\nA quick look: {runs} runs per data set, so the standard errors are large.")
    print(f"\nEvery run: {output}")


def _reproduce_002(options: argparse.Namespace, data_dir: Path, runs: int) -> None:
    if options.table not in paper002.TABLES:
        msg = f"table {options.table!r} of paper '002' is not known; choose one of: {', '.join(paper002.TABLES)}."
        raise ValueError(msg)
    output = options.output or Path("results", "paper002.csv")
    sets = options.sets or list(paper002.published_sets(data_dir))
    rows = paper002.reproduce_sets(
        data_dir, output, setting=options.setting, sets=sets, runs=runs, seed=options.seed, jobs=options.jobs
    )
    print(paper002.report(rows, data_dir, options.table))
    print(f"\nEvery run: {output}")


def _reproduce_004(options: argparse.Namespace, data_dir: Path, runs: int) -> None:
    known = [paper004.SUMMARY, *(each.table for each in paper004.SETS)]
    tables = known if options.table == "all" else [options.table]
    if not set(tables) <= set(known):
        msg = f"table {options.table!r} of paper '004' is not known; choose one of: {', '.join(known)}, all."
        raise ValueError(msg)
    output = options.output or Path("results", "paper004.csv")
    rows = paper004.reproduce(tables, data_dir, output, runs=runs, seed=options.seed, jobs=options.jobs)
    print(paper004.report(tables, rows, data_dir))
    print(f"\nEvery run: {output}")


_PAPERS = {"002": _reproduce_002, "004": _reproduce_004}


def _speed(options: argparse.Namespace) -> None:
    if "twins" in options.parts:
        rows = against_twins(find_data_dir(options.data_dir), pool=options.pool, repeats=options.repeats)
        save(rows, options.output)
        print(f"\n{options.pool} pool, {rows[0]['n_objects']:,} objects x 10\n{twins_report(rows)}")
    if "growth" in options.parts:
        for method, largest in (("lwea", options.largest_lwea), ("lwgp", options.largest_lwgp)):
            sizes = [n for n in SIZES[method] if n <= largest]
            if sizes:
                rows = growth(method, sizes)
                save(rows, options.output)
                print(f"\n{growth_report(rows)}")
    if "startup" in options.parts:
        rows = startup(repeats=options.repeats)
        save(rows, options.output)
        print(f"\n{startup_report(rows)}")


def _restarts(options: argparse.Namespace) -> None:
    chosen = choose_pools(find_pools(find_data_dir(options.data_dir), "LWEC"), options.pools)
    print(restarts_report(restarts(chosen, options.n_init, draws=options.draws, seeds=options.seeds)))


def _paper003(options: argparse.Namespace) -> None:
    data_dir = find_data_dir(options.data_dir)
    pools = find_paper_pools(data_dir, options.pools)
    rows = run_paper(pools, options.output, runs=options.runs, seed=options.seed, jobs=options.jobs)
    for table, metric, score in (("3", "NMI", "NMI/sqrt"), ("3", "NMI", "NMI/max"), ("4", "ARI", "ARI")):
        print(
            f"\nPaper 003, Table {table}: {paper_report(rows, score, read_published(data_dir, '003', table, metric))}"
        )
    print(f"\n{sweep_report(rows, 'NMI/sqrt')}\n\nEvery run: {options.output}")


def _low_rank(options: argparse.Namespace) -> None:
    figures = low_rank_speed(options.microclusters, n_direct=options.direct_iterations)
    print("\n".join(f"{name:<30}{value:>12.4g}" for name, value in figures.items()))


def _choose_k(options: argparse.Namespace) -> None:
    rows = run_choices(
        find_data_dir(options.data_dir), options.output, pools=options.pools, runs=options.runs, k_max=options.k_max
    )
    print(choice_report(rows))
    if options.figure is not None:
        choice_figure(rows, options.figure)
    print(f"\nEvery choice: {options.output}")


def _confidence(options: argparse.Namespace) -> None:
    rows = run_confidence(
        find_data_dir(options.data_dir),
        options.output,
        methods=options.methods,
        members=options.members,
        draws=options.draws,
        pools=options.pools,
    )
    print(confidence_report(rows))
    if options.figure is not None:
        confidence_figure(rows, options.figure)
    print(f"\nEvery curve: {options.output}")


def _largest(options: argparse.Namespace) -> None:
    names = [get_method(name).name for name in options.methods]
    rows = largest(
        options.output, methods=names, sizes=options.sizes, limit=options.limit, in_process=options.in_process
    )
    print(f"{report(rows)}\n\nEvery run: {options.output}")


def _methods_table(options: argparse.Namespace) -> None:
    options.output.write_text(methods_page(read_largest(options.largest)), encoding="utf-8")


def _generation(options: argparse.Namespace) -> None:
    for name in options.sets:
        row = generation_speed(find_data_dir(options.data_dir), name, options.members, options.seed)
        print("; ".join(f"{key}: {value}" for key, value in row.items()))


def _scale(options: argparse.Namespace) -> None:
    sizes = [round(float(size)) for size in options.rows.split(",")]
    what = {"method": options.method, "output": options.output, "largest_k": options.largest_k}
    rows = scale(sizes, options.dir, backend=options.backend, kill_worker=options.kill_worker, **what)
    print(f"\n{markdown(rows)}\n\nEvery run: {options.output}")
    if options.compare is not None:
        size = round(float(options.compare))
        inside = scale([size], options.dir, backend="memory", **what)[0]["digest"]
        same = "the same as" if inside in {row["digest"] for row in rows} else "NOT the same as"
        print(f"Labels of {size:,} objects are {same} in memory.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmarks of consensa.")
    commands = parser.add_subparsers(required=True)
    _add_reproduce(commands.add_parser("reproduce", help="compute a published table again"))
    _add_speed(commands.add_parser("speed", help="against plain twins, growth with n, cold start"))
    _add_restarts(commands.add_parser("restarts", help="score, spread and time of LWGP by n_init"))
    _add_paper003(commands.add_parser("paper003", help="Tables 3 and 4 of paper 003, with its sweep of theta"))
    _add_low_rank(commands.add_parser("low-rank", help="row-space iteration of DLWECDL against the direct one"))
    _add_generation(commands.add_parser("generation", help="members of MDEC against full matrices"))
    _add_choose_k(commands.add_parser("choose-k", help="how often the chosen k is the number of classes"))
    _add_confidence(commands.add_parser("confidence", help="accuracy of the objects by their confidence"))
    _add_largest(commands.add_parser("largest", help="the largest ensembles that every method was run on"))
    _add_methods_table(commands.add_parser("methods-table", help="write docs/methods.md again"))
    _add_scale(commands.add_parser("scale", help="consensus from disk, through files or dask, with growing n"))
    for command in commands.choices.values():
        command.add_argument("--data-dir", help="folder with pools/ (default: environment variable CONSENSA_DATA)")
    return parser


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_reproduce)
    parser.add_argument("--paper", required=True, help="number of the paper, such as 000")
    parser.add_argument("--table", required=True, help="number of the table, such as V; all of paper 004: all")
    parser.add_argument("--runs", type=_count, default=20, help="draws per data set (default 20)")
    parser.add_argument("--best-k-runs", type=_none_or_more, help="draws for best-k, the slow part (default: as many)")
    parser.add_argument("--jobs", type=_count, default=2, help="draws computed at a time (default 2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="result file (default: results/paper<P>_table<T>.csv)")
    parser.add_argument("--sets", nargs="+", help="papers 000 and 002: only these data sets")
    parser.add_argument("--methods", nargs="+", help="paper 000: only these methods, as printed in the paper")
    parser.add_argument("--preset", choices=PRESETS, default="default", help="paper 000: our defaults, or as published")
    parser.add_argument("--setting", choices=paper002.SETTINGS, default="table", help="paper 002: what is varied")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_RUNS} draws per data set")


def _add_speed(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_speed)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--pool", default="LR", help="pool for the comparison with the twins (default LR)")
    parser.add_argument("--repeats", type=_count, default=5, help="warm calls of which the median counts (default 5)")
    parser.add_argument("--largest-lwea", type=int, default=SIZES["lwea"][-1], help="largest n of the growth curve")
    parser.add_argument("--largest-lwgp", type=int, default=SIZES["lwgp"][-1], help="largest n of the growth curve")
    parser.add_argument("--output", type=Path, default=Path("results", "speed.csv"))


def _add_restarts(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_restarts)
    parser.add_argument("--pools", nargs="+", default=["VS", "SPF", "MF", "Semeion", "LR"])
    parser.add_argument("--n-init", nargs="+", type=_count, default=[3, 5, 10, 20, 40])
    parser.add_argument("--draws", type=_count, default=10)
    parser.add_argument("--seeds", type=_count, default=5)


def _add_paper003(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_paper003)
    parser.add_argument("--pools", nargs="+", help="data sets (default: all with a pool)")
    parser.add_argument("--runs", type=_count, default=20, help="draws per data set (default 20)")
    parser.add_argument("--jobs", type=_count, default=2, help="draws computed at a time (default 2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("results", "paper003.csv"))


def _add_low_rank(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_low_rank)
    parser.add_argument("--microclusters", type=_count, default=4000)
    parser.add_argument("--direct-iterations", type=_count, default=1, help="how many are timed (default 1)")


def _add_choose_k(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_choose_k)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all that are there)")
    parser.add_argument("--runs", type=_count, default=5, help="draws per pool (default 5)")
    parser.add_argument("--k-max", type=int, default=40, help="largest candidate; 0 for the default of choose_k")
    parser.add_argument("--figure", type=Path, help="draw chosen k against classes into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "choose_k.csv"))


def _add_confidence(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_confidence)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all of LWEC and PTGP)")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=["lwea", "lwgp"])
    parser.add_argument("--members", nargs="+", type=_count, default=[10, 20], help="base clusterings per draw")
    parser.add_argument("--draws", type=_count, default=3, help="draws per pool and number of members (default 3)")
    parser.add_argument("--figure", type=Path, help="draw accuracy against the share kept into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "confidence.csv"))


def _add_generation(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_generation)
    parser.add_argument("--sets", nargs="+", default=["ISOLET", "USPS"])
    parser.add_argument("--members", type=_count, default=3)
    parser.add_argument("--seed", type=int, default=0)


def _add_largest(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_largest)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--sizes", nargs="+", type=_count, default=SIZES_TO_TRY)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which no larger size is tried")
    parser.add_argument("--in-process", action="store_true", help="no process per fit: quicker, but cannot be stopped")
    parser.add_argument("--output", type=Path, default=LARGEST)


def _add_methods_table(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_methods_table)
    parser.add_argument("--largest", type=Path, default=LARGEST)
    parser.add_argument("--output", type=Path, default=PAGE)


def _none_or_more(text: str) -> int:
    return 0 if text == "0" else _count(text)


def _add_scale(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_scale)
    parser.add_argument("--rows", default="1e6,1e7", help="numbers of objects (default 1e6,1e7)")
    parser.add_argument("--dir", type=Path, default=Path("results", "scale"), help="folder for the label matrices")
    parser.add_argument("--method", choices=("lwgp", "lwea"), default="lwgp")
    parser.add_argument("--largest-k", type=int, help="k of the base clusterings is below this (60; lwea: 95)")
    parser.add_argument("--backend", choices=("files", "dask", "memory"), default="files")
    parser.add_argument("--kill-worker", action="store_true", help="dask: kill one of two workers midway")
    parser.add_argument("--compare", help="also fit so many of the objects in memory and compare the labels")
    parser.add_argument("--output", type=Path, default=Path("results", "scale.csv"))


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        msg = f"{text} is not allowed: at least 1 is needed"
        raise argparse.ArgumentTypeError(msg)
    return number


if __name__ == "__main__":
    sys.exit(main())
