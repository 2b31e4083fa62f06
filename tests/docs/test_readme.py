"""The README counts the methods that there are; test_start runs its example, test_site follows its links."""

from __future__ import annotations

from pathlib import Path

from consensa.methods import FEATURE_METHODS, METHODS

README = Path(__file__).parents[2] / "README.md"


def test_the_methods_are_counted():
    text = " ".join(README.read_text(encoding="utf-8").split())
    assert f"{len(METHODS)} on clusterings" in text
    assert f"and {len(FEATURE_METHODS)} that start from features" in text
