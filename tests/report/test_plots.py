"""Figures with matplotlib: what they show, and what is said where it is missing."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest

from consensa import LWEA, LWGP
from consensa.report import plot_confidence, plot_consensus, plot_dendrogram, plot_k_curves

mpl.use("agg")
PLOTS = [plot_confidence, plot_consensus, plot_dendrogram, plot_k_curves]


@pytest.fixture
def axes():
    from matplotlib import pyplot as plt

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
    with pytest.raises(ValueError, match=r'pip install "consensa\[plot\]"'):
        plot(LWEA(3).fit(example_a))
