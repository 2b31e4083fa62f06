"""Every example of the gallery runs, without a warning, and draws something."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "gallery_src"
EXAMPLES = sorted(FOLDER.glob("plot_*.py"))
NEEDS = {"plot_cell_types.py": ("scanpy", "igraph")}


@pytest.fixture
def figures(monkeypatch):
    """Numbers of axes of the figures that are shown."""
    mpl.use("agg")
    import matplotlib.pyplot as plt

    shown = []

    def show():
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
            shown.append(sum(bool(axes.has_data()) for axes in plt.figure(number).get_axes()))
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    yield shown
    plt.close("all")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem.removeprefix("plot_"))
def test_example_runs(path, figures, capsys):
    for package in NEEDS.get(path.name, ()):
        pytest.importorskip(package)
    runpy.run_path(str(path), run_name="__main__")
    assert figures
    assert min(figures) > 0
    assert capsys.readouterr().out.strip()


def test_every_example_begins_with_a_title():
    for path in EXAMPLES:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0] == '"""', path.name
        assert set(lines[2]) == {"="}, path.name
        assert len(lines[2]) == len(lines[1]), path.name
