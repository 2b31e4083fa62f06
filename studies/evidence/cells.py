"""Cells that hold a published figure, ours, and how far they are apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from studies.statistics import Summary, agreement, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from studies.evidence.rows import Place, Run

__all__ = ["LEVELS", "METRICS", "Cell", "Comparison", "Figure", "Metric", "compare", "count_levels", "judge"]

LEVELS = {"better": "🟦", "agrees": "🟩", "worse": "🟥", "": "⬜"}
SMALL = 0.1  # of a published figure: no tolerance is larger, unless it is as small as rounding


@dataclass(frozen=True)
class Metric:
    """How a figure is judged and written.

    Parameters
    ----------
    better : {1, -1, 0}
        1: more is better; -1: less is better; 0: neither, only near or not.
    tolerance : float or None
        None: that of the paper. At most a tenth of the published figure.
    least : float
        Smallest tolerance, however small the published figure is.
    worst : float
        What a figure cannot be worse than; one that would agree with it cannot fail, and does not count.
    relative : bool
        The tolerance is a share of the published figure.
    digits : int
        After the point.
    judged : bool
        Seconds are shown but not judged: they come from other machines.
    """

    better: int = 1
    tolerance: float | None = None
    least: float = 0.005
    worst: float = 0.0
    relative: bool = False
    digits: int = 3
    judged: bool = True

    def allowed(self, printed: float, tolerance: float) -> float:
        """Return how far from a published figure ours may be."""
        given = tolerance if self.tolerance is None else self.tolerance
        if self.relative:
            return given * abs(printed)
        return min(given, max(SMALL * abs(printed), self.least)) if self.better else given

    def can_fail(self, printed: float, allowed: float) -> bool:
        """Tell whether the worst figure possible would be judged worse than the published one."""
        return self.better == 0 or (printed - self.worst) * self.better > allowed


METRICS = {
    "error_percent": Metric(better=-1, tolerance=3.0, least=1.0, worst=100.0, digits=1),
    "n_microclusters": Metric(better=0, tolerance=0.1, relative=True, digits=0),
    "n_links": Metric(better=0, tolerance=0.1, relative=True, digits=0),
    "ratio_links_percent": Metric(better=0, tolerance=0.1, relative=True, digits=1),
    "cluster_uncertainty": Metric(better=0, tolerance=0.0051),
    "ECI": Metric(better=0, tolerance=0.0051),
    "stable_ratio_R": Metric(better=0, tolerance=0.0051),
    "KL_divergence": Metric(better=0, tolerance=0.0051),
    "share_percent": Metric(better=0, tolerance=1.0, digits=0),
    "correct_percent": Metric(better=0, tolerance=3.0, digits=0),
    "weight_1": Metric(better=0, tolerance=0.05, digits=4),
    "weight_2": Metric(better=0, tolerance=0.05, digits=4),
    "seconds": Metric(better=-1, digits=2, judged=False),
}


class Figure(Protocol):
    """A published figure."""

    @property
    def mean(self) -> float: ...
    @property
    def std(self) -> float | None: ...
    @property
    def doubt(self) -> bool: ...


@dataclass(frozen=True)
class Cell:
    """Our runs at one place beside the published figure, if there is one.

    Parameters
    ----------
    ours : Summary
    runs : dict of float by run
        Those of which the draws are kept.
    printed : Figure or None
    level : str
        A key of :data:`LEVELS`; "" without a published figure, with a doubtful one, or where figures are not judged or
        cannot fail.
    earlier : bool
        Whether ``ours`` is of earlier runs, whose draws were not kept.
    """

    ours: Summary
    runs: Mapping[Run, float]
    printed: Figure | None = None
    level: str = ""
    earlier: bool = False

    @property
    def difference(self) -> float | None:
        """Ours less the published figure."""
        return None if self.printed is None else self.ours.mean - self.printed.mean


@dataclass(frozen=True)
class Comparison:
    """One table under one k rule, in one metric.

    Parameters
    ----------
    table, metric, k_rule : str
    cells : dict of Cell by (data set, method, setting)
        Where we have runs.
    printed : dict of published figures by the same
        All of them, ours or not.
    paper_runs : int
        Runs behind a published figure.
    printed_ranks : dict of float by method
        Average ranks over all its data sets, where the paper prints them.
    order : tuple of str
        Of the data sets.
    part : str
        What sets it apart from others of the same table, metric and k rule.
    """

    table: str
    metric: str
    k_rule: str
    cells: Mapping[Place, Cell]
    printed: Mapping[Place, Figure] = field(default_factory=dict)
    paper_runs: int = 1
    printed_ranks: Mapping[str, float] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    part: str = ""

    @property
    def judged(self) -> list[Cell]:
        """Cells that have a colour."""
        return [cell for cell in self.cells.values() if cell.level]

    def levels(self) -> dict[str, int]:
        """How many cells have each level of agreement."""
        return {name: sum(cell.level == name for cell in self.judged) for name in LEVELS if name}

    def names(self, part: int) -> list[str]:
        """Return data sets (0) or methods (1), in their order."""
        found = dict.fromkeys(place[part] for place in self.cells)
        known = [name for name in dict.fromkeys(self.order) if name in found] if part == 0 else []
        return [*known, *(name for name in found if name not in known)]

    @property
    def heading(self) -> str:
        """Metric, k rule and what else sets it apart."""
        rule = f"{self.k_rule} k" if self.k_rule else ""
        return ", ".join(text for text in (self.metric, rule, self.part.replace("=", " ")) if text)


def compare(
    runs: Mapping[Place, Mapping[Run, float]],
    printed: Mapping[Place, Figure],
    metric: str,
    tolerance: float,
    paper_runs: int = 1,
    earlier: Mapping[Place, Summary] | None = None,
) -> dict[Place, Cell]:
    """Put our runs beside the published figures of the same places.

    Parameters
    ----------
    runs : dict of values by place and run
    printed : dict of published figures by place
    metric : str
    tolerance : float
        Of a score of the paper; other metrics have their own.
    paper_runs : int
        Runs behind a published figure, whose printed deviation counts too.
    earlier : dict of Summary by place
        Means without their draws, which stand instead of the mean of the runs of these places.
    """
    rule = METRICS.get(metric, Metric())
    means = {place: summarise(values.values()) for place, values in runs.items()} | dict(earlier or {})
    found = {}
    for place, mean in means.items():
        figure = printed.get(place)
        level = "" if figure is None else judge(mean, figure, rule, tolerance, paper_runs)
        found[place] = Cell(mean, runs.get(place, {}), figure, level, place in (earlier or ()))
    return found


def judge(ours: Summary, printed: Figure, rule: Metric, tolerance: float, paper_runs: int) -> str:
    """Return the level of agreement of our mean with a published one; "" where it says nothing."""
    if printed.doubt or not rule.judged:
        return ""
    allowed = rule.allowed(printed.mean, tolerance)
    theirs = 0.0 if printed.std is None else printed.std / math.sqrt(paper_runs)
    error = math.hypot(ours.error, theirs)
    slack = 0.0 if math.isnan(error) else 2 * error
    if not rule.can_fail(printed.mean, max(allowed, slack)):
        return ""
    difference = (ours.mean - printed.mean) * (rule.better or 1)
    return agreement(difference, error, allowed, both_sides=rule.better == 0)


def count_levels(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """Add up the levels of agreement."""
    found = [each.levels() for each in comparisons]
    return {name: sum(levels[name] for levels in found) for name in LEVELS if name}
