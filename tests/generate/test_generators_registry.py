"""The registry of generators: what it says is true of the classes, and they are found by it everywhere."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import consensa
from consensa import generate
from consensa.cli import main
from consensa.cli.parser import build_parser
from consensa.generate import GENERATORS, KMeansPartitions, MultiscalePartitions, get_generator, make_generator
from consensa.generate.base import PartitionGenerator, label_new_data
from consensa.generate.chunked import generate_labels
from consensa.io import read_labels

BY_NAME = sorted(name for name, info in GENERATORS.items() if not info.needs)
QUICK = {"lac": {"n_init": 1}, "rpcl": {"n_passes": 2}}


@pytest.fixture
def iris(tmp_path):
    data = load_iris().data[::3]
    np.savetxt(tmp_path / "iris.csv", data, "%g", ",", header="a,b,c,d", comments="")
    return str(tmp_path / "iris.csv")


def quick(name):
    return [f"{key}={value}" for key, value in QUICK.get(name, {}).items()]


def test_every_generator_is_in_the_registry():
    kinds = {name: getattr(generate, name) for name in generate.__all__}
    classes = {n for n, kind in kinds.items() if inspect.isclass(kind) and issubclass(kind, PartitionGenerator)}
    assert {info.estimator for info in GENERATORS.values()} == classes
    assert list(GENERATORS) == sorted(GENERATORS)


@pytest.mark.parametrize("info", GENERATORS.values(), ids=lambda info: info.name)
def test_what_is_said_is_true(info):
    kind = info.load()
    assert kind.__module__ == info.module
    assert kind is getattr(generate, info.estimator)
    assert info.doi in kind.__doc__
    known = kind().get_params()
    assert set(info.sized_by) == {"n_clusters", "k_range"} & set(known)
    assert info.transform == hasattr(kind, "transform")
    assert info.sampled == (info.transform and "sample_size" in known)
    assert not info.needs or known[info.needs] is None


def test_names():
    assert get_generator("USPEC").name == "uspec"
    for unknown in ("nope", None, KMeansPartitions):
        with pytest.raises(ValueError, match=r"generator=.* is not known; choose one of 'estimators', 'kmeans'"):
            get_generator(unknown)
    with pytest.raises(AttributeError, match=r"module 'consensa\.generate' has no attribute 'nope'"):
        _ = generate.nope
    assert set(generate.__all__) <= set(dir(generate))


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        ("kmeans", None, {}),
        ("kmeans", 5, {"k_range": (5, 5)}),
        ("kmeans", np.int64(5), {"k_range": (5, 5)}),
        ("uspec", [4, 9, 2], {"k_range": (2, 9)}),
        ("lac", 5, {"n_clusters": 5}),
        ("subsample", 5, {"n_clusters": 5}),
        ("subsample", (2, 5), {"k_range": (2, 5)}),
    ],
)
def test_the_number_of_clusters(name, k, expected):
    assert get_generator(name).size_parameters(k) == expected
    found = make_generator(name, 7, k).get_params()
    assert found["n_partitions"] == 7
    assert {key: found[key] for key in expected} == expected


def test_numbers_of_clusters_that_a_generator_cannot_take():
    with pytest.raises(ValueError, match=r"'lac' takes no range of clusters: .* the same one; give a single number"):
        make_generator("lac", n_clusters=[2, 3])
    with pytest.raises(ValueError, match="'mixed' takes no number of clusters: its members settle it"):
        make_generator("mixed", n_clusters=3)


def test_parameters():
    assert make_generator("kmeans").get_params() == KMeansPartitions().get_params()
    assert make_generator("kmeans", 9, 3, k_range=(2, 4)).k_range == (2, 4)
    assert make_generator("estimators", estimators=KMeans(3)).fit_transform(load_iris().data).shape == (150, 1)
    for unknown in ("nonsense", "name"):
        with pytest.raises(ValueError, match=f"generator 'lac' has no parameter '{unknown}'; it has inverse_h, "):
            make_generator("lac", **{unknown: 1})


def test_errors_name_those_that_can(tmp_path):
    X = load_iris().data
    model = make_generator("subsample", 2, random_state=0).fit(X)
    able = (
        "KMeansPartitions, LACPartitions, LinkagePartitions, MixedPartitions, MultiscalePartitions, RPCLPartitions, "
        "StratifiedPartitions, TablePartitions, USPECPartitions"
    )
    with pytest.raises(ValueError, match=f"SubsamplePartitions cannot label new data, .* {able}, or label"):
        label_new_data(model, X)
    with pytest.raises(ValueError, match=r"Use KMeansPartitions or Link.* or Multi.* or TablePartitions or USPEC.*\."):
        generate_labels(X, make_generator("rpcl"), tmp_path / "labels.npy")


@pytest.mark.parametrize("name", BY_NAME)
def test_run_by_every_generator(iris, tmp_path, name):
    labels, model = tmp_path / "labels.csv", tmp_path / "model.npz"
    options = ["-k", "3", "-m", "4", "--method", "lwea", "-o", str(labels), "--save", str(model), "-q"]
    parameters = [word for text in quick(name) for word in ("--generator-param", text)]
    assert main(["run", iris, "--generator", name, *parameters, *options]) == 0
    loaded = consensa.load(model)
    assert type(loaded.generator_).__name__ == GENERATORS[name].estimator
    np.testing.assert_array_equal(read_labels(labels).values[:, 0], loaded.labels_)
    clustering = consensa.EnsembleClustering(
        3,
        generator=make_generator(
            name, 4, 3 if GENERATORS[name].sized_by == ("n_clusters",) else None, **QUICK.get(name, {})
        ),
        method="lwea",
        random_state=0,
    )
    np.testing.assert_array_equal(clustering.fit(load_iris().data[::3]).labels_, loaded.labels_)


def test_members_with_one_number_of_clusters_get_the_largest(iris, capsys):
    options = ["--generator", "lac", "-m", "3", "--method", "lwea", "--json", "-q"]
    for k, wanted in (("2,5,3", 5), ("4", 4), ("auto", 8)):
        assert main(["run", iris, "-k", k, *options, "--save", str(iris) + k + ".npz"]) == 0
        assert consensa.load(str(iris) + k + ".npz").generator_.n_clusters == wanted
    assert main(["run", iris, "-k", "4", *options, "--generator-param", "n_clusters=6"]) == 0
    told = json.loads(capsys.readouterr().out.split("\n}\n")[3] + "\n}\n")
    assert told["parameters"]["generator_parameters"] == {"n_clusters": 6}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--generator-param", "nonsense=1"], "generator 'multiscale' has no parameter 'nonsense'; it has k_range"),
        (["--generator-param", "k_range=[2,99]"], "k_range=[2, 99] is not allowed for 50 samples"),
        (
            ["--generator", "rpcl", "--memory", "2GB", "-o", "l.csv"],
            "use kmeans or linkage or multiscale or table or uspec instead of rpcl",
        ),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_what_run_refuses(iris, capsys, options, message):
    assert main(["run", iris, "-k", "3", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("options", [["-k", "2:5"], ["-k", "3", "--generator", "mixed"]])
def test_what_generate_refuses(iris, capsys, options):
    assert main(["generate", iris, "--generator", "lac", *options]) == 2
    assert "of clusters: " in capsys.readouterr().err


def test_parameters_of_the_generator_win(iris, tmp_path):
    options = [
        "-m",
        "9",
        "-k",
        "3",
        "--param",
        "n_partitions=2",
        "--param",
        "random_state=5",
        "--param",
        "n_clusters=4",
    ]
    assert main(["generate", iris, *options, "-o", str(tmp_path / "p.csv"), "-q"]) == 0
    expected = MultiscalePartitions(2, (4, 4), random_state=5).fit_transform(load_iris().data[::3])
    np.testing.assert_array_equal(read_labels(tmp_path / "p.csv").values, expected)


def test_parts_depend_on_the_parameters_of_the_generator(iris, tmp_path, monkeypatch, capsys):
    """A run that was stopped does not go on with members of another making."""
    from consensa.generate import chunked as in_chunks

    def stop(*_):
        raise KeyboardInterrupt

    command = ["run", iris, "-k", "3", "-m", "3", "--method", "lwea", "-o", str(tmp_path / "l.csv"), "--memory", "8GB"]
    with monkeypatch.context() as patched:
        patched.setattr(in_chunks, "picked_rows", stop)
        assert main([*command, "--generator-param", "k_range=[2,4]"]) == 1
    assert main(command) == 2
    assert "(its generator_parameters differ)" in capsys.readouterr().err
    assert main([*command, "--generator-param", "k_range=[2,4]"]) == 0


def test_the_command_line_offers_them_all():
    for command in (["run", "x.csv", "-k", "2"], ["generate", "x.csv"], ["demo"]):
        default = None if command[0] == "run" else generate.DEFAULT_GENERATOR  # settled with the method
        assert build_parser().parse_args(command).generator == default
        for name in BY_NAME:
            assert build_parser().parse_args([*command, "--generator", name]).generator == name


def test_generators_are_listed(capsys):
    assert main(["methods", "--generators"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["name", "class", "clusters"]
    assert [line.split()[1] for line in lines[1:]] == [info.estimator for info in GENERATORS.values()]
    assert [line.split()[0] for line in lines[1:] if line[0] != "-"] == BY_NAME
    assert main(["methods", "--generators", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found] == list(GENERATORS)
    assert all(each["doi"] == GENERATORS[each["name"]].doi for each in found)
    assert main(["methods", "--json"]) == 0
    assert "lwea" in {each["name"] for each in json.loads(capsys.readouterr().out)}


@pytest.mark.parametrize("info", GENERATORS.values(), ids=lambda info: info.name)
def test_a_fit_that_failed_is_no_fit(info):
    """Not even where the features were seen before the fault."""
    generator = info.load()()
    with pytest.raises(ValueError, match="n_partitions"):
        generator.set_params(n_partitions=0, **({info.needs: KMeans(2)} if info.needs else {})).fit(load_iris().data)
    for ask in (generator.get_feature_names_out, lambda: generator.transform(load_iris().data)):
        with pytest.raises((NotFittedError, AttributeError), match=r"not fitted yet|no attribute 'transform'"):
            ask()
