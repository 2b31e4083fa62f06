"""The main figures of a report with matplotlib, for papers and notebooks: needs the extra ``plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.choose.k_choice import KChoice
from consensa.report.blocks import consensus_blocks
from consensa.report.curves import choice_curves, k_curves
from consensa.report.figures import HUES, current_axes, framed, hue, mark_chosen
from consensa.report.subject import subject_of
from consensa.report.tree import condense, tree_of

if TYPE_CHECKING:
    from consensa._types import FittedModel

__all__ = ["plot_confidence", "plot_consensus", "plot_dendrogram", "plot_k_curves"]


def plot_consensus(model: FittedModel, ax: Any = None, *, n_clusters: int | None = None, cmap: str = "Blues") -> Any:
    """Draw the consensus matrix in blocks of objects, ordered by the dendrogram.

    Parameters
    ----------
    model : fitted estimator
    ax : matplotlib Axes, default=None
        None for the current ones.
    n_clusters : int or None, default=None
        Another number of clusters than the fitted one.
    cmap : str, default="Blues"
        Colour map.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> plot_consensus(model).get_title()
    'Consensus matrix'
    """
    axes = current_axes(ax)
    subject = subject_of(model, n_clusters=n_clusters)
    blocks = consensus_blocks(subject, tree_of(subject))
    clusters = np.array(blocks["cluster"])
    n = clusters.size
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n)] = np.array(blocks["values"]) / 100
    matrix = np.maximum(matrix, matrix.T)
    image = axes.imshow(matrix, cmap=cmap, vmin=0, vmax=1, interpolation="nearest")
    starts = np.flatnonzero(np.diff(clusters, prepend=-1))
    ends = np.append(starts[1:], n)
    for place in starts[1:]:
        axes.axhline(place - 0.5, color="0.6", linewidth=0.6)
        axes.axvline(place - 0.5, color="0.6", linewidth=0.6)
    axes.set_xticks((starts + ends - 1) / 2, [str(clusters[start]) for start in starts])
    axes.set_yticks((starts + ends - 1) / 2, [str(clusters[start]) for start in starts])
    axes.tick_params(length=0)
    axes.figure.colorbar(image, ax=axes, label="mean co-association")
    return framed(axes, "Consensus matrix", "cluster", "cluster")


def plot_dendrogram(model: FittedModel, ax: Any = None, *, n_clusters: int | None = None) -> Any:
    """Draw the largest branches of the dendrogram; a method without one gets that of its clusters.

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
    >>> plot_dendrogram(model).get_ylabel()
    'similarity'
    """
    axes = current_axes(ax)
    subject = subject_of(model, n_clusters=n_clusters)
    tree = condense(tree_of(subject), subject.sizes)
    levels = [level for *_, level in tree["merges"]]
    top = max(levels, default=1.0) * 1.08 or 1.0
    places: list[tuple[float, float, int]] = [(float(i), top, c) for i, (_, c) in enumerate(tree["leaves"])]
    for a, b, level in tree["merges"]:
        (xa, ya, ca), (xb, yb, cb) = places[a], places[b]
        colour = hue(ca) if ca == cb >= 0 else "0.45"
        axes.plot([xa, xa, xb, xb], [ya, level, level, yb], color=colour, linewidth=1.2)
        places.append(((xa + xb) / 2, level, ca if ca == cb else -1))
    names = [f"{cluster} ({objects:,})" for objects, cluster in tree["leaves"]]
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    axes.set_ylim(top, 0)
    return framed(axes, "Dendrogram", "cluster (objects)", "similarity")


def plot_k_curves(model_or_choice: FittedModel | KChoice, ax: Any = None) -> Any:
    """Draw the curves over the number of clusters, each scaled to [0, 1], with the number of the model.

    Parameters
    ----------
    model_or_choice : fitted estimator, or KChoice
        With ``n_clusters="auto"``, or from :func:`consensa.choose_k`, all curves; otherwise those that are cheap to
        compute.
    ax : matplotlib Axes, default=None
        None for the current ones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> plot_k_curves(model).get_xlabel()
    'number of clusters'
    """
    axes = current_axes(ax)
    known = isinstance(model_or_choice, KChoice)
    found = choice_curves(model_or_choice) if known else k_curves(subject_of(model_or_choice))  # type: ignore[arg-type]
    for curve, colour in zip(found["curves"], HUES, strict=False):
        values = np.array(curve["values"], dtype=float)
        low, high = np.nanmin(values), np.nanmax(values)
        if curve["small_is_good"]:
            values, low, high = -values, -high, -low
        scaled = (values - low) / (high - low) if high > low else np.full(values.size, 0.5)
        wide = 2.4 if curve["name"] == "probability" else 1.3
        title = curve["title"] + (" (turned)" if curve["small_is_good"] else "")
        axes.plot(found["k"], scaled, marker=".", color=colour, linewidth=wide, label=title)
    mark_chosen(axes, found["chosen"])
    axes.set_xticks(found["k"][:: 1 + len(found["k"]) // 12])
    beside = {"fontsize": "x-small", "loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    return framed(axes, "Number of clusters", "number of clusters", "scaled to [0, 1]", legend=beside)


def plot_confidence(model: FittedModel, ax: Any = None, *, n_clusters: int | None = None) -> Any:
    """Draw the confidence of the objects of every cluster, sorted, like a silhouette plot.

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
    >>> plot_confidence(model).get_xlabel()
    'confidence'
    """
    axes = current_axes(ax)
    subject = subject_of(model, n_clusters=n_clusters)
    start, middles = 0.0, []
    gap = 0.01 * subject.labels.size
    for cluster, size in enumerate(subject.sizes):
        values = np.sort(subject.confidence[subject.labels == cluster])
        colour = hue(cluster)
        axes.fill_betweenx(start + np.arange(size + 1), 0, np.append(values, values[-1]), color=colour, linewidth=0)
        middles.append(start + size / 2)
        start += size + gap
    axes.axvline(subject.confidence[subject.labels >= 0].mean(), color="0.3", linestyle=":", label="mean")
    axes.set_yticks(middles, [str(cluster) for cluster in range(subject.n_clusters)])
    axes.set_ylim(start, 0)
    return framed(axes, "Confidence", "confidence", "cluster", legend={"loc": "lower right"}, xlim=(0, 1))
