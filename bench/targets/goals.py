"""The targets, and the section of the speed page that says which are met."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.markdown import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["COLUMNS", "GOALS", "Figures", "Goal", "targets_section"]

COLUMNS = (
    "case", "what", "turn", "cpu_seconds", "seconds", "peak_mib", "n_microclusters", "commit", "load", "versions",
)  # fmt: skip
_MIB_PER_GB = 1e9 / 2**20
_TEXT = """\
## Targets

What was aimed at, and what came out, in processor seconds on one thread, after a warm-up but for first fits. What is
divided by something was measured with it, turn by turn, so that other work on the machine slows both; seconds alone
are as many as it needed then. *Before* is commit {commit}. Of several rounds the medians count. Objects are 20
Gaussians that overlap, as in the section above; *apart* are those of scikit-learn's `make_blobs`,
which k-means finds in two or three iterations. The tables on label matrices and on features, below, are older:
PTA, PTGP, SAL and LWGP are slower there
than they are now. Written by `python -m bench targets`, which goes on where it was stopped; every figure is a row of
[speed_targets.csv](speed_targets.csv).
"""


class Figures:
    """What was measured: medians of the rounds, by case and by what was measured in it."""

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        for row in rows:
            for column in ("cpu_seconds", "seconds", "peak_mib", "n_microclusters"):
                if row[column]:
                    self._values[row["case"], row["what"], column].append(float(row[column]))

    def __call__(self, case: str, what: str = "", column: str = "cpu_seconds") -> float:
        """Return a median; a KeyError if there is no such row."""
        values = self._values.get((case, what, column))
        if values is None:
            raise KeyError(case)
        return statistics.median(values)

    def ratio(self, case: str, above: str, below: str) -> float:
        """Return one time of a case divided by another."""
        return self(case, above) / self(case, below)


@dataclass(frozen=True)
class Goal:
    """A number that should be at most, or at least, another."""

    what: str
    value: Callable[[Figures], float]
    bound: float
    unit: str = ""
    at_least: bool = False

    def row(self, figures: Figures) -> list[str]:
        """Return the line of the table."""
        target = f"{'>=' if self.at_least else '<='} {self.bound:g}{self.unit}"
        try:
            value = self.value(figures)
        except KeyError:
            return [self.what, target, "-", "not measured"]
        met = value >= self.bound if self.at_least else value <= self.bound
        return [self.what, target, f"{value:.3g}{self.unit}", "yes" if met else "no"]


def _default_goals(n: int, more: str = "") -> list[Goal]:
    case, data = f"default, {n:,}{more}", f"{n:,} objects{more}"
    return [
        Goal(f"Default fit / KMeans with ten starts, {data}", lambda f: f.ratio(case, "20 clusters", "KMeans"), 15.0),
        Goal(f'`n_clusters="auto"` / fit, {data}', lambda f: f.ratio(case, "auto", "20 clusters"), 1.3),
    ]


def _faster(what: str, case: str, times: float) -> Goal:
    case = f"before and now, {case}"
    return Goal(f"{what}: before / now", lambda f: f.ratio(case, "before", "now"), times, at_least=True)


def _not_slower(method: str) -> Goal:
    case = f"before and now, {method}, 10,000 x 10"
    return Goal(f"{method.upper()}, M = 10, 10,000 objects: now / before", lambda f: f.ratio(case, "now", "before"), 1)


def _seconds(what: str, case: str, bound: float, part: str = "") -> Goal:
    return Goal(what, lambda f: f(case, part), bound, " s")


def _disk_goals(method: str) -> list[Goal]:
    case, name = f"disk, {method}", f"{method.upper()} from disk, M = 100"
    small, large = "1000000", "10000000"
    return [
        Goal(f"{name}: time of 10,000,000 objects / 1,000,000", lambda f: f.ratio(case, large, small), 10),
        Goal(
            f"{name}, 10,000,000 objects: peak memory", lambda f: f(case, large, "peak_mib") / _MIB_PER_GB, 2.0, " GB"
        ),
    ]


_RUN = "run, 1,000,000"
GOALS: Sequence[Goal] = (
    *(goal for n in (1_000, 10_000, 100_000) for goal in _default_goals(n)),
    *(goal for n in (1_000, 10_000, 100_000) for goal in _default_goals(n, " apart")),
    _faster("Common objects of clusters, 100,000 x 100", "overlap, 100,000 x 100", 15),
    _faster("LWGP, 100,000 x 100", "lwgp, 100,000 x 100", 8),
    _faster("SAL, 100,000 x 100", "sal, 100,000 x 100", 8),
    _faster("PTA, 11,000 objects (10,000 microclusters)", "pta, 11,000 x 10", 5),
    _faster("PTGP, 11,000 objects (10,000 microclusters)", "ptgp, 11,000 x 10", 5),
    _seconds("PTA, 36,000 objects (30,000 microclusters)", "made up, pta", 600),
    _seconds("PTGP, 36,000 objects (30,000 microclusters)", "made up, ptgp", 600),
    *(_not_slower(method) for method in ("lwea", "lwgp", "sal")),
    _seconds("LWEA, ten members of the pool LR", "LR, lwea", 0.2),
    _seconds("LWGP, ten members of the pool LR", "LR, lwgp", 0.1),
    _seconds("Exact LWEA, 500,000 objects", "made up, lwea", 20),
    *(goal for method in ("lwgp", "sal") for goal in _disk_goals(method)),
    Goal("`consensa run`, 1,000,000 x 20 features to labels", lambda f: f(_RUN) / 60, 5, " min"),
    Goal("The same: peak memory", lambda f: f(_RUN, "", "peak_mib") / _MIB_PER_GB, 2.0, " GB"),
    _seconds("First default fit in a new process, nothing compiled yet", "first fit", 5, "empty cache"),
    _seconds("First default fit in a new process, compiled before", "first fit", 1, "warm cache"),
    _seconds("Iris after that", "first fit", 0.1, "iris, warm cache"),
)


def targets_section(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the section of the speed page, as Markdown."""
    figures = Figures(rows)
    lines = [goal.row(figures) for goal in GOALS]
    commit = next((row["commit"] for row in rows if row["commit"]), "-")
    table = markdown_table(["", "target", "measured", "met"], lines)
    n_met = sum(line[-1] == "yes" for line in lines)
    load = statistics.median(float(row["load"]) for row in rows)
    return (
        f"{_TEXT.format(commit=commit)}\n{table}\n\n{n_met} of {len(lines)} are met. "
        f"Median load of the machine meanwhile: {load:.1f}."
    )
