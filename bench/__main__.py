"""The benchmarks' command line: ``python -m bench speed | scale | ...``, from the repository root."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.data import choose_pools, count, find_data_dir, find_pools
from bench.digests import add_digests
from bench.methods_table import LARGEST, PAGE, methods_page, read_largest
from bench.scale.run import markdown, scale
from bench.speed.check import add_check
from bench.speed.command import add_speed_page
from bench.speed.default_path import add_speed_default
from bench.speed.generation import generation_speed
from bench.speed.low_rank import low_rank_speed
from bench.speed.processes import against_twins, save, startup
from bench.speed.report import startup_report, twins_report
from bench.speed.restarts import restarts, restarts_report
from bench.speed.trajectory import add_trajectory
from bench.targets.command import add_targets

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
    _add_speed(commands.add_parser("speed", help="against plain twins, cold start"))
    add_trajectory(commands.add_parser("trajectory", help="probability trajectories and PTGP against dense products"))
    _add_restarts(commands.add_parser("restarts", help="score, spread and time of LWGP by n_init"))
    _add_low_rank(commands.add_parser("low-rank", help="row-space iteration of DLWECDL against the direct one"))
    _add_generation(commands.add_parser("generation", help="members of MDEC against full matrices"))
    add_speed_page(
        commands.add_parser("speed-page", help="every method on growing n, and what one would pick otherwise")
    )
    add_speed_default(
        commands.add_parser("speed-default", help="the default from features to labels, beside KMeans with ten starts")
    )
    add_targets(commands.add_parser("targets", help="what speed was aimed at, measured, and whether it was reached"))
    add_check(commands.add_parser("check", help="the present tree against an earlier commit: which ratios moved"))
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
