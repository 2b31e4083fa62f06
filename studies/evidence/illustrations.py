"""Examples that the papers draw, computed and drawn again: Fig. 4 of paper 003, Figs. 2-4 and 6-9 of paper 004."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from bench.plots import COLOURS, draw_axes
from consensa import DLWECDL, LAC
from consensa.evaluate import error_rate
from consensa.generate import KMeansPartitions
from studies.reproduce.paper004 import SPREADS
from studies.reproduce.papers import get_paper

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ILLUSTRATIONS", "draw_low_rank_example", "draw_subspace_examples"]

_SAMPLE = 100  # points of every cluster in Figs. 3, 4 and 6


def draw_low_rank_example(target: Path) -> str:
    """Draw what DLWECDL makes of a small data set: microclusters, weights, similarity, clusters."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [4.0, 1.0], [1.5, 4.0]])
    X = np.vstack([rng.normal(center, 0.8, (60, 2)) for center in centers])
    truth = np.repeat(np.arange(3), 60)
    model = DLWECDL(3, random_state=0).fit(KMeansPartitions(20, k_range=(2, 8), random_state=0).fit_transform(X))
    order = np.argsort(model.cut_.cut(3), kind="stable")

    def paint(axes: Any) -> None:
        first, second, third, fourth = axes[0]
        first.scatter(*X.T, c=model.ensemble_.row_map, cmap="prism", s=8)
        first.set_title(f"{model.ensemble_.n_microclusters} microclusters")
        second.plot(np.sort(model.cluster_weights_)[::-1], ".")
        second.set_title("weights of the base clusters")
        third.imshow(model.representation_.similarity().similarity[np.ix_(order, order)], cmap="Greys")
        third.set_title("similarity of the microclusters")
        _scatter(fourth, X, model.labels_, f"clusters, error {100 * error_rate(truth, model.labels_):.1f} %")

    draw_axes(paint, (1, 4), (13, 3.2), target)
    return "20 k-means clusterings of 180 points, closed form."


def draw_subspace_examples(target: Path) -> str:
    """Draw the two Gaussians with their probabilities at 1/h = 7 and 12, and the three Gaussians at 1 and 4."""

    def paint(axes: Any) -> None:
        for row, spread in zip(axes, SPREADS, strict=True):
            _paint_two(row, spread)
        three: Any = get_paper("004").block("4")
        X, truth = three.points.load((), 0)
        for axis, value, number in ((axes[0, 3], 1, 8), (axes[1, 3], 4, 9)):
            model, _, error = _fit(X, truth, value)
            _scatter(axis, X[::3], model.labels_[::3], f"three, 1/h = {value}, error {error:.1f} % (Fig. {number})")

    draw_axes(paint, (2, 4), (13, 6.2), target)
    return (
        "Standardised features; the first draw. Printed errors: 0.0 % at 7 and 5.3 % at 12; of the three Gaussians, "
        "whose parameters the paper does not print, 34.6 % at 1 and 1.3 % at 4."
    )


def _paint_two(row: Any, spread: str) -> None:
    X, truth = SPREADS[spread].load((), 0)
    rng = np.random.default_rng(0)
    shown = np.concatenate([rng.choice(np.flatnonzero(truth == c), _SAMPLE, replace=False) for c in (0, 1)])
    _scatter(row[0], X[shown], truth[shown], f"spreads as {spread} (Figs. 2, 3)")
    for axis, value, number in ((row[1], 7, 4), (row[2], 12, 6)):
        model, Z, error = _fit(X, truth, value)
        first = int(np.bincount(model.labels_[truth == 0], minlength=2).argmax())
        posteriors = model.predict_proba(Z[shown])[:, [first, 1 - first]]
        _scatter(axis, posteriors, truth[shown], f"P at 1/h = {value}, error {error:.1f} % (Fig. {number})")
        axis.plot([0, 1], [0, 1], color="grey", linewidth=0.5)


def _fit(X: np.ndarray, truth: np.ndarray, inverse_h: float) -> tuple[LAC, np.ndarray, float]:
    """LAC of standardised features, these, and the error in percent."""
    Z = StandardScaler().fit_transform(X)
    model = LAC(int(truth.max()) + 1, 1 / inverse_h, random_state=0).fit(Z)
    return model, Z, 100 * error_rate(truth, model.labels_)


def _scatter(axis: Any, points: np.ndarray, labels: np.ndarray, title: str) -> None:
    for label in np.unique(labels):
        axis.plot(*points[labels == label].T, ".", color=COLOURS[label], markersize=3)
    axis.set_title(title)


ILLUSTRATIONS = {
    "003": [("example", "An example on two features (Fig. 4)", draw_low_rank_example)],
    "004": [("examples", "The examples of Sections 5 and 6 (Figs. 2-4, 6-9)", draw_subspace_examples)],
}
