"""The figures of consensus clustering by resampling: distributions, gains, ambiguous pairs, items and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.choose.consensus_index import delta_area, pac
from consensa.choose.k_choice import CDF_GRID
from consensa.evaluate.membership import cluster_consensus, item_consensus
from consensa.report.figures import current_axes, framed, hue, mark_chosen
from consensa.report.subject import subject_of

if TYPE_CHECKING:
    from consensa._types import FittedModel
    from consensa.choose import KChoice

__all__ = ["plot_cdf", "plot_cluster_consensus", "plot_delta_area", "plot_item_consensus", "plot_pac"]

_MOST_BARS = 400


def plot_cdf(choice: KChoice, ax: Any = None) -> Any:
    """Draw the distribution of the consensus index of pairs of objects for every number of clusters.

    A flat middle says that pairs are nearly always or nearly never together, as they are in clear clusters.

    Parameters
    ----------
    choice : KChoice
        From :func:`consensa.choose_k` on an ensemble of subsamples, or ``choice_`` of a model of such.
    ax : matplotlib Axes, default=None
        None for the current ones.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from consensa import choose_k
    >>> from consensa.generate import SubsamplePartitions
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> partitions = SubsamplePartitions(n_partitions=10, n_clusters=2, random_state=0).fit_transform(X)
    >>> plot_cdf(choose_k(partitions, "eac", [2, 3])).get_xlabel()
    'consensus index'
    """
    axes = current_axes(ax)
    for place, (k, values) in enumerate(_cdfs(choice).items()):
        wide = 2.4 if k == choice.n_clusters else 1.2
        axes.plot(CDF_GRID, values, color=hue(place), linewidth=wide, label=f"k = {k}")
    around: dict[str, Any] = {"legend": {"loc": "upper left"}, "xlim": (0, 1), "ylim": (0, 1.02)}
    return framed(axes, "Distribution of the consensus index", "consensus index", "share of the pairs", **around)


def plot_delta_area(choice: KChoice, ax: Any = None) -> Any:
    """Draw by how much the area under the distribution of the consensus index grows from one k to the next.

    Parameters
    ----------
    choice : KChoice
        As for :func:`plot_cdf`.
    ax : matplotlib Axes, default=None
        None for the current ones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from consensa import choose_k
    >>> from consensa.generate import SubsamplePartitions
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> partitions = SubsamplePartitions(n_partitions=10, n_clusters=2, random_state=0).fit_transform(X)
    >>> plot_delta_area(choose_k(partitions, "eac", [2, 3])).get_title()
    'Gain in the area under the distribution'
    """
    return _over_k(choice, delta_area(_cdfs(choice)), ax, "Gain in the area under the distribution", "relative gain")


def plot_pac(choice: KChoice, ax: Any = None) -> Any:
    """Draw the proportion of ambiguous pairs for every number of clusters; small values speak for a k.

    Parameters
    ----------
    choice : KChoice
        As for :func:`plot_cdf`.
    ax : matplotlib Axes, default=None
        None for the current ones.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Şenbabaoğlu, Michailidis & Li (2014), Critical limitations of consensus clustering in class discovery, Scientific
    Reports 4, 6207. https://doi.org/10.1038/srep06207

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from consensa import choose_k
    >>> from consensa.generate import SubsamplePartitions
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> partitions = SubsamplePartitions(n_partitions=10, n_clusters=2, random_state=0).fit_transform(X)
    >>> plot_pac(choose_k(partitions, "eac", [2, 3])).get_ylabel()
    'PAC'
    """
    values = {k: pac(cdf) for k, cdf in _cdfs(choice).items()}
    return _over_k(choice, values, ax, "Proportion of ambiguous pairs", "PAC")


def plot_item_consensus(model: FittedModel, ax: Any = None, *, n_clusters: int | None = None) -> Any:
    """Draw for every object how often it shares a base cluster with the members of every cluster.

    Objects stand side by side, cluster by cluster, the surest first; of many, some 400 spread over the clusters.

    Parameters
    ----------
    model : fitted estimator
    ax : matplotlib Axes, default=None
        None for the current ones.
    n_clusters : int or None, default=None
        Another number of clusters than the fitted one.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> plot_item_consensus(model).get_ylabel()
    'item consensus'
    """
    axes = current_axes(ax)
    subject = subject_of(model, n_clusters=n_clusters)
    items = item_consensus(subject.labels, subject.ensemble)
    shown = subject.sample[:: 1 + subject.sample.size // _MOST_BARS]
    labels = subject.labels[shown]
    own = items[shown, labels]
    shown = shown[np.lexsort((-own, labels))]
    below = np.zeros(shown.size)
    for cluster in range(subject.n_clusters):
        part = items[shown, cluster]
        colour = hue(cluster)
        axes.bar(np.arange(shown.size), part, 1.0, bottom=below, color=colour, label=str(cluster))
        below += part
    starts = np.flatnonzero(np.diff(subject.labels[shown], prepend=-1))
    axes.set_xticks(starts, [str(subject.labels[shown[start]]) for start in starts])
    return framed(axes, "Item consensus", "objects, by cluster", "item consensus", xlim=(-0.5, shown.size - 0.5))


def plot_cluster_consensus(model: FittedModel, ax: Any = None, *, n_clusters: Any = None) -> Any:
    """Draw how often two objects of the same cluster share a base cluster, for one or several numbers of clusters.

    Parameters
    ----------
    model : fitted estimator
    ax : matplotlib Axes, default=None
        None for the current ones.
    n_clusters : int, sequence of int or None, default=None
        Numbers of clusters to show side by side; None for the fitted one.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> plot_cluster_consensus(model, n_clusters=[2, 3]).get_xlabel()
    'number of clusters'
    """
    axes = current_axes(ax)
    wanted = [None] if n_clusters is None else np.atleast_1d(n_clusters).tolist()
    start, ticks, names = 0, [], []
    for k in wanted:
        subject = subject_of(model, n_clusters=k)
        values = cluster_consensus(subject.labels, subject.ensemble)
        places = start + np.arange(values.size)
        axes.bar(places, values, 0.9, color=[hue(c) for c in range(values.size)])
        ticks.append(places.mean())
        names.append(str(values.size))
        start += values.size + 1
    axes.set_xticks(ticks, names)
    return framed(axes, "Cluster consensus", "number of clusters", "cluster consensus", ylim=(0, 1))


def _cdfs(choice: KChoice) -> dict[int, np.ndarray]:
    if choice.cdf is None:
        msg = (
            "there is no distribution of the consensus index: it needs base clusterings of subsamples, five or more of "
            "every number of clusters, as consensa.generate.SubsamplePartitions makes them."
        )
        raise ValueError(msg)
    return choice.cdf


def _over_k(choice: KChoice, values: dict[int, float], ax: Any, title: str, word: str) -> Any:
    axes = current_axes(ax)
    axes.plot(list(values), list(values.values()), marker="o", color=hue(0))
    mark_chosen(axes, choice.n_clusters)
    axes.set_xticks(list(values))
    return framed(axes, title, "number of clusters", word, legend={})
