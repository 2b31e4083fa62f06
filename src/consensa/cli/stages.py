"""Stages of a run on standard error: which one begins, and about how long all that follow will take."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from consensa._progress import stages_told
from consensa.cli.progress import duration
from consensa.cli.terminal import say, shows_progress

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

__all__ = ["Stages", "telling_stages"]

# Shares of the time of a whole run, as measured on tables of 2,000 and 20,000 rows; they differ by size.
_SHARES = {
    "base clusterings": 0.6,
    "rows into base clusterings": 0.05,
    "consensus": 0.12,
    "choice of k": 0.12,
    "labels": 0.02,
    "report": 0.09,
}
_SECONDS_IN_LOG = 10.0


class Stages:
    """Says which stage begins, and about how long it and all that follow will take, judged by those that are done.

    On a terminal every stage is told, on a line that the next one takes; in a log those that begin ten seconds or more
    after the last that was told.

    Parameters
    ----------
    plan : list of str
        The stages to come; one that is not among them is not told.
    quiet : bool

    Examples
    --------
    >>> stages = Stages(["base clusterings", "consensus", "labels"], quiet=True)
    >>> stages.left(0.0, "base clusterings"), round(stages.left(4.5, "consensus"), 1)
    (None, 1.1)
    """

    def __init__(self, plan: list[str], *, quiet: bool) -> None:
        self._plan, self._quiet, self._live = plan, quiet, shows_progress(quiet=quiet)
        self._start = self._told = time.monotonic()

    def __call__(self, stage: str) -> None:
        """Take note that a stage begins."""
        if self._quiet or stage not in self._plan:
            return
        now = time.monotonic()
        left = self.left(now - self._start, stage)
        ahead = "" if left is None else f"; {duration(now - self._start)} so far, about {duration(left)} left"
        text = f"{stage} (stage {self._plan.index(stage) + 1} of {len(self._plan)}{ahead})"
        if self._live:
            sys.stderr.write(f"\r\x1b[Kconsensa: {text}\n")
            sys.stderr.flush()
        elif now - self._told >= _SECONDS_IN_LOG:
            say(text + ".")
            self._told = now

    def left(self, elapsed: float, stage: str) -> float | None:
        """Return the seconds that a stage and those after it will take; None before anything is done."""
        shares = [_SHARES[name] for name in self._plan]
        done = sum(shares[: self._plan.index(stage)])
        return elapsed * (sum(shares) - done) / done if done else None


@contextmanager
def telling_stages(arguments: Namespace) -> Iterator[Stages]:
    """Tell the stages of a run in memory for as long as the context lasts."""
    plan = [name for name in _SHARES if _is_wanted(name, arguments)]
    stages = Stages(plan, quiet=arguments.quiet)
    with stages_told(stages):
        stages("base clusterings")
        yield stages


def _is_wanted(stage: str, arguments: Namespace) -> bool:
    wishes = {
        "rows into base clusterings": arguments.generator == "table",
        "choice of k": isinstance(arguments.n_clusters, str),
        "report": arguments.report is not None,
    }
    return wishes.get(stage, True)
