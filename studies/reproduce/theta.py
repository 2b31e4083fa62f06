"""Choose theta among the rows of a sweep: by the truth, as paper 003 does, or without it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from studies.reproduce.schema import setting_parts
from studies.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from studies.reproduce.declare import Row

__all__ = ["CHOICES", "best_thetas", "choose_theta"]

CHOICES = ("draw", "dataset", "agreement", "default")
DEFAULT = 1.0
Draws = dict[int, dict[float, float]]


def choose_theta(rows: Sequence[Row], metric: str, choice: str = "draw") -> list[Row]:
    """Return the rows of a metric, with one row per draw for a method that was run with several theta.

    Parameters
    ----------
    rows : rows of a result file, with the metric "ANMI" for the choice "agreement"
    metric : str
    choice : {"draw", "dataset", "agreement", "default"}
        "draw": the theta with the best score of every draw. "dataset": the theta with the best mean over the draws of
        every data set. Both look at the truth. "agreement": the theta whose labels agree most with the base
        clusterings of the draw. "default": the default of the method, 1.

    Returns
    -------
    list of rows
        Swept rows have an empty setting. Draws whose sweep is not complete are left out.
    """
    mine = [row for row in rows if row["metric"] == metric]
    kept = [row for row in mine if "theta" not in setting_parts(row["setting"])]
    guides = _sweeps(rows, "ANMI")
    for key, found in _sweeps(rows, metric).items():
        values = _whole(found)
        chosen = _chosen(values, guides.get(key, {}), choice)
        kept += [
            {**row, "setting": ""}
            for row in mine
            if (row["dataset"], row["method"]) == key and _theta(row) == chosen.get(int(row["run"]))
        ]
    return kept


def best_thetas(rows: Sequence[Row], metric: str) -> list[Row]:  # noqa: ARG001 - the shape of a view
    """Return one row per draw whose value is the theta with the best NMI/max, the smallest of several."""
    found = choose_theta(rows, "NMI/max")
    swept = {(row["dataset"], row["method"], row["run"]): row for row in reversed(list(_with_theta(rows, found)))}
    return list(swept.values())


def _with_theta(rows: Sequence[Row], found: Sequence[Row]) -> Iterator[Row]:
    best = {(row["dataset"], row["method"], row["run"]): row["value"] for row in found}
    for row in sorted((r for r in rows if r["metric"] == "NMI/max" and "theta" in r["setting"]), key=_theta):
        if best.get((row["dataset"], row["method"], row["run"])) == row["value"]:
            yield {**row, "metric": "best_theta", "value": str(_theta(row)), "setting": ""}


def _theta(row: Row) -> float:
    return float(setting_parts(row["setting"]).get("theta", "nan"))


def _sweeps(rows: Sequence[Row], metric: str) -> dict[tuple[str, str], Draws]:
    """Values by (data set, method), then run, then theta."""
    out: dict[tuple[str, str], Draws] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["metric"] == metric and "theta" in setting_parts(row["setting"]):
            out[row["dataset"], row["method"]][int(row["run"])][_theta(row)] = float(row["value"])
    return out


def _whole(found: Draws) -> Draws:
    """Leave out draws with fewer theta than others: a stopped run has not finished their sweep."""
    most = max(len(scores) for scores in found.values())
    return {run: scores for run, scores in found.items() if len(scores) == most}


def _chosen(values: Draws, guides: Draws, choice: str) -> dict[int, float]:
    """Theta by run."""

    def best(scores: dict[float, float]) -> float:
        return max(sorted(scores), key=scores.__getitem__)

    if choice == "dataset":
        thetas = {theta for scores in values.values() for theta in scores}
        means = {t: mean_of(scores[t] for scores in values.values() if t in scores) for t in sorted(thetas)}
        return dict.fromkeys(values, best(means))
    pick: dict[str, Callable[[int], float]] = {
        "draw": lambda run: best(values[run]),
        "agreement": lambda run: best(guides[run]),
        "default": lambda run: DEFAULT,  # noqa: ARG005
    }
    return {run: pick[choice](run) for run in values}
