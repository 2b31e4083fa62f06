"""A wheel built from the source works in an environment that holds nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLEAN = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}


def run(*command, cwd):
    words = [str(part) for part in command]
    result = subprocess.run(words, cwd=cwd, env=CLEAN, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("consensa-*.whl")
    return built


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "consensa/py.typed" in names
    assert "consensa/__init__.py" in names
    assert "consensa/report/assets/page.html" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"consensa"}
    source = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "consensa").rglob("*.py")}
    assert source == {name for name in names if name.endswith(".py")}
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.slow
def test_the_demo_runs_in_an_empty_environment(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    commands = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", wheel, cwd=tmp_path)
    assert str(tmp_path) in run(python, "-c", "import consensa; print(consensa.__file__)", cwd=tmp_path)
    present = "import importlib.util as u; print([m for m in ('pandas', 'pyarrow') if u.find_spec(m)])"
    assert run(python, "-c", present, cwd=tmp_path).strip() == "[]"
    assert "consensus" in run(commands / "consensa", "demo", cwd=tmp_path)
