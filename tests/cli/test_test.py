"""``consensa test`` and ``-k tested``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import consensa
from consensa.cli import main

QUICK = ["--alpha", "0.2", "--n-null", "19", "--generator", "kmeans"]


@pytest.fixture
def table(tmp_path):
    X, _ = make_blobs(60, centers=[[0, 0], [12, 12]], random_state=0)
    path = tmp_path / "data.csv"
    np.savetxt(path, X, delimiter=",", header="a,b", comments="")
    return path


def test_the_tree_and_the_labels(table, tmp_path, capsys):
    assert main(["test", str(table), *QUICK, "-o", str(tmp_path / "labels.csv")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("60 objects: split into 30 + 30, p = ")
    assert "these 2 clusters are separated" in said
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 61
    assert main(["test", str(table), *QUICK, "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["n_clusters"] == 2


def test_run_with_a_tested_number(table, tmp_path, capsys):
    model = tmp_path / "model.npz"
    arguments = ["run", str(table), "-k", "tested", "-m", "10", "--generator", "kmeans"]
    assert main([*arguments, "--save", str(model), "--json"]) == 0
    said = capsys.readouterr()
    assert "60 objects: split into 30 + 30" in said.err
    assert json.loads(said.out)["k"] == 2
    loaded = consensa.load(model)
    assert loaded.n_clusters_ == loaded.significance_.n_clusters == 2
    assert loaded.predict(np.array([[0.0, 0.0], [12.0, 12.0]])).tolist() in ([0, 1], [1, 0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["test", "DATA", "--alpha", "2"], "alpha=2"),
        (["test", "DATA", "--weights", "a=2"], "--weights is for tables"),
        (["run", "DATA", "-k", "tested", "--memory", "1GB", "-o", "OUT"], "-k tested needs all features in memory"),
        (["combine", "DATA", "-k", "tested"], "-k tested needs features"),
    ],
)
def test_refusals(table, tmp_path, capsys, arguments, said):
    given = [{"DATA": str(table), "OUT": str(tmp_path / "out.csv")}.get(word, word) for word in arguments]
    assert main(given) == 2
    assert said in capsys.readouterr().err


def test_words_are_no_numbers(tmp_path, capsys):
    path = tmp_path / "words.csv"
    path.write_text("size,colour\n" + "".join(f"{i},{'red' if i % 2 else 'blue'}\n" for i in range(40)))
    assert main(["test", str(path)]) == 2
    assert "the test needs finite numbers, but 'colour' is a" in capsys.readouterr().err
