"""The examples of the README run, and print what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from consensa.methods import METHODS

README = Path(__file__).parents[1] / "README.md"
NUMBER = r"\d+(?:\.\d+)?"


def test_examples_of_the_readme():
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own file
        if not expected:
            continue
        told = printed.getvalue()
        assert re.sub(NUMBER, "#", told) == re.sub(NUMBER, "#", expected)
        found, stated = (list(map(float, re.findall(NUMBER, part))) for part in (told, expected))
        assert found == pytest.approx(stated, rel=0.05)  # k-means may differ between releases of scikit-learn


def test_the_table_of_methods_is_the_registry():
    rows = [
        f"| `{m.name}` | `{m.estimator}` | {m.summary} | {m.reference}. [doi](https://doi.org/{m.doi}) |"
        for m in METHODS.values()
    ]
    found = [line for line in README.read_text(encoding="utf-8").splitlines() if re.match(r"\| `\w+` \|", line)]
    assert found == rows, "the table in README.md should read\n" + "\n".join(rows)
