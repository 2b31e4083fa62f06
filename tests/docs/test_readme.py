"""The README counts the methods that there are; test_start runs its example, test_site follows its links."""

from __future__ import annotations

from pathlib import Path

from consensa.methods import FEATURE_METHODS, METHODS

README = Path(__file__).parents[2] / "README.md"


def test_the_methods_are_counted():
    text = " ".join(README.read_text(encoding="utf-8").split())
    on_features = len(FEATURE_METHODS) + 1  # EnsembleClustering, which the registry has by its parts
    assert f"{len(METHODS)} on clusterings" in text
    assert f"and {on_features} that start from features" in text
