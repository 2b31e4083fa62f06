"""The guide: its grid of methods is that of the code, its pictures are those of the script."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

from consensa.methods import FEATURE_METHODS, METHODS

FOLDER = Path(__file__).parents[2] / "docs" / "guide"
ROOMS = {"weigh": 1, "relate": 2, "partition": 3}
FITTED_WHEN_CUT = {"fit_mixture": "MixtureCut"}  # the module of the method holds the cut that calls it


def _rows(title: str) -> dict[str, list[list[str]]]:
    """Names in code in every cell of the table with that title, by the first one of its row."""
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    table = page.split(title, 1)[1].split("\n\n", 1)[0]
    rows = [[re.findall(r"`(\w+)`", cell) for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]
    return {row[0][0]: row for row in rows}


@pytest.fixture(scope="module")
def grid():
    return _rows("| method | weigh | relate | partition |\n")


def test_every_method_has_a_place(grid):
    assert sorted(grid) == sorted(method.estimator for method in METHODS.values())
    features = _rows("| method | generate | then |\n")
    assert set(features) == {method.estimator for method in FEATURE_METHODS.values()} | {"EnsembleClustering"}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_made_of_the_parts_in_its_row(grid, name):
    method = METHODS[name]
    used = vars(import_module(method.module))
    if name == "supra":
        assert all(part in used for part in grid[method.estimator][3])
        return
    for room, column in ROOMS.items():
        public = set(import_module(f"consensa.{room}").__all__)
        named = set(grid[method.estimator][column])
        assert named <= public
        assert all(FITTED_WHEN_CUT.get(part, part) in used for part in named), named
    functions = {part for room in ROOMS for part in import_module(f"consensa.{room}").__all__ if part in used}
    named = {part for column in ROOMS.values() for part in grid[method.estimator][column]}
    others = {part for row in grid.values() for cells in row[1:] for part in cells}
    alone = sum(other.module == method.module for other in METHODS.values()) == 1
    assert not alone or functions & others <= named | {"co_association"}  # PTA joins pieces by it


def test_pictures_are_those_of_the_script():
    drawn = runpy.run_path(str(FOLDER / "make_pictures.py"), run_name="pictures")["PICTURES"]
    pages = "".join(page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md"))
    shown = set(re.findall(r"\(images/(\w+)\.svg\)", pages))
    assert shown == set(drawn) == {path.stem for path in (FOLDER / "images").iterdir()}
