"""The README runs, prints what it says, counts the methods, and its links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from consensa.methods import FEATURE_METHODS, METHODS

README = Path(__file__).parents[1] / "README.md"
NUMBER = r"\d+(?:\.\d+)?"


def test_examples_of_the_readme():
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) == 1
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own file
        told = printed.getvalue()
        assert re.sub(NUMBER, "#", told) == re.sub(NUMBER, "#", expected)
        found, stated = (list(map(float, re.findall(NUMBER, part))) for part in (told, expected))
        assert found == pytest.approx(stated, rel=0.05)  # k-means may differ between releases of scikit-learn


def test_the_methods_are_counted():
    text = " ".join(README.read_text(encoding="utf-8").split())
    on_features = len(FEATURE_METHODS) + 2  # EnsembleClustering and MDEC, which the registry has by their parts
    assert f"{len(METHODS)} on clusterings" in text
    assert f"and {on_features} that start from features" in text
