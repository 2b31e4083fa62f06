"""What users can import, how it is documented and named, and that importing it is light."""

from __future__ import annotations

import inspect
import json
import pkgutil
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

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["evaluate", "generate", "methods", "partition", "relate", "report", "scale", "tl", "weigh"]
HEAVY = [
    *("numba", "pandas", "polars", "pyarrow", "dask", "sklearn", "scipy", "joblib", "matplotlib", "narwhals", "tqdm"),
    *("anndata", "h5py"),
]
OTHER_WORDS = {"seed", "rng", "random_seed", "k", "K", "n_cluster", "num_clusters", "n_workers", "n_threads", "jobs"}
RECORDS = {"KChoice"}  # built by the library alone: the names are those of its fields


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


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_docstring_has_an_example_that_runs(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert len(text.splitlines()[0]) > 10
    assert ">>>" in text, "no example"


@pytest.mark.parametrize("name", sorted(name for name, value in PUBLIC.items() if inspect.isfunction(value)))
def test_parameters_are_documented(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    signature = inspect.signature(PUBLIC[name])
    if len(signature.parameters) > 1:
        for parameter in signature.parameters:
            assert f"{parameter} :" in text or f"{parameter}, " in text or f", {parameter} :" in text or "**" in text, (
                parameter
            )
    assert signature.return_annotation is not inspect.Signature.empty


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
