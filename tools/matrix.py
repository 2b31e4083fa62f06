"""Every supported environment in turn: Pythons, lowest and newest versions, extras alone, the bare package.

Run ``python -m tools.matrix`` (``make matrix``), or ``python -m tools.matrix --only bare-3.12``. The wheel is built
once; every environment is made in a folder of its own and thrown away. The extras lie over the bare package of the
first Python, so that only what an extra brings is installed for it. What failed is told at the end, with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

__all__ = ["Environment", "environments", "main"]

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TESTED = ("tests/ensemble", "tests/weigh", "tests/evaluate", "tests/methods/test_worked_examples.py")
_TEST_TOOLS = (
    *("pytest>=9", "hypothesis>=6.100", "pandas>=2.2", "polars>=1.0", "pyarrow>=16", "zarr>=2.18"),
    *("dask[array,dataframe,distributed]>=2024.8", "mtkahypar>=1.7", "pymetis>=2025.2"),
)
_OF_LOWEST = "polars<1.40"  # scikit-learn 1.6 asks frames for the interchange protocol, which polars gives up there
_NOT_THEIRS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # of the environment
_TRY = (
    "import consensa, numpy as np; X = np.random.default_rng(0).normal(size=(40, 3));"
    "print(consensa.__version__, consensa.EnsembleClustering(2, random_state=0).fit(X).labels_.max())"
)
_FIT = "import consensa; from consensa.io import *; L = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]; "
_OF_EXTRA = {  # one use of what an extra brings
    "anndata": "import anndata, numpy as np; A = anndata.AnnData(np.random.default_rng(0).normal(size=(40, 3)));"
    "consensa.tl.consensus(A, n_clusters=2, random_state=0)",
    "hypergraph": "print(consensa.HGPA(2, partitioner='hypergraph', random_state=0).fit(L).labels_)",
    "metis": "print(consensa.CSPA(2, partitioner='metis', random_state=0).fit(L).labels_)",
    "parquet": "import numpy as np; write_labels('l.parquet', {'label': np.array([0, 1])}); read_labels('l.parquet')",
    "plot": "consensa.LWEA(2).fit(L).report()",
    "dask": "import dask.array as da, numpy as np;print(consensa.LWEA(2).fit(da.from_array(np.array(L).T, 2)).labels_)",
    "zarr": "import zarr, numpy as np; zarr.save('l.zarr', np.array(L).T);"
    "print(consensa.LWEA(2).fit(consensa.scale.as_chunks('l.zarr')).labels_)",
    "mat": "import h5py, numpy as np; f = h5py.File('l.mat', 'w', userblock_size=512); f['X'] = np.eye(3); f.close();"
    "s = open('l.mat', 'r+b'); s.write(b'MATLAB 7.3 MAT-file'.ljust(126) + bytes([0, 2])); s.close();"
    "print(read_features('l.mat').values.shape)",
}


class Environment(NamedTuple):
    """What is installed, by which Python, over which other one, and whether the tests of the core run there."""

    name: str
    python: str
    extra: str = ""
    requirements: tuple[str, ...] = ()
    over: Environment | None = None
    tested: bool = False
    tries: tuple[str, ...] = (_TRY,)


def interpreter(version: str) -> tuple[str, str] | None:
    """Return a version and the Python that has it, on the path or among those of pyenv; None if it is not here."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [shutil.which(f"python{version}"), *map(str, sorted(root.glob(f"versions/{version}.*/bin/python")))]
    for place in places:
        if place and subprocess.run([place, "--version"], capture_output=True, check=False).returncode == 0:
            return version, place
    return None


def environments() -> list[Environment]:
    """Return all environments of the Pythons that are here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lowest = tuple(re.sub(">=", "==", need.split("[")[0].split("#")[0].strip()) for need in project["dependencies"])
    extras = [extra for extra in project["optional-dependencies"] if extra != "all"]
    found = [python for python in map(interpreter, PYTHONS) if python is not None]
    bare = [Environment(f"bare-{name}", python) for name, python in found]
    return [
        *bare,
        *(Environment(f"newest-{name}", python, requirements=_TEST_TOOLS, tested=True) for name, python in found),
        Environment("lowest", found[0][1], requirements=(*lowest, *_TEST_TOOLS, _OF_LOWEST), tested=True),
        *(
            Environment(f"extra-{extra}", found[0][1], f"[{extra}]", over=bare[0], tries=(_FIT + _OF_EXTRA[extra],))
            for extra in extras
        ),
    ]


def works(environment: Environment, wheel: Path, place: Path) -> bool:
    """Make an environment, and the one that it lies over if that is not there; run what is to run in it."""
    below, folder = environment.over, place / environment.name
    if below is not None and not (place / below.name).exists() and not works(below, wheel, place):
        return False
    python = f"{folder}/bin/python"
    commands = [
        [python, "-m", "pip", "install", "--quiet", "--no-compile", f"consensa{environment.extra} @ {wheel.as_uri()}"],
        *([python, "-c", code] for code in environment.tries),
    ]
    commands[0] += environment.requirements
    if environment.tested:
        tests = [f"{ROOT}/{path}" for path in TESTED]
        commands.append([python, "-m", "pytest", "-q", "-c", f"{ROOT}/pyproject.toml", *tests])
    subprocess.run([environment.python, "-m", "venv", folder], check=True)
    if below is not None:
        packages = next(folder.glob("lib/*/site-packages"))
        (packages / "below.pth").write_text(str(next((place / below.name).glob("lib/*/site-packages"))))
    fine = all(_succeeds(command, folder) for command in commands)
    print(f"{environment.name}: {'works' if fine else 'FAILS'}", flush=True)
    return fine


def _succeeds(command: list[str], folder: Path) -> bool:
    """Run a command in a folder of its own, so that the package is the one that was installed.

    Bytecode is kept: dask's workers are processes that import everything again, and have a minute to do so.
    """
    own = {name: value for name, value in os.environ.items() if name not in _NOT_THEIRS}
    return subprocess.run(command, cwd=folder, env=own, check=False).returncode == 0


def main() -> int:
    """Try all environments, or those named."""
    parser = argparse.ArgumentParser(prog="python -m tools.matrix", description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of environments")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    arguments = parser.parse_args()
    wanted = [each for each in environments() if not arguments.only or each.name in arguments.only]
    if arguments.list:
        print("\n".join(each.name for each in wanted))
        return 0
    with tempfile.TemporaryDirectory() as place:
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", place, str(ROOT)]
        subprocess.run(build, check=True)
        wheel = next(Path(place).glob("*.whl"))
        failed = [each.name for each in wanted if not works(each, wheel, Path(place))]
    print(f"{len(wanted) - len(failed)} of {len(wanted)} environments work; failed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
