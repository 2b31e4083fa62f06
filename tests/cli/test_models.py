"""Base clusterings and models on the command line: written by one command, read by the next."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import consensa
from consensa.cli import main
from consensa.generate import GENERATORS, MultiscalePartitions, SubsamplePartitions
from consensa.io import read_labels


@pytest.fixture
def iris(tmp_path):
    frame = pd.DataFrame(load_iris().data, columns=["a", "b", "c", "d"])
    frame.insert(0, "id", [f"flower {i}" for i in range(150)])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


def test_generate_writes_what_the_generator_makes(iris, tmp_path, capsys):
    target = tmp_path / "partitions.csv"
    assert main(["generate", str(iris), "-m", "6", "--seed", "3", "-o", str(target)]) == 0
    assert "wrote" in capsys.readouterr().err
    table = read_labels(target)
    assert table.names == ("coarse0", "coarse1", "fine0", "linkage0", "linkage1", "linkage2")
    assert table.ids[149] == "flower 149"
    np.testing.assert_array_equal(table.values, MultiscalePartitions(6, random_state=3).fit_transform(load_iris().data))


@pytest.mark.parametrize("generator", sorted(name for name, info in GENERATORS.items() if not info.needs))
def test_every_generator_feeds_combine(iris, tmp_path, generator):
    partitions, labels = str(tmp_path / "partitions.npz"), tmp_path / "labels.csv"
    small = ["-m", "4", *(["--param", "n_init=2", "-k", "3"] if generator == "lac" else [])]
    assert main(["generate", str(iris), "--generator", generator, *small, "-o", partitions, "-q"]) == 0
    assert main(["combine", partitions, "--array", "labels", "-k", "3", "-o", str(labels), "-q"]) == 0
    assert read_labels(labels).ids[0] == "flower 0"


def test_generate_options(iris, tmp_path, capfd):
    options = ["--generator", "subsample", "-k", "4", "-m", "3", "--param", "fraction=0.5", "--columns", "a,b"]
    folder = str(tmp_path / "members")
    assert main(["generate", str(iris), *options, "--directory", folder, "-q"]) == 0
    (tmp_path / "found.csv").write_text(capfd.readouterr().out)
    expected = SubsamplePartitions(n_partitions=3, fraction=0.5, n_clusters=4, random_state=0)
    found = read_labels(tmp_path / "found.csv")
    np.testing.assert_array_equal(found.values, expected.fit_transform(load_iris().data[:, :2]))
    assert len(list((tmp_path / "members").glob("*.npy"))) == 3
    assert main(["generate", str(iris), "-k", "2:4", "-m", "9", "-q"]) == 0
    lines = capfd.readouterr().out.splitlines()[1:]
    assert {int(cell) for line in lines for cell in line.split(",")[1:]} <= {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--directory", "here"], "generator 'multiscale' has no parameter 'directory'"),
        (["--param", "nonsense=1"], "generator 'multiscale' has no parameter 'nonsense'; it has k_range"),
        (["-k", "auto"], "-k auto is for the consensus; give the number of clusters of every member"),
        (["-k", "2:1000"], r"k_range=(2, 1000) is not allowed for 150 samples"),
        (["-o", "labels.xls"], "the ending '.xls' is not known"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_generate_says_what_is_wrong(iris, capsys, options, message):
    assert main(["generate", str(iris), *options]) == 2
    assert message in capsys.readouterr().err


def test_run_saves_and_show_reads(iris, tmp_path, capsys):
    model, labels = str(tmp_path / "model.npz"), tmp_path / "labels.csv"
    options = ["-k", "3", "--n-partitions", "10", "--method", "lwea", "-o", str(labels), "--save", model]
    assert main(["run", str(iris), *options]) == 0
    assert f"wrote {model}" in capsys.readouterr().err
    loaded = consensa.load(model)
    assert loaded.saved_.ids[2] == "flower 2"
    np.testing.assert_array_equal(loaded.predict(load_iris().data), loaded.labels_)
    assert main(["show", model]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("EnsembleClustering(generator=")
    assert "method='LWEA(n_clusters=3)', n_clusters=3, " in shown
    assert "150 objects, 10 base clusterings; saved" in shown
    assert main(["show", model, "-o", str(tmp_path / "again.csv"), "-q"]) == 0
    assert (tmp_path / "again.csv").read_text() == labels.read_text()
    assert capsys.readouterr().out == ""


def test_show_cuts_again(iris, tmp_path, capsys):
    model = str(tmp_path / "model.npz")
    assert main(["run", str(iris), "-k", "3", "--n-partitions", "10", "--save", model, "-q", "--json"]) == 0
    capsys.readouterr()
    assert main(["show", model, "-k", "2,4", "-o", str(tmp_path / "labels.csv"), "--json", "-q"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in summary["clusterings"]] == ["k2", "k4"]
    assert [len(each["cluster_consensus"]) for each in summary["clusterings"]] == [2, 4]
    assert sum(summary["clusterings"][1]["cluster_sizes"]) == 150
    assert read_labels(tmp_path / "labels.csv").names == ("k2", "k4")


def test_combine_keeps_the_words_of_the_file(tmp_path):
    """So that the saved model can label new rows of the same file."""
    rows = [["a", "7", "x"], ["a", "7", "y"], ["b", "9", "y"], ["b", "", "y"]] * 3
    frame = pd.DataFrame(rows, columns=["first", "second", "third"])
    frame.to_csv(tmp_path / "partitions.csv", index=False)
    model = str(tmp_path / "model.npz")
    assert main(["combine", str(tmp_path / "partitions.csv"), "-k", "2", "--save", model, "-q", "-o",
                 str(tmp_path / "labels.csv")]) == 0  # fmt: skip
    loaded = consensa.load(model)
    assert loaded.ensemble_.names == ("first", "second", "third")
    assert loaded.ensemble_.vocabularies[0].labels.tolist() == ["a", "b"]
    assert loaded.ensemble_.vocabularies[1].labels.tolist() == [7, 9]
    labels = read_labels(tmp_path / "labels.csv").values[:, 0]
    new = np.array([["a", 7, "new"], ["b", 9, "x"]], dtype=object)
    assert loaded.predict(new).tolist() == [labels[0], labels[2]]


def test_the_place_of_a_model_is_checked_first(iris, tmp_path, capsys):
    assert main(["run", str(tmp_path / "no.csv"), "-k", "3", "--save", str(tmp_path / "model.csv")]) == 2
    assert "a model is an NPZ file" in capsys.readouterr().err
    (tmp_path / "model.npz").write_bytes(b"")
    assert main(["run", str(iris), "-k", "3", "--save", str(tmp_path / "model.npz")]) == 2
    assert "exists already; give --force" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "model.npz")]) == 2
    assert "is not a saved model" in capsys.readouterr().err


def test_a_model_keeps_what_the_id_column_is_called_and_names_of_clusters(iris, tmp_path, capsys):
    table = iris.with_name("flowers.csv")
    table.write_text(iris.read_text().replace("id,", "flower_id,", 1))
    model, named, labels = (str(tmp_path / name) for name in ("model.npz", "named.npz", "labels.csv"))
    first = ["-o", str(tmp_path / "first.csv"), "--save", model, "-q"]
    assert main(["run", str(table), "-k", "3", "-m", "8", *first]) == 0
    assert main(["show", model, "--names", "0=small,2=tall", "--save", named, "-q"]) == 0
    assert main(["show", named, "-o", labels, "-q"]) == 0
    found = pd.read_csv(labels)
    assert list(found) == ["flower_id", "label", "confidence", "name"]
    words = {0: "small", 1: "cluster 1", 2: "tall"}
    assert found["name"].tolist() == [words[label] for label in found["label"]]
    assert consensa.load(named).saved_.id_name == "flower_id"
    assert main(["predict", named, str(table), "-o", labels, "--force", "-q"]) == 0
    again = pd.read_csv(labels)
    assert list(again) == ["flower_id", "label", "name"]
    pd.testing.assert_frame_equal(again, found[["flower_id", "label", "name"]])
