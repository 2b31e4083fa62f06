"""The pictures of the guide: ``python docs/guide/make_pictures.py`` writes them into docs/guide/images again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from scipy.cluster.hierarchy import dendrogram
from sklearn.datasets import make_blobs

from consensa import Ensemble
from consensa.generate import KMeansPartitions
from consensa.partition import agglomerate, transfer_cut
from consensa.relate import cluster_graph, co_association, trajectories, triple_similarity
from consensa.weigh import cluster_uncertainty, crowd_weights, divergence_weights, entropy_weights

if TYPE_CHECKING:
    from collections.abc import Callable

mpl.use("agg")
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f55a3", "#8c564b", "#a01d5d", "#7f9a00")
EXAMPLE = (
    (1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 3, 1, 3, 3, 3, 3),
    (1, 1, 1, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3),
    (1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3),
)
STYLE = {
    "svg.hashsalt": "consensa",
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def three_groups() -> tuple[np.ndarray, np.ndarray]:
    """Three groups of points, two of which touch, sorted by group."""
    X, group = make_blobs([120, 100, 80], centers=[[0, 0], [3.2, 0], [1.6, 4.2]], random_state=3, shuffle=False)
    return X, group


def draw_rooms() -> Any:
    """The way data takes through the rooms."""
    steps = [
        ("X", "features\nn × d"),
        ("L", "label matrix\nn × M"),
        ("Ensemble", "microclusters"),
        ("w", "one weight\nper cluster"),
        ("S or B", "relation"),
        ("cut(k)", "labels"),
    ]
    verbs = ["generate", "", "weigh", "relate", "partition"]
    figure, axes = plt.subplots(figsize=(9, 1.7))
    for place, (name, what) in enumerate(steps):
        box = {"boxstyle": "round,pad=0.45", "facecolor": "#eef4f8", "edgecolor": COLOURS[0]}
        axes.text(2 * place, 0, name, ha="center", va="center", bbox=box, fontsize=11)
        axes.text(2 * place, -0.75, what, ha="center", va="top", color="0.35")
    for place, verb in enumerate(verbs):
        arrow = {"arrowstyle": "-|>", "color": COLOURS[0], "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (2 * place + 1.38, 0), (2 * place + 0.62, 0), arrowprops=arrow)
        axes.text(2 * place + 1, 0.35, verb, ha="center", va="bottom", color=COLOURS[0], weight="bold")
    axes.set(xlim=(-0.8, 10.8), ylim=(-1.7, 1.0))
    axes.set_axis_off()
    return figure


def draw_generate() -> Any:
    """Three members of an ensemble, and the label matrix of twelve."""
    X, _ = three_groups()
    labels = KMeansPartitions(12, k_range=(2, 8), random_state=1).fit_transform(X)
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.7), width_ratios=[1, 1, 1, 1.3])
    for panel, member in zip(axes, (0, 1, 3), strict=False):
        for cluster in range(labels[:, member].max() + 1):
            panel.scatter(*X[labels[:, member] == cluster].T, s=5, color=COLOURS[cluster], linewidths=0)
        panel.set(title=f"base clustering {member + 1}", xticks=[], yticks=[])
    matrix = axes[-1].imshow(
        labels[::4], aspect="auto", cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=9.5, interpolation="none"
    )
    matrix.set_rasterized(True)
    axes[-1].set(title="label matrix", xlabel="base clustering", ylabel="object (every fourth)", yticks=[])
    axes[-1].set_xticks(range(0, 12, 2), range(1, 13, 2))
    return figure


def draw_weigh() -> Any:
    """Entropy and weights of the clusters of the example, and the weight as a function of the entropy."""
    ensemble = Ensemble(list(EXAMPLE))
    place = np.arange(ensemble.n_base_clusters)
    weightings = {
        "entropy, theta 0.4": entropy_weights(ensemble),
        "entropy, theta 1": entropy_weights(ensemble, 1.0),
        "divergence": divergence_weights(ensemble),
        "crowd agreement": crowd_weights(ensemble),
    }
    figure, (upper, lower, right) = plt.subplots(1, 3, figsize=(10, 2.9), width_ratios=[1, 1.6, 1])
    upper.bar(place, cluster_uncertainty(ensemble), color="0.6")
    upper.set(title="entropy H", ylabel="bits")
    for number, (name, weights) in enumerate(weightings.items()):
        lower.bar(place + 0.2 * (number - 1.5), weights / weights.max(), 0.18, color=COLOURS[number], label=name)
    lower.set(title="weight / largest weight", ylim=(0, 1.45))
    lower.legend(ncols=2, fontsize=7, loc="upper center", frameon=False)
    names = [f"{m + 1}.{c - ensemble.offsets[m] + 1}" for c, m in enumerate(ensemble.owner)]
    for panel in (upper, lower):
        panel.set_xticks(place, names, fontsize=7)
        panel.set_xlabel("clustering.cluster")
    entropy = np.linspace(0, 3, 100)
    for number, theta in enumerate((0.2, 0.4, 1.0)):
        right.plot(entropy, np.exp(-entropy / (theta * 3)), color=COLOURS[number], label=f"theta {theta}")
    right.set(title="exp(-H / (theta M)), M = 3", xlabel="H in bits", ylabel="weight", ylim=(0, 1.02))
    right.legend(frameon=False, fontsize=8)
    return figure


def grouped_ensemble() -> tuple[Ensemble, np.ndarray]:
    """An ensemble of the three groups, and the group of every microcluster."""
    X, group = three_groups()
    ensemble = Ensemble(KMeansPartitions(20, k_range=(2, 10), random_state=0).fit_transform(X))
    of_row = np.zeros(ensemble.n_microclusters, int)
    of_row[ensemble.row_map[::-1]] = group[::-1]
    return ensemble, of_row


def draw_relate() -> Any:
    """Four relations of one ensemble as matrices."""
    ensemble, group = grouped_ensemble()
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    order = np.lexsort((tree.cut(min(12, ensemble.n_microclusters)), group))
    weights = entropy_weights(ensemble)
    relations = {
        "co-association": co_association(ensemble).to_dense().similarity,
        "weighted by entropy": co_association(ensemble, weights).to_dense().similarity,
        "connected triples": triple_similarity(ensemble).similarity,
        "random walks": trajectories(ensemble).similarity().similarity,
    }
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8))
    for panel, (name, matrix) in zip(axes, relations.items(), strict=True):
        shown = (matrix / matrix.max())[np.ix_(order, order)]
        image = panel.imshow(shown, cmap="cividis", vmin=0, vmax=1, interpolation="none")
        panel.set(title=name, xticks=[], yticks=[])
        panel.spines[:].set_visible(False)
    axes[0].set_ylabel(f"{ensemble.n_microclusters} microclusters")
    figure.colorbar(image, ax=axes, label="similarity / largest", shrink=0.85)
    return figure


def draw_partition() -> Any:
    """A dendrogram with a cut, and the embedding of a transfer cut."""
    ensemble, _ = grouped_ensemble()
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2))
    between = 1 - (tree.similarities[-2] + tree.similarities[-3]) / 2
    with plt.rc_context({"lines.linewidth": 0.8}):
        dendrogram(tree.to_linkage(), ax=left, no_labels=True, color_threshold=0, above_threshold_color=COLOURS[0])
    left.axhline(between, color=COLOURS[5], linestyle="--", linewidth=1.2)
    left.set(title="average linkage", ylabel="1 - similarity", xlabel="microclusters")
    cut = transfer_cut(cluster_graph(ensemble), ensemble.sizes, random_state=0)
    labels, places = cut.cut(3), cut.embedding(3)
    for cluster, marker in zip(range(3), "os^", strict=True):
        inside = labels == cluster
        right.scatter(
            *places[inside, 1:3].T, s=6 + 4 * ensemble.sizes[inside], alpha=0.6, marker=marker, color=COLOURS[cluster]
        )
    right.set(title="transfer cut", xlabel="second eigenvector", ylabel="third eigenvector")
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    "rooms": draw_rooms,
    "generate": draw_generate,
    "weigh": draw_weigh,
    "relate": draw_relate,
    "partition": draw_partition,
}


def main(folder: Path) -> None:
    """Write all pictures into a folder, the same bytes whenever the numbers are the same."""
    folder.mkdir(exist_ok=True)
    with mpl.rc_context(STYLE):
        for name, draw in PICTURES.items():
            figure = draw()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None}, dpi=120)
            plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
