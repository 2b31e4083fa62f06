"""The page on adding a method, followed word by word: what it says to save passes the checks of the house."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from consensa import EnsembleClustering, compare_methods, consensus

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "project" / "adding_a_method.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The first block of code, saved as the page says."""
    path = tmp_path_factory.mktemp("mine") / "crowd_cut.py"
    path.write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def module(saved):
    spec = importlib.util.spec_from_file_location("crowd_cut", saved)
    found = importlib.util.module_from_spec(spec)
    sys.modules["crowd_cut"] = found
    spec.loader.exec_module(found)
    yield found
    del sys.modules["crowd_cut"]


@pytest.mark.parametrize("command", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--strict"]])
def test_the_file_passes_the_checks(saved, command):
    settings = ["--config", str(ROOT / "pyproject.toml")] if command[0] == "ruff" else []
    words = [sys.executable, "-m", *command, *settings, str(saved)]
    found = subprocess.run(words, cwd=saved.parent, capture_output=True, text=True, check=False)
    assert found.returncode == 0 or "INP001" in found.stdout, found.stdout + found.stderr
    assert len(re.findall(r"^[A-Z]+\d+ ", found.stdout, re.MULTILINE)) <= 1  # a lone file is no package: INP001


def test_its_example_runs(module):
    assert doctest.testmod(module).failed == 0


def test_it_is_taken_everywhere_without_a_registry(module):
    partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    mine = module.CrowdCut(random_state=0)
    assert consensus(partitions, 2, mine).tolist() == [0, 0, 0, 1, 1, 1]
    assert list(compare_methods(partitions, 2, ["lwea", mine]).labels) == ["lwea", "CrowdCut"]
    X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    assert EnsembleClustering(2, n_partitions=4, method=mine, random_state=0).fit(X).n_clusters_ == 2


def test_every_place_that_the_page_names_is_there():
    for place in re.findall(r"`((?:docs|consensa|methods)/[\w/]+\.(?:py|md|rst|bib))`", PAGE):
        assert (ROOT / place).exists() or (ROOT / "src" / place).exists() or (ROOT / "src/consensa" / place).exists()
