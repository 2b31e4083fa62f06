"""Methods on several data sets: means, ranks, Friedman's test, pairwise tests, and the tables that papers print."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from consensa._frames import make_frame
from consensa._text import format_table, latex_table, markdown_table
from consensa._validation import check_fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MethodRanking", "rank_methods"]

_FEWEST_SETS = 2
_FEWEST_METHODS = 2


@dataclass(frozen=True, eq=False)
class MethodRanking:
    """Methods on several data sets, with what can be said of their differences; ``print`` it for a table.

    Parameters
    ----------
    methods : tuple of n_methods str
    datasets : tuple of n_datasets str
    scores : ndarray of shape (n_datasets, n_methods)
        Mean over the draws of a data set; large is good.
    deviations : ndarray of shape (n_datasets, n_methods)
        Standard deviation over the draws of a data set; NaN where there is one draw.
    left_out : tuple of str
        Data sets that are in no test, since a method has no score there.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> found = rank_methods([[0.9, 0.7], [0.8, 0.6], [0.7, 0.6]], ["lwea", "eac"])
    >>> found.mean_ranks
    array([1., 2.])
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    scores: np.ndarray
    deviations: np.ndarray
    left_out: tuple[str, ...] = ()
    alpha: float = 0.05

    @property
    def mean(self) -> np.ndarray:
        """Mean score of every method over the data sets."""
        return self.scores.mean(axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation of every method over the data sets."""
        return self.scores.std(axis=0, ddof=1)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of every method on every data set, 1 for the best; ties share the mean of their ranks."""
        return np.asarray(stats.rankdata(-self.scores.round(12), axis=1))

    @property
    def mean_ranks(self) -> np.ndarray:
        """Mean rank of every method."""
        return self.ranks.mean(axis=0)

    @cached_property
    def friedman(self) -> tuple[float, float]:
        """Friedman's chi-squared with the correction for ties, and its p-value; 0 and 1 if all methods are alike."""
        n, k = self.ranks.shape
        spread = ((self.ranks - (k + 1) / 2) ** 2).sum()
        if spread == 0:
            return 0.0, 1.0
        statistic = (k - 1) * n**2 * ((self.mean_ranks - (k + 1) / 2) ** 2).sum() / spread
        return float(statistic), float(stats.chi2.sf(statistic, k - 1))

    @cached_property
    def pairwise(self) -> np.ndarray:
        """P-values of Wilcoxon's signed-rank test for every two methods, with Holm's correction; 1 on the diagonal."""
        k = len(self.methods)
        upper = np.triu_indices(k, 1)
        raw = np.array([_signed_rank(self.scores[:, i] - self.scores[:, j]) for i, j in zip(*upper, strict=True)])
        matrix = np.ones((k, k))
        matrix[upper] = holm(raw)
        return np.minimum(matrix, matrix.T)

    @property
    def critical_difference(self) -> float:
        """The difference of mean ranks that Nemenyi's test takes for real at the level ``alpha``."""
        n, k = self.ranks.shape
        return float(stats.studentized_range.ppf(1 - self.alpha, k, np.inf) * np.sqrt(k * (k + 1) / (12 * n)))

    @property
    def order(self) -> np.ndarray:
        """Numbers of the methods, the best mean rank first."""
        return np.lexsort((-self.mean, self.mean_ranks.round(12)))

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Largest runs of methods, in the ``order`` of ranks, of which no two differ by the pairwise tests."""
        order, found = self.order, []
        last = -1
        for start in range(order.size):
            stop = start + 1
            while stop < order.size and (self.pairwise[order[stop], order[start:stop]] > self.alpha).all():
                stop += 1
            if stop > last and stop - start > 1:
                found.append(tuple(order[start:stop].tolist()))
                last = stop
        return found

    def to_frame(self) -> Any:
        """Return a line for every method, best rank first, as a data frame.

        Returns
        -------
        data frame
            ``method``, ``mean``, ``deviation`` (over the data sets), ``mean_rank``, ``wins`` (data sets on which it
            has the best score, ties included) and ``p_best``: Holm's p-value against the method of the first line.
        """
        order, best = self.order, self.order[0]
        wins = (self.scores >= self.scores.max(axis=1, keepdims=True)).sum(axis=0)
        return make_frame(
            {
                "method": [self.methods[j] for j in order],
                "mean": self.mean[order],
                "deviation": self.deviation[order],
                "mean_rank": self.mean_ranks[order],
                "wins": wins[order],
                "p_best": self.pairwise[best, order],
            }
        )

    def pairwise_frame(self) -> Any:
        """Return a line for every two methods, the smallest p-value first, as a data frame.

        Returns
        -------
        data frame
            ``first`` and ``second`` (of the two, the first has the better rank), ``difference`` of the mean scores,
            ``p_holm`` and whether they ``differ`` at the level ``alpha``.
        """
        order = self.order
        pairs = sorted(
            ((order[i], order[j]) for i in range(order.size) for j in range(i + 1, order.size)),
            key=lambda pair: self.pairwise[pair],
        )
        p = np.array([self.pairwise[pair] for pair in pairs])
        return make_frame(
            {
                "first": [self.methods[i] for i, _ in pairs],
                "second": [self.methods[j] for _, j in pairs],
                "difference": np.array([self.mean[i] - self.mean[j] for i, j in pairs]),
                "p_holm": p,
                "differ": p <= self.alpha,
            }
        )

    def rows(self) -> list[list[str]]:
        """Return the cells of the table of methods as text.

        Returns
        -------
        list of rows
            The header first, then the methods, best rank first.
        """
        best = self.order[0]
        rows = [["method", "mean", "sd", "mean rank", f"p against {self.methods[best]}"]]
        for j in self.order:
            p = "" if j == best else f"{self.pairwise[best, j]:.3g}"
            rows.append(
                [self.methods[j], f"{self.mean[j]:.3f}", f"{self.deviation[j]:.3f}", f"{self.mean_ranks[j]:.2f}", p]
            )
        return rows

    def score_rows(self) -> list[list[str]]:
        """Return the cells of the table of data sets by methods as text: mean, and deviation over the draws.

        Returns
        -------
        list of rows
            The header first; the last two are the means over the data sets and the mean ranks.
        """
        order = self.order
        rows = [["data set", *(self.methods[j] for j in order)]]
        for name, scores, spread in zip(self.datasets, self.scores, self.deviations, strict=True):
            rows.append([name, *(_with_spread(scores[j], spread[j]) for j in order)])
        rows.append(["mean", *(f"{self.mean[j]:.3f}" for j in order)])
        rows.append(["mean rank", *(f"{self.mean_ranks[j]:.2f}" for j in order)])
        return rows

    def to_markdown(self, *, scores: bool = False) -> str:
        """Return a table in Markdown.

        Parameters
        ----------
        scores : bool, default=False
            Whether to write data sets by methods, instead of a line for every method.

        Returns
        -------
        str
        """
        return f"{markdown_table(self.score_rows() if scores else self.rows())}\n\n{self.verdict()}"

    def to_latex(self, *, scores: bool = False) -> str:
        """Return a table for LaTeX with the package booktabs.

        Parameters
        ----------
        scores : bool, default=False
            Whether to write data sets by methods, instead of a line for every method.

        Returns
        -------
        str
        """
        table = latex_table(self.score_rows() if scores else self.rows(), rules=2 if scores else 0)
        return f"{table}\n% {self.verdict()}"

    def verdict(self) -> str:
        """Say in a sentence or two what the tests found.

        Returns
        -------
        str
        """
        n, k = self.ranks.shape
        statistic, p = self.friedman
        text = f"Friedman's test of {k} methods on {n} data sets: chi2 = {statistic:.2f}, p = {p:.3g}."
        text += " Pairs: Wilcoxon's signed-rank test with Holm's correction."
        if self.left_out:
            text += f" In no test, since a method has no score there: {', '.join(self.left_out)}."
        return text

    def __str__(self) -> str:
        rows = self.rows()
        return f"{format_table(rows, right=range(1, len(rows[0])))}\n{self.verdict()}"

    def _repr_html_(self) -> str:
        from consensa._notebook import table_summary

        return table_summary(f"{len(self.methods)} methods, {len(self.datasets)} sets", self.rows(), [self.verdict()])


def rank_methods(
    scores: Any,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    *,
    alpha: float = 0.05,
) -> MethodRanking:
    """Rank methods by their scores on several data sets, and test whether they differ.

    Friedman's test asks whether all methods are alike; Wilcoxon's signed-rank test compares every two of them over the
    data sets, with Holm's correction for their number. Draws of the same data set are not independent evidence: lines
    of the same name are averaged first. :func:`consensa.report.plot_critical_difference` draws the result.

    Parameters
    ----------
    scores : array of shape (n_lines, n_methods)
        Large is good. NaN where a method has no score: the data set then stands in ``left_out`` and in no test.
    methods : sequence of n_methods str, default=None
        None for numbers.
    datasets : sequence of n_lines str, default=None
        The data set of every line; None for one each.
    alpha : float, default=0.05
        Level of the tests.

    Returns
    -------
    MethodRanking

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, J. Machine Learning Research 7;
    pairs by Wilcoxon's test instead of ranks: Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests
    based on mean-ranks?, J. Machine Learning Research 17. Holm (1979), Scandinavian J. Statistics 6(2).

    Examples
    --------
    >>> from consensa.evaluate import rank_methods
    >>> scores = [[0.9, 0.8, 0.5], [0.7, 0.6, 0.5], [0.8, 0.7, 0.4], [0.6, 0.6, 0.5], [0.9, 0.7, 0.6], [0.8, 0.6, 0.5]]
    >>> found = rank_methods(scores, ["lwea", "eac", "voting"])
    >>> found.mean_ranks.round(2), round(found.friedman[1], 4)
    (array([1.08, 1.92, 3.  ]), 0.0031)
    >>> print(found)
    method   mean     sd  mean rank  p against lwea
    lwea    0.783  0.117       1.08
    eac     0.667  0.082       1.92          0.0938
    voting  0.500  0.063       3.00          0.0938
    Friedman's test of 3 methods on 6 data sets: chi2 = 11.57, p = 0.00308. Pairs: ...
    """
    check_fraction("alpha", alpha)
    values = np.atleast_2d(np.asarray(scores, dtype=float))
    n_lines, n_methods = values.shape
    names = [str(j) for j in range(n_methods)] if methods is None else [str(name) for name in methods]
    lines = [str(i) for i in range(n_lines)] if datasets is None else [str(name) for name in datasets]
    if len(names) != n_methods or len(lines) != n_lines:
        msg = (
            f"scores has {n_lines} lines and {n_methods} columns, but there are {len(lines)} names of data sets and "
            f"{len(names)} of methods; give one for each."
        )
        raise ValueError(msg)
    sets = list(dict.fromkeys(lines))
    members = [values[[i for i, line in enumerate(lines) if line == name]] for name in sets]
    means = np.array([block.mean(axis=0) for block in members])
    spread = np.array(
        [block.std(axis=0, ddof=1) if len(block) > 1 else np.full(n_methods, np.nan) for block in members]
    )
    whole = np.isfinite(means).all(axis=1)
    if n_methods < _FEWEST_METHODS or whole.sum() < _FEWEST_SETS:
        msg = (
            f"there are {n_methods} methods and {int(whole.sum())} data sets on which all of them have a score; a "
            "ranking needs two of each. Leave methods out that fail, or add data sets."
        )
        raise ValueError(msg)
    kept, left_out = (tuple(name for name, ok in zip(sets, whole, strict=True) if ok == want) for want in (True, False))
    return MethodRanking(tuple(names), kept, means[whole], spread[whole], left_out, alpha)


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for their number, step by step down.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (p.size - np.arange(p.size)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _signed_rank(differences: np.ndarray) -> float:
    """P-value of Wilcoxon's test; pairs without a difference count half for either side."""
    differences = differences.round(12)
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def _with_spread(value: float, spread: float) -> str:
    return f"{value:.3f}" if np.isnan(spread) else f"{value:.3f} ± {spread:.3f}"
