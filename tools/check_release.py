"""Build the wheel and the source distribution, and check that they are fit to be published.

Run ``python -m tools.check_release``; the distributions stay in ``dist/``. Checked are what they hold, their metadata,
and that both work when they are installed into an environment that holds nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from email.message import Message

__all__ = ["build", "check_sdist", "check_wheel", "install", "new_environment", "run", "try_out"]

ROOT = Path(__file__).resolve().parent.parent
MAX_BYTES = 2_000_000
IN_WHEEL = (
    "consensa/__init__.py",
    "consensa/py.typed",
    *(
        f"consensa/report/assets/{name}"
        for name in ("page.html", "page.css", "core.js", "charts.js", "views.js", "main.js")
    ),
)
IN_SDIST = (
    "PKG-INFO", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md",
    "bench/__init__.py", "docs/architecture.md", "pyproject.toml", "src/consensa/__init__.py", "tests/conftest.py",
    "tools/check_release.py",
)  # fmt: skip
_NOT_WANTED = {
    "evidence", "studies", "results", "__pycache__", ".venv", ".git", "_build", ".mypy_cache", ".ruff_cache",
    ".pytest_cache",
}  # fmt: skip
_SMALL_JOB = """
import consensa, sys
labels = consensa.consensus([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]], 2, method="lwea")
assert labels.tolist() == [0, 0, 0, 1, 1, 1], labels
page = consensa.LWEA(2).fit([[0, 0, 1, 1], [0, 0, 1, 1]])._repr_html_()
assert "2 clusters in 4 objects" in page
for name in ("tests", "bench", "studies", "docs", "tools", "conftest"):
    assert not __import__("importlib.util").util.find_spec(name), name
print(consensa.__version__, consensa.__file__)
"""


def run(*command: object, cwd: Path) -> str:
    """Run a command without the settings of this environment; what it printed is part of the error."""
    inherited = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in inherited}
    words = [str(part) for part in command]
    result = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        msg = f"{' '.join(words)} failed:\n{result.stdout}\n{result.stderr}"
        raise RuntimeError(msg)
    return result.stdout


def build(folder: Path, source: Path = ROOT) -> tuple[Path, Path]:
    """Build the source distribution, and from it the wheel; with the tools of this environment if it has them."""
    ready = find_spec("hatchling") is not None and find_spec("hatch_vcs") is not None
    run(sys.executable, "-m", "build", *(["--no-isolation"] if ready else []), "--outdir", folder, source, cwd=folder)
    (wheel,), (sdist,) = folder.glob("consensa-*.whl"), folder.glob("consensa-*.tar.gz")
    return wheel, sdist


def check_wheel(wheel: Path) -> None:
    """Check that a wheel holds the package with its licence and nothing else, and says what it is."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (card,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        folder = PurePosixPath(card).parent
        metadata = message_from_bytes(archive.read(card))
        commands = archive.read(f"{folder}/entry_points.txt").decode()
        tags = archive.read(f"{folder}/WHEEL").decode()
    _demand(
        {PurePosixPath(name).parts[0] for name in names} == {"consensa", str(folder)}, f"{wheel.name}: other folders"
    )
    _check_names(wheel, names, [*IN_WHEEL, f"{folder}/licenses/LICENSE"])
    source = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "consensa").rglob("*.py")}
    found = {name for name in names if name.endswith(".py")}
    _demand(source == found, f"{wheel.name}: modules differ from the source: {sorted(source ^ found)}")
    _demand("consensa = consensa.cli:program" in commands, f"{wheel.name}: no command")
    _demand("Root-Is-Purelib: true" in tags and "Tag: py3-none-any" in tags, f"{wheel.name}: not a pure wheel")
    _check_metadata(wheel, metadata)


def check_sdist(sdist: Path) -> None:
    """Check that a source distribution holds what is needed to build, test and measure the package."""
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
        (card,) = [member for member in members if member.name.count("/") == 1 and member.name.endswith("/PKG-INFO")]
        file = archive.extractfile(card)
        metadata = message_from_bytes(b"" if file is None else file.read())
    _check_names(sdist, [member.name.partition("/")[2] for member in members], IN_SDIST)
    _check_metadata(sdist, metadata)


def _check_names(path: Path, names: Iterable[str], wanted: Iterable[str]) -> None:
    held = set(names)
    missing = sorted(set(wanted) - held)
    _demand(not missing, f"{path.name}: missing {missing}")
    strange = sorted(name for name in held if _NOT_WANTED & set(PurePosixPath(name).parts))
    _demand(not strange, f"{path.name}: should not hold {strange[:5]}")
    _demand(path.stat().st_size < MAX_BYTES, f"{path.name}: {path.stat().st_size} bytes are too many")


def _check_metadata(path: Path, metadata: Message) -> None:
    wanted = {
        "Name": "consensa",
        "License-Expression": "BSD-3-Clause",
        "License-File": "LICENSE",
        "Requires-Python": ">=3.11",
        "Description-Content-Type": "text/markdown",
    }
    for field, value in wanted.items():
        _demand(metadata[field] == value, f"{path.name}: {field} is {metadata[field]!r}, not {value!r}")
    _demand(path.name.startswith(f"consensa-{metadata['Version']}"), f"{path.name}: Version is {metadata['Version']}")
    _demand("Typing :: Typed" in (metadata.get_all("Classifier") or []), f"{path.name}: not marked as typed")
    _demand(len(str(metadata.get_payload())) > 1000, f"{path.name}: no description")


def _demand(fulfilled: bool, message: str) -> None:  # noqa: FBT001 - reads like assert, which optimised Python leaves out
    if not fulfilled:
        raise ValueError(message)


def new_environment(folder: Path) -> Path:
    """Make an environment that holds nothing but pip, and return its Python."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(python: Path, distribution: Path, *, again: bool = False) -> None:
    """Install a wheel or a source distribution; ``again`` replaces the installed one and leaves the rest alone."""
    replace = ["--force-reinstall", "--no-deps"] if again else []
    options = ["--quiet", "--no-compile", "--disable-pip-version-check", *replace]
    run(python, "-m", "pip", "install", *options, distribution, cwd=python.parent)


def try_out(python: Path, folder: Path) -> str:
    """Use an installed package: import, a small consensus, the command line; return its version."""
    version, file = run(python, "-c", _SMALL_JOB, cwd=folder).split(maxsplit=1)
    _demand(Path(file.strip()).is_relative_to(python.parent.parent), f"imported from {file}, not from the environment")
    command = python.parent / "consensa"
    shown = run(command, "--version", cwd=folder)
    _demand(shown.split() == ["consensa", version], f"consensa --version says {shown!r}, the package {version!r}")
    _demand("usage: consensa demo" in run(command, "demo", "--help", cwd=folder), "consensa demo --help")
    return version


def main() -> None:
    """Build, check and try out."""
    parser = argparse.ArgumentParser(description="Build and check the distributions.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where they go (default: dist)")
    folder = parser.parse_args().output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("consensa-*.whl"), *folder.glob("consensa-*.tar.gz")):
        old.unlink()
    wheel, sdist = build(folder)
    check_wheel(wheel)
    check_sdist(sdist)
    print(run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, cwd=folder).strip())
    with tempfile.TemporaryDirectory() as temporary:
        python = new_environment(Path(temporary) / "env")
        for distribution in (wheel, sdist):
            install(python, distribution, again=distribution is sdist)
            print(f"{distribution.name}: version {try_out(python, Path(temporary))} works in an empty environment")


if __name__ == "__main__":
    main()
