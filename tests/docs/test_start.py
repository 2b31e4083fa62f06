"""The pages with code show what it prints: "start in five minutes" and the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages import run_page

DOCS = Path(__file__).parents[2] / "docs"
ROOMS = ("generate", "weigh", "relate", "partition", "evaluate")
RUNNING = ("../README", "start", "python", "which_method", "migration", "citing", "project/adding_a_method")
RUNNING += tuple(f"guide/{room}" for room in ROOMS)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SECONDS = re.compile(r"\d+(?:\.\d+)? s\b")
CLOSE = 0.05  # k-means may differ between releases of scikit-learn


@pytest.mark.parametrize("name", RUNNING)
def test_a_page_shows_what_its_code_prints(name, tmp_path):
    stated = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    printed = run_page(stated, tmp_path)
    stated, printed = (SECONDS.sub("some s", text) for text in (stated, printed))
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", stated), f"run: python tests/pages.py docs/{name}.md"
    numbers = [list(map(float, NUMBER.findall(text))) for text in (printed, stated)]
    assert numbers[0] == pytest.approx(numbers[1], rel=CLOSE, abs=CLOSE)


def test_a_page_that_lies_is_found(tmp_path):
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ echo five\nsix\n```\n"
    assert run_page(page, tmp_path) == page.replace("\n3\n", "\n2\n").replace("six", "five")
    with pytest.raises(AssertionError, match="does not show what this prints"):
        run_page("```python\nprint(1)\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="cat nothing"):
        run_page("```console\n$ cat nothing-here\n```\n", tmp_path)
