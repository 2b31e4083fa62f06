"""The public names as the type checker of a user sees them: through the installed package, not this source tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import consensa
from tools.check_release import build, new_environment, run

SCRIPT = Path(__file__).with_name("user_script.py")
CLEAN = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV"}}
pytestmark = pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment in which the wheel is installed, beside the dependencies of this one."""
    folder = tmp_path_factory.mktemp("typing")
    wheel, _ = build(folder)
    made = new_environment(folder / "env")
    run(made, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", wheel, cwd=folder)
    (packages,) = (folder / "env").rglob("site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(here))
    return made


def check(python, script, folder):
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--config-file", os.devnull]
    cache = python.parent / "cache"
    command = [sys.executable, "-m", "mypy", *options, "--python-executable", python, "--cache-dir", cache, script]
    words = [str(part) for part in command]
    return subprocess.run(words, cwd=folder, env=CLEAN, capture_output=True, text=True, check=False)


def test_every_public_name_is_declared(python, tmp_path):
    """Names that are imported when first used are still known to the type checker."""
    script = tmp_path / "names.py"
    script.write_text("\n".join(f"from consensa import {name} as {name}" for name in consensa.__all__))
    found = check(python, script, tmp_path)
    assert found.returncode == 0, found.stdout


def test_a_user_script_passes_the_strict_type_checker(python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    found = check(python, script, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_mistakes_are_found(python, tmp_path):
    script = tmp_path / "wrong.py"
    script.write_text(
        "from consensa import LWEA, consensus, nothing\n"
        "LWEA(3, tetha=0.4)\n"
        "consensus([[0, 1]], 2, method=7)\n"
        "LWEA(2).fit([[0, 1]]).report(7)\n"
    )
    found = check(python, script, tmp_path)
    assert found.returncode == 1
    assert re.findall(r"\[([a-z-]+)\]$", found.stdout, re.MULTILINE) == [
        "attr-defined",
        "call-arg",
        "arg-type",
        "call-overload",
    ]
