"""The picture of ranks that papers print: methods on a line by mean rank, those that do not differ joined by bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.report.figures import current_axes

if TYPE_CHECKING:
    from consensa.evaluate import MethodRanking

__all__ = ["plot_critical_difference"]

_BAR_GAP = 0.22
_LINE_GAP = 0.55


def plot_critical_difference(ranking: MethodRanking, ax: Any = None) -> Any:
    """Draw methods by their mean rank, and a bar over every run of methods of which no two differ.

    Which methods differ is said by Wilcoxon's signed-rank tests with Holm's correction
    (:attr:`~consensa.evaluate.MethodRanking.groups`), not by the difference of ranks, which depends on the other
    methods in the comparison; the critical difference of Nemenyi's test is drawn as a scale.

    Parameters
    ----------
    ranking : MethodRanking
        From :func:`consensa.evaluate.rank_methods`.
    ax : matplotlib Axes, default=None
        None for the current ones.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, J. Machine Learning Research 7.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from consensa.evaluate import rank_methods
    >>> ranking = rank_methods([[0.9, 0.8, 0.5], [0.7, 0.6, 0.5], [0.8, 0.7, 0.4]], ["lwea", "eac", "voting"])
    >>> plot_critical_difference(ranking).get_title()
    'Mean ranks of 3 methods on 3 data sets'
    """
    axes = current_axes(ax)
    k = len(ranking.methods)
    ranks, order = ranking.mean_ranks, ranking.order
    bars = ranking.groups
    below = -0.35 - _BAR_GAP * len(bars)  # where the names begin
    left = (k + 1) // 2
    for place, j in enumerate(order):
        first = place < left
        line = place if first else k - 1 - place
        y, edge = below - _LINE_GAP * line, 0.7 if first else k + 0.3
        axes.plot([ranks[j], ranks[j], edge], [0, y, y], color="0.35", linewidth=0.9)
        text = f"{ranking.methods[j]} ({ranks[j]:.2f})"
        axes.text(edge + (-0.06 if first else 0.06), y, text, ha="right" if first else "left", va="center")
    for row, group in enumerate(bars):
        y = -0.25 - _BAR_GAP * row
        ends = [ranks[group[0]] - 0.03, ranks[group[-1]] + 0.03]
        axes.plot(ends, [y, y], color="#0b5fa5", linewidth=4, solid_capstyle="butt")
    axes.plot([1, k], [0, 0], color="0.1", linewidth=1.2)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [0, 0.12], color="0.1", linewidth=1)
        axes.text(tick, 0.2, str(tick), ha="center", va="bottom")
    difference = ranking.critical_difference
    axes.plot([1, 1 + difference], [0.85, 0.85], color="0.1", linewidth=1.5, marker="|")
    axes.text(1 + difference / 2, 0.95, f"CD = {difference:.2f} (Nemenyi, {ranking.alpha:g})", ha="center", va="bottom")
    axes.set(title=f"Mean ranks of {k} methods on {len(ranking.datasets)} data sets")
    axes.set_xlim(-0.2 * k, 1 + 1.2 * k)
    axes.set_ylim(below - _LINE_GAP * left, 1.4)
    axes.axis("off")
    return axes
