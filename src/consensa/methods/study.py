"""Many methods on several ensembles: what each did where, and the ranking that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._frames import make_frame
from consensa._validation import check_choice
from consensa.evaluate.ranking import MethodRanking, rank_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from consensa.methods.comparison import MethodComparison, MethodResult

__all__ = ["MethodStudy", "run_study"]


@dataclass(frozen=True, eq=False)
class MethodStudy:
    """Results of many methods on several ensembles; ``print`` it for the ranking.

    Parameters
    ----------
    comparisons : dict of MethodComparison by name of the ensemble
        A name is a text, or a pair of a data set and a draw.

    Examples
    --------
    >>> from consensa import compare_methods
    >>> one, two = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 2]], [[0, 0, 1, 1, 1], [0, 0, 0, 1, 1]]
    >>> truth = {"one": [0, 0, 0, 1, 1], "two": [0, 0, 1, 1, 1]}
    >>> study = compare_methods({"one": one, "two": two}, 2, ["eac", "lwea"], truth=truth)
    >>> study.ranking("ari").mean_ranks
    array([1.5, 1.5])
    """

    comparisons: dict[Any, MethodComparison]

    @property
    def interrupted(self) -> bool:
        """Whether the study was stopped before all methods had been tried on all ensembles."""
        return any(each.interrupted for each in self.comparisons.values())

    def ranking(self, score: str | None = None, *, alpha: float = 0.05) -> MethodRanking:
        """Rank the methods by one score over the data sets, with tests of their differences.

        Parameters
        ----------
        score : {"ari", "nmi", "anmi"} or None, default=None
            Agreement with the truth, or (anmi) with the base clusterings; None for "ari", or "anmi" without a truth.
        alpha : float, default=0.05
            Level of the tests.

        Returns
        -------
        MethodRanking
            Draws of the same data set are averaged first. Where a method failed, the data set is in no test.
        """
        word = score or ("ari" if self._has("ari") else "anmi")
        check_choice("score", word, ("ari", "nmi", "anmi"))
        if not self._has(word):
            msg = f"there is no {word} without known classes; give them as truth, or rank by score='anmi'."
            raise ValueError(msg)
        names = list(next(iter(self.comparisons.values())).results)
        values = [[_number(getattr(each.results[name], word)) for name in names] for each in self.comparisons.values()]
        return rank_methods(values, names, [_set_and_draw(key)[0] for key in self.comparisons], alpha=alpha)

    def to_frame(self) -> Any:
        """Return a line for every method on every ensemble, as a data frame.

        Returns
        -------
        data frame
            ``dataset``, ``draw``, ``method``, ``status``, ``n_clusters``, ``seconds``, ``anmi``, ``nmi``, ``ari``; NaN
            where there is no number.
        """
        lines: list[tuple[Any, MethodResult]] = [
            (key, result) for key, each in self.comparisons.items() for result in each.results.values()
        ]
        columns: dict[str, Any] = {
            "dataset": [_set_and_draw(key)[0] for key, _ in lines],
            "draw": [_set_and_draw(key)[1] for key, _ in lines],
            "method": [result.name for _, result in lines],
            "status": [result.status for _, result in lines],
            "n_clusters": [self.comparisons[key].n_clusters for key, _ in lines],
        }
        for word in ("seconds", "anmi", "nmi", "ari"):
            columns[word] = np.array([_number(getattr(result, word)) for _, result in lines])
        return make_frame(columns)

    def __str__(self) -> str:
        word = "ari" if self._has("ari") else "anmi"
        return f"{word.upper()} of {len(self.comparisons)} ensembles\n{self.ranking(word)}"

    def _has(self, word: str) -> bool:
        results = (result for each in self.comparisons.values() for result in each.results.values())
        return any(getattr(result, word) is not None for result in results)


def run_study(
    compare: Callable[..., MethodComparison], partitions: Mapping[Any, Any], n_clusters: Any, truth: Any
) -> MethodStudy:
    """Compare methods on every ensemble; numbers of clusters and truths come for all, or by the same names."""
    if not partitions:
        msg = "partitions={} holds no ensemble; give a dict of label matrices by name."
        raise ValueError(msg)
    found = {}
    for key, each in partitions.items():
        found[key] = compare(each, _of(key, n_clusters, "n_clusters"), truth=_of(key, truth, "truth"))
        if found[key].interrupted:
            break
    return MethodStudy(found)


def _of(key: Any, given: Any, what: str) -> Any:
    """What is given for an ensemble: by its name, by that of its data set, or the same for all."""
    if not isinstance(given, dict):
        if what == "truth" and given is not None:
            msg = "truth has to be a dict of label vectors by name, as partitions is; the ensembles differ."
            raise ValueError(msg)
        return given
    for name in (key, _set_and_draw(key)[0]):
        if name in given:
            return given[name]
    msg = f"{what} has nothing for {key!r}; its names are {', '.join(map(repr, given))}."
    raise ValueError(msg)


def _set_and_draw(key: Any) -> tuple[str, str]:
    if isinstance(key, tuple) and len(key) == 2:
        return str(key[0]), str(key[1])
    return str(key), ""


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
