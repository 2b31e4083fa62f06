"""The distributions that would be published: what they hold, which version they are, and that they work elsewhere."""

from __future__ import annotations

import shutil
import sys
import tarfile
import zipfile
from importlib.util import find_spec

import pytest

from tools.check_release import build, check_sdist, check_wheel, install, new_environment, run, try_out


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture
def tree(built, tmp_path):
    """The source as an archive has it: neither the history nor the metadata of a source distribution."""
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    (folder / "PKG-INFO").unlink()
    return folder


def version_of(tree):
    return run(sys.executable, "-m", "hatchling", "version", cwd=tree).strip()


def git(tree, *words):
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    return run("git", *who, *words, cwd=tree)


def test_what_the_distributions_hold(built):
    wheel, sdist = built
    check_wheel(wheel)
    check_sdist(sdist)
    assert wheel.name.removesuffix("-py3-none-any.whl") == sdist.name.removesuffix(".tar.gz")


def test_a_wheel_with_something_else_in_it_is_refused(built, tmp_path):
    copy = tmp_path / built[0].name
    shutil.copy(built[0], copy)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("tests/test_more.py", "")
    with pytest.raises(ValueError, match="other folders"):
        check_wheel(copy)


needs_hatch = pytest.mark.skipif(find_spec("hatch_vcs") is None, reason="hatch-vcs is not installed")


@needs_hatch
def test_version_without_git(tree):
    assert version_of(tree) == "0.1.0.dev0"


@needs_hatch
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_version_from_tags(tree):
    git(tree, "init", "--quiet")
    git(tree, "add", "pyproject.toml")
    git(tree, "commit", "--quiet", "-m", "first")
    assert version_of(tree) == "0.1.0.dev1"  # a clone without tags
    git(tree, "tag", "v1.2.0")
    assert version_of(tree) == "1.2.0"
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "second")
    assert version_of(tree) == "1.2.1.dev1"


@pytest.mark.slow
def test_both_work_in_an_empty_environment(built, tmp_path):
    wheel, sdist = built
    python = new_environment(tmp_path / "env")
    install(python, wheel)
    present = "import importlib.util as u; print([m for m in ('pandas', 'pyarrow') if u.find_spec(m)])"
    assert run(python, "-c", present, cwd=tmp_path).strip() == "[]"
    assert wheel.name.startswith(f"consensa-{try_out(python, tmp_path)}-")
    assert "consensus" in run(python.parent / "consensa", "demo", cwd=tmp_path)
    install(python, sdist, again=True)  # the wheel was made of it: that it installs is what is left to see
    shown = run(python.parent / "consensa", "--version", cwd=tmp_path).split()
    assert f"consensa-{shown[1]}.tar.gz" == sdist.name
