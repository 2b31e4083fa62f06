"""What users can import, how it is documented and named, and that importing it is light."""

from __future__ import annotations

import doctest
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import consensa
from consensa.methods import METHODS
from consensa.methods.base import ConsensusClusterer

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ["evaluate", "generate", "methods", "partition", "relate", "report", "scale", "tl", "weigh"]
HEAVY = [
    *("numba", "pandas", "polars", "pyarrow", "dask", "sklearn", "scipy", "joblib", "matplotlib", "narwhals", "tqdm"),
    *("anndata", "h5py"),
]
OTHER_WORDS = {"seed", "rng", "random_seed", "k", "K", "n_cluster", "num_clusters", "n_workers", "n_threads", "jobs"}
RECORDS = {"KChoice"}  # built by the library alone: the names are those of its fields


USERS = ["Ensemble", "EnsembleClustering", "KChoice", "LAC", "LWEA", "MDEC", "MethodComparison", "USPEC", "WSPA"]


def public_objects():
    """Classes and functions of the package and its rooms, by full name."""
    found = {name: getattr(consensa, name) for name in consensa.__all__ if name not in consensa._ROOMS}
    for room in ROOMS:
        module = import_module(f"consensa.{room}")
        found |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    return {name: value for name, value in found.items() if inspect.isclass(value) or inspect.isfunction(value)}


PUBLIC = public_objects()
ESTIMATORS = {
    name: value for name, value in PUBLIC.items() if inspect.isclass(value) and issubclass(value, BaseEstimator)
}


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def test_import_is_light():
    loaded = run(f"import json, sys, consensa; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))")
    assert loaded == []


def test_registry_and_help_are_light():
    code = f"""
import json, sys
from consensa.methods import METHODS
from consensa.generate import GENERATORS
from consensa.cli.parser import build_parser
build_parser().format_help()
print(json.dumps([m for m in {HEAVY} if m in sys.modules]))
"""
    assert run(code) == []


def test_every_public_name_resolves():
    for name in consensa.__all__:
        assert getattr(consensa, name) is not None
    assert set(consensa.__all__) <= set(dir(consensa))
    assert len(set(consensa.__all__)) == len(consensa.__all__)
    with pytest.raises(AttributeError, match="module 'consensa' has no attribute 'nope'"):
        _ = consensa.nope
    with pytest.raises(AttributeError, match=r"module 'consensa\.methods' has no attribute 'nope'"):
        _ = consensa.methods.nope


def test_every_room_lists_what_it_gives():
    for room in ROOMS:
        module = import_module(f"consensa.{room}")
        for name in module.__all__:
            assert hasattr(module, name), f"{room}.{name}"


def has_section(text, section):
    return re.search(rf"^{section}\n-+$", text, re.MULTILINE) is not None


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_docstring_has_an_example_that_runs(name):
    """It is its own, not that of a base class, and in a file that the test run collects examples from."""
    thing = PUBLIC[name]
    text = inspect.cleandoc(thing.__doc__ or "")
    assert len(text.splitlines()[0]) > 10
    assert has_section(text, "Examples")
    module = import_module(thing.__module__)
    assert Path(module.__file__).is_relative_to(Path(consensa.__file__).parent)
    (found,) = [test for test in doctest.DocTestFinder(recurse=False).find(thing, module=module, globs={}) if test]
    assert found.examples
    assert not [example.source for example in found.examples if doctest.SKIP in example.options]


def test_examples_are_part_of_the_test_run():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    assert "--doctest-modules" in settings["addopts"]
    assert {"tests", "src"} <= set(settings["testpaths"])
    ignored = [word for word in settings["addopts"] if "ignore" in word or "deselect" in word]
    assert ignored == []


@pytest.mark.parametrize("name", sorted(name for name, value in PUBLIC.items() if inspect.isfunction(value)))
def test_parameters_and_returns_are_documented(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    signature = inspect.signature(PUBLIC[name])
    _, _, rest = text.partition("Parameters\n----------\n")
    listed = re.split(r"^\w[\w ]+\n-+$", rest, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line.split(" : ")[0] for line in listed.splitlines() if line and not line.startswith(" ")]
    told = {word.strip(" *") for line in lines for word in line.split(",")}
    assert set(signature.parameters) == told
    assert signature.return_annotation is not inspect.Signature.empty
    assert has_section(text, "Returns") == (signature.return_annotation not in ("None", None))


@pytest.mark.parametrize("name", sorted(name for name, value in PUBLIC.items() if inspect.isclass(value)))
def test_methods_of_public_classes_are_documented(name):
    for word, member in vars(PUBLIC[name]).items():
        plain = getattr(member, "__func__", getattr(member, "fget", member))
        if not word.startswith("_") and inspect.isfunction(plain):
            assert len((inspect.getdoc(getattr(PUBLIC[name], word)) or "").split()) > 2, word


@pytest.mark.parametrize("name", USERS)
def test_methods_that_users_call_say_what_they_take_and_give(name):
    for word, method in inspect.getmembers(getattr(consensa, name), inspect.isfunction):
        if word.startswith("_") or not method.__module__.startswith("consensa."):
            continue
        text, signature = inspect.getdoc(method) or "", inspect.signature(method)
        takes = set(signature.parameters) - {"self"}
        assert has_section(text, "Parameters") == bool(takes), word
        assert all(
            re.search(rf"^[\w, ]*\b{parameter} :|^\*\*{parameter}$", text, re.MULTILINE) for parameter in takes
        ), word
        assert has_section(text, "Returns") == (signature.return_annotation not in ("None", None)), word


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_estimators_document_parameters_attributes_and_reference(name):
    text = inspect.getdoc(ESTIMATORS[name])
    for parameter in inspect.signature(ESTIMATORS[name]).parameters:
        assert f"\n{parameter} :" in text or f", {parameter} :" in text, parameter
    for section in ("Parameters", "Attributes", "References", "Examples"):
        assert f"\n{section}\n---" in text, section
    assert "https://doi.org/" in text


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_parameters_have_the_names_used_everywhere(name):
    try:
        parameters = inspect.signature(PUBLIC[name]).parameters
    except ValueError:  # a plain exception class
        parameters = {}
    assert name.rpartition(".")[2] in RECORDS or not OTHER_WORDS & set(parameters)


def test_registry_covers_every_estimator():
    package = import_module("consensa.methods")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"consensa.methods.{module.name}")

    def leaves(cls):
        below = cls.__subclasses__()
        return {cls} if not below else set().union(*(leaves(sub) for sub in below))

    own = {cls for cls in leaves(ConsensusClusterer) if cls.__module__.startswith("consensa.")}
    assert own == {method.load() for method in METHODS.values()}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_registered_methods(name):
    method = METHODS[name]
    cls = method.load()
    assert method.name == name == name.lower()
    assert getattr(consensa, method.estimator) is cls
    assert getattr(consensa.methods, method.estimator) is cls
    assert method.estimator in consensa.__all__
    assert method.doi.startswith("10.")
    assert f"https://doi.org/{method.doi}" in inspect.getdoc(cls)
    assert method.summary
    assert method.reference
    parameters = inspect.signature(cls).parameters
    assert next(iter(parameters)) == "n_clusters"
    assert {"n_clusters", "missing"} <= set(parameters)


def test_version_is_that_of_the_installation():
    assert consensa.__version__ == version("consensa")
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]


def test_version_of_a_tree_that_is_not_installed():
    """Without site-packages nothing is installed; the rest of the package needs no version."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); import consensa; print(consensa.__version__)"
    found = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "0+unknown\n"


def test_version_is_looked_up_only_when_asked_for():
    code = """
import json, sys
from consensa.cli.parser import build_parser
build_parser().format_help()
print(json.dumps("importlib.metadata" in sys.modules))
"""
    assert run(code) is False
