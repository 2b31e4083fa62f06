"""The studies' command line: ``python -m studies reproduce | choose-k | ...``, from the repository root."""

from __future__ import annotations

import argparse
import sys

from studies.choose_k.command import add_choose_k
from studies.choose_k.fit import add_fit_k
from studies.choose_k.judge import add_judge_k
from studies.confidence import add_confidence
from studies.default.command import add_default
from studies.evidence.write import add_evidence
from studies.leaderboard.command import add_leaderboard
from studies.reproduce.command import add_reproduce
from studies.reproduce.pool import add_make_pool
from studies.reproduce.stale import add_draws
from studies.rivals.command import add_rivals
from studies.scale import add_scale
from studies.significance import add_significance
from studies.single.command import add_single
from studies.tables.command import add_tables

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run a study and return the exit code: 0, or 2 for a wrong request."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValueError as error:
        print(f"studies: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies", description="Studies with consensa.")
    commands = parser.add_subparsers(required=True)
    add_reproduce(commands.add_parser("reproduce", help="compute the published tables and figures again"))
    add_evidence(commands.add_parser("evidence", help="write the comparison pages from result files"))
    add_draws(commands.add_parser("draws", help="whether the kept draws are those of today's source"))
    add_make_pool(commands.add_parser("make-pool", help="make a pool that paper 001 has not published"))
    add_default(commands.add_parser("default", help="the search for the default method"))
    add_leaderboard(commands.add_parser("leaderboard", help="every method on every pool, rows shuffled"))
    add_single(commands.add_parser("single", help="the default beside single algorithms, on features"))
    add_rivals(commands.add_parser("rivals", help="other packages on the same ensembles"))
    add_choose_k(commands.add_parser("choose-k", help="how often the chosen k is the number of classes"))
    add_fit_k(commands.add_parser("fit-k", help="fit the rule of the choice of k on simulated ensembles"))
    add_judge_k(commands.add_parser("judge-k", help="every target of the choice of k in one table, beside other rules"))
    add_confidence(commands.add_parser("confidence", help="accuracy of the objects by their confidence"))
    add_significance(commands.add_parser("significance", help="how often the test splits data without clusters"))
    add_tables(commands.add_parser("tables", help="mixed tables with gaps, against the usual ways to cluster them"))
    add_scale(commands.add_parser("scale", help="plain numbers as they are, and with their units evened out"))
    for command in commands.choices.values():
        command.add_argument("--data-dir", help="folder with pools/ (default: environment variable CONSENSA_DATA)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
