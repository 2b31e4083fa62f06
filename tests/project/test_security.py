"""Every promise of SECURITY.md names its test, and the tests are there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "xmlrpc", "requests", "httpx", "aiohttp", "urllib3"}


def test_every_promise_has_its_test():
    text = (ROOT / "SECURITY.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(rows) == 10
    for row in rows:
        named = re.findall(r"`(tests/[^`]+\.py)::(test_\w+)`", row)
        assert named, row
        for file, test in named:
            functions = {node.name for node in ast.parse((ROOT / file).read_text()).body if hasattr(node, "name")}
            assert test in functions, f"{file}::{test}"


def test_no_module_talks_to_a_network():
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & NETWORK, path


SILENT = """
import os, sys
talks = ("socket.connect", "socket.getaddrinfo", "socket.sendto")
sys.addaudithook(lambda event, _: os._exit(9) if event in talks else None)
import numpy as np, consensa
X = np.random.default_rng(0).normal(size=(40, 3))
model = consensa.EnsembleClustering(2, n_partitions=4, random_state=0).fit(X)
place = "-".join(sys.argv[1:])
model.report(place + "report.html")
model.save(place + "model.npz")
consensa.load(place + "model.npz").predict(X)
if len(sys.argv) > 1:
    __import__("socket").getaddrinfo("localhost", 80)
"""


def test_no_fit_report_or_model_talks_to_a_network(tmp_path):
    """The hook ends the process at the first connection, as the second run shows."""
    for more, ended in ([], 0), (["talk"], 9):
        done = subprocess.run([sys.executable, "-c", SILENT, *more], cwd=tmp_path, check=False, capture_output=True)
        assert done.returncode == ended, done.stderr
