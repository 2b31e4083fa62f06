"""The benchmarks' command line: ``python -m bench reproduce | speed | ...``, from the repository root."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.choose_k import run_choices
from bench.choose_k_report import choice_figure, choice_report
from bench.confidence import confidence_figure, confidence_report, run_confidence
from bench.data import choose_pools, count, find_data_dir, find_pools
from bench.default.command import add_default
from bench.digests import add_digests
from bench.evidence.write import add_evidence
from bench.generation import generation_speed
from bench.low_rank import low_rank_speed
from bench.methods_table import LARGEST, PAGE, methods_page, read_largest
from bench.reproduce.command import add_reproduce
from bench.reproduce.pool import add_make_pool
from bench.restarts import restarts, restarts_report
from bench.rivals_command import add_rivals
from bench.scale import markdown, scale
from bench.speed import against_twins, save, startup
from bench.speed_command import add_speed_page
from bench.speed_report import startup_report, twins_report
from consensa.methods import METHODS

__all__ = ["main"]

PARTS = ("twins", "startup")


def main(arguments: list[str] | None = None) -> int:
    """Run a benchmark and return the exit code: 0, or 2 for a wrong request."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


def _speed(options: argparse.Namespace) -> None:
    if "twins" in options.parts:
        rows = against_twins(find_data_dir(options.data_dir), pool=options.pool, repeats=options.repeats)
        save(rows, options.output)
        print(f"\n{options.pool} pool, {rows[0]['n_objects']:,} objects x 10\n{twins_report(rows)}")
    if "startup" in options.parts:
        rows = startup(repeats=options.repeats)
        save(rows, options.output)
        print(f"\n{startup_report(rows)}")


def _restarts(options: argparse.Namespace) -> None:
    chosen = choose_pools(find_pools(find_data_dir(options.data_dir), "LWEC"), options.pools)
    print(restarts_report(restarts(chosen, options.n_init, draws=options.draws, seeds=options.seeds)))


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
    add_reproduce(commands.add_parser("reproduce", help="compute the published tables and figures again"))
    add_evidence(commands.add_parser("evidence", help="write the comparison pages from result files"))
    add_make_pool(commands.add_parser("make-pool", help="make a pool that paper 001 has not published"))
    _add_speed(commands.add_parser("speed", help="against plain twins, cold start"))
    _add_restarts(commands.add_parser("restarts", help="score, spread and time of LWGP by n_init"))
    _add_low_rank(commands.add_parser("low-rank", help="row-space iteration of DLWECDL against the direct one"))
    _add_generation(commands.add_parser("generation", help="members of MDEC against full matrices"))
    _add_choose_k(commands.add_parser("choose-k", help="how often the chosen k is the number of classes"))
    _add_confidence(commands.add_parser("confidence", help="accuracy of the objects by their confidence"))
    add_speed_page(
        commands.add_parser("speed-page", help="every method on growing n, and what one would pick otherwise")
    )
    add_rivals(commands.add_parser("rivals", help="other packages on the same ensembles"))
    add_default(commands.add_parser("default", help="the search for the default method"))
    _add_methods_table(commands.add_parser("methods-table", help="write docs/methods.md again"))
    add_digests(commands.add_parser("digests", help="what every method answers, to compare two commits"))
    _add_scale(commands.add_parser("scale", help="consensus from disk, through files or dask, with growing n"))
    for command in commands.choices.values():
        command.add_argument("--data-dir", help="folder with pools/ (default: environment variable CONSENSA_DATA)")
    return parser


def _add_speed(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_speed)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--pool", default="LR", help="pool for the comparison with the twins (default LR)")
    parser.add_argument("--repeats", type=count, default=5, help="warm calls of which the median counts (default 5)")
    parser.add_argument("--output", type=Path, default=Path("results", "speed.csv"))


def _add_restarts(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_restarts)
    parser.add_argument("--pools", nargs="+", default=["VS", "SPF", "MF", "Semeion", "LR"])
    parser.add_argument("--n-init", nargs="+", type=count, default=[3, 5, 10, 20, 40])
    parser.add_argument("--draws", type=count, default=10)
    parser.add_argument("--seeds", type=count, default=5)


def _add_low_rank(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_low_rank)
    parser.add_argument("--microclusters", type=count, default=4000)
    parser.add_argument("--direct-iterations", type=count, default=1, help="how many are timed (default 1)")


def _add_choose_k(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_choose_k)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all that are there)")
    parser.add_argument("--runs", type=count, default=5, help="draws per pool (default 5)")
    parser.add_argument("--k-max", type=int, default=40, help="largest candidate; 0 for the default of choose_k")
    parser.add_argument("--figure", type=Path, help="draw chosen k against classes into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "choose_k.csv"))


def _add_confidence(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_confidence)
    parser.add_argument("--pools", nargs="+", help="only these, such as LWEC_MF (default: all of LWEC and PTGP)")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=["lwea", "lwgp"])
    parser.add_argument("--members", nargs="+", type=count, default=[10, 20], help="base clusterings per draw")
    parser.add_argument("--draws", type=count, default=3, help="draws per pool and number of members (default 3)")
    parser.add_argument("--figure", type=Path, help="draw accuracy against the share kept into this file")
    parser.add_argument("--output", type=Path, default=Path("results", "confidence.csv"))


def _add_generation(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_generation)
    parser.add_argument("--sets", nargs="+", default=["ISOLET", "USPS"])
    parser.add_argument("--members", type=count, default=3)
    parser.add_argument("--seed", type=int, default=0)


def _add_methods_table(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_methods_table)
    parser.add_argument("--largest", type=Path, default=LARGEST)
    parser.add_argument("--output", type=Path, default=PAGE)


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


if __name__ == "__main__":
    sys.exit(main())
