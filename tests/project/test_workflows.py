"""The workflows: actions pinned to commits, no permission that is not needed, targets that the Makefile has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_may_only_read(path):
    text = path.read_text()
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each)] == []
    assert "\npermissions: {}\n" in text
    assert set(re.findall(r"^ {6}([\w-]+: \w+)$", text.partition("\njobs:")[2], re.MULTILINE)) <= {
        "contents: read",
        "fail-fast: false",
    }
    n_jobs = len(re.findall(r"^  [\w-]+:$", text.partition("\njobs:")[2], re.MULTILINE))
    assert text.count("contents: read") == text.count("timeout-minutes:") == n_jobs
    assert text.count("persist-credentials: false") == text.count("actions/checkout@")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_targets_are_those_of_the_makefile(path):
    targets = set(re.search(r"\.PHONY: (.*)", (ROOT / "Makefile").read_text()).group(1).split())
    used = {word for line in re.findall(r"run: make ([a-z -]+)", path.read_text()) for word in line.split()}
    assert used
    assert used <= targets


def test_what_runs_on_a_push():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    for part in ("ubuntu-latest, macos-latest, windows-latest", "make matrix", "make docs", "make wheel-check",
                 "make fuzz MINUTES=1 FIRST=0", "make bench-check"):  # fmt: skip
        assert part in text, part
