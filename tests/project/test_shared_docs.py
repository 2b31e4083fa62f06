"""What all estimators share is documented in the same words, and what is documented is there after a fit."""

from __future__ import annotations

import ast
import inspect
import re
import warnings

import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import consensa
from consensa import ConsensaWarning
from consensa._types import parameter_kinds
from consensa.generate import GENERATORS
from consensa.methods import FEATURE_METHODS, METHODS

ON_LABELS = {method.estimator: method.load() for method in METHODS.values()}
ON_FEATURES = {
    "EnsembleClustering": consensa.EnsembleClustering,
    **{method.estimator: method.load() for method in FEATURE_METHODS.values()},
}
GENERATING = {each.estimator: each.load() for each in GENERATORS.values()}
ESTIMATORS = {**ON_LABELS, **ON_FEATURES, **GENERATING, "LAC": consensa.LAC}

CLEARLY = "(how clearly objects belong to their clusters)"
BY_SIZE = "(numbered by size, then by first object)"
PARAMETERS = {
    "n_init": "int, default={} (starts, of which the best is kept)",
    "n_jobs": "int or None, default={} (base clusterings computed at a time; the labels do not depend on it)",
    "n_partitions": "int, default={} (base clusterings)",
    "random_state": "int, RandomState, Generator or None, default={}",
    "verbose": "bool, default={} (whether to show a progress bar)",
    "missing": "int or None, default={} (what stands for a missing label; None if nothing is missing)",
}
SEVERAL = (
    'Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).'
)
ATTRIBUTES = {
    "n_clusters_": "int or list of int",
    "choice_": "KChoice or None (how the number of clusters was chosen, if it was)",
    "ensemble_": "Ensemble",
    "cut_": None,  # a class of its own
}
OF_OBJECTS = {
    "labels_": "ndarray of shape (n_objects,), int32, or dict of them by number of clusters",
    "confidence_": f"ndarray of shape (n_objects,), or dict of them {CLEARLY}",
}
OF_SAMPLES = {
    "labels_": f"ndarray of shape (n_samples,), int32, or dict of them {BY_SIZE}",
    "confidence_": f"ndarray of shape (n_samples,), or dict of them {CLEARLY}",
}
ONE_NUMBER = {  # methods that are fitted for a single number of clusters
    "labels_": f"ndarray of shape (n_samples,), int32 {BY_SIZE}",
    "confidence_": f"ndarray of shape (n_samples,) {CLEARLY}",
    "n_clusters_": "int",
}
NEVER_CHOSEN = {"choice_": "None"}
OTHERWISE = {
    "TOME": NEVER_CHOSEN,
    "USPEC": ONE_NUMBER | NEVER_CHOSEN,
    "WSPA": ONE_NUMBER,
    "WBPA": ONE_NUMBER,
}
NOT_AUTO = {"SSCSPA", "SSHGPA", "SSMCLA", "TOME", "USPEC", "WSPA", "WBPA"}  # or in words of their own
BESIDE = {
    "fit_seconds_",
    "n_features_in_",
    "graph_",
}  # scikit-learn's, and what only other parts of the package ask for


def entries(cls, section):
    """Type and further lines of every name in a section of a docstring."""
    _, _, rest = inspect.getdoc(cls).partition(f"{section}\n{'-' * len(section)}\n")
    found, names = {}, []
    for line in re.split(r"\n\n", rest, maxsplit=1)[0].splitlines():
        if line.startswith(" "):
            for name in names:
                found[name][1].append(line.strip())
        else:
            left, _, kind = line.partition(" : ")
            names = left.split(", ")
            found |= {name: (kind, []) for name in names}
    return found


def default_in(text):
    """The default that a type line names."""
    found = re.search(r"default=(.*?)(?: \(.*)?$", text)
    return inspect.Parameter.empty if found is None else ast.literal_eval(found[1])


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_every_parameter_is_documented_with_its_default(name):
    cls = ESTIMATORS[name]
    listed = entries(cls, "Parameters")
    signature = inspect.signature(cls).parameters
    assert list(listed) == list(signature)
    for parameter, (kind, _) in listed.items():
        if (name, parameter) != ("EstimatorPartitions", "estimators"):  # which has to be given
            assert default_in(kind) == signature[parameter].default, parameter


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_shared_parameters_are_told_in_the_same_words(name):
    for parameter, (kind, _) in entries(ESTIMATORS[name], "Parameters").items():
        if parameter in PARAMETERS and (name, parameter) != ("EstimatorPartitions", "n_partitions"):
            assert kind == PARAMETERS[parameter].format(default_in(kind)), parameter


@pytest.mark.parametrize("name", sorted({*ON_LABELS, *ON_FEATURES} - NOT_AUTO))
def test_the_number_of_clusters_is_told_in_the_same_words(name):
    kind, words = entries(ESTIMATORS[name], "Parameters")["n_clusters"]
    assert kind.startswith('int, sequence of int or "auto", default=')
    assert words[0] == SEVERAL


@pytest.mark.parametrize("name", sorted({**ON_LABELS, **ON_FEATURES}))
def test_shared_attributes_are_told_in_the_same_words(name):
    listed = entries(ESTIMATORS[name], "Attributes")
    shared = ATTRIBUTES | (OF_OBJECTS if name in ON_LABELS else OF_SAMPLES) | OTHERWISE.get(name, {})
    for attribute, kind in shared.items():
        assert attribute in listed
        assert kind is None or listed[attribute][0] == kind, attribute
    if name in ON_LABELS:
        assert listed["labels_"][1] == ["Numbered by size, then by first object; -1 for objects without any label."]


def check_fitted(model):
    """Documented attributes are there, with the cut that is named, and there are no others."""
    cls = type(model)
    listed = entries(cls, "Attributes")
    for attribute, (kind, _) in listed.items():
        if "only with" not in kind and (attribute != "dendrogram_" or cls.__name__ not in {"ELWECDL", "WBPA"}):
            assert hasattr(model, attribute), attribute
    assert {attribute for attribute in vars(model) if attribute.endswith("_")} <= {*listed, *BESIDE}
    if "cut_" in listed and listed["cut_"][0] != "Cut":
        assert type(model.cut_).__name__ in re.findall(r"\w+", listed["cut_"][0])


@pytest.mark.parametrize("name", sorted(ON_LABELS))
def test_what_a_method_on_labels_documents_is_there(name):
    partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # of the extras that may not be installed
        check_fitted(ON_LABELS[name](n_clusters=2).fit(partitions))


@pytest.mark.parametrize("name", sorted({**ON_FEATURES, **GENERATING, "LAC": consensa.LAC}))
def test_what_an_estimator_on_features_documents_is_there(name):
    X, _ = make_blobs(60, n_features=4, centers=3, random_state=0)
    known = inspect.signature(ESTIMATORS[name]).parameters
    given = {"n_clusters": 3, "n_partitions": 4, "estimators": KMeans(3), "random_state": 0}
    if name in {"WSPA", "WBPA", "SSHGPA"}:
        given["partitioner"] = "tcut"  # which needs no extra
    elif name in {"SSCSPA", "SSMCLA"}:
        given["partitioner"] = "spectral"
    check_fitted(ESTIMATORS[name](**{word: value for word, value in given.items() if word in known}).fit(X))


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_the_kinds_of_all_parameters_are_known(name):
    """Otherwise they would not be checked."""
    assert parameter_kinds(ESTIMATORS[name]).keys() >= inspect.signature(ESTIMATORS[name]).parameters.keys()


def test_kinds_of_a_class_written_elsewhere():
    class Other(consensa.EAC):
        def __init__(self, n_clusters: Unheard = 2) -> None:  # noqa: F821 - a name of another module
            self.n_clusters = n_clusters

    assert parameter_kinds(Other) == {}
