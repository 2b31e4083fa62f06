"""Figures with matplotlib: what they show, and what is said where it is missing."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import make_blobs

from consensa import EAC, LWEA, LWGP, choose_k
from consensa.evaluate import cluster_consensus, consensus_matrix
from consensa.generate import SubsamplePartitions
from consensa.report import (
    plot_cdf,
    plot_cluster_consensus,
    plot_confidence,
    plot_consensus,
    plot_delta_area,
    plot_dendrogram,
    plot_item_consensus,
    plot_k_curves,
    plot_pac,
)

mpl.use("agg")
PLOTS = [plot_confidence, plot_consensus, plot_dendrogram, plot_k_curves]


@pytest.fixture
def axes():
    figure, found = plt.subplots()
    yield found
    plt.close(figure)


@pytest.fixture(params=["lwea", "lwgp"])
def model(request, example_a):
    return (LWEA(3) if request.param == "lwea" else LWGP(3, random_state=0)).fit(example_a)


@pytest.mark.parametrize("plot", PLOTS)
def test_plots_draw_into_the_axes_given(plot, model, axes):
    assert plot(model, axes) is axes
    assert axes.get_title()
    axes.figure.canvas.draw()


def test_consensus_matrix_is_symmetric(model, axes):
    plot_consensus(model, axes)
    matrix = axes.images[0].get_array()
    assert np.array_equal(matrix, matrix.T)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [tick.get_text() for tick in axes.get_yticklabels()]
    assert sorted(tick.get_text() for tick in axes.get_xticklabels()) == ["0", "1", "2"]


def test_dendrogram_has_a_line_for_every_merge(model, axes):
    plot_dendrogram(model, axes)
    assert len(axes.lines) == len(axes.get_xticklabels()) - 1
    assert sum(int(tick.get_text().split("(")[1][:-1]) for tick in axes.get_xticklabels()) == 16


def test_confidence_shows_every_object(model, axes):
    plot_confidence(model, axes)
    assert len(axes.collections) == 3
    assert axes.lines[0].get_xdata()[0] == pytest.approx(model.confidence_.mean())


def test_curves_mark_the_number_of_clusters(model, axes):
    plot_k_curves(model, axes)
    assert axes.lines[-1].get_xdata()[0] == 3
    assert all(np.nanmin(line.get_ydata()) >= 0 for line in axes.lines[:-1])


@pytest.mark.parametrize("plot", PLOTS)
def test_without_matplotlib_the_extra_is_named(plot, example_a, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot(LWEA(3).fit(example_a))


@pytest.fixture(scope="module")
def resampled():
    X, _ = make_blobs(60, centers=3, random_state=0)
    parts = [SubsamplePartitions(n_partitions=10, n_clusters=k, random_state=0).fit_transform(X) for k in (2, 3, 4)]
    return np.hstack(parts), choose_k(np.hstack(parts), "eac", [2, 3, 4], random_state=0)


def test_figures_of_resampling(resampled):
    partitions, choice = resampled
    figure, axes = plt.subplots(3, 2)
    drawn = axes.ravel()
    lines = plot_cdf(choice, drawn[0]).get_lines()
    np.testing.assert_allclose(lines[1].get_ydata(), choice.cdf[3])
    np.testing.assert_allclose(plot_pac(choice, drawn[1]).get_lines()[0].get_ydata(), choice.curves["pac"])
    gains = plot_delta_area(choice, drawn[2]).get_lines()[0].get_ydata()
    np.testing.assert_allclose(gains, choice.curves["delta_area"])
    model = EAC(3).fit(partitions)
    bars = plot_cluster_consensus(model, drawn[3], n_clusters=[2, 3]).patches
    np.testing.assert_allclose([bar.get_height() for bar in bars[2:]], cluster_consensus(model.labels_, partitions))
    assert len(plot_item_consensus(model, drawn[4]).patches) == 3 * 60
    assert plot_k_curves(choice, drawn[5]).get_xlabel() == "number of clusters"
    plt.close(figure)
    with pytest.raises(ValueError, match="it needs base clusterings of subsamples"):
        plot_cdf(choose_k([[0, 0, 1, 1], [0, 0, 1, 1]]))


def test_consensus_matrix_counts_pairs(resampled):
    partitions = resampled[0][:, :10]
    seen = partitions >= 0
    both = (seen[:, None] & seen).sum(axis=2)
    together = ((partitions[:, None] == partitions) & seen[:, None] & seen).sum(axis=2)
    expected = np.divide(together, both, out=np.zeros(both.shape), where=both > 0)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(consensus_matrix(partitions), expected)
